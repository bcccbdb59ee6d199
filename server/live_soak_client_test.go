package server_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"

	"quire/content/event"
	"quire/store"
)

// soakListener is a client of TestStreamsSoak, and the events that it must receive.
type soakListener struct {
	*soakedSite
	*rand.Rand
	as, query string
	http2     bool
	stalls    bool // always
	hears     func(kind string, e *event.Event) bool
	begins    func() // when its stream has begun

	since  uint64 // where it asks to begin; 0 for from now on
	begun  string // where it began
	last   string // last event seen
	heard  []string
	want   []string // when everything was written
	broken bool
}

// clients are callers with different rights and questions.
func (l *soakedSite) clients(start uint64) (list []*soakListener) {
	published := func(e *event.Event) bool { return e.Status == store.Published }
	sees := map[string]func(kind string, e *event.Event) bool{
		"": func(kind string, e *event.Event) bool {
			return published(e) && strings.Contains("dish chef restaurant", kind)
		},
		"full":       func(string, *event.Event) bool { return true },
		"editor":     func(kind string, e *event.Event) bool { return kind == "dish" },
		"restricted": func(kind string, e *event.Event) bool { return kind == "chef" && published(e) },
	}
	asks := map[string]func(kind string, e *event.Event) bool{
		"":                 func(string, *event.Event) bool { return true },
		"status=published": func(_ string, e *event.Event) bool { return published(e) },
		"locale=fr":        func(kind string, e *event.Event) bool { return kind != "restaurant" || e.Locale == "fr" },
		"include=entry":    func(string, *event.Event) bool { return true },
		"types=dishes":     func(kind string, e *event.Event) bool { return kind == "dish" },
		"types=restaurants&include=entry&populate=*": func(kind string, e *event.Event) bool { return kind == "restaurant" },
	}
	for as, sees := range sees {
		for query, asks := range asks {
			if as == "restricted" && strings.Contains(query, "types=") || as == "editor" && strings.Contains(query, "restaurants") {
				continue // refused
			}
			c := &soakListener{soakedSite: l, as: as, query: query, http2: len(list)%3 == 0}
			c.stalls = as == "" && strings.Contains(query, "restaurants")
			c.http2 = c.http2 && !c.stalls // the HTTP/2 client reads ahead
			c.hears = func(kind string, e *event.Event) bool { return sees(kind, e) && asks(kind, e) }
			if len(list)%2 == 0 {
				c.since = start
			}
			list = append(list, c)
		}
	}
	return list
}

// follow listens until it has received everything, and checks it.
func (c *soakListener) follow() {
	defer c.begins()
	for !c.broken && !c.complete() {
		c.listen()
	}
	want := c.wanted()
	for i := range max(len(want), len(c.heard)) {
		if i >= len(want) || i >= len(c.heard) || want[i] != c.heard[i] {
			c.t.Errorf("%q, %q from %s: event %d of %d is not %d of %d in the log: heard %q, want %q", c.as, c.query, c.begun,
				i, len(c.heard), i, len(want), c.heard[min(i, len(c.heard)):min(i+3, len(c.heard))], want[min(i, len(want)):min(i+3, len(want))])
			return
		}
	}
}

// complete reports whether the client has received its last event, or what is wrong.
func (c *soakListener) complete() bool {
	if !c.ended() {
		return false
	}
	if c.want == nil {
		c.want = c.wanted()
	}
	n := len(c.heard)
	return n >= len(c.want) || !slices.Equal(c.heard, c.want[:n])
}

// wanted returns what the log has for the client.
func (c *soakListener) wanted() (list []string) {
	from, _ := event.ParsePosition(c.begun)
	for _, commit := range c.logged {
		for _, e := range commit.Events {
			kind := e.Type[strings.LastIndex(e.Type, ".")+1:]
			if commit.Revision > from.Revision && c.hears(kind, &e) {
				list = append(list, fmt.Sprint(commit.Revision, " ", e.Action, " ", kind, " ", e.DocumentID, " ", e.Status, " ", e.Locale))
			}
		}
	}
	return list
}

// listen listens for a while, and leaves in one of several ways.
func (c *soakListener) listen() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	query := "?" + c.query
	if c.begun == "" && c.since > 0 {
		query += fmt.Sprintf("&since=%d", c.since)
	}
	a, err := c.open(ctx, c.as, query, c.last, c.http2)
	if err != nil {
		return // the server is being restarted
	}
	defer a.Body.Close()
	if a.StatusCode != http.StatusOK {
		c.fail("%s", a.Status)
		return
	}
	lines := bufio.NewReaderSize(a.Body, 16)
	for range 1 + c.IntN(20) {
		if !c.take(lines) || c.complete() {
			return
		}
		if c.stalls {
			break
		}
	}
	switch what := c.IntN(3); {
	case what == 2 || c.stalls: // takes the rest later
		c.stall()
		for c.take(lines) && !c.complete() {
		}
	case what == 1: // interrupted within an event
		for range 1 + c.IntN(100) {
			if _, err := lines.ReadByte(); err != nil {
				return
			}
		}
	}
}

// stall reads nothing until a stream was dropped, or the server has stopped.
func (c *soakListener) stall() {
	c.up.RLock()
	s := c.server
	dropped := s.Counts().StreamsDropped
	c.up.RUnlock()
	c.mu.Lock()
	defer c.mu.Unlock()
	for starts := c.starts; starts == c.starts && !c.written && s.Counts().StreamsDropped == dropped; {
		c.moved.Wait()
	}
}

// take reads one message. It counts only when its end has arrived. It reports whether
// there may be more.
func (c *soakListener) take(lines *bufio.Reader) bool {
	var m message
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return false
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "id":
			m.id = value
		case "event":
			m.event = value
		case "data":
			m.data = value
		case "":
			if line == "\n" {
				return c.hear(&m) == nil
			}
		}
	}
}

// hear records a message.
func (c *soakListener) hear(m *message) error {
	if m.event != "" || m.id == "" {
		return c.fail("heard %+v", *m)
	}
	if c.begun == "" {
		c.begun = m.id
		c.begins()
	}
	c.last = m.id
	if m.data == "" {
		return nil
	}
	kind, locale := m.field("type"), m.field("locale")
	if locale == "null" {
		locale = ""
	}
	if revision, _, _ := strings.Cut(m.id, "."); revision != m.field("revision") {
		return c.fail("the event %s has the id %s", m.data, m.id)
	}
	c.heard = append(c.heard, strings.Join([]string{m.field("revision"), m.field("action"), kind[strings.LastIndex(kind, ".")+1:], m.field("documentId"), m.field("status"), locale}, " "))
	return nil
}

// fail ends the client.
func (c *soakListener) fail(format string, args ...any) error {
	c.broken = true
	err := fmt.Errorf("%q, %q: "+format, append([]any{c.as, c.query}, args...)...)
	c.t.Error(err)
	return errors.Join(err)
}
