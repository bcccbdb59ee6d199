//go:build !nocode

package app

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/test/replay"
)

// codeSite opens a copy of the project with code until the test ends.
func codeSite(t *testing.T, log *slog.Logger) *App {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	if err := os.CopyFS(site, os.DirFS("../testdata/code-site")); err != nil {
		t.Fatal(err)
	}
	return startApp(t, site, log)
}

// TestReplayCode sends the recorded requests for a project with code, and compares the
// responses. testdata/suites/README.md says what is compared.
func TestReplayCode(t *testing.T) {
	a := codeSite(t, slog.New(slog.DiscardHandler))
	tokens := map[string]string{}
	for name, kind := range map[string]auth.TokenKind{"full": auth.FullAccess, "readonly": auth.ReadOnly} {
		token, err := a.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: kind})
		if err != nil {
			t.Fatal(err)
		}
		tokens[name] = token
	}
	steps, err := replay.Read("../testdata", "20-code")
	if err != nil {
		t.Fatal(err)
	}
	s := replay.NewSession("../testdata", a.server.Handler(), tokens)
	for number, step := range steps {
		for _, row := range s.Replay(step) {
			t.Errorf("#%d %s %s (%s): %s", number, step.Method, step.Path, step.Caller(), row)
		}
	}
}

// A running server serves changed code. Of code that does not load, or whose bootstrap fails,
// the log has the file and line, and the former code goes on, with its hooks.
func TestWatchServesChangedCode(t *testing.T) {
	var log bytes.Buffer
	a := codeSite(t, slog.New(slog.NewTextHandler(&log, nil)))
	ticks, again, stop := maintained(t, a)
	const controller = "src/api/ping/controllers/ping.js"
	pinged := func(want string) {
		t.Helper()
		if _, body := ask(a, "/api/ping"); !strings.Contains(body, want) {
			t.Errorf("no %s in %s", want, body)
		}
	}
	changed := func() {
		ticks <- time.Time{}
		again <- time.Time{} // the tick has been handled by now
	}
	edit(t, a.at.Site, controller, "pong: true", "pong: 'first'")
	changed()
	pinged(`"pong":"first"`)
	edit(t, a.at.Site, controller, "'first'", "'second'")
	edit(t, a.at.Site, "config/shop.js", "module", "\nundefined.here; module")
	changed()
	pinged(`"pong":"first"`)
	edit(t, a.at.Site, "config/shop.js", "\nundefined.here; ", "")
	edit(t, a.at.Site, "src/index.js", "bootstrap({ strapi }) {", "bootstrap({ strapi }) { throw new Error('not today');")
	changed()
	pinged(`"pong":"first"`)
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::article.article", "data": {"title": "With hooks"}}`), nil); err != nil {
		t.Error(err)
	}
	edit(t, a.at.Site, "src/index.js", " throw new Error('not today');", "")
	if err := os.WriteFile(filepath.Join(a.at.Site, ".env"), []byte("SHOP_NAME=Kiosk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	changed()
	stop()
	pinged(`"pong":"second","name":"Kiosk"`)
	for _, want := range []string{"the changed code is served", "the former code stays", "config/shop.js:2", "not today"} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log: %s", want, &log)
		}
	}
}

// Schemas that change together with the code are served together, or not at all.
func TestReloadOfSchemasWithCode(t *testing.T) {
	a := codeSite(t, slog.New(slog.DiscardHandler))
	edit(t, a.at.Site, "src/api/tag/content-types/tag/schema.json", `"pluralName": "tags"`, `"pluralName": "labels"`)
	edit(t, a.at.Site, "src/api/ping/controllers/ping.js", "pong: true", "pong: nothing()[")
	if err := a.reload(); !errors.As(err, new(*siteError)) || !strings.Contains(err.Error(), "src/api/ping/controllers/ping.js:") {
		t.Errorf("%v", err)
	}
	if status, _ := ask(a, "/api/tags"); status != 200 || a.db.Suspended() {
		t.Errorf("the former site answers %d, and writes: %v", status, !a.db.Suspended())
	}
	edit(t, a.at.Site, "src/api/ping/controllers/ping.js", "nothing()[", "2")
	if err := a.reload(); err != nil {
		t.Fatal(err)
	}
	if status, _ := ask(a, "/api/labels"); status != 200 {
		t.Errorf("the new route answers %d", status)
	}
}
