//go:build cluster

package cluster

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"

	"quire/store"
	"quire/store/cluster/member"
)

// A data file is compared with what etcd had at its own commit: what differs is named,
// whichever side has it, and what others have written since is none of it.
func TestCompare(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	path := filepath.Join(t.TempDir(), "replica.db")
	db, err := store.Open(path, store.Options{Journal: j})
	must(t, err)
	for i := range 3 {
		must(t, putRecord(db, fmt.Sprint("k", i), []byte("1")))
	}
	must(t, db.Close())
	compare := func() (found []string) {
		t.Helper()
		file, err := store.Open(path, store.Options{ReadOnly: true})
		must(t, err)
		defer file.Close()
		err = file.View(func(tx *store.Tx) error {
			return j.Compare(t.Context(), tx, func(d Difference) error {
				found = append(found, fmt.Sprintf("%s %t %t", d.Key, d.InFile, d.InEtcd))
				return nil
			})
		})
		must(t, err)
		slices.Sort(found)
		return found
	}
	if found := compare(); len(found) != 0 {
		t.Errorf("a sound replica differs in %v", found)
	}
	must(t, putRecord(openReplica(t, j), "k1", []byte("since")))
	alter(t, path)
	if found, want := compare(), []string{"extra true false", "k0 false true", "k2 true true"}; !slices.Equal(found, want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

// alter changes a data file behind the back of the journal.
func alter(t *testing.T, path string) {
	t.Helper()
	raw, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	defer raw.Close()
	err = raw.Update(func(tx *bbolt.Tx) error {
		b := tx.Bucket([]byte("records")).Bucket([]byte("tokens"))
		return errors.Join(b.Delete([]byte("k0")), b.Put([]byte("k2"), []byte("2")), b.Put([]byte("extra"), []byte("1")))
	})
	must(t, err)
}
