//go:build cluster

package cluster

import (
	"bytes"
	"errors"
	"log/slog"
	"path/filepath"
	"testing"

	clientv3 "go.etcd.io/etcd/client/v3"

	"quire/store"
	"quire/store/cluster/member"
)

// openReplica opens a new data file on the journal.
func openReplica(t *testing.T, j *Journal) *store.DB {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Journal: j})
	must(t, err)
	t.Cleanup(func() { db.Close() })
	return db
}

func putRecord(db *store.DB, name string, value []byte) (err error) {
	for again := true; again; again = store.Uncertain(err) { // until etcd, on a busy machine, answers in time
		err = db.Update(func(tx *store.Tx) error { return tx.PutRecord("tokens", name, value) })
	}
	return err
}

// has reports which of some records a replica that is made now has.
func has(t *testing.T, j *Journal, names ...string) (found []bool) {
	t.Helper()
	err := openReplica(t, j).View(func(tx *store.Tx) error {
		for _, name := range names {
			value, err := tx.Record("tokens", name)
			if err != nil {
				return err
			}
			found = append(found, value != nil)
		}
		return nil
	})
	must(t, err)
	return found
}

// replaceBy replaces everything by one record.
func replaceBy(t *testing.T, j *Journal, name string) {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "other.db"), store.Options{})
	must(t, err)
	defer db.Close()
	must(t, putRecord(db, name, []byte("1")))
	if _, err := j.Replace(t.Context(), db); err != nil {
		t.Fatal(err)
	}
}

// A generation that was replaced can be served again, and the one that it replaces then,
// too. No lineage or revision comes twice. One that was dropped cannot.
func TestFormerGenerations(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	must(t, putRecord(openReplica(t, j), "first", []byte("1")))
	replaceBy(t, j, "second")
	seen := map[uint64]bool{}
	last := uint64(0)
	for i, generation := range []uint64{1, 2, 1} {
		h, err := j.GoBack(t.Context(), generation)
		must(t, err)
		if seen[h.Lineage] || h.Revision <= last || h.Generation != generation {
			t.Errorf("the head becomes %+v", h)
		}
		seen[h.Lineage], last = true, h.Revision
		if is := has(t, j, "first", "second"); is[0] != (generation == 1) || is[1] != (generation == 2) {
			t.Errorf("step %d to generation %d: first and second are there: %v", i, generation, is)
		}
	}
	replaceBy(t, j, "third") // takes the place of neither
	all, err := j.Generations(t.Context())
	if err != nil || len(all) != 3 || !all[2].Current || all[0].Current || !all[1].Whole {
		t.Fatalf("there are %+v, %v", all, err)
	}
	must(t, j.Drop(t.Context(), 2))
	for _, generation := range []uint64{2, 3, 9} {
		if _, err := j.GoBack(t.Context(), generation); !errors.As(err, new(*FormerError)) {
			t.Errorf("going back to generation %d: %v", generation, err)
		}
	}
	if is := has(t, j, "first", "third"); is[0] || !is[1] {
		t.Errorf("first and third are there: %v", is)
	}
}

// Sessions do not come back with a former state, by whichever way it came: they may have ended
// since. All else does.
func TestWhatPassesDoesNotComeBack(t *testing.T) {
	endpoint := startMember(t, member.Options{})
	j, err := Open(Address{Endpoints: []string{endpoint}, Site: "site"}, Options{Node: "one", Passing: []string{"sessions"}})
	must(t, err)
	t.Cleanup(func() { j.Close() })
	beginEmpty(t, j)
	for name, goBack := range map[string]func(lineage uint64) error{
		"etcd was restored": func(lineage uint64) error { return j.Renew(t.Context(), lineage) },
		"generation 1 is served again": func(uint64) error {
			replaceBy(t, j, "second")
			_, err := j.GoBack(t.Context(), 1)
			return err
		},
	} {
		before := openReplica(t, j)
		err := before.Update(func(tx *store.Tx) error {
			return errors.Join(tx.PutRecord("sessions", "ana", []byte("1")), tx.PutRecord("sessions.other", "ana", []byte("1")))
		})
		must(t, err)
		must(t, goBack(before.Lineage()))
		err = openReplica(t, j).View(func(tx *store.Tx) error {
			ended, err := tx.Record("sessions", "ana")
			other, err2 := tx.Record("sessions.other", "ana")
			if ended != nil || other == nil {
				t.Errorf("once %s the session is %q, and what else there was is %q", name, ended, other)
			}
			return errors.Join(err, err2)
		})
		if err != nil {
			t.Error(err)
		}
	}
}

// What broke off while everything was to be replaced is no generation to go back to, and is
// removed by the next that replaces everything.
func TestAnUnfinishedGeneration(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	op := store.Op{Path: []string{"records", "tokens"}, Key: []byte("half"), Value: []byte("1")}
	if _, err := j.etcd().Put(t.Context(), j.keys.op(2, op), "1"); err != nil {
		t.Fatal(err)
	}
	if _, err := j.GoBack(t.Context(), 2); !errors.As(err, new(*FormerError)) {
		t.Errorf("half of a generation is activated: %v", err)
	}
	replaceBy(t, j, "whole")
	if is := has(t, j, "half", "whole"); is[0] || !is[1] {
		t.Errorf("half and whole are there: %v", is)
	}
}

// A program that does not know the format of the keys says so, and does nothing.
func TestAnUnknownFormat(t *testing.T) {
	j := openJournal(t, startMember(t, member.Options{}), "site")
	beginEmpty(t, j)
	must(t, j.Check(t.Context()))
	if _, err := j.etcd().Put(t.Context(), j.keys.format(), "1"); err != nil {
		t.Fatal(err)
	}
	var unknown *FormatError
	if err := j.Check(t.Context()); !errors.As(err, &unknown) || unknown.Format != "1" {
		t.Errorf("an earlier format: %v", err)
	}
}

// If etcd is full, writes are refused with that reason. When there is space again and the
// alarm is disarmed, everything continues.
func TestAFullEtcd(t *testing.T) {
	endpoint := startMember(t, member.Options{Quota: 24 << 20})
	j := openJournal(t, endpoint, "site")
	beginEmpty(t, j)
	db := openReplica(t, j)
	half := store.Op{Path: []string{"records", "tokens"}, Key: []byte("half"), Value: []byte("1")}
	_, err := j.etcd().Put(t.Context(), j.keys.op(2, half), "1") // of an import for which there was no space
	for i := 0; i < 100 && err == nil; i++ {
		err = putRecord(db, "large", bytes.Repeat([]byte{byte(i)}, 1<<20))
	}
	if !errors.Is(err, store.ErrFull) {
		t.Fatalf("writes without end: %v", err)
	}
	if m := j.Members(t.Context()); !m[0].Full || m[0].Corrupt {
		t.Errorf("the member is said to be %+v", m)
	}
	if err := db.Fresh(t.Context()); err != nil {
		t.Errorf("a read: %v", err)
	}
	if _, err := Join(t.Context(), j, Member{Name: "new"}, slog.New(slog.DiscardHandler)); !errors.Is(err, store.ErrFull) {
		t.Errorf("another node joins: %v", err)
	}
	if err := j.Drop(t.Context(), 2); err != nil {
		t.Errorf("what broke off is not removed: %v", err)
	}
	if all, err := j.Generations(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("there are %+v, %v", all, err)
	}
	now, err := j.etcd().Get(t.Context(), j.keys.head())
	must(t, err)
	if _, err := j.etcd().Compact(t.Context(), now.Header.Revision, clientv3.WithCompactPhysical()); err != nil {
		t.Fatal(err)
	}
	if _, err := j.etcd().Defragment(t.Context(), endpoint); err != nil {
		t.Fatal(err)
	}
	if err := putRecord(db, "before", []byte("1")); !errors.Is(err, store.ErrFull) {
		t.Errorf("a write before the alarm is disarmed: %v", err)
	}
	if _, err := j.etcd().AlarmDisarm(t.Context(), &clientv3.AlarmMember{}); err != nil {
		t.Fatal(err)
	}
	if err := putRecord(db, "after", []byte("1")); err != nil {
		t.Errorf("a write after that: %v", err)
	}
	if m := j.Members(t.Context()); m[0].Full {
		t.Errorf("the member is said to be %+v", m)
	}
	if is := has(t, j, "before", "after"); is[0] || !is[1] {
		t.Errorf("before and after are there: %v", is)
	}
}
