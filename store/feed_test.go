package store

import (
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

func TestListenersHearOfCommitsInOrder(t *testing.T) {
	db := newDB(t)
	var heard []Commit
	cancel := db.Subscribe(func(c Commit) {
		if r := revision(t, db); r != c.Revision {
			t.Errorf("told of revision %d, the file shows %d", c.Revision, r)
		}
		if c.CommitID != lastCommit(t, db) {
			t.Errorf("told of %v, the file shows %v", c.CommitID, lastCommit(t, db))
		}
		c.Lineage = 0
		heard = append(heard, c)
	})
	rex, ada := text(1, "rex", "", Draft, "Rex"), text(2, "ada", "", Draft, "Ada")
	put(t, db, dogs, rex, ada)
	_ = db.Update(func(tx *Tx) error {
		_ = tx.Apply(Change{Type: dogs, Before: rex})
		return errTest
	})
	update(t, db, func(*Tx) error { return nil })
	update(t, db, func(tx *Tx) error { return tx.SetSequence("dogs", 2) })
	noError(t, db.Reopen())
	update(t, db, func(tx *Tx) error { return tx.Apply(Change{Type: dogs, Before: rex}) })
	cancel()
	put(t, db, dogs, rex)

	want := []Commit{
		{CommitID: CommitID{Revision: 1}, Changes: []Change{{Type: dogs, After: rex}, {Type: dogs, After: ada}}},
		{CommitID: CommitID{Revision: 2}},
		{CommitID: CommitID{Revision: 3}, Changes: []Change{{Type: dogs, Before: rex}}},
	}
	if !reflect.DeepEqual(heard, want) {
		t.Errorf("heard %+v\nwant %+v", heard, want)
	}
}

func TestListenersHearOneCommitAtATime(t *testing.T) {
	db := newDB(t)
	const writers, commits = 8, 20
	var inside atomic.Int32
	var first, second []uint64
	listen := func(to *[]uint64) func(Commit) {
		return func(c Commit) {
			if inside.Add(1) != 1 {
				t.Error("two listeners run at once")
			}
			*to = append(*to, c.Revision)
			inside.Add(-1)
		}
	}
	db.Subscribe(listen(&first))
	db.Subscribe(listen(&second))
	var wg sync.WaitGroup
	for range writers {
		wg.Go(func() {
			for range commits {
				if err := db.Update(func(tx *Tx) error { return tx.SetSequence("n", tx.Sequence("n")+1) }); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	want := make([]uint64, writers*commits)
	for i := range want {
		want[i] = uint64(i + 1)
	}
	if !slices.Equal(first, want) || !slices.Equal(second, want) {
		t.Errorf("heard %v and %v", first, second)
	}
}

func TestAListenerMayCancelItself(t *testing.T) {
	db := newDB(t)
	heard := 0
	var cancel func()
	cancel = db.Subscribe(func(Commit) {
		heard++
		cancel()
	})
	for range 3 {
		update(t, db, func(tx *Tx) error { return tx.SetSequence("n", tx.Revision()) })
	}
	if heard != 1 {
		t.Errorf("heard %d commits", heard)
	}
}

// While a listener is busy, readers read and one more writer commits.
func TestASlowListenerHoldsUpNoReader(t *testing.T) {
	db := newDB(t)
	busy, release := make(chan struct{}), make(chan struct{})
	var once sync.Once
	db.Subscribe(func(Commit) {
		once.Do(func() {
			close(busy)
			<-release
		})
	})
	set := func(n uint64) error { return db.Update(func(tx *Tx) error { return tx.SetSequence("n", n) }) }
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := set(1); err != nil {
			t.Error(err)
		}
	})
	<-busy
	committing := make(chan struct{})
	wg.Go(func() {
		close(committing)
		if err := set(2); err != nil {
			t.Error(err)
		}
	})
	<-committing
	for revision(t, db) < 2 { // the second commit does not wait for the listener
	}
	close(release)
	wg.Wait()
}

// Each commit sets a group of entries, in several types, to one number. A
// reader that saw two numbers would have seen half a commit.
func TestReadersSeeWholeCommits(t *testing.T) {
	db := newDB(t)
	types := []string{"api::a.a", "api::b.b"}
	const each, commits, readers = 40, 30, 3
	group := func(uid string, n uint64) []*Entry {
		var all []*Entry
		for i := range each {
			all = append(all, &Entry{ID: n, DocumentID: string(rune('a' + i)), Status: Draft})
		}
		return all
	}
	for _, uid := range types {
		put(t, db, uid, group(uid, 0)...)
	}
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range readers {
		wg.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					readGroup(t, db, types, each)
				}
			}
		})
	}
	for n := range uint64(commits) {
		update(t, db, func(tx *Tx) error {
			for _, uid := range types {
				before, after := group(uid, n), group(uid, n+1)
				for i := range after {
					if err := tx.Apply(Change{Type: uid, Before: before[i], After: after[i]}); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
	close(done)
	wg.Wait()
}

func readGroup(t *testing.T, db *DB, types []string, each int) {
	err := db.View(func(tx *Tx) error {
		want := tx.Revision() - uint64(len(types)) // the two that made the entries
		for _, uid := range types {
			seen := 0
			err := tx.Scan(uid, func(e *Entry) error {
				if seen++; e.ID != want {
					t.Errorf("revision %d shows entry %s of commit %d", tx.Revision(), e.Key(), e.ID)
				}
				return nil
			})
			if err != nil || seen != each {
				t.Errorf("%d entries, %v", seen, err)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}
