package live

import (
	"time"

	"quire/auth"
	"quire/content/event"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// Subscription is what a listener wants to receive. Without a limit, it is everything that the
// caller may see.
type Subscription struct {
	// Text identifies the subscription: two with the same text are the same.
	Text string

	// Name is the name of the events; empty for none.
	Name string

	Types     map[string]bool // by uid; nil for all
	Documents map[string]bool // by documentId; nil for all
	Locales   map[string]bool // of types that are localized; nil for all
	Status    store.Status    // zero for both

	// Entry appends the entry of an event. A nil Entry leaves entries out.
	Entry Ask

	// Form, unless nil, is another form of the events.
	Form *Form
}

// Ask appends the entry of an event, as it is in a snapshot; false if it was removed. The
// host limits the cost.
type Ask func(host query.Host, s *index.Snapshot, e *event.Event, dst []byte) (answer []byte, found bool, err error)

// Form is a form of events.
type Form struct {
	// Data appends the data of an event in one line. current runs an Ask within the limits
	// of a stream. It appends nothing if there is no entry, or if that takes too much, which
	// it reports.
	Data func(dst []byte, at time.Time, e *event.Event, current func(dst []byte, ask Ask) (_ []byte, found, omitted bool)) []byte

	// Reset is the last event of a stream whose log has started again, without its id.
	Reset string
}

// takes reports whether the subscription includes an event.
func (q *Subscription) takes(site *schema.Site, e *event.Event) bool {
	switch {
	case q.Types != nil && !q.Types[e.Type], q.Documents != nil && !q.Documents[e.DocumentID]:
		return false
	case q.Status != 0 && q.Status != e.Status:
		return false
	}
	return q.Locales == nil || q.Locales[e.Locale] || !site.Type(e.Type).Localized
}

// Listener is who listens. The identity is checked again whenever it may have changed.
type Listener struct {
	Identity auth.Identity
	Identify func() (auth.Identity, error) // from any goroutine
	Present  *Present                      // nil without presence
}

// groupKey is what the streams of a group have in common.
type groupKey struct {
	rights auth.Rights
	text   string
}

// sees reports whether a caller with the rights of the group may see an event.
func (g *group) sees(e *event.Event) bool {
	return query.SeesEventAt(g.hub.Index.Snapshot(), g.caller, e)
}

// wants reports whether a commit has anything for the group.
func (g *group) wants(c *event.Commit) bool {
	for i := range c.Events {
		if e := &c.Events[i]; g.sees(e) && g.subscription.takes(g.hub.Site, e) {
			return true
		}
	}
	return false
}
