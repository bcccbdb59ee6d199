package edge

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

// patientBody returns the body of a request on the connection.
func patientBody(c *connection, body io.Reader) *Body {
	l := NewLoad(UsualPatience())
	b := &Body{request: &Request{load: l}, body: body, deadlines: newDeadlines(c, &l.patience), patient: true}
	b.wait.on = c
	l.waiters.enter(&b.wait, 1)
	return b
}

// A transfer that moves gets more time, and the deadline is not moved for every few
// bytes.
func TestDeadlinesMove(t *testing.T) {
	c := &connection{ResponseWriter: httptest.NewRecorder()}
	body := patientBody(c, strings.NewReader(strings.Repeat("x", 1000)))
	body.Buffer(1000)
	d := body.deadlines
	w := &patientWriter{c, d}
	some := make([]byte, 1)
	for range 100 {
		if _, err := body.Read(some); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(some); err != nil {
			t.Fatal(err)
		}
	}
	if c.reads != 1 || c.writes != 1 {
		t.Errorf("moved %d and %d times at once", c.reads, c.writes)
	}
	d.read.moved, d.sent.moved = d.read.moved.Add(-deadlineStep), d.sent.moved.Add(-deadlineStep)
	if _, err := body.Read(some); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(some); err != nil {
		t.Fatal(err)
	}
	if c.reads != 2 || c.writes != 2 {
		t.Errorf("moved %d and %d times later", c.reads, c.writes)
	}
}

// Each byte adds time, and only waiting for the client uses it. A client that is slower
// than the least pace runs out of time, however regularly it sends.
func TestPace(t *testing.T) {
	const patience = time.Minute
	for _, test := range []struct {
		what   string
		pace   int64         // bytes per second
		after  time.Duration // of waiting
		cutOff bool
	}{
		{"nothing", 0, 59 * time.Second, false},
		{"nothing for long", 0, 61 * time.Second, true},
		{"a byte now and then", 1, 10 * time.Minute, true},
		{"half of the pace", leastPace / 2, 119 * time.Second, false},
		{"half of the pace for long", leastPace / 2, 121 * time.Second, true},
		{"the pace", leastPace, 24 * time.Hour, false},
	} {
		moving := &transfer{waited: test.after, bytes: test.pace * int64(test.after/time.Second)}
		if cutOff := moving.left(patience) < 0; cutOff != test.cutOff {
			t.Errorf("%s: cut off: %t", test.what, cutOff)
		}
	}
}

// After a body has arrived, work on it may take any time.
func TestNoDeadlineAfterTheBody(t *testing.T) {
	c := &connection{ResponseWriter: httptest.NewRecorder()}
	body := patientBody(c, strings.NewReader("body"))
	body.Buffer(100)
	if _, err := body.Read(make([]byte, 10)); err != nil || c.endless {
		t.Errorf("while it arrives: %v, no deadline: %t", err, c.endless)
	}
	if _, err := body.Read(make([]byte, 10)); err != io.EOF || !c.endless {
		t.Errorf("at its end: %v, no deadline: %t", err, c.endless)
	}
}

func TestBodyWithABound(t *testing.T) {
	body := patientBody(&connection{ResponseWriter: httptest.NewRecorder()}, strings.NewReader("more than four"))
	body.Buffer(4)
	if text, err := io.ReadAll(body); string(text) != "more" || err != errUnbounded {
		t.Errorf("%q, %v", text, err)
	}
	body.Buffer(5)
	if text, err := io.ReadAll(body); string(text) != " than" || err != errUnbounded {
		t.Errorf("%q, %v", text, err)
	}
}
