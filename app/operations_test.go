package app

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/store"
	"quire/transfer/archive"
)

// cuisines writes a file of lines with n documents of a type without rules that could
// refuse them.
func cuisines(t *testing.T, n int) (name string) {
	t.Helper()
	var lines strings.Builder
	for i := range n {
		fmt.Fprintf(&lines, `{"type":"api::cuisine.cuisine","documentId":"c%d","data":{"name":"Cuisine %d"}}`+"\n", i, i)
	}
	name = filepath.Join(t.TempDir(), "lines.ndjson")
	check(t, os.WriteFile(name, []byte(lines.String()), 0o600))
	return name
}

// A running server keeps the former schemas until a command changes the content, and
// then uses the new schemas.
func TestSwitchLocalizationWhileServing(t *testing.T) {
	a, _ := startGuide(t)
	edit(t, a.at.Site, "src/api/restaurant/content-types/restaurant/schema.json", "\"i18n\": {\n      \"localized\": true", "\"i18n\": {\n      \"localized\": false")
	if err := a.reload(); err == nil || !strings.Contains(err.Error(), "`quire migrate localization --dry-run SITE`") {
		t.Errorf("it reloads: %v", err)
	}
	if status, body := ask(a, "/api/restaurants?locale=de"); status != 200 || strings.Count(body, `"documentId"`) < 2 {
		t.Errorf("afterwards: %d %s", status, body)
	}
	if a.db.Suspended() {
		t.Error("it takes no writes")
	}
	for _, m := range []Localizing{{DryRun: true}, {}} {
		done, err := a.localizeLive(t.Context(), m)
		if err != nil || len(done.Moves) == 0 {
			t.Errorf("%+v: %+v, %v", m, done, err)
		}
	}
	if status, body := ask(a, "/api/restaurants?locale=de"); status != 200 || !strings.Contains(body, `"total":4`) {
		t.Errorf("once it is done: %d %s", status, body)
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::restaurant.restaurant", "data": {"name": "Grill", "slug": "grill"}}`), nil); err != nil {
		t.Errorf("writing after it: %v", err)
	}
}

// serveCommands runs the commands that arrive at the socket of the site, until stop is
// called.
func serveCommands(t *testing.T, a *App) (stop func()) {
	t.Helper()
	l := a.listenControl()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		a.serveControl(ctx, l)
	}()
	return func() { cancel(); <-ended }
}

// A running server runs the commands that arrive at its socket. The log contains their
// names and no secrets.
func TestCommandsOfARunningServer(t *testing.T) {
	a, log := startGuide(t)
	stop := serveCommands(t, a)
	token, who, err := a.at.Call(t.Context(), "token create", []byte(`{"name": "late", "kind": "full-access"}`))
	if err != nil || who != ByServer || len(token) < 100 {
		t.Errorf("a token: %s, %s, %v", token, who, err)
	}
	for _, unknown := range []string{"format disk", "data nothing"} {
		if _, _, err := a.at.Call(t.Context(), unknown, nil); err == nil || !strings.Contains(err.Error(), unknown) {
			t.Errorf("an unknown command: %v", err)
		}
	}
	if err := a.at.Ready(t.Context()); err != nil {
		t.Errorf("ready: %v", err)
	}
	stop()
	if said := log.String(); !strings.Contains(said, `command="token create" done=true`) || strings.Contains(said, strings.Trim(string(token), `"`)) || strings.Contains(said, "command=ready") {
		t.Errorf("the log: %s", said)
	}
	if err := a.at.Ready(t.Context()); err == nil || !strings.Contains(err.Error(), "no server") {
		t.Errorf("ready after the end: %v", err)
	}
}

// The progress does not go back when the server has gone or the command is stopped.
func TestProgressOfAServer(t *testing.T) {
	a := startApp(t, newGuide(t), slog.New(slog.DiscardHandler))
	var far archive.Meter
	progress := a.at.Progress(t.Context(), &far)
	if got := progress(); got != (Measured{}) {
		t.Errorf("without a server: %+v", got)
	}
	stop := serveCommands(t, a)
	meter := new(archive.Meter)
	in := &Delivery{Files: []DeliveredFile{{"lines", cuisines(t, 3)}}}
	if _, err := in.into(t.Context(), archive.Target{Site: a.site, DB: a.db, Files: a.files}, archive.Options{Meter: meter}); err != nil {
		t.Fatal(err)
	}
	a.importing.Store(meter)
	before := progress()
	stop()
	if after := progress(); before.Entries == 0 || after != before {
		t.Errorf("%+v became %+v", before, after)
	}
}

// Schemas that an import installed stay if it is unknown whether their content was
// stored. They are removed if it was not.
func TestSchemasStayWithTheirContent(t *testing.T) {
	for _, c := range []struct {
		failure error
		stay    bool
	}{{nil, true}, {errors.New("refused"), false}, {fmt.Errorf("x: %w", &store.UncertainError{Err: errors.New("the disk")}), true}} {
		src := filepath.Join(t.TempDir(), "src")
		check(t, os.Mkdir(src, 0o700))
		if err := (&importSchemas{installed: []string{src}}).close(c.failure); err != nil {
			t.Error(err)
		}
		if _, err := os.Stat(src); (err == nil) != c.stay {
			t.Errorf("after %v: %v", c.failure, err)
		}
	}
}

// The pictures of the starter site are the same each time. An invalid colour is an
// error.
func TestPictures(t *testing.T) {
	p := picture{Name: "a.jpg", Table: "#805030", Plate: "#ffffff", Food: []string{"#ff0000"}}
	first, err := p.draw()
	check(t, err)
	second, err := p.draw()
	if err != nil || !bytes.Equal(first.Pix, second.Pix) {
		t.Errorf("it is drawn differently each time, %v", err)
	}
	if r, g, _, _ := first.At(pictureWidth/2+60, pictureHeight/2).RGBA(); r < 0xA000 || g > 0x8000 {
		t.Errorf("the food is %v", first.At(pictureWidth/2+60, pictureHeight/2))
	}
	p.Plate = "white"
	if _, err := p.draw(); err == nil || !strings.Contains(err.Error(), `"white" is not a colour`) {
		t.Errorf("a colour that is none: %v", err)
	}
}
