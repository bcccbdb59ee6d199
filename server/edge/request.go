package edge

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Request is what one request takes of the load. Only the goroutine that answers the
// request may call its methods, between Begin and End.
type Request struct {
	load *Load
	most int64 // limit of requests that read, of those that write, and of those that wait
	w    http.ResponseWriter
	r    *http.Request
	conn *conn // nil if the request did not arrive through Serve

	outer *Request // the request that has made this one in this process, and waits for it; nil for others

	body   *Body         // nil until it is read
	answer waiter        // until the client receives the response
	group  *atomic.Int64 // counter of the requests that it belongs to

	memory      int64 // bytes that it holds of the common memory
	bodyBytes   int64 // those for its body
	answerBytes int64 // those for its queries and its response
	arrived     int64 // bytes of its body that stay in memory, counted or not
	waiting     int64 // bytes for its body while it waits for others

	slots *Slots // where it holds slots
	taken int64  // number of these slots
	turn  func() // gives back its turn; nil without one
}

// Begin begins a request. At most that many requests may read at a time, write, and wait
// for their clients.
func (q *Request) Begin(l *Load, most int, w http.ResponseWriter, r *http.Request) {
	q.load, q.most, q.w, q.r, q.conn = l, int64(most), w, r, connOf(r)
	q.conn.begin()
	dropBody(r)
}

// BeginWithin begins a request that another one makes in this process. It shares the
// place of the other one until its end. The other one is its client, so it never waits
// for one.
func (q *Request) BeginWithin(outer *Request, w http.ResponseWriter, r *http.Request) {
	q.load, q.most, q.w, q.r, q.outer = outer.load, outer.most, w, r, outer
	q.group, outer.group = outer.group, nil
}

// End releases everything that the request has taken.
func (q *Request) End() {
	q.ReturnSlots()
	q.Resume()
	q.returnMemory()
	if q.outer != nil {
		q.outer.group, q.group = q.group, nil
		return
	}
	q.part()
	q.conn.end()
}

// JoinReads counts the request among the reads. The error is ErrCrowded.
//
// While it works, each request counts among the reads or the writes. These have separate
// limits: writes can wait long for others, for example during an import, and reads must
// not wait with them.
func (q *Request) JoinReads() error { return q.join(&q.load.reads) }

// JoinWrites counts the request among the writes, instead of the reads. The error is
// ErrCrowded.
func (q *Request) JoinWrites() error { return q.join(&q.load.writes) }

func (q *Request) join(group *atomic.Int64) error {
	q.part()
	q.group = group
	if group.Add(1) > q.most {
		return q.crowded()
	}
	return nil
}

// part ends what join began.
func (q *Request) part() {
	if q.group != nil {
		q.group.Add(-1)
		q.group = nil
	}
}

func (q *Request) crowded() error {
	q.load.crowded.Add(1)
	return ErrCrowded
}

// ReserveBody reserves memory for the body: for bytes that have arrived, or for a larger
// buffer. The error is ErrMemory.
func (q *Request) ReserveBody(bytes int64) error {
	q.arrived += bytes
	more := min(q.arrived-freeBody, bodyMemory) - q.bodyBytes
	if more <= 0 {
		return nil
	}
	if q.load.bodies.Add(more) > bodyMemory || !q.load.memory.TryAcquire(more) {
		q.load.bodies.Add(-more)
		return q.oversized()
	}
	q.bodyBytes += more
	q.memory += more
	return nil
}

func (q *Request) oversized() error {
	q.load.oversized.Add(1)
	return ErrMemory
}

// ReserveAnswer reserves memory for the queries and the response; bytes is the total. The
// error is ErrMemory.
func (q *Request) ReserveAnswer(bytes int64) error {
	if !q.TryReserveAnswer(bytes) {
		return q.oversized()
	}
	return nil
}

// TryReserveAnswer is ReserveAnswer for a request that can continue without the memory.
func (q *Request) TryReserveAnswer(bytes int64) bool {
	more := bytes - q.answerBytes
	if bytes <= smallAnswer || more <= 0 {
		return true
	}
	if !q.load.memory.TryAcquire(more) {
		return false
	}
	q.answerBytes += more
	q.memory += more
	return true
}

// TrimAnswer releases what the queries needed and the response, with its number of
// bytes, does not.
func (q *Request) TrimAnswer(bytes int64) {
	if bytes <= smallAnswer {
		bytes = 0
	}
	if more := q.answerBytes - bytes; more > 0 {
		q.load.memory.Release(more)
		q.answerBytes -= more
		q.memory -= more
	}
}

// Wait begins a wait of the request, whose body has arrived, for somebody outside. All
// waiting requests hold at most half of the memory for bodies, so that others continue
// however long the waits take. The error is ErrMemory.
func (q *Request) Wait() error {
	q.Resume()
	if q.load.waiting.Add(q.bodyBytes) > waitingBodies {
		q.load.waiting.Add(-q.bodyBytes)
		return q.oversized()
	}
	q.waiting = q.bodyBytes
	return nil
}

// Resume ends what Wait began.
func (q *Request) Resume() {
	q.load.waiting.Add(-q.waiting)
	q.waiting = 0
}

func (q *Request) returnMemory() {
	if q.memory > 0 {
		q.load.memory.Release(q.memory)
		q.load.bodies.Add(-q.bodyBytes)
		q.memory, q.bodyBytes, q.answerBytes = 0, 0, 0
	}
}

// quickAnswer is the size in bytes up to which a part of a response counts as sent at
// once: net/http has a buffer for it.
const quickAnswer = 4 << 10

// Write sends a part of the response, and waits until the client receives it. Meanwhile
// the request does not count as one in progress.
func (q *Request) Write(part []byte) (int, error) {
	if len(part) <= quickAnswer || q.outer != nil {
		return q.w.Write(part)
	}
	q.part()
	a, waiters := &q.answer, &q.load.waiters
	a.on, a.taking = q.w, true
	a.since.Store(time.Now().UnixNano())
	waiters.enter(a, q.most)
	q.conn.await()
	n, err := q.w.Write(part)
	q.conn.resume()
	waiters.leave(a)
	return n, err
}
