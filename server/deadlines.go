package server

import (
	"io"
	"net/http"
	"time"
)

// deadlines lets a body or an answer take as long as it needs while it moves.
// Without it a large file would be cut off on a slow connection.
type deadlines struct {
	connection *http.ResponseController
	moved      time.Time
}

// deadlineStep is how often deadlines are moved.
const deadlineStep = 5 * time.Second

func (x *exchange) deadlines() *deadlines {
	return &deadlines{connection: http.NewResponseController(x.ResponseWriter)}
}

// move grants the usual time anew. Connections that have no deadlines, as in
// tests, need none.
func (d *deadlines) move() {
	now := time.Now()
	if now.Sub(d.moved) < deadlineStep {
		return
	}
	d.moved = now
	_ = d.connection.SetReadDeadline(now.Add(readTimeout))
	_ = d.connection.SetWriteDeadline(now.Add(writeTimeout))
}

// arrived lifts the deadline of a body that has come to its end: passing it would
// count as the client going away, however long the work on the body takes.
func (d *deadlines) arrived() { _ = d.connection.SetReadDeadline(time.Time{}) }

// answer grants the time to write an answer, after long work.
func (d *deadlines) answer() { _ = d.connection.SetWriteDeadline(time.Now().Add(writeTimeout)) }

// patientBody is a request body that may take long.
type patientBody struct {
	io.ReadCloser
	deadlines *deadlines
}

func (b *patientBody) Read(p []byte) (int, error) {
	b.deadlines.move()
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.deadlines.arrived()
	}
	return n, err
}

// patientWriter is an answer that may take long.
type patientWriter struct {
	*exchange
	deadlines *deadlines
}

func (w *patientWriter) Write(p []byte) (int, error) {
	w.deadlines.move()
	return w.exchange.Write(p)
}
