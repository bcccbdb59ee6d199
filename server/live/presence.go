package live

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"

	"quire/content/review"
	"quire/query"
	"quire/schema"
)

// A stream can have a presence: an account, and the document that it has open. All streams
// with that document receive who else has it open, as the event "presence", when they begin
// and after a change; all changes since the last tick of the hub are sent together.
// Presence exists only in this process and is not stored: it ends with the stream.

// Present is the account of a stream, and the document that it has open.
type Present struct {
	Stream          string // names the stream
	Account, Name   string
	Device          string
	UID, DocumentID string // of the document; both empty for none
	Locale          string // locale of the open document, empty if the type has none
	Since           time.Time
}

// MostPeople is the maximum number of people in an event of presence, in the order in which
// they came.
const MostPeople = 50

// document is a document that streams have open.
type document struct{ uid, documentID string }

// gathering is the streams that have a document open. hub.mu guards it.
type gathering struct {
	streams map[*stream]struct{}
	version uint64   // counts the changes
	sent    uint64   // the version that the last tick has sent
	people  []person // as listed for the version in listed; nil if they have to be listed again
	listed  uint64
}

func (p *Present) document() document { return document{p.UID, p.DocumentID} }

// person is one of the people who have a document open, as others see it.
type person struct {
	Account struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	} `json:"account"`
	Device  string    `json:"device"`
	Locale  *string   `json:"locale"`
	Since   time.Time `json:"since"`
	Editing []string  `json:"editing"` // paths of attributes
}

// enterLocked adds the presence of a stream. The caller holds h.mu.
func (h *Hub) enterLocked(s *stream) {
	if s.present == nil {
		return
	}
	h.named[s.present.Stream] = s
	if at := s.present.document(); at.uid != "" {
		g := h.open[at]
		if g == nil {
			g = &gathering{streams: map[*stream]struct{}{}}
			h.open[at] = g
		}
		g.streams[s] = struct{}{}
		g.version++
		g.people, s.presenceDue = nil, true // the stream itself receives it at once
	}
}

// exitLocked removes the presence of a stream. The caller holds h.mu.
func (h *Hub) exitLocked(s *stream) {
	if s.present == nil {
		return
	}
	delete(h.named, s.present.Stream)
	g := h.open[s.present.document()]
	if g == nil {
		return
	}
	g.version++
	if delete(g.streams, s); len(g.streams) == 0 {
		delete(h.open, s.present.document())
	}
}

// reaches reports whether the open document of a stream exists for its caller. A caller with
// conditions loses a document that no longer meets them. Other callers stay in a document that
// is deleted, because they may store what they have typed as a new one.
func (s *stream) reaches() bool {
	if s.present == nil || s.present.UID == "" {
		return true
	}
	snapshot, caller, documentID := s.hub.Index.Snapshot(), s.group.caller, s.present.DocumentID
	t := snapshot.Site().Type(s.present.UID)
	if t == nil || caller.Filter(t) == nil {
		return true
	}
	if t.Kind == schema.Single {
		written := false
		if documentID, written = snapshot.SingleDocument(t); !written {
			return true
		}
	}
	return query.HasDocument(snapshot, caller, t, documentID, "*")
}

// sendPresence sends who has a document open to all who have it open, if that has changed.
// The hub calls it at each tick.
func (h *Hub) sendPresence() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.open {
		if g.sent == g.version {
			continue
		}
		g.sent = g.version
		for s := range g.streams {
			if s.sent != g.version {
				s.presenceDue = true
				s.startLocked()
			}
		}
	}
}

// reviewed is the event that the comments or the stage of the open document have changed. It has
// no more than that: the client reads what its account may see.
const reviewed = "event: review\ndata: {}\n\n"

// announce sends that event to those who have one of the documents open, and who may see the
// field that a comment is about.
func (h *Hub) announce(touched []review.Touch) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, at := range touched {
		t := h.Site.Type(at.UID)
		if t == nil {
			continue
		}
		if t.Kind == schema.Single {
			at.DocumentID = "" // as in Present
		}
		g := h.open[document{at.UID, at.DocumentID}]
		if g == nil {
			continue
		}
		for s := range g.streams {
			if s.present.Locale == at.Locale && (at.Field == "" || schema.SeesByName(s.group.caller, t, at.Field)) {
				s.reviewDue = true
				s.startLocked()
			}
		}
	}
}

// SetEditing sets the attributes in which the account of a stream is typing. It reports
// whether the account has such a stream.
func (h *Hub) SetEditing(stream, account string, paths []string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	s := h.named[stream]
	if s == nil || s.present.Account != account {
		return false
	}
	if g := h.open[s.present.document()]; g != nil && !slices.Equal(s.editing, paths) {
		s.editing = slices.Clone(paths)
		g.version++
	}
	return true
}

// presence returns the event with the people who have the document of a stream open. It
// names only attributes that the receiver may see.
func (s *stream) presence() ([]byte, error) {
	people := s.people()
	if t := s.hub.Site.Type(s.present.UID); t != nil {
		sight := s.group.caller.Sight(t)
		for i := range people {
			people[i].Editing = slices.DeleteFunc(people[i].Editing, func(path string) bool { return !sight.KnowsPath(strings.Split(path, ".")) })
		}
	}
	text, err := json.Marshal(struct {
		People []person `json:"people"`
	}{people})
	return append(append([]byte("event: presence\ndata: "), text...), "\n\n"...), err
}

// people returns the people who have the document of a stream open, in the order in which
// they came. They are listed once for all streams of a tick. The copy belongs to the
// caller.
func (s *stream) people() []person {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	g := s.hub.open[s.present.document()]
	if g == nil {
		return []person{}
	}
	if g.people == nil || g.listed < g.sent {
		g.people, g.listed = g.list(), g.version
	}
	s.sent = g.listed
	people := slices.Clone(g.people)
	for i := range people {
		people[i].Editing = append([]string{}, people[i].Editing...)
	}
	return people
}

// list lists the people.
func (g *gathering) list() []person {
	streams := slices.SortedFunc(maps.Keys(g.streams), func(a, b *stream) int {
		return cmp.Or(a.present.Since.Compare(b.present.Since), cmp.Compare(a.present.Stream, b.present.Stream))
	})
	people := []person{}
	for _, s := range streams[:min(len(streams), MostPeople)] {
		p := person{Device: s.present.Device, Since: s.present.Since, Editing: s.editing}
		p.Account.ID, p.Account.Name = s.present.Account, s.present.Name
		if s.present.Locale != "" {
			p.Locale = &s.present.Locale
		}
		people = append(people, p)
	}
	return people
}

// greeting is what a stream with a presence begins with, after hello: the name of the
// stream.
func (p *Present) greeting() []byte {
	if p == nil {
		return nil
	}
	text, _ := json.Marshal(p.Stream) // encoding a string cannot fail
	return append(append([]byte(`event: stream`+"\n"+`data: {"stream":`), text...), "}\n\n"...)
}
