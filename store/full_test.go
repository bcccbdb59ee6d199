package store

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"go.etcd.io/bbolt"
)

// A file at its maximum size refuses a write that needs space, keeps its contents, and
// accepts a write that fits.
func TestAFullFileStaysWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "quire.db")
	const limit = 1 << 20
	db := open(t, path, Options{MaxSize: limit})
	big := func(id string) *Entry { return text(1, id, "", Draft, strings.Repeat("x", 50_000)) }
	var stored []*Entry
	var err error
	for len(stored) < 100 {
		e := big("doc" + string(rune('A'+len(stored))))
		if err = db.Update(func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: e}) }); err != nil {
			break
		}
		stored = append(stored, e)
	}
	if !errors.Is(err, ErrFull) || errors.As(err, new(*UncertainError)) || !strings.Contains(err.Error(), path) {
		t.Fatalf("after %d entries: %v, want ErrFull", len(stored), err)
	}
	if len(stored) < 5 {
		t.Fatalf("only %d entries fitted", len(stored))
	}
	requireContent(t, db, map[string][]*Entry{dogs: stored})
	if s, err := db.Statistics(); err != nil || s.Size > limit {
		t.Errorf("%+v, %v; the limit is %d", s, err, limit)
	}
	small := text(2, "small", "", Draft, "fits")
	put(t, db, dogs, small)
	update(t, db, func(tx *Tx) error { return tx.Apply(Change{Type: dogs, Before: stored[0]}) })
	put(t, db, dogs, big("zzz"))
	stored = append(stored[1:], small, big("zzz"))
	noError(t, db.Reopen())
	requireContent(t, db, map[string][]*Entry{dogs: stored})
}

// A full disk leaves nothing open where the commit did not reach the file, and
// everything where it did.
func TestAFullDiskIsUncertainOnlyWhenTheCommitIsInTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		commit    func(*bbolt.Tx) error
		uncertain bool
	}{
		"before the head was written": {func(*bbolt.Tx) error { return syscall.ENOSPC }, false},
		"after it":                    {func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), syscall.ENOSPC) }, true},
	} {
		db := newDB(t)
		db.commit = c.commit
		rex := text(1, "rex", "", Draft, "Rex")
		err := db.Update(func(tx *Tx) error { return tx.Apply(Change{Type: dogs, After: rex}) })
		if !errors.Is(err, ErrFull) || errors.As(err, new(*UncertainError)) != c.uncertain {
			t.Errorf("%s: %v", name, err)
		}
		db.commit = (*bbolt.Tx).Commit
		err = db.Update(func(*Tx) error { return nil })
		if errors.As(err, new(*SuspendedError)) != c.uncertain {
			t.Errorf("%s: the next update: %v", name, err)
		}
	}
}
