package edge

import (
	"net/http"
	"time"
)

// Patience is how long a connection may take for each part of a request. A slow client
// is cut off, so that a few of them cannot take everything. Large bodies and files have
// more time, see deadlines.
type Patience struct {
	Header time.Duration // from the first byte of a request to the end of its header
	Read   time.Duration // to the end of its body
	Write  time.Duration // from there to the end of the response
	Idle   time.Duration // between two requests
	Heavy  time.Duration // for slots, if a query is heavy
	Stream time.Duration // for the client to receive a part of a stream

	Unwanted time.Duration // for the rest of an unwanted body
	Linger   time.Duration // for a client to stop sending one and to close
	Grace    time.Duration // in the middle of a body or a response, before another client may take the place of the connection
}

// UsualPatience is long enough for clients on slow connections.
func UsualPatience() Patience {
	return Patience{
		Header: 10 * time.Second, Read: time.Minute, Write: 2 * time.Minute, Idle: 2 * time.Minute, Heavy: time.Second, Stream: 10 * time.Second,
		Unwanted: 10 * time.Millisecond, Linger: 5 * time.Second, Grace: time.Second,
	}
}

// deadlines let a body or a response take as long as it needs while data moves. Fixed
// deadlines would cut off a large file on a slow connection. Deadlines that each byte
// renews would let a client hold a connection for ever with a byte now and then. So
// only the time spent waiting for the client counts, and each byte adds some.
type deadlines struct {
	connection *http.ResponseController
	patience   *Patience
	read, sent transfer
}

// transfer is one direction of a connection.
type transfer struct {
	moved  time.Time     // when the deadline was last moved
	waited time.Duration // total time spent waiting for the client
	bytes  int64
}

const (
	// deadlineStep is how often deadlines are moved.
	deadlineStep = 5 * time.Second

	// leastPace is how many bytes per second a client must send or receive on average,
	// after the usual time.
	leastPace = 4 << 10
)

func newDeadlines(w http.ResponseWriter, p *Patience) *deadlines {
	return &deadlines{connection: http.NewResponseController(w), patience: p}
}

// left returns how long the client may be waited for now: at most the usual time at
// once, and in total as long as its bytes allow.
func (t *transfer) left(patience time.Duration) time.Duration {
	return min(patience, patience+time.Duration(t.bytes)*time.Second/leastPace-t.waited)
}

// wait measures one read or write, and moves the deadline before it. Connections
// without deadlines, as in tests, need none.
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

// patientWriter is a response that may take long.
type patientWriter struct {
	http.ResponseWriter
	deadlines *deadlines
}

// Patient returns a writer for the response to w that gives the client as much time as
// it needs while it receives fast enough.
func (q *Request) Patient(w http.ResponseWriter) http.ResponseWriter {
	return &patientWriter{w, newDeadlines(q.w, &q.load.patience)}
}

// Unwrap lets http.ResponseController reach the connection.
func (w *patientWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Write sends a part of the response, within the deadline that its bytes allow.
func (w *patientWriter) Write(p []byte) (int, error) {
	d := w.deadlines
	return d.sent.wait(d.patience.Write, d.connection.SetWriteDeadline, func() (int, error) { return w.ResponseWriter.Write(p) })
}
