package edge

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"
)

// site is what the tests serve: its handler sends 204, or the status of its error.
type site struct {
	*Load
	connections, requests int
	nodes                 bool // whether the clients are nodes
	answer                func(q *Request, w http.ResponseWriter, r *http.Request) error
}

// newSite returns a site that answers every request at once.
func newSite(p Patience) *site {
	nothing := func(*Request, http.ResponseWriter, *http.Request) error { return nil }
	return &site{Load: NewLoad(p), connections: 100, requests: 1000, answer: nothing}
}

// receives makes the site read the bodies of requests.
func (s *site) receives() *site {
	s.answer = func(q *Request, _ http.ResponseWriter, r *http.Request) error {
		if r.ContentLength == 0 {
			return nil
		}
		return q.Receive(false, func(b *Body) error {
			_, err := q.ReadAll(b, r.ContentLength, 1<<20)
			return err
		})
	}
	return s
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := new(Request)
	q.Begin(s.Load, s.requests, w, r)
	defer q.End()
	err := q.JoinReads()
	if err == nil {
		err = s.answer(q, w, r)
	}
	q.AbandonBody()
	switch {
	case err == nil:
		w.WriteHeader(http.StatusNoContent)
	case errors.Is(err, ErrCrowded):
		w.WriteHeader(http.StatusServiceUnavailable)
	case errors.Is(err, ErrTooLong):
		w.WriteHeader(http.StatusRequestEntityTooLarge)
	default:
		w.WriteHeader(http.StatusBadRequest)
	}
}

// listen serves until the test ends.
func (s *site) listen(t *testing.T) (address string, l *limitedListener) {
	t.Helper()
	return s.listenOver(t, nil)
}

// listenOver is listen over TLS, if secure is not nil.
func (s *site) listenOver(t *testing.T, secure *tls.Config) (address string, limited *limitedListener) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	c := Config{Handler: s, TLS: secure, Connections: s.connections, URLBytes: 1000, Nodes: s.nodes, Log: slog.New(slog.DiscardHandler)}
	limited = s.limit(l, &c)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- s.serve(ctx, limited, c) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), limited
}

// dialTLS serves over TLS until the test ends, and returns a connection with that
// protocol.
func (s *site) dialTLS(t *testing.T, protocol string) *tls.Conn {
	t.Helper()
	secure := httptest.NewTLSServer(nil)
	defer secure.Close()
	address, _ := s.listenOver(t, &tls.Config{Certificates: secure.TLS.Certificates})
	conn, err := tls.Dial("tcp", address, &tls.Config{InsecureSkipVerify: true, NextProtos: []string{protocol}})
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	if p := conn.ConnectionState().NegotiatedProtocol; p != protocol {
		t.Fatalf("the protocol is %q", p)
	}
	return conn
}

// wire is a connection of a client that writes its requests byte by byte.
type wire struct {
	t *testing.T
	net.Conn
	reader *bufio.Reader
}

func dial(t *testing.T, address string) *wire {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	check(t, err)
	t.Cleanup(func() { conn.Close() })
	return &wire{t, conn, bufio.NewReader(conn)}
}

func (w *wire) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		w.t.Fatal(err)
	}
}

// status reads one response.
func (w *wire) status() int {
	w.t.Helper()
	response, err := http.ReadResponse(w.reader, nil)
	check(w.t, err)
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode
}

// closed waits until the server closes the connection, and returns what it sent before.
func (w *wire) closed() string {
	w.t.Helper()
	text, _ := io.ReadAll(w.reader) // a reset counts as a close
	return string(text)
}

const (
	getX      = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
	half      = "GET /x HTTP/1.1\r\nHost: "
	announced = "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 1000000\r\n\r\n"
	chunked   = "GET /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n"
)

// waitFor waits for something that another goroutine is about to do.
func waitFor(what func() bool) {
	for !what() {
		runtime.Gosched()
	}
}

// When ctx is done, Serve calls Drain, and then closes the listener and returns.
func TestServeEndsAfterDrain(t *testing.T) {
	s := newSite(UsualPatience())
	l, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	ctx, stop := context.WithCancel(t.Context())
	drained := make(chan bool)
	c := Config{Handler: s, Connections: 10, Log: slog.New(slog.DiscardHandler), Drain: func(<-chan struct{}) { drained <- true; <-drained }}
	ended := make(chan error)
	go func() { ended <- s.Serve(ctx, l, c) }()
	stop()
	<-drained
	w := dial(t, l.Addr().String())
	w.write(getX)
	status := w.status()
	drained <- true
	if err := <-ended; err != nil || status != 204 {
		t.Errorf("%v; while it drains, a request is answered %d", err, status)
	}
	if _, err := net.Dial("tcp", l.Addr().String()); err == nil {
		t.Error("the listener is open")
	}
}

// If the listener fails, serving ends, also in the middle of Drain.
func TestServeEndsWithItsListener(t *testing.T) {
	for _, draining := range []bool{false, true} {
		s := newSite(UsualPatience())
		l, err := net.Listen("tcp", "127.0.0.1:0")
		check(t, err)
		ctx, stop := context.WithCancel(t.Context())
		drain := func(ended <-chan struct{}) { l.Close(); <-ended }
		served := make(chan error)
		go func() {
			served <- s.Serve(ctx, l, Config{Handler: s, Connections: 10, Log: slog.New(slog.DiscardHandler), Drain: drain})
		}()
		if draining {
			stop()
		} else {
			l.Close()
		}
		if err := <-served; !errors.Is(err, net.ErrClosed) {
			t.Errorf("draining %t: %v", draining, err)
		}
		stop()
	}
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
