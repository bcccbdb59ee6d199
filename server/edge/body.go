package edge

import (
	"errors"
	"io"
	"math"
	"net/http"
	"time"
)

// Body is the body of a request, while it arrives.
type Body struct {
	request   *Request
	body      io.Reader
	deadlines *deadlines
	patient   bool  // it may take long as long as it moves
	buffered  bool  // what arrives stays in memory
	left      int64 // bytes up to the bound
	ended     bool  // all of it has been read

	wait waiter // for the client
}

var errUnbounded = errors.New("the body goes on past its bound")

// Receive calls read with the body of the request. Meanwhile the request does not
// count among those under way: it waits for its client. When it has the body it
// counts among the writes. A patient read gives the client as much time as it needs
// while it sends at a fair pace.
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
		b.deadlines.renewAnswer()
	}
	if waiters.leave(&b.wait) {
		return q.crowded()
	}
	if err != nil {
		return err
	}
	return q.JoinWrites()
}

// Buffer says that what arrives from now on stays in memory. The body fails after so
// many more bytes, and with ErrMemory when there is no memory for them.
func (b *Body) Buffer(most int64) { b.buffered, b.left = true, most }

// Stream says that what arrives from now on does not stay in memory. It has no bound.
func (b *Body) Stream() { b.buffered, b.left = false, math.MaxInt64 }

// Read waits for the client to send more.
func (b *Body) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errUnbounded
	}
	n, err := b.await(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	if err == io.EOF {
		b.ended = true
		b.deadlines.bodyArrived()
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
	return d.read.wait(d.patience.Read, b.extend, func() (int, error) { return b.body.Read(p) })
}

// extend moves the deadline, unless the body had to make way.
func (b *Body) extend(deadline time.Time) error {
	return b.request.load.waiters.extend(&b.wait, deadline)
}

// ErrTooLong says that more comes than may.
var ErrTooLong = errors.New("longer than the limit")

// firstRead is the size of the buffer with which reading begins, in bytes.
const firstRead = 512

// ReadAll reads what stays in memory up to End. The buffer grows with what has
// arrived; announced is the length that the client gives, or -1, and saves growing
// beyond it. More than the limit is ErrTooLong, no memory for it ErrMemory.
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

// grow doubles a full buffer, up to the announced length or one byte beyond the
// limit.
func (q *Request) grow(full []byte, announced, limit int64) ([]byte, error) {
	size := max(firstRead, 2*int64(cap(full)))
	if cap(full) == 0 && announced > 0 {
		size = freeBody
	}
	switch {
	case announced > int64(cap(full)):
		size = min(size, announced)
	case announced > 0: // and no more can come
		size = int64(cap(full)) + firstRead
	}
	size = min(size, limit+1)
	if err := q.ReserveBody(size - int64(cap(full))); err != nil {
		return nil, err
	}
	return append(make([]byte, 0, size), full...), nil
}

// AbandonBody gives up what has not been read of the body of the request. It is
// called when the answer begins, which does not wait for the body. A rest that has
// arrived already is skipped, and the connection stays open; otherwise it is closed
// after the answer.
func (q *Request) AbandonBody() {
	if q.outer == nil && (q.body == nil || !q.body.ended) {
		q.load.giveUp(q.w, q.r)
	}
}

// giveUp has net/http wait no longer for the body of a request.
func (l *Load) giveUp(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.ContentLength == 0:
	case r.ProtoMajor > 1: // a stream is reset, and the others go on
		_ = r.Body.Close()
	default:
		_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(l.patience.Unwanted))
		connOf(r).lingerFor(l.patience.Linger)
	}
}

// dropBody closes the body of a request whose method needs none. With HTTP/2 it
// would be kept in memory as it arrives, up to 1 MiB for a connection.
func dropBody(r *http.Request) {
	if r.ProtoMajor > 1 && r.Method != http.MethodPost && r.Method != http.MethodPut && r.Method != http.MethodPatch {
		_ = r.Body.Close()
	}
}

// WithoutBodies is a handler whose requests need no body: none is waited for.
func (l *Load) WithoutBodies(h http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.giveUp(w, r)
		h.ServeHTTP(w, r)
	})
}
