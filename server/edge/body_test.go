package edge

import (
	"bytes"
	"crypto/tls"
	"encoding/binary"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// endless is more bytes of a response than all buffers on the way to a client hold.
const endless = 64 << 20

// evictable returns how many waiters wait for their clients.
func (a *waiters) evictable() (n int) {
	for i := range a.parts {
		a.parts[i].each(func(w *waiter) {
			if w.since.Load() != 0 {
				n++
			}
		})
	}
	return n
}

// A response waits for each of its parts, while others look for the longest wait: what they find
// may have ended, and another one of the same response begun, which they leave.
func TestWaitsEndWhileOthersEvict(t *testing.T) {
	t.Parallel()
	var all waiters
	var running sync.WaitGroup
	for range 4 {
		running.Go(func() {
			w := &waiter{on: httptest.NewRecorder(), taking: true}
			for i := range int64(2000) {
				w.since.Store(i + 1)
				all.enter(w, 2)
				all.leave(w)
			}
		})
	}
	running.Wait()
	w := &waiter{on: httptest.NewRecorder(), taking: true}
	w.since.Store(2)
	if !all.enter(w, 1) || all.remove(w.part, w, 1) || all.count() != 1 {
		t.Errorf("a wait that began later is evicted; %d wait", all.count())
	}
	if all.leave(w) || all.count() != 0 {
		t.Errorf("it counts as evicted; %d wait", all.count())
	}
}

// If all connections are taken, a new one takes the place of a client that has sent
// only a part of a body.
func TestBodiesThatStayAwayMakeRoom(t *testing.T) {
	for _, sent := range []string{announced, announced + "x", chunked, "GET /x HTTP/1.1\r\nHost: x\r\nExpect: 100-continue\r\nContent-Length: 10\r\n\r\n"} {
		p := UsualPatience()
		p.Read, p.Grace = time.Hour, 0
		s := newSite(p).receives()
		s.connections = 2
		address, l := s.listen(t)
		var dawdling []*wire
		for range 2 {
			w := dial(t, address)
			w.write(sent)
			dawdling = append(dawdling, w)
		}
		waitFor(func() bool { return s.waiters.evictable() == 2 && l.waiting() == 2 })
		for range 2 {
			w := dial(t, address)
			w.write(getX)
			if got := w.status(); got != 204 {
				t.Errorf("%.60q: %d", sent, got)
			}
		}
		if n := s.Counts(); n.Evicted != 2 {
			t.Errorf("%.60q: %+v", sent, n)
		}
		for _, w := range dawdling {
			if got := w.closed(); strings.Contains(got, " 204 ") {
				t.Errorf("%.60q is answered %q", sent, got)
			}
		}
	}
}

// The same applies to a client that does not receive its response.
func TestAnswersThatStayMakeRoom(t *testing.T) {
	begun := make(chan bool, 1)
	p := UsualPatience()
	p.Write, p.Grace = time.Hour, 0
	s := newSite(p)
	s.connections = 1
	s.answer = func(q *Request, _ http.ResponseWriter, r *http.Request) error {
		if r.URL.RawQuery == "" {
			return nil
		}
		begun <- true
		_, _ = q.Write(make([]byte, endless))
		return nil
	}
	address, _ := s.listen(t)
	dial(t, address).write("GET /x?much HTTP/1.1\r\nHost: x\r\n\r\n")
	<-begun
	w := dial(t, address)
	w.write(getX)
	if got := w.status(); got != 204 {
		t.Error(got)
	}
}

// A response that is not received takes no place of requests in progress. If there are
// too many, the one that has waited longest is evicted.
func TestAnswersMakeRoomForAnswers(t *testing.T) {
	broken := make(chan string)
	p := UsualPatience()
	p.Write = time.Hour
	s := newSite(p)
	s.requests = 1
	s.answer = func(q *Request, _ http.ResponseWriter, r *http.Request) error {
		if r.URL.RawQuery == "" {
			return nil
		}
		if _, err := q.Write(make([]byte, endless)); err != nil {
			broken <- r.URL.RawQuery + ": " + err.Error()
		}
		return nil
	}
	address, _ := s.listen(t)
	first, second := dial(t, address), dial(t, address)
	first.write("GET /x?first HTTP/1.1\r\nHost: x\r\n\r\n")
	waitFor(func() bool { return s.waiters.evictable() == 1 })
	read := dial(t, address)
	read.write(getX)
	if got := read.status(); got != 204 {
		t.Errorf("a read beside it: %d", got)
	}
	second.write("GET /x?second HTTP/1.1\r\nHost: x\r\n\r\n")
	if got := <-broken; !strings.HasPrefix(got, "first: ") || !strings.Contains(got, "timeout") {
		t.Errorf("broken off is %s", got)
	}
	second.Close()
	<-broken
}

// Arriving bodies have places of their own. If all are taken, a new body takes the
// place of the one that has waited longest.
func TestBodiesMakeRoomForBodies(t *testing.T) {
	p := UsualPatience()
	p.Read = time.Hour
	s := newSite(p).receives()
	s.requests = 1
	address, _ := s.listen(t)
	first := dial(t, address)
	first.write(announced)
	waitFor(func() bool { return s.waiters.evictable() == 1 && s.Counts().Requests == 1 })
	read := dial(t, address)
	read.write(getX)
	if got := read.status(); got != 204 {
		t.Errorf("a read beside it: %d", got)
	}
	second := dial(t, address)
	second.write("GET /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nbody")
	if got := second.status(); got != 204 {
		t.Errorf("another body: %d", got)
	}
	if got := first.status(); got != 503 {
		t.Errorf("the body that waited: %d", got)
	}
	if n := s.Counts(); n.Requests != 0 || n.Crowded != 1 {
		t.Errorf("%+v", n)
	}
}

// An HTTP/2 connection can be evicted when all its streams wait for the client, and not
// while the server works on one of them.
func TestStreamsThatWait(t *testing.T) {
	c := &conn{}
	waits := func() bool { return c.waitsSince(math.MaxInt64) != 0 }
	for i, step := range []struct {
		do    func()
		waits bool
	}{
		{c.begin, false}, {c.await, true}, {c.begin, false}, {c.await, true}, {c.resume, false},
		{c.end, true}, {c.begin, false}, {c.end, true}, {c.resume, false}, {c.end, true}, {c.wake, false},
	} {
		step.do()
		if waits() != step.waits {
			t.Errorf("after step %d it waits: %t", i, waits())
		}
	}
	c.await()
	if at := c.waitsSince(time.Now().Add(-time.Minute).UnixNano()); at != 0 {
		t.Error("a client that has just moved may be evicted")
	}
}

// An HTTP/2 connection that has sent only a part of a body can be evicted.
func TestStreamsMakeRoom(t *testing.T) {
	p := UsualPatience()
	p.Read, p.Grace = time.Hour, 0
	s := newSite(p).receives()
	s.connections = 1
	first := s.dialHTTP2(t)
	first.send(headersFrame, endOfHeaders, 1, "\x83"+getRoot[1:]) // POST
	waitFor(func() bool { return s.waiters.evictable() == 1 })
	second, err := tls.Dial("tcp", first.RemoteAddr().String(), &tls.Config{InsecureSkipVerify: true})
	check(t, err)
	defer second.Close()
	if _, err := io.Copy(io.Discard, first); err == nil && s.Counts().Evicted != 1 {
		t.Errorf("%+v", s.Counts())
	}
}

// So can one whose client receives no responses, large or small.
func TestStreamsThatTakeNothingMakeRoom(t *testing.T) {
	for name, size := range map[string]int{"small": 100, "large": 1 << 20} {
		answering := make(chan bool, 1)
		p := UsualPatience()
		p.Write, p.Grace = time.Hour, 0
		s := newSite(p)
		s.connections = 1
		s.answer = func(q *Request, _ http.ResponseWriter, _ *http.Request) error {
			answering <- true
			_, err := q.Write(make([]byte, size))
			return err
		}
		first := s.dialHTTP2(t)
		first.send(settingsFrame, 0, 0, "\x00\x04\x00\x00\x00\x00") // a window of no bytes
		first.send(headersFrame, endOfHeaders|endOfStream, 1, getRoot)
		<-answering
		second, err := tls.Dial("tcp", first.RemoteAddr().String(), &tls.Config{InsecureSkipVerify: true})
		check(t, err)
		second.Close()
		if n := s.Counts().Evicted; n != 1 {
			t.Errorf("%s answers: %d connections were evicted", name, n)
		}
	}
}

// Over HTTP/2, a response does not wait for a body either, and the part of the body
// that was sent is dropped.
func TestUnwantedBodyOverHTTP2(t *testing.T) {
	const dataFrame = 0
	p := UsualPatience()
	p.Read = time.Hour
	f := newSite(p).dialHTTP2(t)
	f.send(headersFrame, endOfHeaders, 1, getRoot)
	f.send(dataFrame, 0, 1, "x")
	if head := f.next(headersFrame); len(head) == 0 {
		t.Error("no answer")
	}
	if code := binary.BigEndian.Uint32(f.next(resetFrame)); code != 0 {
		t.Errorf("the stream is reset with %d", code)
	}
}

// begin begins a request without a connection.
func begin(l *Load) *Request {
	q := new(Request)
	q.Begin(l, 1000, httptest.NewRecorder(), httptest.NewRequest("POST", "/", nil))
	return q
}

// slowly yields a text in pieces. Before each piece, it reports how many bytes have
// been read.
type slowly struct {
	text  []byte
	piece int
	look  func(arrived int)
	came  int
}

func (s *slowly) Read(p []byte) (int, error) {
	s.look(s.came)
	n := copy(p[:min(len(p), s.piece)], s.text[s.came:])
	s.came += n
	if n == 0 {
		return 0, io.EOF
	}
	return n, nil
}

// Memory for a body is reserved as it arrives, whatever length the client announces: at
// most a little more than twice what has arrived.
func TestMemoryGrowsWithTheBody(t *testing.T) {
	for _, announced := range []int64{-1, 1 << 20} {
		l := NewLoad(UsualPatience())
		q := begin(l)
		sent := bytes.Repeat([]byte("x"), 1<<20)
		body := &slowly{text: sent, piece: 1000, look: func(arrived int) {
			if taken := l.bodies.Load(); taken > int64(2*arrived) {
				t.Fatalf("%d announced, %d have come, %d are taken", announced, arrived, taken)
			}
		}}
		text, err := q.ReadAll(body, announced, 2<<20)
		if err != nil || !bytes.Equal(text, sent) || int64(cap(text)) > q.arrived {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		if taken := l.bodies.Load(); taken < 1<<20-freeBody || announced > 0 && taken > announced {
			t.Errorf("%d announced: in the end %d are taken", announced, taken)
		}
		q.End()
		if n := l.bodies.Load(); n != 0 || !l.memory.TryAcquire(Memory) {
			t.Errorf("afterwards %d are taken", n)
		}
	}
}

// Clients that announce bodies and send nothing take no memory.
func TestAnnouncedBodiesTakeNoMemory(t *testing.T) {
	s := newSite(UsualPatience()).receives()
	s.connections = 1000
	address, _ := s.listen(t)
	for range 300 {
		dial(t, address).write(announced)
	}
	waitFor(func() bool { return s.Counts().Waiting == 300 })
	if n := s.bodies.Load(); n != 0 || !s.memory.TryAcquire(Memory) {
		t.Errorf("%d bytes are taken", n)
	}
}

// Bodies take no more than their part of the memory. Beyond it they are refused, except
// for small ones. Responses are not affected.
func TestBodiesLeaveMemoryForAnswers(t *testing.T) {
	l := NewLoad(UsualPatience())
	all := begin(l)
	if err := all.ReserveBody(10 * bodyMemory); err != nil {
		t.Fatalf("a body larger than all that there is: %v", err)
	}
	another := begin(l)
	if err := another.ReserveBody(freeBody); err != nil {
		t.Errorf("a small body: %v", err)
	}
	if err := another.ReserveBody(1); err != ErrMemory {
		t.Errorf("another body: %v", err)
	}
	answer := begin(l)
	if err := answer.ReserveAnswer(Memory - bodyMemory); err != nil {
		t.Errorf("an answer: %v", err)
	}
	for _, q := range []*Request{all, another, answer} {
		q.End()
	}
	if n := l.bodies.Load(); n != 0 || !l.memory.TryAcquire(Memory) {
		t.Errorf("afterwards %d are taken", n)
	}
}

// Requests that wait for others leave memory for the rest.
func TestThoseThatWaitLeaveMemoryForBodies(t *testing.T) {
	l := NewLoad(UsualPatience())
	arrived := func(bytes int64) *Request {
		q := &Request{load: l}
		check(t, q.ReserveBody(freeBody+bytes))
		return q
	}
	first, second := arrived(waitingBodies), arrived(1)
	if err := first.Wait(); err != nil {
		t.Errorf("half of the memory: %v", err)
	}
	if err := first.Wait(); err != nil {
		t.Errorf("once more: %v", err)
	}
	if err := second.Wait(); err != ErrMemory {
		t.Errorf("more than that: %v", err)
	}
	if err := arrived(waitingBodies - 1).ReserveBody(0); err != nil {
		t.Errorf("a request that does not wait: %v", err)
	}
	first.Resume()
	if err := second.Wait(); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}
