package stream

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/store"
)

// What a program without the stream, or a command, has written is not in the queue. The
// stream says so and begins anew; what it had before can still be restored.
func TestCommitsThatWereNotRecorded(t *testing.T) {
	for what, change := range map[string]func(s *site){
		"while it was closed": func(s *site) {
			check(t, s.sender.Close())
			s.write()
			s.begin()
		},
		"by an exchange of the file": func(s *site) {
			check(t, s.db.Rework(func(work *store.DB) error {
				return work.Update(func(tx *store.Tx) error { return tx.SetSequence("other", 1) })
			}))
			s.note()
		},
		"in part": func(s *site) {
			more := textEntry(1000, "more", "") // what is there already may be of other types alone
			check(t, s.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: dogs, After: more}) }))
			check(t, s.db.Update(func(tx *store.Tx) error { return tx.Clear(dogs) }))
			s.note()
		},
	} {
		t.Run(what, func(t *testing.T) {
			s := newSite(t)
			s.send()
			s.write()
			s.write()
			s.send()
			change(s)
			s.send()
			s.write()
			s.send()
			s.requireMoment(s.ledger[0])
			s.requireMoment(s.ledger[1])
			s.requireMoment(s.ledger[3])
			if _, m, err := s.restored(s.ledger[2].at); err != nil || m.Gap == nil {
				t.Errorf("nothing says that there is a gap: %+v, %v", m, err)
			}
		})
	}
}

// A commit that was recorded and failed is not sent, and the stream goes on after the one
// before it.
func TestACommitThatFailed(t *testing.T) {
	for _, restart := range []bool{false, true} {
		s := newSite(t)
		s.send()
		s.write()
		last, err := s.db.LastCommit()
		check(t, err)
		s.sender.queue.Record(store.Recorded{Before: last, CommitID: store.CommitID{Lineage: 7, Revision: last.Revision + 1}, Time: time.Now().UnixMilli(), Ops: []store.Op{{Path: []string{"sequence"}, Key: []byte("dog"), Value: []byte("12345678")}}})
		if restart {
			s.restart()
		}
		s.send()
		s.write()
		s.send()
		s.requireLedger()
		if ranges, err := s.catalog().Ranges(t.Context()); err != nil || len(ranges) != 1 {
			t.Errorf("the stream was interrupted: %+v, %v", ranges, err)
		}
	}
}

// A record that a crash has cut off was not committed, wherever it is cut.
func TestAQueueThatIsCutOff(t *testing.T) {
	folder := t.TempDir()
	q, err := OpenQueue(folder, 1<<20, store.CommitID{}, 0)
	check(t, err)
	q.Begin(store.CommitID{})
	ids := []store.CommitID{{}, {Lineage: 1, Revision: 1}, {Lineage: 1, Revision: 2}}
	for i := range 2 {
		q.Record(store.Recorded{Before: ids[i], CommitID: ids[i+1], Ops: []store.Op{{Path: []string{"records", "token"}, Key: []byte("k"), Value: []byte("v")}}})
	}
	check(t, q.Close())
	paths, err := filepath.Glob(filepath.Join(folder, "*"+queueEnd))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%v, %v", paths, err)
	}
	whole, err := os.ReadFile(paths[0])
	check(t, err)
	for n := range whole {
		check(t, os.WriteFile(paths[0], whole[:n], 0o600))
		q, err := OpenQueue(folder, 1<<20, store.CommitID{}, 0)
		check(t, err)
		has := ids[0]
		if n >= len(whole)/2 {
			has = ids[1]
		}
		q.Begin(has)
		if err := q.Seal(has); err != nil {
			t.Errorf("%d of %d bytes: %v", n, len(whole), err)
		}
		check(t, q.Close())
		q, err = OpenQueue(folder, 1<<20, store.CommitID{}, 0)
		check(t, err)
		q.Begin(ids[2])
		if err := q.Seal(ids[2]); !errors.Is(err, ErrUnrecorded) {
			t.Errorf("%d of %d bytes: a lost commit is not missed: %v", n, len(whole), err)
		}
		check(t, q.Close())
	}
}

// If the clock goes back, later commits do not seem to be earlier.
func TestAClockThatGoesBack(t *testing.T) {
	s := newSite(t)
	s.send()
	now := time.Now().Add(time.Hour)
	for _, minutes := range []int{0, 10, -30, -20, 20} {
		s.writeAt(now.Add(time.Duration(minutes) * time.Minute))
	}
	for i, minutes := range []int{0, 10, 10, 10, 20} {
		s.ledger[i].at = now.Add(time.Duration(minutes)*time.Minute + time.Millisecond)
	}
	for _, i := range []int{0, 3, 4} { // 1 and 2 have the time of 3
		s.requireMoment(s.ledger[i])
	}
}

// Bytes that somebody has made up are no commit, and take no memory.
func FuzzRecords(f *testing.F) {
	f.Add(appendRecord(nil, &store.Recorded{Ops: []store.Op{{Path: []string{"content", "a", "-"}, Key: []byte("k"), Value: []byte("v")}, {Path: []string{"content", "a", "-"}, Key: []byte("l")}}}))
	f.Fuzz(func(t *testing.T, b []byte) {
		var again []byte
		err := records(b, func(c store.Recorded) error {
			again = appendRecord(again, &c)
			return nil
		})
		if err != nil {
			return
		}
		if err := records(again, func(store.Recorded) error { return nil }); err != nil {
			t.Errorf("%x is read and cannot be written: %v", b, err)
		}
		_, _ = parseRecord(b)
	})
}
