package store

import (
	"errors"
	"slices"
	"sync"
)

// Commit is what one Update wrote, here or on another node. Changes and Records are in the
// order in which they were made, and both are empty if it wrote only sequences. They are
// shared by all listeners and must not be modified.
type Commit struct {
	CommitID
	Changes []Change
	Records []RecordChange
}

// RecordChange is what one write did to one record: Before is nil for a new one, After is
// nil for a deleted one.
type RecordChange struct {
	Bucket, Key   string
	Before, After []byte
}

// RecordsOf returns what the commit did to the records of a bucket.
func (c Commit) RecordsOf(bucket string) (changes []RecordChange) {
	for _, r := range c.Records {
		if r.Bucket == bucket {
			changes = append(changes, r)
		}
	}
	return changes
}

// feed passes commits to listeners, one commit at a time, in commit order.
type feed struct {
	mover  func(Commit) error // see Attach; guarded by DB.writing, like missed
	missed []Commit           // of other nodes, while no mover was attached

	turns sync.Mutex // held while the listeners of one commit run

	mu        sync.Mutex
	listeners []*listener
}

type listener struct{ hear func(Commit) }

// maxMissed limits the commits of other nodes that are kept for the next mover.
const maxMissed = 10_000

// ErrMissed: other nodes have committed so much while nothing was attached that the content
// in memory must be read again.
var ErrMissed = errors.New("store: other nodes have written too much meanwhile; read the content again")

// Attach calls move for every commit of another node, before the next commit of any node,
// so that memory is always at the last commit of the file. There is one mover at a time.
// revision is the commit that memory shows now; Attach passes the commits since then at
// once. move must not use the DB. After an error of move, updates are refused until Reopen.
// Without a journal there are no other nodes.
//
// A commit of this DB does not go through move: see Tx.AtEnd.
func (db *DB) Attach(revision uint64, move func(Commit) error) (detach func(), err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	missed := db.feed.missed
	db.feed.missed = nil
	for i, c := range missed {
		if i == 0 && c.Revision == 0 { // there were more
			return nil, ErrMissed
		}
		if c.Revision <= revision {
			continue
		}
		if err := move(c); err != nil {
			return nil, err
		}
	}
	db.feed.mover = move
	return db.detach, nil
}

func (db *DB) detach() {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.feed.mover = nil
}

// move passes a commit of another node to the mover, or keeps it for the next one.
// DB.writing must be held.
func (f *feed) move(c Commit) error {
	switch {
	case f.mover != nil:
		return f.mover(c)
	case len(c.Changes) == 0:
	case len(f.missed) < maxMissed:
		f.missed = append(f.missed, c)
	default:
		f.missed = []Commit{{}} // it represents all of them
	}
	return nil
}

// Subscribe calls fn after every commit from now on, in commit order and never for two
// commits at once. fn runs on the goroutine of the Update that committed, after the commit
// can be read and before Update returns; for a commit of another node it runs on the
// goroutine that follows the journal. A slow fn delays the next commit's listeners and then
// its writers, never readers. fn may View; it must not Update, Reopen or Close, which wait
// for it.
//
// The subscription lasts until cancel, also across a Reopen. cancel does not wait for a
// call that has begun, so fn may cancel itself.
func (db *DB) Subscribe(fn func(Commit)) (cancel func()) {
	l := &listener{fn}
	f := &db.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = append(slices.Clone(f.listeners), l)
	return func() { f.remove(l) }
}

// remove does not change the old list: a commit may be walking along it.
func (f *feed) remove(l *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = slices.DeleteFunc(slices.Clone(f.listeners), func(o *listener) bool { return o == l })
}

// turn waits until all listeners have been called for the commit before. It returns the
// function that calls them for this one. The order of commits is the order of calls.
func (f *feed) turn(c Commit) (notify func()) {
	f.turns.Lock()
	return func() {
		defer f.turns.Unlock()
		f.mu.Lock()
		listeners := f.listeners
		f.mu.Unlock()
		for _, l := range listeners {
			l.hear(c)
		}
	}
}
