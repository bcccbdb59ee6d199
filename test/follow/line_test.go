package follow

import (
	"io"
	"net"
	"quire/test/program"
	"sync/atomic"
	"testing"
	"time"
)

// line is a line to the leader that a test can disturb.
type line struct {
	*program.Line
	to    atomic.Pointer[string]
	cut   atomic.Bool
	delay atomic.Int64 // of what the leader sends, in nanoseconds
}

// openLine opens a line to an address that is set later.
func openLine(t *testing.T) *line {
	t.Helper()
	l := new(line)
	l.Line = program.OpenLine(t, l.serve)
	return l
}

// setCut ends all connections, and refuses new ones or not.
func (l *line) setCut(cut bool) {
	l.cut.Store(cut)
	l.Break()
}

func (l *line) serve(kept *program.Line, conn net.Conn) {
	defer conn.Close()
	to := l.to.Load()
	if l.cut.Load() || to == nil {
		return
	}
	leader, err := net.Dial("tcp", *to)
	if err != nil {
		return
	}
	defer leader.Close()
	kept.Keep(leader)
	go func() {
		_, _ = io.Copy(leader, conn)
		leader.Close()
	}()
	l.pass(conn, leader)
}

// pass passes on what the leader sends, each part as late as the line is slow.
func (l *line) pass(to io.Writer, from io.Reader) {
	type part struct {
		due  time.Time
		text []byte
	}
	parts := make(chan part, 1000)
	go func() {
		defer close(parts)
		for {
			text := make([]byte, 32<<10)
			n, err := from.Read(text)
			if err != nil {
				return
			}
			parts <- part{time.Now().Add(time.Duration(l.delay.Load())), text[:n]}
		}
	}()
	for p := range parts {
		time.Sleep(time.Until(p.due))
		if _, err := to.Write(p.text); err != nil {
			for range parts { // until the reader has ended
			}
			return
		}
	}
}
