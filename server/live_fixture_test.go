package server_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"quire/auth"
)

// listenTo serves the site over connections, with HTTP/2 if requested.
func (h *accountSite) listenTo(t *testing.T, http2 bool) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h.handler)
	if s.EnableHTTP2 = http2; http2 {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	t.Cleanup(h.server.EndStreams)
	return s
}

// customToken makes a token with these permissions.
func (h *accountSite) customToken(t *testing.T, name string, permissions ...string) string {
	t.Helper()
	token, err := h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: permissions})
	check(t, err)
	return token
}

// listener is a client of GET /api/_events.
type listener struct {
	t      *testing.T
	answer *http.Response
	lines  *bufio.Reader
	leave  func()
	id     string // of the last message
}

// message is one message of a stream. It is empty at the end of the stream.
type message struct {
	id, event, data string
}

func (m *message) field(name string) string {
	var fields map[string]json.RawMessage
	if json.Unmarshal([]byte(m.data), &fields) != nil {
		return "not JSON: " + m.data
	}
	return strings.Trim(string(fields[name]), `"`)
}

// String returns the action, type, status and locale of an event: "create dish draft
// en".
func (m *message) String() string {
	if m.data == "" {
		return ""
	}
	if m.event != "" {
		return m.event
	}
	kind := m.field("type")
	return strings.TrimSuffix(fmt.Sprint(m.field("action"), " ", kind[strings.LastIndex(kind, ".")+1:], " ", m.field("status"), " ", m.field("locale")), " null")
}

// hear opens a stream, which must succeed.
func (h *accountSite) hear(t *testing.T, s *httptest.Server, as, query string, headers ...string) *listener {
	t.Helper()
	l := h.tryHear(t, s, as, query, headers...)
	if l.answer.StatusCode != http.StatusOK || l.answer.Header.Get("Content-Type") != "text/event-stream; charset=utf-8" {
		t.Fatalf("%s: %s %v", query, l.answer.Status, l.answer.Header)
	}
	l.id = l.nextID()
	return l
}

func (h *accountSite) tryHear(t *testing.T, s *httptest.Server, as, query string, headers ...string) *listener {
	t.Helper()
	return h.listen(t, s, as, "GET", "/api/_events"+query, "", headers...)
}

// listen sends a request for a stream.
func (h *accountSite) listen(t *testing.T, s *httptest.Server, as, method, path, body string, headers ...string) *listener {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, method, s.URL+h.below(as)+path, strings.NewReader(body))
	check(t, err)
	if as != "" && h.people[as] == nil {
		r.Header.Set("Authorization", "Bearer "+h.tokens[as])
	}
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	answer, err := s.Client().Do(r)
	check(t, err)
	l := &listener{t: t, answer: answer, lines: bufio.NewReader(answer.Body)}
	l.leave = func() { cancel(); answer.Body.Close() }
	t.Cleanup(l.leave)
	return l
}

// nextID reads the first message of the stream.
func (l *listener) nextID() string {
	for {
		if m := l.read(); m.id != "" {
			return m.id
		}
	}
}

// read reads one message, whether it is an event or not.
func (l *listener) read() message {
	var m message
	for {
		line, err := l.lines.ReadString('\n')
		if err != nil {
			return message{}
		}
		key, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch key {
		case "":
			if line == "\n" && (m.data != "" || m.id != "") {
				return m
			}
		case "id":
			m.id, l.id = value, value
		case "event":
			m.event = value
		case "data":
			m.data = value
		}
	}
}

// next reads the next event; its data is empty at the end of the stream.
func (l *listener) next() message {
	for {
		if m := l.read(); m.data != "" || m.id == "" {
			return m
		}
	}
}

// wants requires the next events.
func (l *listener) wants(events ...string) {
	l.t.Helper()
	for _, want := range events {
		if got := l.next(); got.String() != want {
			l.t.Fatalf("got %q %s, want %q", got.String(), got.data, want)
		}
	}
}
