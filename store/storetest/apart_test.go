package storetest

import (
	"context"
	"errors"
	"path/filepath"
	"sync/atomic"
	"testing"

	"go.etcd.io/bbolt"

	"quire/store"
)

// remote is a journal that may not be within reach.
type remote struct {
	*Memory
	gone atomic.Bool
}

func (r *remote) reach() error {
	if r.gone.Load() {
		return ErrLost
	}
	return nil
}

func (r *remote) Lineage(ctx context.Context) (uint64, error) {
	if err := r.reach(); err != nil {
		return 0, err
	}
	return r.Memory.Lineage(ctx)
}

func (r *remote) Fresh(ctx context.Context) (uint64, error) {
	if err := r.reach(); err != nil {
		return 0, err
	}
	return r.Memory.Fresh(ctx)
}

func (r *remote) Propose(ctx context.Context, b store.Batch) (uint64, error) {
	if err := r.reach(); err != nil {
		return 0, &store.RefusedError{Err: err}
	}
	return r.Memory.Propose(ctx, b)
}

func (r *remote) Follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	if err := r.reach(); err != nil {
		return err
	}
	return r.Memory.Follow(ctx, after, fn)
}

func (r *remote) Load(ctx context.Context, fn func(store.Op) error) (last store.Batch, err error) {
	if err := r.reach(); err != nil {
		return last, err
	}
	return r.Memory.Load(ctx, fn)
}

// openApart opens a replica without its journal, and says when it has lost track.
func openApart(path string, j store.Journal) (r *replica, lost chan struct{}, err error) {
	r, lost = &replica{path: path}, make(chan struct{}, 1)
	r.db, err = store.Open(path, store.Options{Journal: j, Apart: true, LostTrack: func() {
		select {
		case lost <- struct{}{}:
		default:
		}
	}})
	return r, lost, err
}

// tamper changes what stands in the meta of a closed file.
func tamper(t *testing.T, path string, change func(meta *bbolt.Bucket) error) {
	t.Helper()
	bolt, err := bbolt.Open(path, 0o600, nil)
	must(t, err)
	must(t, errors.Join(bolt.Update(func(tx *bbolt.Tx) error { return change(tx.Bucket([]byte("meta"))) }), bolt.Close()))
}

// A replica that was closed in order shows what it holds without its journal, takes no
// writes, and has what others wrote once the journal can be reached.
func TestAReplicaOpensWithoutItsJournal(t *testing.T) {
	j, dir := &remote{Memory: NewMemory()}, t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	must(t, one.put("rex", "Rex"))
	must(t, two.db.Fresh(t.Context()))
	lineage := two.db.Lineage()
	must(t, two.db.Close())
	must(t, one.put("ada", "Ada"))
	j.gone.Store(true)
	two, _, err := openApart(two.path, j)
	must(t, err)
	defer two.db.Close()
	two.load(t)
	if two.names["rex"] != "Rex" || len(two.names) != 1 || two.db.Lineage() != lineage || two.db.Suspended() {
		t.Errorf("it shows %v of %d, suspended: %t", two.names, two.db.Lineage(), two.db.Suspended())
	}
	if err := two.put("ada", "another"); !errors.As(err, new(*store.RefusedError)) {
		t.Errorf("a write: %v", err)
	}
	if err := two.db.Fresh(t.Context()); !errors.As(err, new(*store.JournalError)) {
		t.Errorf("who must see all that was written: %v", err)
	}
	j.gone.Store(false)
	requireAlike(t, one, two)
	must(t, two.put("bo", "Bo"))
	requireAlike(t, one, two)
}

// What was replaced while a replica was without its journal is loaded then.
func TestAReplicaOfWhatWasReplacedMeanwhile(t *testing.T) {
	j, dir := &remote{Memory: NewMemory()}, t.TempDir()
	one, two := openReplica(t, filepath.Join(dir, "1"), j), openReplica(t, filepath.Join(dir, "2"), j)
	must(t, one.put("rex", "Rex"))
	must(t, two.db.Fresh(t.Context()))
	must(t, two.db.Close())
	j.gone.Store(true)
	two, lost, err := openApart(two.path, j)
	must(t, err)
	defer two.db.Close()
	two.load(t)
	_, err = j.Replace(t.Context(), emptyFile(t))
	must(t, err)
	j.gone.Store(false)
	<-lost
	two.detach()
	must(t, two.db.Reopen())
	two.load(t)
	if len(two.names) != 0 {
		t.Errorf("it shows %v", two.names)
	}
	must(t, two.put("ada", "Ada"))
}

func emptyFile(t *testing.T) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "empty"), store.Options{})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

// A file that was never loaded, or was open when the system went down, is not shown; nor is
// it after a start that could not load it.
func TestAnUntrustedReplicaNeedsItsJournal(t *testing.T) {
	j, dir := &remote{Memory: NewMemory()}, t.TempDir()
	j.gone.Store(true)
	if _, _, err := openApart(filepath.Join(dir, "new"), j); !errors.Is(err, store.ErrNoReplica) {
		t.Errorf("a new file: %v", err)
	}
	j.gone.Store(false)
	one := openReplica(t, filepath.Join(dir, "1"), j)
	must(t, one.put("rex", "Rex"))
	must(t, one.db.Close())
	tamper(t, one.path, func(meta *bbolt.Bucket) error { return meta.Put([]byte("opened"), []byte("another run")) })
	j.gone.Store(true)
	for range 2 {
		if _, _, err := openApart(one.path, j); !errors.Is(err, store.ErrNoReplica) {
			t.Errorf("a file of another run of the system: %v", err)
		}
		if db, err := store.Open(one.path, store.Options{Journal: j}); err == nil {
			t.Errorf("it is opened: %v", db.Close())
		}
	}
	j.gone.Store(false)
	again := openReplica(t, one.path, j)
	must(t, again.db.Close())
	j.gone.Store(true)
	loaded, _, err := openApart(one.path, j)
	must(t, err)
	must(t, loaded.db.Close())
}
