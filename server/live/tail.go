package live

import (
	"cmp"
	"slices"

	"quire/content/event"
	"quire/store"
)

// tail is the latest commits of the log, in memory: all of those after one revision.
type tail struct {
	after   uint64
	commits []event.Commit
	bytes   int
}

const (
	tailBytes    = 4 << 20
	commitBytes  = 128 // approximate size of a commit in memory, and of each event
	eventBytes   = 256
	eventsAtOnce = 256 // events that a stream takes in one step, plus the rest of a commit
)

// sizeOf returns the approximate size of a commit in memory; its events share their texts.
func sizeOf(c *event.Commit) int { return commitBytes + eventBytes*len(c.Events) }

// push adds a commit, and removes the oldest ones if they are too many.
func (t *tail) push(c event.Commit) {
	t.commits = append(t.commits, c)
	t.bytes += sizeOf(&c)
	for t.bytes > tailBytes {
		t.bytes -= sizeOf(&t.commits[0])
		t.after = t.commits[0].Revision
		t.commits[0] = event.Commit{}
		t.commits = t.commits[1:]
	}
}

// since copies some of the commits after a revision, because push changes them while the
// caller reads. more reports whether the tail has others, near whether it reaches back to
// the revision.
func (t *tail) since(revision uint64) (commits []event.Commit, more, near bool) {
	if revision < t.after {
		return nil, false, false
	}
	low, found := slices.BinarySearchFunc(t.commits, revision, func(c event.Commit, r uint64) int { return cmp.Compare(c.Revision, r) })
	if found {
		low++
	}
	high := low
	for events := 0; high < len(t.commits) && events < eventsAtOnce; high++ {
		events += len(t.commits[high].Events)
	}
	return slices.Clone(t.commits[low:high]), high < len(t.commits), true
}

// read reads some of the commits after a revision and up to another from the file. more
// reports whether there are others. The error is an *event.GoneError, or the store's.
func (h *Hub) read(after, through uint64) (commits []event.Commit, more bool, err error) {
	events := 0
	err = h.DB.View(func(tx *store.Tx) error {
		return event.Read(tx, event.Position{Revision: after}, func(c event.Commit) bool {
			if c.Revision > through {
				return false
			}
			if more = events >= eventsAtOnce; more {
				return false
			}
			events += len(c.Events)
			commits = append(commits, c)
			return true
		})
	})
	return commits, more, err
}

// readSome is read for a stream that waits for a place to work.
func (h *Hub) readSome(after, through uint64) (commits []event.Commit, more bool, err error) {
	h.work <- struct{}{}
	defer func() { <-h.work }()
	return h.read(after, through)
}
