package store

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"go.etcd.io/bbolt"
)

// logModel is the log as a plain map, which each step is compared with.
type logModel struct {
	revision, floor uint64
	begun           bool
	records         map[uint64]string
}

func (m logModel) clone() logModel {
	m.records = maps.Clone(m.records)
	return m
}

// logStep is one Update, and what it makes of the model.
type logStep struct {
	update func(*Tx) error
	model  func(*logModel)
}

// randomLogStep is a step that the log has to take.
func (m logModel) randomLogStep(r *rand.Rand) logStep {
	next := m.revision + 1
	switch r.IntN(16) {
	case 0: // content changes, and nothing is logged
		return logStep{
			func(tx *Tx) error {
				return tx.Apply(Change{Type: dogs, After: text(next, fmt.Sprint("dog", next), "", Draft, "Rex")})
			},
			func(m *logModel) {
				if m.begun {
					m.floor = next
				}
			},
		}
	case 1:
		return logStep{func(tx *Tx) error { return tx.PutRecord("tokens", "a", []byte("b")) }, func(*logModel) {}}
	case 2:
		return logStep{(*Tx).ResetLog, func(m *logModel) { m.begun, m.floor = true, next }}
	case 3, 4:
		return m.trim(next-min(next, uint64(r.IntN(30))), 1+r.IntN(40))
	}
	size := r.IntN(150)
	if r.IntN(10) == 0 {
		size = r.IntN(6000)
	}
	value := bytes.Repeat([]byte{byte(next)}, size)
	return logStep{
		func(tx *Tx) error { return tx.PutLog(bytes.Clone(value)) },
		func(m *logModel) {
			if !m.begun {
				m.begun, m.floor = true, next-1
			}
			m.records[next] = string(value)
		},
	}
}

// trim is TrimLog; the Update fails where it does not remove what it must, and where there
// is nothing to remove.
func (m logModel) trim(through uint64, most int) logStep {
	old := slices.Sorted(maps.Keys(m.records))
	old = slices.DeleteFunc(old, func(revision uint64) bool { return revision > through })
	old = old[:min(most, len(old))]
	return logStep{
		func(tx *Tx) error {
			n, err := tx.TrimLog(through, most)
			if n != len(old) {
				err = errors.Join(err, fmt.Errorf("trimming to %d removed %d of %d", through, n, len(old)))
			}
			if n == 0 && err == nil {
				return errTest
			}
			return err
		},
		func(m *logModel) {
			for _, revision := range old {
				delete(m.records, revision)
				m.floor = max(m.floor, revision)
			}
		},
	}
}

// A log of records of any size, which is trimmed, reset, reopened, compacted and killed at
// random, always equals a map, and its listeners get the same.
func TestALogIsAMap(t *testing.T) {
	r := newRand(t)
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	m := logModel{records: map[uint64]string{}}
	acknowledged := map[uint64]string{}
	db.Subscribe(func(c Commit) {
		if value, _ := c.Logged(); value != nil {
			acknowledged[c.Revision] = string(value)
		}
	})
	for range 400 {
		step := m.randomLogStep(r)
		next := m.clone()
		next.revision++
		step.model(&next)
		db.commit = randomCommit(r)
		err := db.Update(step.update)
		db.commit = (*bbolt.Tx).Commit
		switch {
		case err == nil:
			if value, logged := next.records[next.revision]; logged && acknowledged[next.revision] != value {
				t.Fatalf("revision %d was told as %d bytes instead of %d", next.revision, len(acknowledged[next.revision]), len(value))
			}
			m = next
		case Suspends(err):
			noError(t, db.Reopen())
			if revision(t, db) == next.revision {
				m = next
			}
		case !errors.Is(err, errTest):
			t.Fatal(err)
		}
		switch r.IntN(20) {
		case 0:
			noError(t, db.Reopen())
		case 1:
			if _, err := db.Compact(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		if requireLog(t, db, m, r); t.Failed() {
			return
		}
	}
	requireSalvaged(t, db, path, r)
}

// randomCommit is bbolt's, or one of a process that is killed before or after it.
func randomCommit(r *rand.Rand) func(*bbolt.Tx) error {
	switch r.IntN(12) {
	case 0:
		return func(*bbolt.Tx) error { return errTest }
	case 1:
		return func(tx *bbolt.Tx) error { return errors.Join(tx.Commit(), errTest) }
	}
	return (*bbolt.Tx).Commit
}

// requireLog compares all that can be asked of the log.
func requireLog(t *testing.T, db *DB, m logModel, r *rand.Rand) {
	t.Helper()
	if !m.begun {
		m.floor = m.revision
	}
	view(t, db, func(tx *Tx) error {
		floor, err := tx.LogFloor()
		if err != nil || floor != m.floor || tx.Revision() != m.revision {
			t.Fatalf("revision %d, floor %d, %v; want %d and %d", tx.Revision(), floor, err, m.revision, m.floor)
		}
		var bytes int64
		for _, value := range m.records {
			bytes += int64(len(value))
		}
		if n := tx.LogBytes(); n < bytes {
			t.Errorf("%d bytes of records take %d bytes", bytes, n)
		}
		after, most := uint64(r.IntN(int(m.revision)+2)), 1+r.IntN(50)
		requireRecords(t, m, after, most, func(fn func(uint64, []byte) bool) error { return tx.Log(after, fn) })
		requireLogBack(t, tx, m, most)
		return requireLogOps(t, tx, m)
	})
}

// requireLogBack reads so many records from the end.
func requireLogBack(t *testing.T, tx *Tx, m logModel, most int) {
	t.Helper()
	want := slices.DeleteFunc(slices.Sorted(maps.Keys(m.records)), func(revision uint64) bool { return revision <= m.floor })
	slices.Reverse(want)
	want = want[:min(most, len(want))]
	var got []uint64
	err := tx.LogBack(func(revision uint64, value []byte) bool {
		if string(value) != m.records[revision] {
			t.Errorf("back at revision %d there are %d bytes, want %d", revision, len(value), len(m.records[revision]))
		}
		got = append(got, revision)
		return len(got) < most
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("back over at most %d: %d, %v, want %d", most, got, err, want)
	}
}

// requireRecords has each call fn for the records after a revision, so many of them.
func requireRecords(t *testing.T, m logModel, after uint64, most int, each func(fn func(uint64, []byte) bool) error) {
	t.Helper()
	want := slices.Sorted(maps.Keys(m.records))
	want = slices.DeleteFunc(want, func(revision uint64) bool { return revision <= after })
	want = want[:min(most, len(want))]
	var got []uint64
	err := each(func(revision uint64, value []byte) bool {
		if string(value) != m.records[revision] {
			t.Errorf("revision %d has %d bytes, want %d", revision, len(value), len(m.records[revision]))
		}
		got = append(got, revision)
		return len(got) < most
	})
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("after %d at most %d: %d, %v, want %d", after, most, got, err, want)
	}
}

// requireLogOps requires that who takes over all that the file holds gets one log.
func requireLogOps(t *testing.T, tx *Tx, m logModel) error {
	t.Helper()
	var keys []string
	err := tx.Ops(func(o Op) error {
		if o.Path[0] == freshBucket {
			t.Errorf("%q of this file's own is in its operations", o.Key)
		}
		if slices.Equal(o.Path, logPlaces[0]) && string(o.Key) != floorKey {
			keys = append(keys, string(o.Key))
		}
		return nil
	})
	var want []string
	for _, revision := range slices.Sorted(maps.Keys(m.records)) {
		want = append(want, logKey(revision))
	}
	if !slices.Equal(keys, want) {
		t.Errorf("the operations have %q of the log, want %q", keys, want)
	}
	return err
}

// requireSalvaged requires that what is salvaged of a file has a log that begins anew: the
// revisions of the new file do.
func requireSalvaged(t *testing.T, db *DB, path string, r *rand.Rand) {
	t.Helper()
	noError(t, db.Close())
	to := filepath.Join(t.TempDir(), "salvaged.db")
	if _, err := Salvage(t.Context(), path, to); err != nil {
		t.Fatal(err)
	}
	salvaged := open(t, to, Options{})
	m := logModel{records: map[uint64]string{}}
	requireLog(t, salvaged, m, r)
	update(t, salvaged, func(tx *Tx) error { return tx.PutLog([]byte("first")) })
	m = logModel{revision: 1, begun: true, records: map[uint64]string{1: "first"}}
	requireLog(t, salvaged, m, r)
}
