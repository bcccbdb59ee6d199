package edge

import (
	"errors"
	"io"
	"math"
	"net/http"
	"time"
)

// Body is the body of a request while it arrives.
type Body struct {
	request   *Request
	body      io.Reader
	deadlines *deadlines
	patient   bool  // it may take long while data arrives
	buffered  bool  // what arrives stays in memory
	left      int64 // bytes up to the limit
	ended     bool  // it has been read to its end

	wait waiter // for the client
}

var errUnbounded = errors.New("the body goes on past its bound")

// Receive calls read with the body of the request. Meanwhile the request waits for its
// client, and does not count as one in progress. When the body has arrived, the request
// counts as a write. With patient, the client has as much time as it needs while it
// sends fast enough.
//
// The error is that of read, or ErrCrowded.
func (q *Request) Receive(patient bool, read func(*Body) error) error {
	b := &Body{request: q, body: q.r.Body, deadlines: newDeadlines(q.w, &q.load.patience), patient: patient, left: math.MaxInt64}
	b.wait.on = q.w
	q.body = b
	q.part()
	waiters := &q.load.waiters
	if !waiters.enter(&b.wait, q.most) {
		return q.crowded()
	}
	err := read(b)
	if patient {
		// Grant the full time to write the response, after long work.
		_ = b.deadlines.connection.SetWriteDeadline(time.Now().Add(b.deadlines.patience.Write))
	}
	if waiters.leave(&b.wait) {
		return q.crowded()
	}
	if err != nil {
		return err
	}
	return q.JoinWrites()
}

// Buffer declares that further bytes stay in memory. The body fails after that many
// more bytes, and with ErrMemory if there is no memory for them.
func (b *Body) Buffer(most int64) { b.buffered, b.left = true, most }

// Stream declares that further bytes do not stay in memory. Their number has no limit.
func (b *Body) Stream() { b.buffered, b.left = false, math.MaxInt64 }

// Read waits until the client sends more.
func (b *Body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errUnbounded
	}
	n, err := b.await(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF {
		b.ended = true
		// Remove the deadline of a complete body. If it passed, net/http would treat the client as
		// gone, however long the work on the body takes.
		_ = b.deadlines.connection.SetReadDeadline(time.Time{})
	}
	if b.buffered {
		if full := b.request.ReserveBody(int64(n)); full != nil {
			return n, full
		}
	}
	return n, err
}

// await reads what the client sends next.
func (b *Body) await(p []byte) (int, error) {
	b.wait.since.Store(time.Now().UnixNano())
	b.request.conn.await()
	defer func() {
		b.request.conn.resume()
		b.wait.since.Store(0)
	}()
	if !b.patient {
		return b.body.Read(p)
	}
	d := b.deadlines
	return d.read.wait(d.patience.Read, b.wait.extend, func() (int, error) { return b.body.Read(p) })
}

// ErrTooLong reports a body that is longer than its limit.
var ErrTooLong = errors.New("longer than the limit")

// firstRead is the initial size of the buffer, in bytes.
const firstRead = 512

// ReadAll reads a body that stays in memory until End. The buffer grows with the bytes
// that arrive. announced is the length that the client has sent, or -1; the buffer does
// not grow beyond it. Errors: ErrTooLong beyond the limit, and ErrMemory without
// memory.
func (q *Request) ReadAll(r io.Reader, announced, limit int64) (text []byte, err error) {
	for {
		if len(text) == cap(text) {
			if text, err = q.grow(text, announced, limit); err != nil {
				return nil, err
			}
		}
		n, err := r.Read(text[len(text):cap(text)])
		text = text[:len(text)+n]
		switch {
		case int64(len(text)) > limit:
			return nil, ErrTooLong
		case err == io.EOF:
			return text, nil
		case err != nil:
			return nil, err
		}
	}
}

// grow doubles a full buffer, up to the announced length, or to one byte beyond the
// limit.
func (q *Request) grow(full []byte, announced, limit int64) ([]byte, error) {
	size := max(firstRead, 2*int64(cap(full)))
	if cap(full) == 0 && announced > 0 {
		size = freeBody
	}
	switch {
	case announced > int64(cap(full)):
		size = min(size, announced)
	case announced > 0: // no more can arrive
		size = int64(cap(full)) + firstRead
	}
	size = min(size, limit+1)
	if err := q.ReserveBody(size - int64(cap(full))); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), full...), nil
}

// AbandonBody gives up the unread rest of the body, because the response begins and
// does not wait for it. If the rest has arrived already, it is skipped, and the
// connection stays open. Otherwise the connection is closed after the response.
func (q *Request) AbandonBody() {
	if q.outer == nil && (q.body == nil || !q.body.ended) {
		q.load.giveUp(q.w, q.r)
	}
}

// giveUp stops net/http from waiting for the body of a request.
func (l *Load) giveUp(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.ContentLength == 0:
	case r.ProtoMajor > 1: // the stream is reset, and others continue
		_ = r.Body.Close()
	default:
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.patience.Unwanted))
		connOf(r).lingerFor(l.patience.Linger)
	}
}

// dropBody closes the body of a request whose method needs none. With HTTP/2, arriving
// bodies would otherwise stay in memory, up to 1 MiB for each connection.
func dropBody(r *http.Request) {
	if r.ProtoMajor > 1 && r.Method != http.MethodPost && r.Method != http.MethodPut && r.Method != http.MethodPatch {
		_ = r.Body.Close()
	}
}

// WithoutBodies returns a handler for requests that need no body: it waits for none.
func (l *Load) WithoutBodies(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.giveUp(w, r)
		h.ServeHTTP(w, r)
	})
}
