package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/content"
	"quire/content/body"
	"quire/content/history"
	"quire/store"
)

const cuisine = "api::cuisine.cuisine"

// startHistory opens the starter site. Everybody may read the history of cuisines.
func startHistory(t *testing.T, settings string) *App {
	t.Helper()
	site := newGuide(t)
	showHistory(t, site, settings)
	return startApp(t, site, slog.New(slog.DiscardHandler))
}

func showHistory(t *testing.T, site, settings string) {
	t.Helper()
	edit(t, site, "site.json", `"api::cuisine.cuisine": [`, `"api::cuisine.cuisine": ["readHistory",`)
	edit(t, site, "site.json", `"roles": {`, `"history": `+settings+`, "roles": {`)
}

// keepHistory changes a setting of the history.
func keepHistory(t *testing.T, a *App, from, to string) {
	t.Helper()
	edit(t, a.at.Site, "site.json", `"history": `+from, `"history": `+to)
	check(t, a.reload())
}

// writeCuisine creates or changes a cuisine, or deletes it if the name is empty. Here two
// cuisines may have the same name.
func writeCuisine(t *testing.T, a *App, id, name string) {
	t.Helper()
	r := content.Request{Type: a.site.Type(cuisine), DocumentID: id}
	var err error
	if name == "" {
		err = a.writer.Delete(t.Context(), r)
	} else if r.Input, err = body.Decode(a.site, r.Type, json.RawMessage(fmt.Sprintf(`{"name": %q}`, id+": "+name)), nil); err == nil {
		if _, err = a.writer.Update(t.Context(), r); errors.As(err, new(*content.NotFoundError)) {
			_, err = a.writer.Create(t.Context(), r)
		}
	}
	if err != nil {
		t.Errorf("%s: %v", id, err)
	}
}

// cuisineNames returns the current and former names of a cuisine, newest first.
func cuisineNames(t *testing.T, a *App, id string) (names []string) {
	t.Helper()
	var list struct{ Data []struct{ Revision uint64 } }
	path := "/api/cuisines/" + id + "/history"
	status, answer := ask(a, path+"?pagination[pageSize]=100")
	if status == 404 {
		return nil
	}
	if err := json.Unmarshal([]byte(answer), &list); err != nil || status != 200 {
		t.Fatalf("%s: %d %s", path, status, answer)
	}
	for _, v := range list.Data {
		var version struct{ Data struct{ Name string } }
		status, answer := ask(a, path+"/"+strconv.FormatUint(v.Revision, 10))
		if err := json.Unmarshal([]byte(answer), &version); err != nil || status != 200 {
			t.Fatalf("%s/%d: %d %s", path, v.Revision, status, answer)
		}
		names = append(names, strings.TrimPrefix(version.Data.Name, id+": "))
	}
	return names
}

func requireNames(t *testing.T, a *App, id string, want ...string) {
	t.Helper()
	if got := cuisineNames(t, a, id); !slices.Equal(got, want) {
		t.Errorf("%s was %q, want %q", id, got, want)
	}
}

// pruneAt prunes the history once, with that time as the current one.
func pruneAt(t *testing.T, a *App, now time.Time) {
	t.Helper()
	for at := (history.VersionKey{}); ; {
		var err error
		if at, err = a.pruneStep(t.Context(), at, now); err != nil {
			t.Fatal(err)
		}
		if at.IsZero() {
			return
		}
	}
}

// Expired versions are removed, and surplus ones of entries that nobody writes.
func TestOldVersionsArePruned(t *testing.T) {
	a := startHistory(t, `{"versions": 50, "days": 7}`)
	for i := range 5 {
		writeCuisine(t, a, "soups", fmt.Sprint("Soups ", i))
	}
	writeCuisine(t, a, "gone", "Gone")
	writeCuisine(t, a, "gone", "")
	now := time.Now()
	for _, early := range []time.Time{now, now.AddDate(0, 0, -1), now.Add(7*24*time.Hour - time.Hour)} {
		pruneAt(t, a, early)
	}
	requireNames(t, a, "soups", "Soups 4", "Soups 3", "Soups 2", "Soups 1", "Soups 0")
	requireNames(t, a, "gone", "Gone")
	keepHistory(t, a, `{"versions": 50`, `{"versions": 2`)
	requireNames(t, a, "soups", "Soups 4", "Soups 3", "Soups 2", "Soups 1", "Soups 0")
	pruneAt(t, a, now)
	requireNames(t, a, "soups", "Soups 4", "Soups 3", "Soups 2")
	pruneAt(t, a, now.Add(7*24*time.Hour+time.Hour))
	requireNames(t, a, "soups", "Soups 4")
	requireNames(t, a, "gone")
}

// With 0, no version is kept, and existing versions are removed. When it is switched on
// again, the history begins anew, and versions that were not removed yet can still be
// read.
func TestHistoryIsSwitchedOffAndOn(t *testing.T) {
	for _, off := range []string{`{"versions": 0, "days": 7}`, `{"versions": 9, "days": 0}`} {
		const on = `{"versions": 9, "days": 7}`
		a := startHistory(t, on)
		for _, id := range []string{"soups", "cakes", "gone"} {
			writeCuisine(t, a, id, "One")
			writeCuisine(t, a, id, "Two")
		}
		keepHistory(t, a, on, off)
		writeCuisine(t, a, "soups", "Three")
		writeCuisine(t, a, "gone", "")
		requireNames(t, a, "soups", "Three")
		requireNames(t, a, "gone")
		keepHistory(t, a, off, on)
		writeCuisine(t, a, "soups", "Four")
		requireNames(t, a, "soups", "Four", "Three")
		requireNames(t, a, "cakes", "Two", "One")
		keepHistory(t, a, on, off)
		pruneAt(t, a, time.Now())
		requireNames(t, a, "soups", "Four")
		requireNames(t, a, "cakes", "Two")
		keepHistory(t, a, off, on)
		writeCuisine(t, a, "cakes", "Three")
		pruneAt(t, a, time.Now())
		requireNames(t, a, "cakes", "Three", "Two")
		requireSoundHistory(t, a)
	}
}

func requireSoundHistory(t *testing.T, a *App) {
	t.Helper()
	err := a.db.View(func(tx *store.Tx) error {
		lost, err := history.Check(t.Context(), tx)
		for _, one := range lost {
			t.Error(one.Err)
		}
		return err
	})
	check(t, err)
}

// Pruning during writes removes no version that must be kept, and all others can be read.
func TestPruningBesideWrites(t *testing.T) {
	const writers, writes, versions = 3, 60, 4
	a := startHistory(t, `{"versions": 4, "days": 7}`)
	makeHasty(t, a)
	a.reopen()
	var busy sync.WaitGroup
	for n := range writers {
		busy.Go(func() {
			for i := range writes {
				writeCuisine(t, a, fmt.Sprint("c", n), fmt.Sprint("Name ", i))
			}
		})
	}
	done := make(chan struct{})
	go func() { busy.Wait(); close(done) }()
	for writing := true; writing; {
		select {
		case <-done:
			writing = false
		default:
		}
		pruneAt(t, a, time.Now())
	}
	var want []string
	for i := range versions + 1 {
		want = append(want, fmt.Sprint("Name ", writes-1-i))
	}
	for n := range writers {
		requireNames(t, a, fmt.Sprint("c", n), want...)
	}
	requireSoundHistory(t, a)
}

// The server prunes by itself.
func TestServerPrunes(t *testing.T) {
	const on, off = `{"versions": 9, "days": 7}`, `{"versions": 0, "days": 7}`
	a := startHistory(t, on)
	for _, name := range []string{"One", "Two"} {
		writeCuisine(t, a, "soups", name)
	}
	keepHistory(t, a, on, off)
	committed := make(chan struct{}, 1)
	defer a.db.Subscribe(func(store.Commit) {
		select {
		case committed <- struct{}{}:
		default:
		}
	})()
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { a.prune(ctx); close(ended) }()
	for len(cuisineNames(t, a, "soups")) > 1 {
		<-committed // otherwise the test times out
	}
	stop()
	<-ended
}

// A site that is restored from a backup has its history, and continues it.
func TestHistoryIsRestored(t *testing.T) {
	const settings = `{"versions": 9, "days": 7}`
	a := startHistory(t, settings)
	for _, name := range []string{"One", "Two", "Three"} {
		writeCuisine(t, a, "soups", name)
	}
	writeCuisine(t, a, "gone", "Gone")
	writeCuisine(t, a, "gone", "")
	backUpTimes(t, a, 1, a.site.Settings.Backup)
	site := copyOf(t, a)
	showHistory(t, site, settings)
	restored := startApp(t, site, slog.New(slog.DiscardHandler))
	for _, path := range []string{"/api/cuisines/soups/history", "/api/cuisines/gone/history"} {
		_, before := ask(a, path)
		if _, after := ask(restored, path); after != before || strings.Count(after, `"revision"`) == 0 {
			t.Errorf("%s is %s, and was %s", path, after, before)
		}
	}
	requireNames(t, restored, "gone", "Gone")
	writeCuisine(t, restored, "soups", "Four")
	requireNames(t, restored, "soups", "Four", "Three", "Two", "One")
	requireSoundHistory(t, restored)
}
