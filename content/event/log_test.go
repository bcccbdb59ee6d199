package event

import (
	"encoding/binary"
	"errors"
	"math"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"quire/schema/settings"
	"quire/store"
)

var noon = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// dog is an event.
func dog(id string, action store.Action) Event {
	return Event{Type: "api::dog.dog", DocumentID: id, Locale: "en", Status: store.Published, ID: 7, Action: action, By: "token:3", Version: 40}
}

func open(t *testing.T) *store.DB {
	t.Helper()
	return openAt(t, filepath.Join(t.TempDir(), "quire.db"))
}

func openAt(t *testing.T, path string) *store.DB {
	t.Helper()
	db, err := store.Open(path, store.Options{Hasty: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// commit logs events and returns the revision.
func commit(t *testing.T, db *store.DB, at time.Time, events ...Event) (revision uint64) {
	t.Helper()
	update(t, db, func(tx *store.Tx) error {
		revision = tx.Revision()
		return Append(tx, at, events)
	})
	return revision
}

func update(t *testing.T, db *store.DB, fn func(*store.Tx) error) {
	t.Helper()
	if err := db.Update(fn); err != nil {
		t.Fatal(err)
	}
}

// read is what can be read after a position.
func read(t *testing.T, db *store.DB, after Position) (ids []string, err error) {
	t.Helper()
	err = db.View(func(tx *store.Tx) error {
		return Read(tx, after, func(c Commit) bool {
			for _, e := range c.Events {
				ids = append(ids, e.Position.String()+" "+e.DocumentID)
			}
			return true
		})
	})
	return ids, err
}

func TestTheLogIsReadOnFromAnyPlace(t *testing.T) {
	db := open(t)
	one := commit(t, db, noon, dog("rex", store.ActionCreate))
	update(t, db, func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("b")) })
	two := commit(t, db, noon, dog("ada", store.ActionCreate), dog("ada", store.ActionPublish), dog("bob", store.ActionDelete))
	if one != 1 || two != 3 {
		t.Fatalf("revisions %d and %d", one, two)
	}
	all := []string{"1 rex", "3.1 ada", "3.2 ada", "3 bob"}
	for text, want := range map[string][]string{"0": all, "1": all[1:], "2": all[1:], "3.1": all[2:], "3.2": all[3:], "3": nil, "3.7": nil, "1.1": all[1:]} {
		p, err := ParsePosition(text)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := read(t, db, p); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("after %s: %q, %v, want %q", text, got, err, want)
		}
	}
	var gone *GoneError
	if _, err := read(t, db, Position{Revision: 4}); !errors.As(err, &gone) || gone.Floor.String() != "0" {
		t.Errorf("after a commit that is not there: %v", err)
	}
}

func TestTheLogSurvivesRestarts(t *testing.T) {
	db := open(t)
	commit(t, db, noon, dog("rex", store.ActionCreate))
	if err := db.Reopen(); err != nil {
		t.Fatal(err)
	}
	commit(t, db, noon, dog("ada", store.ActionCreate))
	if got, err := read(t, db, Position{}); err != nil || len(got) != 2 {
		t.Errorf("%q, %v", got, err)
	}
}

// Content that was changed without being logged is noticed by who reads on.
func TestTheLogBeginsAnew(t *testing.T) {
	db := open(t)
	commit(t, db, noon, dog("rex", store.ActionCreate))
	update(t, db, func(tx *store.Tx) error {
		return tx.Apply(store.Change{Type: "api::dog.dog", After: &store.Entry{ID: 1, DocumentID: "ada", Locale: "en", Status: store.Published}})
	})
	var gone *GoneError
	for _, after := range []Position{{}, {Revision: 1}} {
		if got, err := read(t, db, after); !errors.As(err, &gone) || gone.Floor.Revision != 2 {
			t.Errorf("after %s: %q, %v", after, got, err)
		}
	}
	commit(t, db, noon, dog("bob", store.ActionCreate))
	if got, err := read(t, db, Position{Revision: 2}); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

// A file that never had a log says so to who asks for what was before.
func TestAFileWithoutALog(t *testing.T) {
	db := open(t)
	update(t, db, func(tx *store.Tx) error {
		return tx.Apply(store.Change{Type: "api::dog.dog", After: &store.Entry{ID: 1, DocumentID: "ada", Locale: "en", Status: store.Published}})
	})
	if _, err := read(t, db, Position{}); !errors.As(err, new(*GoneError)) {
		t.Errorf("%v", err)
	}
	commit(t, db, noon, dog("bob", store.ActionCreate))
	if got, err := read(t, db, Position{Revision: 1}); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

// A program that keeps no log, and writes to the file meanwhile, is noticed, whatever is
// written next.
func TestAnotherProgramHasWritten(t *testing.T) {
	for next, fn := range map[string]func(*store.Tx) error{
		"content":  func(tx *store.Tx) error { return Append(tx, noon, []Event{dog("ada", store.ActionCreate)}) },
		"a record": func(tx *store.Tx) error { return tx.PutRecord("tokens", "a", []byte("b")) },
	} {
		path := filepath.Join(t.TempDir(), "quire.db")
		db := openAt(t, path)
		known := Position{Revision: commit(t, db, noon, dog("rex", store.ActionCreate))}
		db.Close()
		asAnotherProgram(t, path, known.Revision+1)
		gone := func(when string) (floor Position) {
			t.Helper()
			got, err := read(t, db, known)
			var gone *GoneError
			if !errors.As(err, &gone) || !known.Before(gone.Floor) {
				t.Fatalf("%s is next, %s: %q, %v", next, when, got, err)
			}
			return gone.Floor
		}
		db = openAt(t, path)
		gone("at first")
		update(t, db, fn)
		gone("after a commit")
		db.Close()
		db = openAt(t, path)
		floor := gone("after a restart")
		commit(t, db, noon, dog("bob", store.ActionCreate))
		if again := gone("in the next run"); again != floor {
			t.Errorf("%s is next: the log begins at %s, then at %s", next, floor, again)
		}
	}
}

// asAnotherProgram is what a program from before the log leaves in meta with a commit.
func asAnotherProgram(t *testing.T, path string, revision uint64) {
	t.Helper()
	db, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Update(func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte("meta"))
		number := func(n uint64) []byte { return binary.BigEndian.AppendUint64(nil, n) }
		return errors.Join(
			meta.Put([]byte("revision"), number(revision)),
			meta.Put([]byte("lineage"), number(77)),
			meta.Put([]byte("covered"), number(77)),
		)
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsOldGoes(t *testing.T) {
	db := open(t)
	for hour := range 10 {
		commit(t, db, noon.Add(time.Duration(hour)*time.Hour), dog("rex", store.ActionUpdate))
	}
	now := noon.Add(9 * time.Hour)
	for _, step := range []struct {
		keep    settings.Events
		most    int
		through uint64
	}{
		{settings.Events{Retention: 24 * time.Hour, Bytes: math.MaxInt64}, 100, 0},
		{settings.Events{Retention: 5*time.Hour + 1, Bytes: math.MaxInt64}, 2, 2},
		{settings.Events{Retention: 5*time.Hour + 1, Bytes: math.MaxInt64}, 100, 4},
		{settings.Events{Retention: 24 * time.Hour, Bytes: 1}, 3, 7},
	} {
		var through uint64
		if err := db.View(func(tx *store.Tx) (err error) { through, err = Expired(tx, step.keep, now, step.most); return err }); err != nil || through != step.through {
			t.Fatalf("%+v: up to %d, %v", step, through, err)
		}
		update(t, db, func(tx *store.Tx) error { _, err := tx.TrimLog(through, step.most); return err })
		if got, err := read(t, db, Position{Revision: through}); err != nil || len(got) != 10-int(through) {
			t.Errorf("%+v: %q, %v", step, got, err)
		}
		if _, err := read(t, db, Position{}); through > 0 && !errors.As(err, new(*GoneError)) {
			t.Errorf("%+v: what is gone can be asked for: %v", step, err)
		}
	}
}

// What a record that was damaged held is not passed over in silence.
func TestADamagedRecord(t *testing.T) {
	db := open(t)
	commit(t, db, noon, dog("rex", store.ActionCreate))
	update(t, db, func(tx *store.Tx) error { return tx.PutLog([]byte("\x01nonsense")) })
	commit(t, db, noon, dog("bob", store.ActionCreate))
	got, err := read(t, db, Position{})
	var gone *GoneError
	if !errors.As(err, &gone) || gone.Floor.Revision != 2 || gone.Damage == nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
	if got, err = read(t, db, gone.Floor); err != nil || len(got) != 1 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPositions(t *testing.T) {
	order := []string{"0", "1.1", "1.2", "1", "2.1", "2", "10"}
	for i, a := range order {
		for j, b := range order {
			p, err := ParsePosition(a)
			q, failed := ParsePosition(b)
			if err != nil || failed != nil || p.Before(q) != (i < j) || p.String() != a {
				t.Errorf("%s before %s: %t, %v, %v", a, b, p.Before(q), err, failed)
			}
		}
	}
	for _, text := range []string{"", "-1", "+1", "1.", ".1", "1.0", "1.1.1", " 1", "1e3", "٣", "99999999999999999", "1.9999999999", "x"} {
		if p, err := ParsePosition(text); err == nil {
			t.Errorf("%q is %v", text, p)
		}
	}
}
