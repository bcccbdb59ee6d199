package store

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// A file that may not grow refuses the write that needs room, keeps what it
// has, and takes what fits.
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
	if s, err := db.Stats(); err != nil || s.Size > limit {
		t.Errorf("%+v, %v; the limit is %d", s, err, limit)
	}
	small := text(2, "small", "", Draft, "fits")
	put(t, db, dogs, small)
	update(t, db, func(tx *Tx) error { return tx.Apply(Change{Type: dogs, Before: stored[0]}) })
	put(t, db, dogs, big("zzz"))
	stored = append(stored[1:], small, big("zzz"))
	if err := db.Reopen(); err != nil {
		t.Fatal(err)
	}
	requireContent(t, db, map[string][]*Entry{dogs: stored})
}
