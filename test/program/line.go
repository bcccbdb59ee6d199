package program

import (
	"net"
	"sync"
	"testing"
)

// Line is an address behind which a test decides what becomes of connections.
type Line struct {
	URL string // of this end

	mu    sync.Mutex
	open  map[net.Conn]bool
	ended bool
}

// OpenLine opens a line that ends with the test. serve gets each connection, in a goroutine of
// its own.
func OpenLine(t *testing.T, serve func(*Line, net.Conn)) *Line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	l := &Line{URL: "http://" + listener.Addr().String(), open: map[net.Conn]bool{}}
	t.Cleanup(func() {
		listener.Close()
		l.mu.Lock()
		l.ended = true
		l.mu.Unlock()
		l.Break()
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			l.Keep(conn)
			go serve(l, conn)
		}
	}()
	return l
}

// Keep has a connection closed by Break.
func (l *Line) Keep(conn net.Conn) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		conn.Close()
		return
	}
	l.open[conn] = true
}

// Break closes all connections.
func (l *Line) Break() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for conn := range l.open {
		conn.Close()
	}
	clear(l.open)
}
