package store

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"
)

func newAnnex(t *testing.T, db *DB) *Annex {
	t.Helper()
	var a *Annex
	view(t, db, func(tx *Tx) (err error) {
		a, err = tx.NewAnnex()
		return err
	})
	return a
}

// What several goroutines put into an annex stays as it was, whatever its size, and the
// folder shows nothing of it.
func TestAnnex(t *testing.T) {
	db := newDB(t)
	a := newAnnex(t, db)
	type pair struct{ put, there []byte }
	added := make([][]pair, 4)
	var all sync.WaitGroup
	for i := range added {
		r := newRand(t)
		all.Go(func() {
			for range 300 {
				put := someBytes(r)
				there, err := a.Add(put)
				if err != nil {
					t.Error(err)
					return
				}
				added[i] = append(added[i], pair{put, there})
			}
		})
	}
	all.Wait()
	noError(t, a.Flush())
	for range 2 {
		for _, pairs := range added {
			for _, p := range pairs {
				if !bytes.Equal(p.put, p.there) {
					t.Fatalf("%d bytes have become others", len(p.put))
				}
			}
		}
		a.Forget() // and they can be read again
	}
	requireAlone(t, db.path)
}

// someBytes is mostly few, and sometimes more than a part of an annex holds.
func someBytes(r *rand.Rand) []byte {
	n := r.IntN(2000)
	if r.IntN(100) == 0 {
		n = r.IntN(3 * leastAnnexPart)
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(r.Uint32())
	}
	return b
}

// What a process has left in the folder goes when the next annex is made.
func TestAnnexRemovesWhatIsLeft(t *testing.T) {
	db := newDB(t)
	left := filepath.Join(filepath.Dir(db.path), "."+filepath.Base(db.path)+".annex-123")
	noError(t, os.WriteFile(left, []byte("bodies"), 0o600))
	newAnnex(t, db)
	requireAlone(t, db.path)
}

// What cannot be written is reported when it is to be read, and not read as something else.
func TestAnnexThatCannotBeWritten(t *testing.T) {
	a := newAnnex(t, newDB(t))
	if _, err := a.Add([]byte("rex")); err != nil {
		t.Fatal(err)
	}
	noError(t, a.held.file.Close())
	if err := a.Flush(); !errors.As(err, new(*WriteError)) {
		t.Errorf("%v, want a WriteError", err)
	}
}

// The file of an annex goes once nobody holds the annex.
func TestAnnexIsFreed(t *testing.T) {
	a := newAnnex(t, newDB(t))
	if _, err := a.Add([]byte("rex")); err != nil {
		t.Fatal(err)
	}
	file := a.held.file
	runtime.KeepAlive(a)
	for range 1000 {
		if runtime.GC(); errors.Is(file.Sync(), os.ErrClosed) {
			return
		}
	}
	t.Error("the file of an annex that nobody holds is open")
}
