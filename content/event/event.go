package event

import (
	"time"

	"quire/store"
)

// Event is a change of one entry by a commit.
type Event struct {
	Position Position // directly after the event; set by Decode

	Type       string // uid of the content type
	DocumentID string
	Locale     string // empty for types that are not localized
	Status     store.Status
	ID         uint64 // the entry's number

	// Action is one of ActionCreate, ActionUpdate, ActionPublish, ActionUnpublish and
	// ActionDelete of package store.
	Action  store.Action
	By      store.Actor
	Version uint64 // of the document after the event: the number of the write

	// Drafts marks an update that only callers who may read all drafts can see: links to
	// drafts, from a document whose type has none.
	Drafts bool
}

// Commit has the events of one commit, in the order in which they happened.
type Commit struct {
	Revision uint64
	At       time.Time
	Events   []Event
}

// After returns the events of the commit that come after a position.
func (c Commit) After(p Position) []Event {
	switch {
	case c.Revision > p.Revision:
		return c.Events
	case c.Revision < p.Revision || p.Index == 0 || p.Index >= len(c.Events):
		return nil
	}
	return c.Events[p.Index:]
}
