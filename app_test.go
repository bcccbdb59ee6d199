package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startGuide opens the starter site with its content. What it logs is for tests to
// read while nothing else runs.
func startGuide(t *testing.T) (*app, *bytes.Buffer) {
	t.Helper()
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	var log bytes.Buffer
	a := startApp(t, site, slog.New(slog.NewTextHandler(&log, nil)))
	if err := a.sow(t.Context()); err != nil {
		t.Fatal(err)
	}
	return a, &log
}

// startApp opens a site in this process until the test ends.
func startApp(t *testing.T, site string, log *slog.Logger) *app {
	t.Helper()
	a, err := openApp(place{site: site}, log)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := a.close(); err != nil {
			t.Error(err)
		}
	})
	if err := a.start(); err != nil {
		t.Fatal(err)
	}
	return a
}

// edit replaces text in a file of the site.
func edit(t *testing.T, a *app, file, from, to string) {
	t.Helper()
	rewrite(t, filepath.Join(a.place.site, file), from, to)
}

func rewrite(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s does not contain %q", name, from)
	}
	if err := os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o600); err != nil {
		t.Fatal(err)
	}
}

// ask sends a GET without a token.
func ask(a *app, path string) (status int, body string) {
	w := httptest.NewRecorder()
	a.server.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

const cuisineSchema = "src/api/cuisine/content-types/cuisine/schema.json"

func TestReload(t *testing.T) {
	a, _ := startGuide(t)
	before := a.summary()
	edit(t, a, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	edit(t, a, "site.json", `"defaultLimit": 25`, `"defaultLimit": 2`)
	if err := a.reload(); err != nil {
		t.Fatal(err)
	}
	if status, _ := ask(a, "/api/cuisines"); status != 404 {
		t.Errorf("the former route answers %d", status)
	}
	status, body := ask(a, "/api/kitchens")
	if status != 200 || strings.Count(body, "documentId") != 2 || !strings.Contains(body, `"total":4`) {
		t.Errorf("the new route answers %d %s", status, body)
	}
	if a.summary() != before {
		t.Errorf("%s became %s", before, a.summary())
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::cuisine.cuisine", "data": {"name": "Grill"}}`), nil); err != nil {
		t.Errorf("writing after a reload: %v", err)
	}
}

func TestReloadOfABrokenSite(t *testing.T) {
	for _, test := range []struct{ file, from, to, want string }{
		{cuisineSchema, `"type": "string"`, `"type": "sting"`, "sting"},
		{cuisineSchema, `{`, `{{`, "schema.json"},
		{"site.json", `"title:asc"`, `"titel:asc"`, "Invalid key titel"},
		{"site.json", `"api::visit.visit"`, `"api::visitor.visitor"`, "api::visitor.visitor"},
	} {
		a, _ := startGuide(t)
		edit(t, a, test.file, test.from, test.to)
		if err := a.reload(); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %s: %v, want %q", test.file, test.to, err, test.want)
		}
		if status, body := ask(a, "/api/cuisines"); status != 200 || !strings.Contains(body, `"total":4`) {
			t.Errorf("afterwards: %d %s", status, body)
		}
	}
}

func TestLimitsAreSettings(t *testing.T) {
	a, _ := startGuide(t)
	edit(t, a, "site.json", `"roles"`, `"limits": {"bodyBytes": 40, "urlBytes": 50, "depth": 3}, "roles"`)
	edit(t, a, "site.json", `"api::visit.visit": [`, `"api::visit.visit": ["create",`)
	if err := a.reload(); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		path, body string
		status     int
	}{
		{"/api/visits", `{"data": {"rating": 4}}`, 201},
		{"/api/visits", `{"data": {"rating": 4, "comment": "much too long a text"}}`, 413},
		{"/api/visits", `{"data": {"rating": [[[[4]]]]}}`, 400},
		{"/api/visits?x=" + strings.Repeat("x", 50), `{"data": {"rating": 4}}`, 414},
	} {
		w := httptest.NewRecorder()
		r := httptest.NewRequest("POST", test.path, strings.NewReader(test.body))
		r.Header.Set("Content-Type", "application/json")
		a.server.Handler().ServeHTTP(w, r)
		if w.Code != test.status {
			t.Errorf("%s %s: %d %s, want %d", test.path, test.body, w.Code, w.Body, test.status)
		}
	}
}

func TestWatchReportsAndReloads(t *testing.T) {
	a, log := startGuide(t)
	seen := a.look(a.fingerprint())
	edit(t, a, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	edit(t, a, "site.json", `"roles"`, `"rules"`)
	seen = a.look(seen)
	seen = a.look(seen)
	edit(t, a, "site.json", `"rules"`, `"roles"`)
	a.look(seen)
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "the former one stays") || !strings.Contains(lines[0], "rules") || !strings.Contains(lines[1], "the changed site is served") {
		t.Errorf("the log: %s", log)
	}
	if status, _ := ask(a, "/api/kitchens"); status != 200 {
		t.Errorf("the new route answers %d", status)
	}
}

func TestReopen(t *testing.T) {
	a, log := startGuide(t)
	before := a.summary()
	a.suspend()
	a.suspend() // never blocks
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	ticks := make(chan time.Time)
	go func() { a.follow(ctx, ticks, nil); close(ended) }()
	for len(a.suspended) > 0 {
		ticks <- time.Time{}
	}
	ticks <- time.Time{}
	stop()
	<-ended
	if !strings.Contains(log.String(), "was reopened") || a.summary() != before {
		t.Errorf("%s became %s; the log: %s", before, a.summary(), log)
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::cuisine.cuisine", "data": {"name": "Grill"}}`), nil); err != nil {
		t.Errorf("writing afterwards: %v", err)
	}
}

// A data file that cannot be reopened is tried again without anybody writing.
func TestReopenIsTriedAgain(t *testing.T) {
	a, log := startGuide(t)
	file := a.dataFile()
	if err := errors.Join(os.Rename(file, file+".away"), os.WriteFile(file, []byte("the disk has gone"), 0o600)); err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended, again := make(chan struct{}), make(chan time.Time)
	go func() { a.follow(ctx, nil, again); close(ended) }()
	again <- time.Time{} // nothing is wrong yet, to whoever does not look
	if err := a.db.Reopen(); err == nil {
		t.Fatal("opened nonsense")
	}
	again <- time.Time{}
	again <- time.Time{} // by now the first one has been done
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	again <- time.Time{}
	stop()
	<-ended
	if logged := log.String(); !strings.Contains(logged, "cannot be reopened") || strings.Count(logged, "was reopened") != 1 {
		t.Errorf("the log: %s", logged)
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::cuisine.cuisine", "data": {"name": "Grill"}}`), nil); err != nil {
		t.Errorf("writing afterwards: %v", err)
	}
}

// The body of the request is sent only when the server has begun to read it, and
// the server is told to stop in the middle.
func TestServerStopsAfterTheRequestsUnderWay(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "test", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	body, sender := io.Pipe()
	r, err := http.NewRequest("POST", p.url+"/api/cuisines", body)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+token)
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Expect", "100-continue")
	status := make(chan int, 1)
	go func() {
		response, err := (&http.Transport{ExpectContinueTimeout: time.Minute}).RoundTrip(r)
		if err != nil {
			status <- 0
			return
		}
		response.Body.Close()
		status <- response.StatusCode
	}()
	io.WriteString(sender, `{"data": `)
	p.stop()
	io.WriteString(sender, `{"name": "Late"}}`)
	sender.Close()
	if got := <-status; got != 201 {
		t.Errorf("the request under way was answered %d, want 201", got)
	}
	p.end()
}

func TestCheckOfData(t *testing.T) {
	a, _ := startGuide(t)
	site := a.place.site
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	edit(t, a, "src/api/restaurant/content-types/restaurant/schema.json", `"seats"`, `"chairs"`)
	edit(t, a, "src/components/contact/address.json", `"town"`, `"city"`)
	edit(t, a, "site.json", `"de"`, `"da"`)
	notes := succeed(t, "check", site)
	for _, want := range []string{
		"api::restaurant.restaurant.seats, which the schema no longer has (12 entries): kept, not served",
		"api::restaurant.restaurant.address(contact.address).town, which the schema no longer has",
		`api::restaurant.restaurant in the locale "de", which the site no longer has (4 entries)`,
		"no problems",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	edit(t, a, "src/api/visit/content-types/visit/schema.json", `"type": "integer"`, `"type": "string"`)
	edit(t, a, "src/api/visit/content-types/visit/schema.json", `"min": 1,`, ``)
	edit(t, a, "src/api/visit/content-types/visit/schema.json", `"max": 5`, `"maxLength": 5`)
	code, stdout, stderr := command(t, "check", site)
	if code != 1 || !strings.Contains(stdout, "api::visit.visit.rating is stored as a whole number (4 entries)") || stderr != "quire: 1 problem found\n" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestCheckReportsEverythingAtOnce(t *testing.T) {
	a, _ := startGuide(t)
	if err := a.close(); err != nil {
		t.Fatal(err)
	}
	edit(t, a, cuisineSchema, `"type": "string"`, `"type": "sting"`)
	edit(t, a, "site.json", `"api::visit.visit"`, `"api::visitor.visitor"`)
	data, err := os.OpenFile(a.dataFile(), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := data.Truncate(10_000); err != nil {
		t.Fatal(err)
	}
	data.Close()
	code, stdout, _ := command(t, "check", a.place.site)
	for _, want := range []string{"cuisine/schema.json: ", "site.json: ", a.dataFile() + ": "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no problem of %s in\n%s", want, stdout)
		}
	}
	if code != 1 {
		t.Errorf("exit %d", code)
	}
}
