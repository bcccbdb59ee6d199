package server

import (
	"errors"
	"io"
	"net/http"
	"time"
)

// deadlines lets a body or an answer take as long as it needs while it moves.
// Without it a large file would be cut off on a slow connection; with no more
// than it, somebody could hold a connection for ever with a byte now and then. So
// what counts is the time spent waiting for the client, and each byte buys some.
type deadlines struct {
	connection *http.ResponseController
	patience   patience
	read, sent transfer
}

// transfer is how one direction of a connection moves.
type transfer struct {
	moved  time.Time     // when the deadline was moved
	waited time.Duration // for the client
	bytes  int64
}

const (
	// deadlineStep is how often deadlines are moved.
	deadlineStep = 5 * time.Second

	// leastPace is how many bytes in a second a client must take or send on average,
	// once the usual time is over.
	leastPace = 4 << 10
)

func (x *exchange) deadlines() *deadlines {
	d := &deadlines{connection: http.NewResponseController(x.ResponseWriter), patience: usualPatience}
	if x.server != nil {
		d.patience = x.server.patience
	}
	return d
}

// left is how long the client may be waited for now: as long as ever at a time,
// and all in all as long as its bytes have bought.
func (t *transfer) left(patience time.Duration) time.Duration {
	return min(patience, patience+time.Duration(t.bytes)*time.Second/leastPace-t.waited)
}

// wait times one read or write, with the deadline moved before it. Connections
// that have no deadlines, as in tests, need none.
func (t *transfer) wait(patience time.Duration, deadline func(time.Time) error, move func() (int, error)) (int, error) {
	now := time.Now()
	if now.Sub(t.moved) >= min(deadlineStep, patience/4) {
		t.moved = now
		_ = deadline(now.Add(t.left(patience)))
	}
	n, err := move()
	t.waited += time.Since(now)
	t.bytes += int64(n)
	return n, err
}

// arrived lifts the deadline of a body that has come to its end: passing it would
// count as the client going away, however long the work on the body takes.
func (d *deadlines) arrived() { _ = d.connection.SetReadDeadline(time.Time{}) }

// answer grants the time to write an answer, after long work.
func (d *deadlines) answer() {
	_ = d.connection.SetWriteDeadline(time.Now().Add(d.patience.write))
}

// patientBody is a request body that may take long.
type patientBody struct {
	io.ReadCloser
	deadlines *deadlines
	left      int64 // bytes up to the bound
}

// bound has the body fail after so many more bytes.
func (b *patientBody) bound(bytes int64) { b.left = bytes }

var errUnbounded = errors.New("the body goes on past its bound")

func (b *patientBody) Read(p []byte) (int, error) {
	d := b.deadlines
	if b.left <= 0 {
		return 0, errUnbounded
	}
	p = p[:min(int64(len(p)), b.left)]
	n, err := d.read.wait(d.patience.read, d.connection.SetReadDeadline, func() (int, error) { return b.ReadCloser.Read(p) })
	b.left -= int64(n)
	if err == io.EOF {
		d.arrived()
	}
	return n, err
}

// patientWriter is an answer that may take long.
type patientWriter struct {
	*exchange
	deadlines *deadlines
}

func (w *patientWriter) Write(p []byte) (int, error) {
	d := w.deadlines
	return d.sent.wait(d.patience.write, d.connection.SetWriteDeadline, func() (int, error) { return w.exchange.Write(p) })
}
