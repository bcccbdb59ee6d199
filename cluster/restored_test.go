//go:build cluster

package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"quire/cluster/member"
	"quire/store"
)

// An etcd that is restored from a snapshot has lost the last commits. Nodes that have them
// notice, and load what there is.
func TestEtcdThatIsPutBack(t *testing.T) {
	folder, former := filepath.Join(t.TempDir(), "etcd"), filepath.Join(t.TempDir(), "former")
	o := member.Options{Name: "m", Folder: folder, Client: "http://" + freeAddress(t), Peer: "http://" + freeAddress(t)}
	m := startAgain(t, o)
	j := openJournal(t, o.Client[len("http://"):], "site")
	beginEmpty(t, j)
	lost := make(chan struct{}, 1)
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: j, LostTrack: func() {
		select {
		case lost <- struct{}{}:
		default:
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	write := func(name string) {
		t.Helper()
		if err := db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", name, []byte("1")) }); err != nil {
			t.Fatal(err)
		}
	}
	write("before")
	m.Close()
	if err := os.CopyFS(former, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	m = startAgain(t, o)
	write("after")
	m.Close()
	if err := errors.Join(os.RemoveAll(folder), os.Rename(former, folder)); err != nil {
		t.Fatal(err)
	}
	m = startAgain(t, o)
	defer func() { m.Close() }()
	select {
	case <-lost:
	case <-t.Context().Done():
		t.Fatal("nobody notices that etcd has lost a commit")
	}
	if err := db.Reopen(); err != nil {
		t.Fatal(err)
	}
	err = db.View(func(tx *store.Tx) error {
		before, err := tx.Record("tokens", "before")
		after, again := tx.Record("tokens", "after")
		if before == nil || after != nil {
			t.Error("the file is not what etcd holds")
		}
		return errors.Join(err, again)
	})
	if err != nil {
		t.Fatal(err)
	}
	write("again")
}

func startAgain(t *testing.T, o member.Options) *member.Member {
	t.Helper()
	m, err := member.Start(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return m
}
