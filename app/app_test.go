package app

import (
	"context"
	"errors"
	"log/slog"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// startApp opens a site in this process until the test ends.
func startApp(t testing.TB, site string, log *slog.Logger) *App {
	t.Helper()
	a, err := Open(Location{Site: site}, Options{Log: log})
	check(t, err)
	t.Cleanup(func() {
		if err := a.Close(); err != nil {
			t.Error(err)
		}
	})
	check(t, a.Start())
	return a
}

// edit replaces text in a file of the site.
func edit(t *testing.T, site, file, from, to string) {
	t.Helper()
	rewrite(t, filepath.Join(site, file), from, to)
}

func rewrite(t *testing.T, name, from, to string) {
	t.Helper()
	text, err := os.ReadFile(name)
	check(t, err)
	if !strings.Contains(string(text), from) {
		t.Fatalf("%s does not contain %q", name, from)
	}
	check(t, os.WriteFile(name, []byte(strings.Replace(string(text), from, to, 1)), 0o600))
}

// ask sends a GET without a token.
func ask(a *App, path string) (status int, body string) {
	w := httptest.NewRecorder()
	a.server.Handler().ServeHTTP(w, httptest.NewRequest("GET", path, nil))
	return w.Code, w.Body.String()
}

const cuisineSchema = "src/api/cuisine/content-types/cuisine/schema.json"

func TestReload(t *testing.T) {
	a, _ := startGuide(t)
	before := a.summary()
	edit(t, a.at.Site, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	edit(t, a.at.Site, "site.json", `"defaultLimit": 25`, `"defaultLimit": 2`)
	check(t, a.reload())
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

// A read that was answered before shows what the schema of now shows.
func TestRepeatedReadsFollowTheSchema(t *testing.T) {
	a, _ := startGuide(t)
	read := func(want bool) {
		t.Helper()
		for range 3 {
			if status, body := ask(a, "/api/cuisines"); status != 200 || strings.Contains(body, `"name":`) != want {
				t.Errorf("%d %s, want names: %t", status, body, want)
			}
		}
	}
	read(true)
	edit(t, a.at.Site, cuisineSchema, `"type": "string"`, `"type": "string", "private": true`)
	check(t, a.reload())
	read(false)
	edit(t, a.at.Site, cuisineSchema, `, "private": true`, ``)
	check(t, a.reload())
	read(true)
}

func TestReloadOfABrokenSite(t *testing.T) {
	for _, test := range []struct{ file, from, to, want string }{
		{cuisineSchema, `"type": "string"`, `"type": "sting"`, "sting"},
		{cuisineSchema, `{`, `{{`, "schema.json"},
		{"site.json", `"title:asc"`, `"titel:asc"`, "Invalid key titel"},
		{"site.json", `"api::visit.visit"`, `"api::visitor.visitor"`, "api::visitor.visitor"},
	} {
		a, _ := startGuide(t)
		edit(t, a.at.Site, test.file, test.from, test.to)
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
	edit(t, a.at.Site, "site.json", `"roles"`, `"limits": {"bodyBytes": 40, "urlBytes": 50, "depth": 3}, "roles"`)
	edit(t, a.at.Site, "site.json", `"api::visit.visit": [`, `"api::visit.visit": ["create",`)
	check(t, a.reload())
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
	ticks, again, stop := maintained(t, a)
	edit(t, a.at.Site, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	edit(t, a.at.Site, "site.json", `"roles"`, `"rules"`)
	ticks <- time.Time{}
	again <- time.Time{} // the tick has been handled by now
	edit(t, a.at.Site, "site.json", `"rules"`, `"roles"`)
	ticks <- time.Time{}
	stop()
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], "the former one stays") || !strings.Contains(lines[0], "rules") || !strings.Contains(lines[1], "the changed site is served") {
		t.Errorf("the log: %s", log)
	}
	if status, _ := ask(a, "/api/kitchens"); status != 200 {
		t.Errorf("the new route answers %d", status)
	}
}

// maintained runs maintain with the returned ticks, until stop is called.
func maintained(t *testing.T, a *App) (ticks, again chan<- time.Time, stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	looks, retries := make(chan time.Time), make(chan time.Time)
	go func() {
		defer close(ended)
		a.maintainOn(ctx, looks, retries)
	}()
	retries <- time.Time{} // the current site is known by now
	return looks, retries, func() { cancel(); <-ended }
}

func TestReopen(t *testing.T) {
	a, log := startGuide(t)
	before := a.summary()
	a.requestReopen()
	a.requestReopen() // never blocks
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	ticks := make(chan time.Time)
	go func() { a.maintainOn(ctx, ticks, nil); close(ended) }()
	for len(a.reopenRequests) > 0 {
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

// The server retries to reopen a data file, even if nobody writes.
func TestReopenIsTriedAgain(t *testing.T) {
	a, log := startGuide(t)
	file := a.at.DataFile()
	check(t, errors.Join(os.Rename(file, file+".away"), os.WriteFile(file, []byte("the disk has gone"), 0o600)))
	ctx, stop := context.WithCancel(t.Context())
	ended, again := make(chan struct{}), make(chan time.Time)
	go func() { a.maintainOn(ctx, nil, again); close(ended) }()
	again <- time.Time{} // nothing is wrong yet
	if err := a.db.Reopen(); err == nil {
		t.Fatal("opened nonsense")
	}
	again <- time.Time{}
	again <- time.Time{} // the first one has been handled by now
	check(t, os.Rename(file+".away", file))
	again <- time.Time{}
	stop()
	<-ended
	if logged := log.String(); !strings.Contains(logged, "cannot reopen the data file") || strings.Count(logged, "was reopened") != 1 {
		t.Errorf("the log: %s", logged)
	}
	if err := a.sowLine(t.Context(), []byte(`{"type": "api::cuisine.cuisine", "data": {"name": "Grill"}}`), nil); err != nil {
		t.Errorf("writing afterwards: %v", err)
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
