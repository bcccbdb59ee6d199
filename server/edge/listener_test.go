package edge

import (
	"io"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// waiting returns how many connections can be evicted.
func (l *limitedListener) waiting() (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for c := range l.conns {
		if c.waitsSince(time.Now().Add(-l.grace).UnixNano()) != 0 {
			n++
		}
	}
	return n
}

// If all places are taken, the connection that has waited longest for its client is
// evicted: first one that was kept open, then one whose client is slow.
func TestConnectionsThatWaitMakeRoom(t *testing.T) {
	s := newSite(UsualPatience())
	s.connections = 2
	address, l := s.listen(t)
	kept := dial(t, address)
	kept.write(getX)
	if got := kept.status(); got != 204 {
		t.Fatal(got)
	}
	waitFor(func() bool { return l.waiting() == 1 })
	dawdling := dial(t, address)
	dawdling.write(half)
	third := dial(t, address)
	third.write(getX)
	if got := third.status(); got != 204 {
		t.Fatal(got)
	}
	waitFor(func() bool { return l.waiting() == 2 })
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

// A request in progress is never cut off for a new connection, which waits.
func TestConnectionsAtWorkStay(t *testing.T) {
	begun, end := make(chan bool), make(chan bool)
	s := newSite(UsualPatience())
	s.connections = 1
	s.answer = func(*Request, http.ResponseWriter, *http.Request) error {
		begun <- true
		<-end
		return nil
	}
	address, _ := s.listen(t)
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

// A client that is still sending when it is refused can read why.
func TestRefusedInTheMiddleOfSending(t *testing.T) {
	s := newSite(UsualPatience())
	s.answer = func(*Request, http.ResponseWriter, *http.Request) error { return ErrTooLong }
	address, _ := s.listen(t)
	w := dial(t, address)
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

// stranger is a connection from a given address.
type stranger struct {
	net.Conn
	from string
	gone bool
}

func (s *stranger) RemoteAddr() net.Addr {
	return net.TCPAddrFromAddrPort(netip.MustParseAddrPort(s.from))
}
func (s *stranger) Close() error { s.gone = true; return nil }

// queue is a listener with connections that already wait.
type queue chan net.Conn

func (q queue) Accept() (net.Conn, error) {
	if conn, ok := <-q; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (q queue) Close() error   { close(q); return nil }
func (q queue) Addr() net.Addr { return nil }

// An address gets a fourth of the places. Beyond that, it replaces only its own
// connections.
func TestShareOfAnAddress(t *testing.T) {
	q := make(queue, 20)
	l := NewLoad(Patience{Grace: time.Minute}).limit(q, &Config{Connections: 8, Proxies: []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}})
	come := func(from string) *stranger {
		s := &stranger{from: from}
		q <- s
		return s
	}
	accept := func() *conn {
		c, err := l.Accept()
		check(t, err)
		return c.(*conn)
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
	if c := accept(); c.Conn != other || !refused.gone {
		t.Errorf("with its share at work an address is refused: %t", refused.gone)
	}
	for _, from := range []string{"10.0.0.1:1", "127.0.0.1:1", "10.0.0.1:2", "127.0.0.1:2", "10.0.0.1:3"} {
		come(from)
		if c := accept(); c.address.IsValid() {
			t.Errorf("%s has a share", from)
		}
	}
	if n := l.load.connections.Load(); n != 8 || len(l.conns) != 8 {
		t.Errorf("%d and %d places are taken", n, len(l.conns))
	}
	for c := range l.conns {
		c.Close()
		c.Close()
	}
	if n := l.load.connections.Load(); n != 0 || len(l.shares) != 0 {
		t.Errorf("in the end %d places are taken, %v", n, l.shares)
	}
}

// A connection that waits for a place does not keep the server from stopping.
func TestStopWhileAllPlacesAreTaken(t *testing.T) {
	q := make(queue, 2)
	l := NewLoad(Patience{Grace: time.Minute}).limit(q, &Config{Connections: 1})
	q <- &stranger{from: "192.0.2.1:1"}
	if _, err := l.Accept(); err != nil {
		t.Fatal(err)
	}
	waiting := &stranger{from: "192.0.2.2:1"}
	q <- waiting
	ended := make(chan error)
	go func() {
		_, err := l.Accept()
		ended <- err
	}()
	l.Close()
	if err := <-ended; err != net.ErrClosed || !waiting.gone {
		t.Errorf("%v, closed: %t", err, waiting.gone)
	}
}

// Slow clients are cut off in every part of a request. The times are much longer than a slow
// machine needs to send what the clients send.
func TestDawdlersAreCutOff(t *testing.T) {
	t.Parallel()
	s := newSite(Patience{Header: 2 * time.Second, Read: 4 * time.Second, Write: time.Minute, Idle: 2 * time.Second}).receives()
	address, _ := s.listen(t)
	tests := []struct {
		sent, answered string
		*wire
	}{
		{sent: "", answered: ""},
		{sent: "G", answered: "HTTP/1.1 400 "},
		{sent: half, answered: ""},
		{sent: "GET /x HTTP/1.1\r\nHost: x\r\n", answered: ""},
		{sent: "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\n", answered: "HTTP/1.1 400 "},
		{sent: "GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nfive.", answered: "HTTP/1.1 400 "},
		{sent: "GET /x HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nfive.\r\n", answered: "HTTP/1.1 400 "},
		{sent: getX, answered: "HTTP/1.1 204 "},
		{sent: getX + half, answered: "HTTP/1.1 204 "},
	}
	for i := range tests {
		test := &tests[i]
		test.wire = dial(t, address)
		test.write(test.sent)
	}
	for _, test := range tests {
		if got := test.closed(); !strings.HasPrefix(got, test.answered) || (got == "") != (test.answered == "") {
			t.Errorf("%q is answered %q", test.sent, got)
		}
	}
}

// So is a client that does not receive its response.
func TestAnswersThatAreNotTaken(t *testing.T) {
	for name, send := range map[string]func(q *Request, w http.ResponseWriter, part []byte) error{
		"an answer": func(q *Request, _ http.ResponseWriter, part []byte) error { _, err := q.Write(part); return err },
		"a file": func(q *Request, w http.ResponseWriter, part []byte) error {
			_, err := q.Patient(w).Write(part)
			return err
		},
	} {
		failed := make(chan error, 1)
		s := newSite(Patience{Header: time.Minute, Read: time.Minute, Write: 50 * time.Millisecond, Idle: time.Minute})
		s.answer = func(q *Request, w http.ResponseWriter, _ *http.Request) error {
			part := make([]byte, 1<<20)
			for {
				if err := send(q, w, part); err != nil {
					failed <- err
					return nil
				}
			}
		}
		address, _ := s.listen(t)
		w := dial(t, address)
		w.write(getX)
		if err := <-failed; !strings.Contains(err.Error(), "timeout") {
			t.Errorf("%s: %v", name, err)
		}
		w.Close()
	}
}
