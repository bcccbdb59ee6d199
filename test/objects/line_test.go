package objects

import (
	"io"
	"net"
	"sync"
	"sync/atomic"
	"testing"
)

// line is a line to the object store that a test can cut.
type line struct {
	URL  string // of this end
	to   string
	mode atomic.Int32

	mu   sync.Mutex
	open map[net.Conn]bool
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
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	l := &line{URL: "http://" + listener.Addr().String(), to: to, open: map[net.Conn]bool{}}
	t.Cleanup(func() { listener.Close(); l.set(cut) })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(conn)
		}
	}()
	return l
}

// set ends all connections, and does something else with new ones.
func (l *line) set(mode int32) {
	l.mode.Store(mode)
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		conn.Close()
	}
	clear(l.open)
}

// keep has a connection closed when the line is set.
func (l *line) keep(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.open[conn] = true
}

func (l *line) serve(conn net.Conn) {
	l.keep(conn)
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
	l.keep(far)
	var ways sync.WaitGroup
	ways.Go(func() { _, _ = io.Copy(far, conn); far.Close() })
	ways.Go(func() { _, _ = io.Copy(conn, far); conn.Close() })
	ways.Wait()
}
