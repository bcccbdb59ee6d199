//go:build cluster

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/store"
	"quire/store/cluster/member"
	"quire/test/program"
)

// An etcd that is restored from a snapshot has lost the last commits. Nodes that have them
// notice, and load what there is.
func TestEtcdThatIsPutBack(t *testing.T) {
	folder, former := filepath.Join(t.TempDir(), "etcd"), filepath.Join(t.TempDir(), "former")
	o := member.Options{Name: "m", Folder: folder, Client: "http://" + program.FreeAddress(t), Peer: "http://" + program.FreeAddress(t)}
	m := startAgain(t, o)
	j := openJournal(t, o.Client[len("http://"):], "site")
	beginEmpty(t, j)
	noticed := make(chan struct{}, 1)
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: j, LostTrack: func() {
		select {
		case noticed <- struct{}{}:
		default:
		}
	}})
	must(t, err)
	defer db.Close()
	write := func(name string) {
		t.Helper()
		must(t, db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", name, []byte("1")) }))
	}
	write("before")
	was := db.Lineage()
	m.Close()
	must(t, os.CopyFS(former, os.DirFS(folder)))
	m = startAgain(t, o)
	answers(t, j)
	write("after")
	lost := revisionOf(t, db)
	m.Close()
	must(t, errors.Join(os.RemoveAll(folder), os.Rename(former, folder)))
	m = startAgain(t, o)
	defer func() { m.Close() }()
	select {
	case <-noticed:
	case <-t.Context().Done():
		t.Fatal("nobody notices that etcd has lost a commit")
	}
	must(t, db.Reopen())
	err = db.View(func(tx *store.Tx) error {
		before, err := tx.Record("tokens", "before")
		after, again := tx.Record("tokens", "after")
		if before == nil || after != nil {
			t.Error("the file is not what etcd holds")
		}
		return errors.Join(err, again)
	})
	must(t, err)
	if db.Lineage() == was {
		t.Error("what is written now may go by the name of what was lost")
	}
	write("again")
	if now := revisionOf(t, db); now <= lost {
		t.Errorf("revision %d was given out again: %d", lost, now)
	}
}

// answers waits until etcd answers after a restart.
func answers(t *testing.T, j *Journal) {
	t.Helper()
	for {
		if _, err := j.now(t.Context()); err == nil {
			return
		}
		if t.Context().Err() != nil {
			t.Fatal("etcd does not answer")
		}
	}
}

func revisionOf(t *testing.T, db *store.DB) (revision uint64) {
	t.Helper()
	must(t, db.View(func(tx *store.Tx) error { revision = tx.Revision(); return nil }))
	return revision
}

// After a restore, etcd uses revisions again. A commit at the revision of the last one that
// a node has seen is another commit, whichever mark is higher.
func TestEtcdThatIsPutBackToTheSameRevision(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	there, err := j.now(t.Context())
	must(t, err)
	for _, seen := range []uint64{there.position() - 1, there.position() + 1} {
		f := &follower{journal: j, lineage: 1, generation: there.head.Generation}
		f.at.Store(seen)
		if err := f.watch(t.Context()); !errors.Is(err, store.ErrWentBack) {
			t.Errorf("%d in place of %d: %v", there.position(), seen, err)
		}
	}
}

// A node that has seen no commit which was lost does not notice that etcd was put back,
// and writes. Once one comes that has, another lineage begins all the same.
func TestEtcdThatIsPutBackBeforeANodeThatIsBehind(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	ahead := filepath.Join(t.TempDir(), "ahead.db")
	open := func(path string) *store.DB {
		t.Helper()
		db, err := store.Open(path, store.Options{Journal: j})
		must(t, err)
		return db
	}
	db := open(ahead)
	was := db.Lineage()
	put := func(db *store.DB, name string) {
		t.Helper()
		must(t, db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", name, []byte("1")) }))
	}
	put(db, "kept")
	kept, err := j.now(t.Context())
	must(t, err)
	put(db, "lost")
	lost := revisionOf(t, db)
	must(t, db.Close())
	if _, err := j.etcd().Put(t.Context(), j.keys.head(), kept.text); err != nil { // as if it had come to nothing
		t.Fatal(err)
	}
	behind := open(filepath.Join(t.TempDir(), "behind.db"))
	defer behind.Close()
	put(behind, "other")
	if behind.Lineage() != was || revisionOf(t, behind) != lost {
		t.Errorf("a node that is behind is at revision %d of another lineage", revisionOf(t, behind))
	}
	db = open(ahead)
	defer db.Close()
	if db.Lineage() == was || revisionOf(t, db) <= lost {
		t.Errorf("revision %d is given out again, as %d", lost, revisionOf(t, db))
	}
	put(db, "again")
}

// Where etcd is another cluster than before, as after it was restored from a snapshot, the
// first who asks begins another lineage, whoever that is, and only once.
func TestAnotherClusterOfEtcd(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	was, err := j.now(t.Context())
	must(t, err)
	elsewhere := was.head
	elsewhere.Etcd++
	if _, err := j.etcd().Put(t.Context(), j.keys.head(), elsewhere.text()); err != nil {
		t.Fatal(err)
	}
	heads := make(chan seen)
	for range 4 {
		go func() {
			now, err := j.now(t.Context())
			if err != nil {
				t.Error(err)
			}
			heads <- now
		}()
	}
	first := <-heads
	for range 3 {
		if now := <-heads; now != first {
			t.Errorf("one sees %s, another %s", first.text, now.text)
		}
	}
	if first.head.Lineage == was.head.Lineage || first.head.Revision != was.head.Revision+store.UnknownLead || first.head.Etcd != was.head.Etcd {
		t.Errorf("%s goes on as %s", was.text, first.text)
	}
}

// A node whose own commit was lost before its watch had passed it on notices, too.
func TestACommitIsLostBeforeItIsPassedOn(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "unseen")
	beginEmpty(t, j)
	now, err := j.now(t.Context())
	must(t, err)
	f := &follower{journal: j}
	f.at.Store(now.position())
	lost := now
	lost.revision++
	j.remember(lost)
	limited, end := context.WithTimeout(t.Context(), 3*time.Minute)
	defer end()
	ctx, cancel := context.WithCancelCause(limited)
	f.guardAgainstStalls(ctx, cancel)
	if err := context.Cause(ctx); !errors.Is(err, store.ErrWentBack) {
		t.Errorf("the watch ends with %v", err)
	}
}

func startAgain(t *testing.T, o member.Options) *member.Member {
	t.Helper()
	m, err := member.Start(context.Background(), o)
	must(t, err)
	return m
}
