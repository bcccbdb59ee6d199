package store

import (
	"os"
	"path/filepath"
	"testing"
)

// No revision of a file is used again by the one that takes its place, and nobody can
// read on in the log of either.
func TestSucceed(t *testing.T) {
	const none, nonsense = -1, -2
	for name, test := range map[string]struct {
		own, former int // commits
		want        uint64
	}{
		"an earlier state of a file":        {3, 10, 11},
		"a later state":                     {10, 3, 11},
		"the same":                          {5, 5, 6},
		"in an empty folder":                {3, none, 4 + UnknownLead},
		"for a file that cannot be read":    {3, nonsense, 4 + UnknownLead},
		"one that never was written to":     {0, 4, 5},
		"for one that never was written to": {4, 0, 5},
	} {
		t.Run(name, func(t *testing.T) {
			path, former := filepath.Join(t.TempDir(), "own.db"), filepath.Join(t.TempDir(), "former.db")
			commits(t, path, test.own)
			switch test.former {
			case none:
			case nonsense:
				noError(t, os.WriteFile(former, []byte("nonsense"), 0o600))
			default:
				commits(t, former, test.former)
			}
			noError(t, Succeed(path, former))
			db, err := Open(path, Options{})
			noError(t, err)
			defer func() { _ = db.Close() }()
			check := func(revision, floor uint64) {
				t.Helper()
				err := db.View(func(tx *Tx) error {
					at, err := tx.LogFloor()
					if tx.Revision() != revision || at != floor {
						t.Errorf("revision %d, floor %d, want %d, %d", tx.Revision(), at, revision, floor)
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
			check(test.want, test.want)
			changed := func() (c CommitID) {
				if err := db.View(func(tx *Tx) error { c = tx.LastChange("api::dog.dog", Published); return nil }); err != nil {
					t.Error(err)
				}
				return c
			}
			if c := changed(); c.Revision != test.want {
				t.Errorf("dogs changed with %+v", c)
			}
			noError(t, db.Update(func(tx *Tx) error { return tx.PutLog([]byte("more")) }))
			check(test.want+1, test.want)
		})
	}
}

// commits makes a file with so many commits, each of which is logged.
func commits(t *testing.T, path string, n int) {
	t.Helper()
	db, err := Open(path, Options{})
	noError(t, err)
	for range n {
		noError(t, db.Update(func(tx *Tx) error { return tx.PutLog([]byte("log")) }))
	}
	noError(t, db.Close())
}
