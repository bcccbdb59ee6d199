package edge

import (
	"bufio"
	"bytes"
	"errors"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// streaming serves one stream, and returns it with the client's end.
func streaming(t *testing.T, p Patience, http2 bool) (*Load, *Stream, *http.Response) {
	t.Helper()
	l, begun := NewLoad(p), make(chan *Stream, 1)
	s := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var q Request
		q.Begin(l, 10, w, r)
		defer q.End()
		leave, err := l.TakeStream(netip.MustParseAddr("192.0.2.1"), 1, 1)
		if err != nil {
			t.Error(err)
		}
		out, err := q.Stream(w, leave)
		if err != nil {
			t.Error(err)
			return
		}
		begun <- out
		out.Serve(r.Context(), out.Close)
	}))
	if s.EnableHTTP2 = http2; http2 {
		s.StartTLS()
	} else {
		s.Start()
	}
	t.Cleanup(s.Close)
	a, err := s.Client().Get(s.URL)
	check(t, err)
	t.Cleanup(func() { a.Body.Close() })
	out := <-begun
	t.Cleanup(out.Close)
	return l, out, a
}

// What is sent arrives at once. If either side ends the stream, it ends for both.
func TestStreamsGoOn(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			l, out, a := streaming(t, Patience{Stream: time.Minute}, http2)
			lines := bufio.NewReader(a.Body)
			for range 3 {
				check(t, out.Send([]byte("one\n")))
				if got, err := lines.ReadString('\n'); got != "one\n" {
					t.Fatal(got, err)
				}
			}
			if n := l.Counts(); n.Streams != 1 || n.Requests != 0 {
				t.Errorf("%+v", n)
			}
			if http2 {
				out.Close()
			} else {
				a.Body.Close()
			}
			<-out.ended
			if err := out.Send([]byte("two\n")); !errors.Is(err, net.ErrClosed) || l.Counts().Streams != 0 {
				t.Errorf("%v %+v", err, l.Counts())
			}
		})
	}
}

// The server waits a limited time for a client that does not read.
func TestStreamsDropThoseWhoDoNotRead(t *testing.T) {
	for name, http2 := range map[string]bool{"HTTP/1.1": false, "HTTP/2": true} {
		t.Run(name, func(t *testing.T) {
			l, out, _ := streaming(t, Patience{Stream: 50 * time.Millisecond}, http2)
			part, sent := bytes.Repeat([]byte("x"), 1<<20), 0
			for out.Send(part) == nil {
				if sent++; sent > 100 {
					t.Fatal("100 MiB are held for a client that does not read")
				}
			}
			if n := l.Counts(); n.StreamsDropped != 1 {
				t.Errorf("%+v", n)
			}
		})
	}
}

// A Send in progress fails when the stream is closed, and Settled waits for it.
func TestStreamsCloseWhileSending(t *testing.T) {
	l, out, _ := streaming(t, Patience{Stream: time.Minute}, false)
	failed := make(chan error, 1)
	go func() {
		part := bytes.Repeat([]byte("x"), 1<<20)
		for {
			if err := out.Send(part); err != nil {
				failed <- err
				return
			}
		}
	}()
	out.Close()
	out.Settled()
	if err := <-failed; err == nil || l.Counts().StreamsDropped != 0 {
		t.Errorf("%v %+v", err, l.Counts())
	}
}

// An IPv6 client has one share of the streams, whichever address of its network it uses.
func TestStreamsOfANetwork(t *testing.T) {
	l := NewLoad(Patience{})
	if _, err := l.TakeStream(netip.MustParseAddr("2001:db8::1"), 10, 1); err != nil {
		t.Fatal(err)
	}
	if _, err := l.TakeStream(netip.MustParseAddr("2001:db8::2"), 10, 1); !errors.Is(err, ErrAddressStreams) {
		t.Error(err)
	}
	leave, err := l.TakeStream(netip.MustParseAddr("::ffff:192.0.2.1"), 2, 1)
	check(t, err)
	if _, err := l.TakeStream(netip.MustParseAddr("192.0.2.2"), 2, 1); !errors.Is(err, ErrStreams) {
		t.Error(err)
	}
	leave()
	if _, err := l.TakeStream(netip.MustParseAddr("192.0.2.2"), 2, 1); err != nil {
		t.Error(err)
	}
}

// pieces records what is written, and each new deadline.
type pieces struct{ text []string }

func (p *pieces) Write(text []byte) (int, error) {
	p.text = append(p.text, string(text))
	return len(text), nil
}

// A client has the whole patience for each piece of a long part.
func TestStreamsWaitForEachPiece(t *testing.T) {
	p := &pieces{}
	s := &Stream{load: NewLoad(Patience{Stream: time.Minute}), to: p, deadline: func(time.Time) error {
		p.text = append(p.text, "")
		return nil
	}}
	part := bytes.Repeat([]byte("0123456789"), sendPiece/4)
	check(t, s.Send(part))
	if len(p.text) != 6 || strings.Join(p.text, "") != string(part) {
		t.Fatalf("%d times and pieces", len(p.text))
	}
	for i, text := range p.text {
		if (text == "") != (i%2 == 0) || len(text) > sendPiece {
			t.Errorf("%d: %d bytes", i, len(text))
		}
	}
}
