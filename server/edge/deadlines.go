package edge

import (
	"net/http"
	"time"
)

// Patience is how long a connection may take over each part of a request. A client
// that dawdles is cut off, so that a few of them cannot hold everything. Large bodies
// and files have a patience of their own, see deadlines.
type Patience struct {
	Header time.Duration // from the first byte of a request to the end of its header
	Read   time.Duration // to the end of its body
	Write  time.Duration // from there to the end of the answer
	Idle   time.Duration // between two requests
	Heavy  time.Duration // that a heavy query waits for slots
	Stream time.Duration // to take a part of a stream

	Unwanted time.Duration // for the rest of a body that nobody reads
	Linger   time.Duration // for a client to stop sending one and close
	Grace    time.Duration // in the middle of a body or an answer, before another client may take the connection's place
}

// UsualPatience is what clients on slow connections can live with.
func UsualPatience() Patience {
	return Patience{
		Header: 10 * time.Second, Read: time.Minute, Write: 2 * time.Minute, Idle: 2 * time.Minute, Heavy: time.Second, Stream: 10 * time.Second,
		Unwanted: 10 * time.Millisecond, Linger: 5 * time.Second, Grace: time.Second,
	}
}

// deadlines let a body or an answer take as long as it needs while it moves.
// Without them a large file would be cut off on a slow connection. With deadlines that
// each byte renews, a client could hold a connection for ever with a byte now and
// then. So what counts is the time spent waiting for the client, and each byte buys
// some.
type deadlines struct {
	connection *http.ResponseController
	patience   *Patience
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

func newDeadlines(w http.ResponseWriter, p *Patience) *deadlines {
	return &deadlines{connection: http.NewResponseController(w), patience: p}
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

// bodyArrived lifts the deadline of a body that has come to its end: passing it would
// count as the client going away, however long the work on the body takes.
func (d *deadlines) bodyArrived() { _ = d.connection.SetReadDeadline(time.Time{}) }

// renewAnswer grants the time to write an answer, after long work.
func (d *deadlines) renewAnswer() {
	_ = d.connection.SetWriteDeadline(time.Now().Add(d.patience.Write))
}

// patientWriter is an answer that may take long.
type patientWriter struct {
	http.ResponseWriter
	deadlines *deadlines
}

// Patient is w, which writes the answer, with as much time as the client needs while
// it takes the answer at a fair pace.
func (q *Request) Patient(w http.ResponseWriter) http.ResponseWriter {
	return &patientWriter{w, newDeadlines(q.w, &q.load.patience)}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write sends a part of the answer, within the deadline that its bytes have bought.
func (w *patientWriter) Write(p []byte) (int, error) {
	d := w.deadlines
	return d.sent.wait(d.patience.Write, d.connection.SetWriteDeadline, func() (int, error) { return w.ResponseWriter.Write(p) })
}
