package app

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/content/migrate"
	"quire/store"
)

// sowCuisine writes one entry.
func sowCuisine(t *testing.T, a *App) error {
	t.Helper()
	return a.sowLine(t.Context(), fmt.Appendf(nil, `{"type": "api::cuisine.cuisine", "data": {"name": "%s"}}`, rand.Text()), nil)
}

// requireCuisines requires the number of served cuisines.
func requireCuisines(t *testing.T, a *App, total string) {
	t.Helper()
	if status, body := ask(a, "/api/cuisines"); status != 200 || !strings.Contains(body, `"total":`+total) {
		t.Errorf("%d %s, want %s", status, body, total)
	}
}

// breakTokens stores an unreadable token in the data file.
func breakTokens(t *testing.T, a *App) (heal func()) {
	t.Helper()
	change := func(fn func(*store.Tx) error) {
		t.Helper()
		check(t, errors.Join(a.db.Reopen(), a.db.Update(fn)))
	}
	change(func(tx *store.Tx) error { return tx.PutRecord("tokens", "broken", []byte("{")) })
	return func() {
		t.Helper()
		change(func(tx *store.Tx) error { return tx.DeleteRecord("tokens", "broken") })
	}
}

// If imported content cannot be read at once, the former content stays served, writes
// are refused, and the new content is served as soon as possible.
func TestImportThatCannotBeServed(t *testing.T) {
	a, log := startGuide(t)
	heal := breakTokens(t, a)
	in := &Delivery{Files: []DeliveredFile{{"lines", cuisines(t, 3)}}}
	if _, err := a.importLive(t.Context(), in); err == nil || !strings.Contains(err.Error(), `token "broken"`) {
		t.Fatalf("the import says %v", err)
	}
	requireCuisines(t, a, "4")
	if err := sowCuisine(t, a); !errors.As(err, new(*store.SuspendedError)) {
		t.Errorf("a write says %v", err)
	}
	heal()
	ticks, _, stop := maintained(t, a) // the import has requested a reopening
	for len(a.reopenRequests) > 0 {
		ticks <- time.Time{}
	}
	ticks <- time.Time{}
	stop()
	requireCuisines(t, a, "7")
	if err := sowCuisine(t, a); err != nil {
		t.Errorf("a write afterwards: %v\n%s", err, log)
	}
	requireCuisines(t, a, "8")
}

// A panic while the site is read again becomes an ordinary error.
func TestReloadThatPanics(t *testing.T) {
	a, log := startGuide(t)
	if err := a.switchTo(nil); err == nil || !strings.Contains(err.Error(), "panic") {
		t.Errorf("it says %v", err)
	}
	if !strings.Contains(log.String(), "reload_test.go") {
		t.Errorf("there is no stack in the log: %s", log)
	}
	if err := sowCuisine(t, a); err != nil {
		t.Errorf("a write afterwards: %v", err)
	}
	requireCuisines(t, a, "5")
	if err := a.reload(); err != nil {
		t.Errorf("reloading afterwards: %v", err)
	}
}

// If the server refuses a version of the site, the former one is served again.
func TestReloadThatTheServerRefuses(t *testing.T) {
	a, _ := startGuide(t)
	edit(t, a.at.Site, "site.json", `"title:asc"`, `"titel:asc"`)
	refused, err := a.at.Load()
	check(t, err)
	if err := a.switchTo(refused); err == nil || !strings.Contains(err.Error(), "titel") {
		t.Errorf("it says %v", err)
	}
	requireCuisines(t, a, "4")
	if err := sowCuisine(t, a); err == nil {
		t.Error("a write that nobody could see was taken")
	}
	a.reopen()
	if err := sowCuisine(t, a); err != nil {
		t.Errorf("a write afterwards: %v", err)
	}
	requireCuisines(t, a, "5")
}

// If a change of the data fails in the middle, memory is updated from the file before
// anything else is written. A refused change has changed nothing.
func TestChangesThatBreakOff(t *testing.T) {
	failure := errors.New("no")
	a := startApp(t, newGuide(t), slog.New(slog.DiscardHandler))
	for _, test := range []struct {
		what   string
		change func() error
		writes bool
	}{
		{"refused", func() error { return &migrate.MigrationError{Problem: "no"} }, true},
		{"broken off", func() error { return failure }, false},
		{"panic", func() error { panic("no") }, false},
	} {
		if err := a.switchAfter(a.site, test.change); err == nil || !strings.Contains(err.Error(), "no") {
			t.Errorf("%s: it says %v", test.what, err)
		}
		if err := sowCuisine(t, a); (err == nil) != test.writes {
			t.Errorf("%s: a write says %v", test.what, err)
		}
		a.reopen()
		if err := sowCuisine(t, a); err != nil {
			t.Errorf("%s: a write after reopening: %v", test.what, err)
		}
	}
}

// If a changed site cannot be served because of its data, the server retries without
// another change.
func TestReloadIsTriedAgain(t *testing.T) {
	a, log := startGuide(t)
	ticks, again, stop := maintained(t, a)
	heal := breakTokens(t, a)
	edit(t, a.at.Site, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	ticks <- time.Time{}
	again <- time.Time{}
	ticks <- time.Time{}
	ticks <- time.Time{} // two attempts have been made by now
	if status, _ := ask(a, "/api/kitchens"); status != 404 {
		t.Errorf("the new route answers %d", status)
	}
	heal()
	again <- time.Time{}
	again <- time.Time{}
	stop()
	if status, _ := ask(a, "/api/kitchens"); status != 200 {
		t.Errorf("the new route answers %d", status)
	}
	if said := log.String(); strings.Count(said, "the former one stays") != 2 || strings.Count(said, "the changed site is served") != 1 {
		t.Errorf("the log: %s", said)
	}
}

// A change of schemas that hides stored values, or does not accept them, logs a warning
// with the type, the attribute, and the number of values. Other changes log none.
func TestWarningsOfAChangedSite(t *testing.T) {
	a, log := startGuide(t)
	const restaurant = "src/api/restaurant/content-types/restaurant/schema.json"
	edit(t, a.at.Site, cuisineSchema, `"pluralName": "cuisines"`, `"pluralName": "kitchens"`)
	a.reloadChanged(false)
	edit(t, a.at.Site, restaurant, `"opened": {
      "type": "date"`, `"since": {
      "type": "date"`)
	edit(t, a.at.Site, restaurant, `"seats": {
      "type": "integer",
      "min": 1,`, `"seats": {
      "type": "integer",
      "min": 20,`)
	edit(t, a.at.Site, restaurant, `"facts": {
      "type": "json"`, `"facts": {
      "type": "integer"`)
	a.reloadChanged(false)
	for _, want := range []string{
		`msg="the changed schemas hide stored values; ` + "`quire migrate rename` or rename-type gives them to another name" + `" type=api::restaurant.restaurant attribute=opened values=12 documents=4`,
		`attribute=seats values=2 documents=1 rule="seats must be greater than or equal to 20"`,
		`attribute=facts values=`,
	} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("the log lacks %s", want)
		}
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 3 || t.Failed() {
		t.Errorf("%d warnings in\n%s", n, log)
	}
}

// The content can be counted during an import, under the race detector. There is one
// writer throughout.
func TestSummaryDuringAnImport(t *testing.T) {
	a := startApp(t, newGuide(t), slog.New(slog.DiscardHandler))
	in := &Delivery{Files: []DeliveredFile{{"lines", cuisines(t, 3)}}}
	writer := a.writer
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() { a.summary() })
	}
	if _, err := a.importLive(context.Background(), in); err != nil {
		t.Error(err)
	}
	all.Wait()
	if a.writer != writer || writer.Closed() {
		t.Error("there is another writer")
	}
	if got := a.summary().String(); !strings.Contains(got, "and 3 entries") {
		t.Errorf("it counts %s", got)
	}
}
