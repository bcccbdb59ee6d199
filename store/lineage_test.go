package store

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// state is what names one state of the content.
type state struct{ revision, lineage uint64 }

func stateOf(t *testing.T, db *DB, o Origin) state {
	t.Helper()
	r := revision(t, db)
	return state{r, o.Lineage(r)}
}

func origin(t *testing.T, db *DB) (o Origin) {
	t.Helper()
	view(t, db, func(tx *Tx) error {
		o = tx.Origin()
		return nil
	})
	return o
}

func TestARestartKeepsTheNameOfAState(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	o := origin(t, db)
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
	was := stateOf(t, db, o)
	if was.lineage == 0 {
		t.Error("a commit has no lineage")
	}
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
		db = open(t, path, Options{})
		o = origin(t, db)
		if now := stateOf(t, db, o); now != was {
			t.Errorf("the same content is %v and was %v before the restart", now, was)
		}
	}
	put(t, db, dogs, text(2, "ada", "", Draft, "Ada"))
	if now := stateOf(t, db, o); now.revision != was.revision+1 || now.lineage == was.lineage {
		t.Errorf("after a write of another run the content is %v and was %v", now, was)
	}
	if again := stateOf(t, db, origin(t, db)); again != stateOf(t, db, o) {
		t.Errorf("looked at anew, the content is %v", again)
	}
	if o.Lineage(was.revision) != was.lineage {
		t.Error("content that was not written lost the name of its state")
	}
}

// Two histories that share their beginning never give one name to two states.
func TestARestoredFileIsAnotherHistory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
	var backup bytes.Buffer
	if _, err := db.Backup(&backup); err != nil {
		t.Fatal(err)
	}
	put(t, db, dogs, text(2, "ada", "", Draft, "Ada"))
	first := stateOf(t, db, origin(t, db))
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}

	if err := os.WriteFile(path, backup.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, Options{})
	put(t, db, dogs, text(2, "eve", "", Draft, "Eve"))
	second := stateOf(t, db, origin(t, db))
	if first.revision != second.revision || first.lineage == second.lineage {
		t.Errorf("other content under one name: %v and %v", first, second)
	}
}

// After a commit that failed its revision is used again, for something else.
func TestReopeningBeginsALineage(t *testing.T) {
	db := newDB(t)
	put(t, db, dogs, text(1, "rex", "", Draft, "Rex"))
	before := origin(t, db)
	if err := db.Reopen(); err != nil {
		t.Fatal(err)
	}
	after, next := origin(t, db), revision(t, db)+1
	if before.Lineage(next) == after.Lineage(next) {
		t.Error("the next commit has the lineage of the one that failed")
	}
	if after.Lineage(next-1) != before.Lineage(next-1) {
		t.Errorf("the last commit has another lineage: %v, %v", before, after)
	}
}
