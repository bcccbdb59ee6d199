package app

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"quire/app/listen"
	"quire/index"
	"quire/store"
)

const sortedCuisines = "/api/cuisines?sort=name&_q=e"

// startSaved starts the guide as if its tables were large, and saves the indexes of a read.
func startSaved(t *testing.T) (a *App, log *bytes.Buffer, answer string) {
	t.Helper()
	a, log = startGuide(t)
	a.leastSaved = 1
	status, answer := ask(a, sortedCuisines)
	if status != 200 {
		t.Fatal(answer)
	}
	a.saveIndexes(t.Context())
	return a, log, answer
}

// readAgain reads the content and its indexes as a start does, and returns how many of them
// were saved.
func readAgain(t *testing.T, a *App) int {
	t.Helper()
	check(t, a.rebuildAndResume())
	saved := a.savedNow()
	a.prepareIndexes(t.Context(), <-a.usesBefore)
	return saved.Read()
}

func requireAnswer(t *testing.T, a *App, want string) {
	t.Helper()
	if status, got := ask(a, sortedCuisines); status != 200 || got != want {
		t.Errorf("%d %s, and want %s", status, got, want)
	}
}

// What is saved is read, until the content changes: then it is built, and saved anew.
func TestIndexesAreSaved(t *testing.T) {
	a, log, want := startSaved(t)
	all := readAgain(t, a)
	if all == 0 {
		t.Errorf("nothing is read; the log says %s", log)
	}
	requireAnswer(t, a, want)
	log.Reset()
	a.saveIndexes(t.Context())
	if log.Len() > 0 {
		t.Errorf("they are saved again: %s", log)
	}
	check(t, sowCuisine(t, a)) // as if the process was killed after it
	if n := readAgain(t, a); n != 0 || !strings.Contains(log.String(), "other content") {
		t.Errorf("%d indexes of other content are read; the log says %s", n, log)
	}
	requireCuisines(t, a, "5")
	_, more := ask(a, sortedCuisines)
	a.saveIndexes(t.Context())
	if n := readAgain(t, a); n != all {
		t.Errorf("%d of %d indexes are read", n, all)
	}
	requireAnswer(t, a, more)
	edit(t, a.at.Site, "site.json", `"roles"`, `"limits": {"depth": 9}, "roles"`)
	check(t, a.reload())
	a.prepareIndexes(t.Context(), <-a.usesBefore)
	if n := a.savedNow().Read(); n != 0 {
		t.Errorf("%d indexes of another site are read", n)
	}
	requireAnswer(t, a, more)
}

// A server that ends before it has prepared the indexes leaves the record of them as it is.
func TestNothingIsPreparedAtTheEnd(t *testing.T) {
	a, _ := startGuide(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if a.prepareIndexes(ctx, []index.Use{{Type: "api::cuisine.cuisine", Kind: "values", Path: []string{"name"}}}) {
		t.Error("an index that nobody has built counts as prepared")
	}
}

// A file that is damaged, or none, is reported and changes nothing.
func TestSavedIndexesAreDamaged(t *testing.T) {
	a, log, want := startSaved(t)
	path := a.at.savedFile()
	file, err := os.ReadFile(path)
	check(t, err)
	for name, damage := range map[string]func() error{
		"empty":     func() error { return os.WriteFile(path, nil, 0o600) },
		"cut":       func() error { return os.WriteFile(path, file[:len(file)/2], 0o600) },
		"other":     func() error { return os.WriteFile(path, bytes.Repeat([]byte("quirIdx1"), 99), 0o600) },
		"flipped":   func() error { b := bytes.Clone(file); b[12] ^= 1; return os.WriteFile(path, b, 0o600) },
		"a folder":  func() error { return errors.Join(os.Remove(path), os.Mkdir(path, 0o700)) },
		"not there": func() error { return os.RemoveAll(path) },
	} {
		check(t, errors.Join(os.RemoveAll(path), os.WriteFile(path, file, 0o600), damage()))
		log.Reset()
		readAgain(t, a)
		requireAnswer(t, a, want)
		if said := strings.Contains(log.String(), "WARN"); said == (name == "not there") {
			t.Errorf("%s: the log says %s", name, log)
		}
	}
}

// If there is no place for the indexes, the log says so, and nothing is left.
func TestIndexesCannotBeSaved(t *testing.T) {
	a, log, _ := startSaved(t)
	check(t, sowCuisine(t, a))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	a.saveIndexes(ctx)
	if !strings.Contains(log.String(), "cannot save the indexes") {
		t.Errorf("the log says %s", log)
	}
	if left, _ := filepath.Glob(a.at.savedFile() + "*"); len(left) != 1 {
		t.Errorf("left are %v", left)
	}
}

// A server that stops saves its indexes.
func TestStopSavesIndexes(t *testing.T) {
	a, log := startGuide(t)
	a.leastSaved = 1
	_, want := ask(a, sortedCuisines)
	check(t, a.replaceUses())
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	check(t, a.Serve(ctx, Serving{Options: listen.Options{Address: "127.0.0.1:0"}}, func(Served) {
		go func() {
			for status := 503; status != 204; status, _ = ask(a, "/_ready") {
				runtime.Gosched()
			}
			cancel()
		}()
	}))
	if readAgain(t, a) == 0 {
		t.Errorf("nothing is read; the log says %s", log)
	}
	requireAnswer(t, a, want)
}

// After an import, the first search reads the indexes that it needs.
func TestImportSavesWhatSearchesNeed(t *testing.T) {
	site := newFilledGuide(t)
	at := Location{Site: site}
	loaded, err := at.Load()
	check(t, err)
	db, err := at.openAlone(store.Options{})
	check(t, err)
	check(t, errors.Join(at.saveSearched(t.Context(), db, loaded, 1), db.Close()))
	a := startApp(t, site, slog.New(slog.DiscardHandler))
	if n := a.savedNow().Read(); n != 0 {
		t.Errorf("%d indexes are read before a search", n)
	}
	if status, body := ask(a, "/api/cuisines?_q=e"); status != 200 || a.savedNow().Read() == 0 {
		t.Errorf("%d indexes are read for %d %s", a.savedNow().Read(), status, body)
	}
}

// If there is a record of the indexes in use, an import leaves no others.
func TestImportIntoASiteInUse(t *testing.T) {
	a, _ := startGuide(t)
	check(t, errors.Join(a.replaceUses(), a.at.saveSearched(t.Context(), a.db, a.site, 1)))
	if _, err := os.Stat(a.at.savedFile()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}
