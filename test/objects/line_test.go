package objects

import (
	"io"
	"net"
	"quire/test/program"
	"sync"
	"sync/atomic"
	"testing"
)

// line is a line to the object store that a test can cut.
type line struct {
	*program.Line
	to   string
	mode atomic.Int32
}

// What a line does with connections.
const (
	passes = iota
	cut    // they end at once
	silent // nobody answers
	full   // the response is that there is no space
)

func openLine(t *testing.T, to string) *line {
	t.Helper()
	l := &line{to: to}
	l.Line = program.OpenLine(t, l.serve)
	return l
}

// set ends all connections, and does something else with new ones.
func (l *line) set(mode int32) {
	l.mode.Store(mode)
	l.Break()
}

func (l *line) serve(kept *program.Line, conn net.Conn) {
	switch l.mode.Load() {
	case cut:
		conn.Close()
		return
	case silent:
		return
	case full:
		defer conn.Close()
		const body = `<Error><Code>QuotaExceeded</Code><Message>no room</Message></Error>`
		_, _ = conn.Read(make([]byte, 64<<10))
		_, _ = io.WriteString(conn, "HTTP/1.1 507 Insufficient Storage\r\nConnection: close\r\nContent-Type: application/xml\r\n\r\n"+body)
		if tcp, ok := conn.(*net.TCPConn); ok { // whoever closes with bytes unread takes the response back
			_ = tcp.CloseWrite()
			_, _ = io.Copy(io.Discard, conn)
		}
		return
	}
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		conn.Close()
		return
	}
	kept.Keep(far)
	var ways sync.WaitGroup
	ways.Go(func() { _, _ = io.Copy(far, conn); far.Close() })
	ways.Go(func() { _, _ = io.Copy(conn, far); conn.Close() })
	ways.Wait()
}
