package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"go.etcd.io/bbolt"
)

const dogs = "api::dog.dog"

func TestWhatIsAppliedIsReadBack(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	draft, published := text(1, "rex", "en", Draft, "Rex"), text(2, "rex", "en", Published, "Rex")
	put(t, db, dogs, draft, published, text(3, "ada", "en", Draft, "Ada"))
	update(t, db, func(tx *Tx) error {
		if e, err := tx.Entry(dogs, published.Key()); err != nil || e == nil || e.ID != 2 {
			t.Errorf("before: %v, %v", e, err)
		}
		changed := text(1, "rex", "en", Draft, "Rex the second")
		if err := tx.Apply(Change{Type: dogs, Before: draft, After: changed}); err != nil {
			return err
		}
		if e, err := tx.Entry(dogs, changed.Key()); err != nil || e.Value("title").Text != "Rex the second" {
			t.Errorf("an update does not see what it wrote: %v, %v", e, err)
		}
		return tx.Apply(Change{Type: dogs, Before: published})
	})
	want := map[string][]*Entry{dogs: {text(3, "ada", "en", Draft, "Ada"), text(1, "rex", "en", Draft, "Rex the second")}}
	requireContent(t, db, want)
	noError(t, db.Reopen())
	requireContent(t, db, want)
	view(t, db, func(tx *Tx) error {
		for _, k := range []Key{published.Key(), {"nobody", "en", Draft}, {"rex", "", Draft}, {"", "en", Draft}, {"rex", "en", 'x'}} {
			if e, err := tx.Entry(dogs, k); e != nil || err != nil {
				t.Errorf("%s: got %v, %v, want nothing", k, e, err)
			}
		}
		return nil
	})
}

func TestAFailedUpdateLeavesNothing(t *testing.T) {
	db := newDB(t)
	rex := text(1, "rex", "", Draft, "Rex")
	put(t, db, dogs, rex)
	heard := 0
	db.Subscribe(func(Commit) { heard++ })

	write := func(tx *Tx) {
		for _, err := range []error{
			tx.Apply(Change{Type: dogs, After: text(2, "ada", "", Draft, "Ada")}),
			tx.Apply(Change{Type: dogs, Before: rex}),
			tx.SetSequence("dogs", 7),
			tx.PutRecord("tokens", "a", []byte("secret")),
		} {
			if err != nil {
				t.Error(err)
			}
		}
	}
	if err := db.Update(func(tx *Tx) error { write(tx); return errTest }); err != errTest {
		t.Errorf("Update returned %v, want the function's own error", err)
	}
	func() {
		defer func() {
			if p := recover(); p != "out" {
				t.Errorf("recovered %v, want the function's own panic", p)
			}
		}()
		_ = db.Update(func(tx *Tx) error { write(tx); panic("out") })
	}()

	requireContent(t, db, map[string][]*Entry{dogs: {rex}})
	view(t, db, func(tx *Tx) error {
		token, err := tx.Record("tokens", "a")
		if token != nil || err != nil || tx.Sequence("dogs") != 0 || tx.Revision() != 1 {
			t.Errorf("left behind: record %q, sequence %d, revision %d", token, tx.Sequence("dogs"), tx.Revision())
		}
		return nil
	})
	if heard != 0 {
		t.Errorf("%d commits were told", heard)
	}
	put(t, db, dogs, text(2, "ada", "", Draft, "Ada")) // the next writer is not stuck
}

func TestRevisionsCountCommits(t *testing.T) {
	db := newDB(t)
	steps := []struct {
		name  string
		write func(*Tx) error
		want  uint64
	}{
		{"nothing", func(*Tx) error { return nil }, 0},
		{"an entry", func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: text(1, "rex", "", Draft, "")}) }, 1},
		{"a sequence", func(tx *Tx) error { return tx.SetSequence("dogs", 1) }, 2},
		{"a record", func(tx *Tx) error { return tx.PutRecord("tokens", "a", nil) }, 3},
		{"no such record", func(tx *Tx) error { return tx.DeleteRecord("tokens", "b") }, 3},
		{"a record less", func(tx *Tx) error { return tx.DeleteRecord("tokens", "a") }, 4},
		{"a refused change", func(tx *Tx) error {
			if err := tx.Apply(Change{Type: dogs, After: text(2, "rex", "", Draft, "")}); err == nil {
				t.Error("a second entry of the same name was taken")
			}
			return nil
		}, 4},
	}
	for _, step := range steps {
		before := revision(t, db)
		update(t, db, func(tx *Tx) error {
			if tx.Revision() != before+1 {
				t.Errorf("%s: the update has revision %d after %d", step.name, tx.Revision(), before)
			}
			return step.write(tx)
		})
		if got := revision(t, db); got != step.want {
			t.Errorf("%s: revision %d, want %d", step.name, got, step.want)
		}
	}
}

func TestChangesThatContradictTheFileAreRefused(t *testing.T) {
	db := newDB(t)
	rex := text(1, "rex", "en", Draft, "Rex")
	put(t, db, dogs, rex)
	nested := Value{Kind: Text, Text: "deep"}
	for range maxDepth + 1 {
		nested = Value{Kind: Instances, Instances: []Instance{{Component: "a.b", Fields: []Field{{"c", nested}}}}}
	}
	with := func(fields ...Field) *Entry {
		return &Entry{ID: 9, DocumentID: "new", Status: Draft, Fields: fields}
	}
	cases := []struct {
		name, want string
		change     Change
	}{
		{"empty", "neither", Change{Type: dogs}},
		{"new but stored", "stored already", Change{Type: dogs, After: rex}},
		{"changed but absent", "it is not", Change{Type: dogs, Before: text(1, "ada", "en", Draft, ""), After: text(1, "ada", "en", Draft, "")}},
		{"deleted but absent", "it is not", Change{Type: dogs, Before: text(1, "rex", "en", Published, "")}},
		{"deleted from no locale", "it is not", Change{Type: dogs, Before: text(1, "rex", "fr", Draft, "")}},
		{"renamed", "rename", Change{Type: dogs, Before: rex, After: text(1, "rex", "fr", Draft, "")}},
		{"no type", "not a uid", Change{After: rex}},
		{"no documentId", "documentId", Change{Type: dogs, After: text(1, "", "en", Draft, "")}},
		{"long documentId", "documentId", Change{Type: dogs, After: text(1, strings.Repeat("x", 256), "en", Draft, "")}},
		{"control characters", "documentId", Change{Type: dogs, After: text(1, "a\x01", "en", Draft, "")}},
		{"reserved locale", "locale", Change{Type: dogs, After: text(1, "ada", "-", Draft, "")}},
		{"no status", "status", Change{Type: dogs, After: text(1, "ada", "en", 0, "")}},
		{"field twice", `field "a": `, Change{Type: dogs, After: with(Field{"a", Value{Kind: Bool}}, Field{"a", Value{Kind: Int}})}},
		{"unknown kind", `field "a.b": value kind 99`, Change{Type: dogs, After: with(Field{"a", Value{Kind: Instances, Instances: []Instance{{Fields: []Field{{"b", Value{Kind: 99}}}}}}})}},
		{"too deep", "nested more than 64 deep", Change{Type: dogs, After: with(Field{"a", nested})}},
	}
	for _, c := range cases {
		err := db.Update(func(tx *Tx) error { return tx.Apply(c.change) })
		var refused *EntryError
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want an EntryError with %q", c.name, err, c.want)
		}
	}
	requireContent(t, db, map[string][]*Entry{dogs: {rex}})
}

func TestWritingIsRefusedInAViewAndAReadOnlyFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	rex := text(1, "rex", "", Draft, "Rex")
	writes := map[string]func(*Tx) error{
		"Apply":        func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: rex}) },
		"SetSequence":  func(tx *Tx) error { return tx.SetSequence("dogs", 1) },
		"PutRecord":    func(tx *Tx) error { return tx.PutRecord("tokens", "a", nil) },
		"DeleteRecord": func(tx *Tx) error { return tx.DeleteRecord("tokens", "a") },
	}
	db := open(t, path, Options{})
	for name, write := range writes {
		if err := db.View(write); !errors.Is(err, ErrReadOnly) {
			t.Errorf("%s in a View: %v", name, err)
		}
	}
	put(t, db, dogs, rex)
	noError(t, db.Close())
	before := readFile(t, path)
	one, two := open(t, path, Options{ReadOnly: true}), open(t, path, Options{ReadOnly: true})
	requireContent(t, one, map[string][]*Entry{dogs: {rex}})
	requireContent(t, two, map[string][]*Entry{dogs: {rex}})
	if err := one.Update(writes["Apply"]); !errors.Is(err, ErrReadOnly) {
		t.Errorf("Update of a read-only file: %v", err)
	}
	if string(readFile(t, path)) != string(before) {
		t.Error("a read-only file was written to")
	}
}

func TestAClosedFileSaysSo(t *testing.T) {
	db := newDB(t)
	for range 2 {
		noError(t, db.Close())
	}
	nothing := func(*Tx) error { t.Error("called"); return nil }
	for name, err := range map[string]error{"View": db.View(nothing), "Update": db.Update(nothing), "Reopen": db.Reopen()} {
		if !errors.Is(err, ErrClosed) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestAnEndedTransactionPanics(t *testing.T) {
	db := newDB(t)
	var kept *Tx
	view(t, db, func(tx *Tx) error { kept = tx; return nil })
	defer func() {
		if p, _ := recover().(string); !strings.Contains(p, "after its View or Update had returned") {
			t.Errorf("recovered %q", p)
		}
	}()
	kept.Sequence("dogs")
}

// A commit that fails leaves open whether the write is stored: bbolt may have
// failed before or after the new head was on the disk.
func TestAfterAFailedCommitNothingIsWrittenUntilReopened(t *testing.T) {
	rex, ada := text(1, "rex", "", Draft, "Rex"), text(2, "ada", "", Draft, "Ada")
	cases := []struct {
		name   string
		commit func(*bbolt.Tx) error
		after  []*Entry
	}{
		{"nothing reached the disk", func(*bbolt.Tx) error { return errTest }, []*Entry{rex}},
		{"all of it did", func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), errTest) }, []*Entry{ada, rex}},
		{"bbolt panicked", func(*bbolt.Tx) error { panic(errTest.Error()) }, []*Entry{rex}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			db := newDB(t)
			put(t, db, dogs, rex)
			db.Subscribe(func(Commit) { t.Error("an uncertain commit was told") })
			db.commit = c.commit
			apply := func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: ada}) }
			var uncertain *UncertainError
			if err := db.Update(apply); !errors.As(err, &uncertain) || !strings.Contains(err.Error(), errTest.Error()) {
				t.Fatalf("the failing update: %v", err)
			}
			db.commit = (*bbolt.Tx).Commit
			var suspended *SuspendedError
			if err := db.Update(apply); !errors.As(err, &suspended) || !errors.As(err, &uncertain) || !strings.Contains(err.Error(), "takes no writes") {
				t.Errorf("the update after it: %v", err)
			}
			if !db.Suspended() {
				t.Error("it does not say that it is suspended")
			}
			if _, err := content(db); err != nil {
				t.Errorf("reads stopped: %v", err)
			}
			noError(t, db.Reopen())
			if db.Suspended() {
				t.Error("it says that it is suspended after it was reopened")
			}
			requireContent(t, db, map[string][]*Entry{dogs: c.after})
			db.feed.listeners = nil
			put(t, db, dogs, text(3, "zoe", "", Draft, "Zoe"))
		})
	}
}

func TestSuspend(t *testing.T) {
	db := newDB(t)
	db.Suspend(errTest)
	if err := db.Update(nil); !errors.As(err, new(*SuspendedError)) || !errors.Is(err, errTest) {
		t.Errorf("the update: %v", err)
	}
	noError(t, db.Reopen())
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
}

func TestAFileThatCannotBeReopenedIsOutOfUseUntilItCan(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
	whole := readFile(t, path)
	noError(t, db.Close())
	db = open(t, path, Options{})
	writeFile(t, path, []byte("not a data file, but as long as one page and a bit is not needed"))
	if err := db.Reopen(); err == nil {
		t.Fatal("reopened a file of something else")
	}
	var suspended *SuspendedError
	for name, err := range map[string]error{"View": db.View(nil), "Update": db.Update(nil)} {
		if !errors.As(err, &suspended) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if !db.Suspended() {
		t.Error("it does not say that it is suspended")
	}
	writeFile(t, path, whole)
	noError(t, db.Reopen())
	put(t, db, dogs, text(2, "ada", "", Draft, "Ada"))
}
