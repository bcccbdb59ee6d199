package server

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// connection counts how often its deadlines are moved.
type connection struct {
	http.ResponseWriter
	reads, writes int
	endless       bool // it waits for the client without a deadline
}

func (c *connection) SetReadDeadline(t time.Time) error {
	c.reads++
	c.endless = t.IsZero()
	return nil
}

func (c *connection) SetWriteDeadline(time.Time) error { c.writes++; return nil }

// A transfer that moves gets more time, and the connection is not asked for each
// few bytes of it.
func TestDeadlinesMove(t *testing.T) {
	c := &connection{ResponseWriter: httptest.NewRecorder()}
	d := (&exchange{ResponseWriter: c}).deadlines()
	for range 100 {
		d.move()
	}
	if c.reads != 1 || c.writes != 1 {
		t.Errorf("moved %d and %d times at once", c.reads, c.writes)
	}
	d.moved = d.moved.Add(-deadlineStep)
	d.move()
	if c.reads != 2 || c.writes != 2 {
		t.Errorf("moved %d and %d times later", c.reads, c.writes)
	}
}

// Once a body has arrived, work on it may take as long as it takes.
func TestNoDeadlineAfterTheBody(t *testing.T) {
	c := &connection{ResponseWriter: httptest.NewRecorder()}
	x := &exchange{ResponseWriter: c}
	body := &patientBody{io.NopCloser(strings.NewReader("body")), x.deadlines()}
	if _, err := body.Read(make([]byte, 10)); err != nil || c.endless {
		t.Errorf("while it arrives: %v, no deadline: %t", err, c.endless)
	}
	if _, err := body.Read(make([]byte, 10)); err != io.EOF || !c.endless {
		t.Errorf("at its end: %v, no deadline: %t", err, c.endless)
	}
}
