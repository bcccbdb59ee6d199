package live

import (
	"cmp"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"time"
)

// A stream can say who is behind it and which document is open there. All streams with
// that document hear who else has it open, as the event "presence", when they begin and
// after that has changed: all changes since the last tick of the hub are told at once.
// Presence is of this process alone and is nowhere stored: it is gone with the stream.

// Present is who is behind a stream, and what is open there.
type Present struct {
	Stream          string // names the stream
	Account, Name   string
	Device          string
	UID, DocumentID string // of the document; both empty for none
	Locale          string // in which it is open, empty where the type has none
	Since           time.Time
}

// MostPeople is how many people an event of presence names, those first who came first.
const MostPeople = 50

// document is what streams have open.
type document struct{ uid, documentID string }

// gathering is those who have a document open. hub.mu guards it.
type gathering struct {
	streams map[*stream]struct{}
	version uint64   // counts the changes
	told    uint64   // the version that the last tick has passed on
	people  []person // as they were in the version listed, nil where they are to be listed anew
	listed  uint64
}

func (p *Present) document() document { return document{p.UID, p.DocumentID} }

// person is one of those who have a document open, as others see it.
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

// enterLocked takes note of who is behind a stream. h.mu must be held.
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
		g.people, s.tells = nil, true // it hears of itself at once
	}
}

// exitLocked forgets who is behind a stream. h.mu must be held.
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

// tell has all who have a document open hear who does, where that has changed. The hub
// does so at each tick.
func (h *Hub) tell() {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, g := range h.open {
		if g.told == g.version {
			continue
		}
		g.told = g.version
		for s := range g.streams {
			if s.told != g.version {
				s.tells = true
				s.startLocked()
			}
		}
	}
}

// SetEditing says in which attributes the one behind a stream is typing. It reports
// whether there is such a stream of the account.
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

// presence is the event that says who has the document of a stream open. Of where they
// type it names what the one behind the stream sees.
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

// people are those who have the document of a stream open, those first who came first. They
// are listed once for all streams that are told at a tick. The copy is the caller's.
func (s *stream) people() []person {
	s.hub.mu.Lock()
	defer s.hub.mu.Unlock()
	g := s.hub.open[s.present.document()]
	if g == nil {
		return []person{}
	}
	if g.people == nil || g.listed < g.told {
		g.people, g.listed = g.list(), g.version
	}
	s.told = g.listed
	people := slices.Clone(g.people)
	for i := range people {
		people[i].Editing = append([]string{}, people[i].Editing...)
	}
	return people
}

// list lists those who are there.
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

// greeting is what a stream with somebody behind it begins with besides hello: by which
// name it is reached.
func (p *Present) greeting() []byte {
	if p == nil {
		return nil
	}
	text, _ := json.Marshal(p.Stream) // a text always has a form
	return append(append([]byte(`event: stream`+"\n"+`data: {"stream":`), text...), "}\n\n"...)
}
