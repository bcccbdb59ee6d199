package server_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"
	"time"

	"quire/server/edge"
)

// pipes accepts the other ends of the connections that dial makes. They have no buffers: what
// a client does not read stops the server.
type pipes struct {
	net.Listener // for its address
	conns        chan net.Conn
	closed       context.Context
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed.Done():
		return nil, net.ErrClosed
	}
}

func (p *pipes) dial(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	p.conns <- server
	return client, nil
}

// listenToPipes is listenTo over connections without buffers.
func (h *accountSite) listenToPipes(t *testing.T) *httptest.Server {
	t.Helper()
	s := httptest.NewUnstartedServer(h.handler)
	p := &pipes{Listener: s.Listener, conns: make(chan net.Conn, 1), closed: t.Context()}
	s.Listener = p
	s.Start()
	s.Client().Transport.(*http.Transport).DialContext = p.dial
	t.Cleanup(s.Close)
	t.Cleanup(h.server.EndStreams)
	return s
}

// A client stalls in the middle of what the server is sending. Meanwhile more is written than
// the server keeps in memory, in few commits: they go where the server has the former ones,
// and not into a larger array. The client misses nothing.
func TestAClientThatStallsMissesNothing(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, os.DirFS("../testdata/site"), options{})
	patience := edge.UsualPatience()
	patience.Stream = time.Hour
	h.server.SetPatience(patience)
	s := h.listenTo(t, false)
	ahead := h.hear(t, s, "full", "?types=chefs&status=draft")
	write := func(commits, documents int) { // returns when the streams know of all commits
		for n := range commits {
			name := func(i int) map[string]any { return map[string]any{"name": fmt.Sprint(commits, documents, n, i)} }
			if a := h.batch("full", creating("/api/categories", documents, name)...); a.status != 200 {
				t.Fatal(a.body)
			}
		}
		h.send("full", "POST", "/api/chefs?status=draft", `{"data": {"name": "Mark"}}`)
		ahead.wants("create chef draft")
	}
	stalls := h.hear(t, h.listenToPipes(t), "full", "?types=categories")
	begun := stalls.id
	write(1, 1)  // the server sends this one,
	write(80, 1) // and then these in one step
	got := []message{stalls.next(), stalls.next(), stalls.next()}
	write(17, 1000)
	whole := h.hear(t, s, "full", "?types=categories&since="+begun)
	for i := range 1 + 80 + 17*1000 {
		if i >= len(got) {
			got = append(got, stalls.next())
		}
		if want := whole.next(); got[i] != want || want.data == "" {
			t.Fatalf("event %d: got %+v, want %+v", i, got[i], want)
		}
	}
}
