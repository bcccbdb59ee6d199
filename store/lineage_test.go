package store

import (
	"bytes"
	"path/filepath"
	"testing"

	"go.etcd.io/bbolt"
)

const people = "api::person.person"

// changes are the last changes of what the tests here write.
type changes struct{ drafts, dogs, people CommitID }

func changesOf(t *testing.T, db *DB) (c changes) {
	t.Helper()
	view(t, db, func(tx *Tx) error {
		c = changes{tx.LastChange(dogs, Draft), tx.LastChange(dogs, Published), tx.LastChange(people, Published)}
		return nil
	})
	return c
}

func lastCommit(t *testing.T, db *DB) (id CommitID) {
	t.Helper()
	view(t, db, func(tx *Tx) error { id = tx.CommitID(); return nil })
	return id
}

func reopened(t *testing.T, db *DB, path string) *DB {
	t.Helper()
	noError(t, db.Close())
	return open(t, path, Options{})
}

func TestAChangeNamesOneTypeAndStatus(t *testing.T) {
	db := newDB(t)
	if c := changesOf(t, db); c.dogs != c.people {
		t.Errorf("in a new file: %v", c)
	}
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	put(t, db, people, text(1, "ada", "", Published, "Ada"))
	was := changesOf(t, db)
	put(t, db, dogs, text(2, "rex", "en", Draft, "Rex"))
	now := changesOf(t, db)
	if now.dogs != was.dogs || now.people != was.people || now.drafts == was.drafts {
		t.Errorf("after a draft was written: %v, before %v", now, was)
	}
	update(t, db, func(tx *Tx) error {
		if id := tx.CommitID(); id.Revision != 4 || id.Lineage != now.drafts.Lineage {
			t.Errorf("the commit to come is %v", id)
		}
		return tx.PutRecord("tokens", "a", []byte("secret"))
	})
	if after := changesOf(t, db); after != now {
		t.Errorf("after a record was written: %v, before %v", after, now)
	}
	update(t, db, func(tx *Tx) error {
		return tx.Apply(Change{Type: people, Before: text(1, "ada", "", Published, "Ada")})
	})
	if after := changesOf(t, db); after.people == now.people || after.dogs != now.dogs {
		t.Errorf("after the last of a type was deleted: %v, before %v", after, now)
	}
	update(t, db, func(tx *Tx) error { return tx.Clear(dogs) })
	if after := changesOf(t, db); after.dogs == now.dogs || after.drafts == now.drafts {
		t.Errorf("after a type was cleared: %v, before %v", after, now)
	}
}

func TestChangesOutliveRestarts(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	put(t, db, people, text(1, "ada", "", Published, "Ada"))
	was := changesOf(t, db)
	for range 2 {
		db = reopened(t, db, path)
		put(t, db, dogs, text(uint64(revision(t, db)), "rex"+string(rune('a'+revision(t, db))), "", Draft, "Rex"))
		now := changesOf(t, db)
		if now.dogs != was.dogs || now.people != was.people {
			t.Errorf("after a restart and a write to drafts: %v, before %v", now, was)
		}
		if now.drafts.Lineage == was.drafts.Lineage {
			t.Errorf("commits of two runs have one lineage: %v, before %v", now, was)
		}
		was = now
	}
	if _, err := db.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if now := changesOf(t, db); now != was {
		t.Errorf("after compaction: %v, before %v", now, was)
	}
}

// Two histories that share their beginning never give one name to two contents.
func TestARestoredFileIsAnotherHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	put(t, db, people, text(1, "ada", "", Published, "Ada"))
	var backup bytes.Buffer
	if _, err := db.Backup(&backup); err != nil {
		t.Fatal(err)
	}
	saved := changesOf(t, db)
	put(t, db, dogs, text(2, "tom", "", Published, "Tom"))
	first := changesOf(t, db)
	noError(t, db.Close())

	writeFile(t, path, backup.Bytes())
	db = open(t, path, Options{})
	if now := changesOf(t, db); now != saved {
		t.Errorf("what was saved is %v, and was %v", now, saved)
	}
	put(t, db, dogs, text(2, "eve", "", Published, "Eve"))
	second := changesOf(t, db)
	if first.dogs.Revision != second.dogs.Revision || first.dogs == second.dogs {
		t.Errorf("other content under one name: %v and %v", first, second)
	}
	if first.people != second.people {
		t.Errorf("the same content under two names: %v and %v", first, second)
	}
}

// After a commit that failed its revision is used again, for something else.
func TestReopeningBeginsALineage(t *testing.T) {
	db := newDB(t)
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	was := changesOf(t, db)
	var before, after CommitID
	_ = db.Update(func(tx *Tx) error { before = tx.CommitID(); return errTest })
	noError(t, db.Reopen())
	_ = db.Update(func(tx *Tx) error { after = tx.CommitID(); return errTest })
	if before.Revision != after.Revision || before == after {
		t.Errorf("the next commit is %v, and the one that failed was %v", after, before)
	}
	if now := changesOf(t, db); now != was {
		t.Errorf("what was written before is %v, and was %v", now, was)
	}
}

// A program that knows nothing of the bucket "changed" writes past it.
func writeAsBefore(t *testing.T, path string, fn func(*bbolt.Tx) error) {
	t.Helper()
	bolt, err := bbolt.Open(path, 0o600, nil)
	if err == nil {
		err = bolt.Update(fn)
	}
	if err == nil {
		err = bolt.Close()
	}
	noError(t, err)
}

func TestFilesThatDoNotSayWhatChanged(t *testing.T) {
	for name, old := range map[string]func(*bbolt.Tx) error{
		"of an older program": func(tx *bbolt.Tx) error {
			if err := tx.Bucket([]byte(metaBucket)).Delete([]byte(coveredKey)); err != nil {
				return err
			}
			return tx.DeleteBucket([]byte(changedBucket))
		},
		"that an older program has written to": func(tx *bbolt.Tx) error {
			meta := tx.Bucket([]byte(metaBucket))
			if err := meta.Put([]byte(lineageKey), storedNumber(77)); err != nil {
				return err
			}
			return meta.Put([]byte(revisionKey), storedNumber(3))
		},
	} {
		path := filepath.Join(t.TempDir(), "quire.db")
		db := open(t, path, Options{})
		put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
		put(t, db, people, text(1, "ada", "", Published, "Ada"))
		was := changesOf(t, db)
		noError(t, db.Close())
		writeAsBefore(t, path, old)

		db = open(t, path, Options{})
		now := changesOf(t, db)
		if now.dogs == was.dogs || now.dogs != now.people || now.dogs != now.drafts {
			t.Errorf("a file %s: %v, before %v", name, now, was)
		}
		db = reopened(t, db, path)
		if again := changesOf(t, db); again != now {
			t.Errorf("a file %s, opened again: %v, before %v", name, again, now)
		}
		put(t, db, dogs, text(3, "tom", "", Published, "Tom"))
		db = reopened(t, db, path)
		after := changesOf(t, db)
		if after.people != now.people || after.drafts != now.drafts || after.dogs == now.dogs {
			t.Errorf("a file %s, after a write: %v, before %v", name, after, now)
		}
	}
}

// What was salvaged has lost something, so no name of what was there holds for it.
func TestSalvagedFilesAreAnotherHistory(t *testing.T) {
	dir := t.TempDir()
	path, saved := filepath.Join(dir, "quire.db"), filepath.Join(dir, "saved.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	was := changesOf(t, db)
	noError(t, db.Close())
	if _, err := Salvage(t.Context(), path, saved); err != nil {
		t.Fatal(err)
	}
	db = open(t, saved, Options{})
	if now := changesOf(t, db); now.dogs == was.dogs || now.dogs == (CommitID{}) {
		t.Errorf("after salvage: %v, before %v", now, was)
	}
}

// A damaged value is found by a check, and fails the view that asks for it.
func TestDamagedChanges(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Published, "Rex"))
	noError(t, db.Close())
	whole := readFile(t, path)
	path += ".damaged"
	writeFile(t, path, whole)
	writeAsBefore(t, path, func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte(changedBucket)).Put(changedKey(dogs, Published), []byte("short"))
	})
	problems, err := CheckFile(t.Context(), path)
	if err != nil || len(problems) != 1 || problems[0].Bucket != changedBucket {
		t.Errorf("check: %v, %v", problems, err)
	}
	damaged, err := Open(path, Options{})
	noError(t, err)
	defer damaged.Close()
	if err := damaged.View(func(tx *Tx) error { tx.LastChange(dogs, Published); return nil }); err == nil {
		t.Error("a damaged value was taken")
	}
}
