package live

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"
)

// A stream can say who is behind it and which document is open there. All streams with
// that document hear who else has it open, as the event "presence", when they begin and
// whenever that changes. Presence is of this process alone and is nowhere stored: it is
// gone with the stream.

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
		if h.open[at] == nil {
			h.open[at] = map[*stream]struct{}{}
		}
		h.open[at][s] = struct{}{}
		h.tellLocked(at)
	}
}

// exitLocked forgets who is behind a stream. h.mu must be held.
func (h *Hub) exitLocked(s *stream) {
	if s.present == nil {
		return
	}
	delete(h.named, s.present.Stream)
	at := s.present.document()
	if delete(h.open[at], s); len(h.open[at]) == 0 {
		delete(h.open, at)
	}
	h.tellLocked(at)
}

// tellLocked has all who have a document open hear who does. h.mu must be held.
func (h *Hub) tellLocked(at document) {
	for s := range h.open[at] {
		s.tells = true
		s.startLocked()
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
	if !slices.Equal(s.editing, paths) {
		s.editing = slices.Clone(paths)
		h.tellLocked(s.present.document())
	}
	return true
}

// presence is the event that says who has the document of a stream open. Of where they
// type it names what the one behind the stream sees.
func (s *stream) presence() ([]byte, error) {
	people := s.hub.people(s.present.document())
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

// people are those who have a document open, those first who came first.
func (h *Hub) people(at document) []person {
	h.mu.Lock()
	defer h.mu.Unlock()
	streams := make([]*stream, 0, len(h.open[at]))
	for s := range h.open[at] {
		streams = append(streams, s)
	}
	slices.SortFunc(streams, func(a, b *stream) int {
		return cmp.Or(a.present.Since.Compare(b.present.Since), cmp.Compare(a.present.Stream, b.present.Stream))
	})
	people := []person{}
	for _, s := range streams[:min(len(streams), MostPeople)] {
		p := person{Device: s.present.Device, Since: s.present.Since, Editing: append([]string{}, s.editing...)}
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
