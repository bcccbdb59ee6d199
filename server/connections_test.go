package server

import (
	"bufio"
	"context"
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// listen serves until the test ends, and returns the address.
func listen(t *testing.T, s *Server) (address string) {
	t.Helper()
	address, _ = listenTo(t, s)
	return address
}

// listenTo is listen with a look at the connections.
func listenTo(t *testing.T, s *Server) (address string, c *crowd) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c = s.crowd(l)
	ctx, stop := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	h := s.newHTTP(s.serve)
	go func() { ended <- serveUntil(ctx, h, func() error { return h.Serve(c) }, stopAtOnce) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	return l.Addr().String(), c
}

// waiting is how many connections wait for their clients.
func (c *crowd) waiting() (n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for g := range c.guests {
		if g.since.Load() != 0 {
			n++
		}
	}
	return n
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
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return &wire{t, conn, bufio.NewReader(conn)}
}

func (w *wire) write(text string) {
	w.t.Helper()
	if _, err := io.WriteString(w, text); err != nil {
		w.t.Fatal(err)
	}
}

// status reads one answer.
func (w *wire) status() int {
	w.t.Helper()
	response, err := http.ReadResponse(w.reader, nil)
	if err != nil {
		w.t.Fatal(err)
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		w.t.Fatal(err)
	}
	return response.StatusCode
}

// closed waits until the server closes the connection, and returns what it sent
// before.
func (w *wire) closed() string {
	w.t.Helper()
	text, _ := io.ReadAll(w.reader) // a reset is an end like another
	return string(text)
}

const (
	getX = "GET /x HTTP/1.1\r\nHost: x\r\n\r\n"
	half = "GET /x HTTP/1.1\r\nHost: "
)

func nothing(x *exchange) error {
	x.empty()
	return nil
}

// With all places taken, whoever has waited longest for its client makes room:
// first the connection that was kept open, then the one whose client dawdles.
func TestConnectionsThatWaitMakeRoom(t *testing.T) {
	s := testServer(t, io.Discard, nothing)
	s.current.Load().site.Settings.Limits.Connections = 2
	address, c := listenTo(t, s)
	kept := dial(t, address)
	kept.write(getX)
	if got := kept.status(); got != 204 {
		t.Fatal(got)
	}
	waitFor(func() bool { return c.waiting() == 1 })
	dawdling := dial(t, address)
	dawdling.write(half)
	third := dial(t, address)
	third.write(getX)
	if got := third.status(); got != 204 {
		t.Fatal(got)
	}
	waitFor(func() bool { return c.waiting() == 2 })
	if rest := kept.closed(); rest != "" {
		t.Errorf("the kept connection ends with %q", rest)
	}
	fourth := dial(t, address)
	fourth.write(getX)
	if got := fourth.status(); got != 204 {
		t.Fatal(got)
	}
	if rest := dawdling.closed(); rest != "" {
		t.Errorf("the dawdling connection ends with %q", rest)
	}
	if c := s.Counts(); c.Evicted != 2 || c.Connections != 2 {
		t.Errorf("%+v", c)
	}
}

// A request under way is never cut off for a new connection, which waits.
func TestConnectionsAtWorkStay(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	s := testServer(t, io.Discard, func(x *exchange) error {
		begun <- true
		<-end
		return nothing(x)
	})
	s.current.Load().site.Settings.Limits.Connections = 1
	address := listen(t, s)
	first := dial(t, address)
	first.write(getX)
	<-begun
	second := dial(t, address)
	second.write(getX)
	select {
	case <-begun:
		t.Error("the second request has begun")
	default:
	}
	end <- true
	if got := first.status(); got != 204 {
		t.Error(got)
	}
	<-begun
	end <- true
	if got := second.status(); got != 204 {
		t.Error(got)
	}
}

// A client that is still sending when it is refused gets to read why.
func TestRefusedInTheMiddleOfSending(t *testing.T) {
	s := testServer(t, io.Discard, func(x *exchange) error {
		_, err := readBody(x, 1000)
		return err
	})
	w := dial(t, listen(t, s))
	w.write("GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10000000\r\n\r\n")
	if got := w.status(); got != 413 {
		t.Error(got)
	}
	if _, err := w.reader.ReadByte(); err != io.EOF {
		t.Errorf("after the answer: %v, want its end", err)
	}
	if _, err := io.WriteString(w, "the body goes on"); err != nil {
		t.Errorf("sending on: %v", err)
	}
}

// stranger is a connection from some address.
type stranger struct {
	net.Conn
	from string
	gone bool
}

func (s *stranger) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.from))
}
func (s *stranger) Close() error { s.gone = true; return nil }

// queue is a listener at which connections stand already.
type queue chan net.Conn

func (q queue) Accept() (net.Conn, error) {
	if conn, ok := <-q; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (q queue) Close() error   { close(q); return nil }
func (q queue) Addr() net.Addr { return nil }

// An address has a fourth of the places. It takes more from itself, and nothing
// from others.
func TestShareOfAnAddress(t *testing.T) {
	l := make(queue, 20)
	c := newCrowd(l, 8, []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, &load{})
	come := func(from string) *stranger {
		s := &stranger{from: from}
		l <- s
		return s
	}
	accept := func() *guest {
		conn, err := c.Accept()
		if err != nil {
			t.Fatal(err)
		}
		return conn.(*guest)
	}
	first, second := come("[2001:db8::1]:1"), come("[2001:db8::2]:1")
	track(accept(), http.StateNew)
	accept()
	come("[2001:db8::3]:1")
	accept()
	if !first.gone || second.gone {
		t.Errorf("who waits is gone: %t; who works: %t", first.gone, second.gone)
	}
	refused := come("[2001:db8::4]:1")
	other := come("[2001:db8:0:1::4]:1")
	if g := accept(); g.Conn != other || !refused.gone {
		t.Errorf("with its share at work an address is refused: %t", refused.gone)
	}
	for _, from := range []string{"10.0.0.1:1", "127.0.0.1:1", "10.0.0.1:2", "127.0.0.1:2", "10.0.0.1:3"} {
		come(from)
		if g := accept(); g.address.IsValid() {
			t.Errorf("%s has a share", from)
		}
	}
	if n := c.load.connections.Load(); n != 8 || len(c.guests) != 8 {
		t.Errorf("%d and %d places are taken", n, len(c.guests))
	}
	for g := range c.guests {
		g.Close()
		g.Close()
	}
	if n := c.load.connections.Load(); n != 0 || len(c.shares) != 0 {
		t.Errorf("in the end %d places are taken, %v", n, c.shares)
	}
}

// Who waits for a place does not keep the server from stopping.
func TestStopWhileAllPlacesAreTaken(t *testing.T) {
	l := make(queue, 2)
	c := newCrowd(l, 1, nil, &load{})
	l <- &stranger{from: "192.0.2.1:1"}
	if _, err := c.Accept(); err != nil {
		t.Fatal(err)
	}
	waiting := &stranger{from: "192.0.2.2:1"}
	l <- waiting
	ended := make(chan error)
	go func() {
		_, err := c.Accept()
		ended <- err
	}()
	c.Close()
	if err := <-ended; err != net.ErrClosed || !waiting.gone {
		t.Errorf("%v, closed: %t", err, waiting.gone)
	}
}

// Clients that dawdle are cut off, wherever in a request they do.
func TestDawdlersAreCutOff(t *testing.T) {
	s := testServer(t, io.Discard, func(x *exchange) error {
		if _, err := readBody(x, 1000); err != nil {
			return err
		}
		return nothing(x)
	})
	s.patience = patience{header: 50 * time.Millisecond, read: 100 * time.Millisecond, write: time.Minute, idle: 50 * time.Millisecond}
	address := listen(t, s)
	for _, test := range []struct{ sent, answered string }{
		{"", ""},
		{"G", "HTTP/1.1 400 "},
		{half, ""},
		{"GET /x HTTP/1.1\r\nHost: x\r\n", ""},
		{"GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", "HTTP/1.1 400 "},
		{"GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfive.", "HTTP/1.1 400 "},
		{"GET /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n", "HTTP/1.1 400 "},
		{getX, "HTTP/1.1 204 "},
		{getX + half, "HTTP/1.1 204 "},
	} {
		w := dial(t, address)
		w.write(test.sent)
		if got := w.closed(); !strings.HasPrefix(got, test.answered) || (got == "") != (test.answered == "") {
			t.Errorf("%q is answered %q", test.sent, got)
		}
	}
}

// A client that does not take its answer is cut off too.
func TestAnswersThatAreNotTaken(t *testing.T) {
	for name, send := range map[string]func(x *exchange, part []byte) error{
		"an answer": func(x *exchange, part []byte) error { _, err := x.Write(part); return err },
		"a file": func(x *exchange, part []byte) error {
			_, err := (&patientWriter{x, x.deadlines()}).Write(part)
			return err
		},
	} {
		failed := make(chan error, 1)
		s := testServer(t, io.Discard, func(x *exchange) error {
			part := make([]byte, 1<<20)
			for {
				if err := send(x, part); err != nil {
					failed <- err
					return nil
				}
			}
		})
		s.patience = patience{header: time.Minute, read: time.Minute, write: 50 * time.Millisecond, idle: time.Minute}
		w := dial(t, listen(t, s))
		w.write(getX)
		if err := <-failed; !strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
	}
}
