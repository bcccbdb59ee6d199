package edge

import (
	"net/http"
	"sync/atomic"
	"time"
)

// Request is what one request takes of the load. Its methods are for the goroutine
// that answers the request, between Begin and End.
type Request struct {
	load *Load
	most int64 // requests that may read, write or wait at once, each
	w    http.ResponseWriter
	r    *http.Request
	conn *conn // nil for a request that came through no listener of Serve

	outer *Request // that made this one in this process, and waits for it; nil for others

	body   *Body         // once somebody reads it
	answer waiter        // for the answer to be taken
	group  *atomic.Int64 // of the requests that it counts among

	memory      int64 // bytes that it holds of what all may take
	bodyBytes   int64 // of them, those for its body
	answerBytes int64 // of them, those for its queries and its answer
	arrived     int64 // bytes of its body that stay in memory, counted or not
	waiting     int64 // bytes for its body while it waits for others

	slots *Slots // of which it holds some
	taken int64  // so many
}

// Begin begins a request. So many requests may read at once, so many write, and so
// many wait for their clients.
func (q *Request) Begin(l *Load, most int, w http.ResponseWriter, r *http.Request) {
	q.load, q.most, q.w, q.r, q.conn = l, int64(most), w, r, connOf(r)
	q.conn.begin()
	dropBody(r)
}

// BeginWithin begins a request that another one makes in this process, whose place among
// the requests it has until its end. Nobody waits for its client, which is the other.
func (q *Request) BeginWithin(outer *Request, w http.ResponseWriter, r *http.Request) {
	q.load, q.most, q.w, q.r, q.outer = outer.load, outer.most, w, r, outer
	q.group, outer.group = outer.group, nil
}

// End gives back all that the request has taken.
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

// JoinReads has the request count among the reads. The error is ErrCrowded.
//
// Each request counts among the reads or the writes while it works. They are bounded
// apart: writes can wait long for others, as while an import runs, and reads must not
// wait with them.
func (q *Request) JoinReads() error { return q.join(&q.load.reads) }

// JoinWrites has the request count among the writes, and no longer among the reads.
// The error is ErrCrowded.
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

// ReserveBody takes memory for bytes of the body: those that have arrived, or a
// buffer for more of them. The error is ErrMemory.
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

// HoldAnswer takes memory for queries and the answer: so many bytes all in all. The
// error is ErrMemory.
func (q *Request) HoldAnswer(bytes int64) error {
	if !q.TryHoldAnswer(bytes) {
		return q.oversized()
	}
	return nil
}

// TryHoldAnswer is HoldAnswer for a request that can do without the memory.
func (q *Request) TryHoldAnswer(bytes int64) bool {
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

// TrimAnswer gives back what the queries needed and the answer, of so many bytes,
// does not.
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

// Wait says that the request, which has its body, waits for somebody outside. Those that
// wait hold half of the memory for bodies at most, so that the others go on however long
// it takes. The error is ErrMemory.
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

// quickAnswer is the size up to which a part of an answer is taken for sent at
// once, in bytes: net/http has a buffer for it.
const quickAnswer = 4 << 10

// Write sends a part of the answer, and waits for the client to take it. Meanwhile
// the request does not count among those under way.
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
