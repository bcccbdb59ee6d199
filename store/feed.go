package store

import (
	"slices"
	"sync"
)

// Commit is what one Update wrote. Changes are in the order in which they were
// applied, and empty where it wrote only sequences or records. They are shared
// by all listeners and must not be modified.
type Commit struct {
	Revision uint64
	Changes  []Change
}

// feed tells listeners of commits, one commit at a time, in commit order.
type feed struct {
	turns sync.Mutex // held while the listeners of one commit run

	mu        sync.Mutex
	listeners []*listener
}

type listener struct{ hear func(Commit) }

// Subscribe has fn called after every commit from now on, in commit order and
// never for two commits at once. It runs before the Update that committed
// returns, on that goroutine, when the commit can be read by everybody. A slow
// fn holds up the next commit's listeners and then its writers, never readers.
// fn may View; it must not Update, Reopen or Close, which wait for it.
//
// The subscription lasts until cancel, over a Reopen too. cancel does not wait
// for a call that has begun, so fn may cancel itself.
func (db *DB) Subscribe(fn func(Commit)) (cancel func()) {
	l := &listener{fn}
	f := &db.feed
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = append(slices.Clone(f.listeners), l)
	return func() { f.remove(l) }
}

// remove leaves the old list as it is: a commit may be walking along it.
func (f *feed) remove(l *listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.listeners = slices.DeleteFunc(slices.Clone(f.listeners), func(o *listener) bool { return o == l })
}

// turn waits for the commit before to be told, and returns what tells this one.
// The order of commits is the order of calls.
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
