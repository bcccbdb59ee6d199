//go:build cluster

package cluster

import (
	"net"
	"sync"
	"testing"
	"time"
)

// line is a line of TCP to a process, which a test disturbs: nothing is refused, and what
// is sent does not arrive.
type line struct {
	address string                    // of this end, HOST:PORT
	to      string                    // where it leads, the same
	nameOf  func(first []byte) string // who calls, by what is sent first; nil where all are treated alike

	mu       sync.Mutex
	troubles map[string]trouble // by who calls; "" is for those of whom nothing is said
	changed  chan struct{}      // closed when troubles change
	open     map[*connection]bool
}

// trouble is what becomes of what is sent: to where a line leads, and back. The zero value
// is none.
type trouble struct{ there, back condition }

// condition is what becomes of what is sent one way.
type condition struct {
	lost  bool          // it never arrives; once others do again, the connection ends
	held  bool          // it arrives once that is over
	delay time.Duration // after which it arrives
}

var (
	cut      = trouble{condition{lost: true}, condition{lost: true}}
	cutThere = trouble{there: condition{lost: true}}
	cutBack  = trouble{back: condition{lost: true}}
	still    = trouble{condition{held: true}, condition{held: true}}
)

// slow delays what is sent both ways.
func slow(by time.Duration) trouble { return trouble{condition{delay: by}, condition{delay: by}} }

// connection is one of those on a line. The mutex of the line guards it.
type connection struct {
	near, far net.Conn
	caller    string
	hasLost   bool // of what was sent
}

func (c *connection) close() {
	c.near.Close()
	c.far.Close()
}

// openLine opens a line that ends with the test.
func openLine(t testing.TB, to string) *line {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(t, err)
	l := &line{
		address: listener.Addr().String(), to: to,
		troubles: map[string]trouble{}, changed: make(chan struct{}), open: map[*connection]bool{},
	}
	t.Cleanup(func() {
		listener.Close()
		l.end()
	})
	go func() {
		for {
			near, err := listener.Accept()
			if err != nil {
				return
			}
			go l.serve(near)
		}
	}()
	return l
}

// set has a trouble begin for a caller, or for all of whom nothing is said.
func (l *line) set(caller string, is trouble) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles[caller] = is
	l.stir()
}

// heal ends all troubles. Connections of which something was lost end.
func (l *line) heal() {
	l.mu.Lock()
	defer l.mu.Unlock()
	clear(l.troubles)
	l.stir()
	for c := range l.open {
		if c.hasLost {
			c.close()
		}
	}
}

// end ends all connections.
func (l *line) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.troubles = map[string]trouble{"": cut}
	l.stir()
	for c := range l.open {
		c.close()
	}
}

func (l *line) stir() {
	close(l.changed)
	l.changed = make(chan struct{})
}

func (l *line) serve(near net.Conn) {
	far, err := net.Dial("tcp", l.to)
	if err != nil {
		near.Close()
		return
	}
	c := &connection{near: near, far: far}
	l.mu.Lock()
	l.open[c] = true
	l.mu.Unlock()
	var ways sync.WaitGroup
	ways.Go(func() { l.carry(c, near, far, func(t trouble) condition { return t.there }) })
	ways.Go(func() { l.carry(c, far, near, func(t trouble) condition { return t.back }) })
	ways.Wait()
	c.close()
	l.mu.Lock()
	delete(l.open, c)
	l.mu.Unlock()
}

// piece is some of what was sent; without text, that its sender has ended.
type piece struct {
	text []byte
	sent time.Time
}

// carry passes on what one end of a connection sends to the other one.
func (l *line) carry(c *connection, from, to net.Conn, way func(trouble) condition) {
	pieces := make(chan piece, 1000)
	go func() {
		defer close(pieces)
		for {
			text := make([]byte, 16<<10)
			n, err := from.Read(text)
			pieces <- piece{text[:n], time.Now()}
			if err != nil {
				return
			}
		}
	}()
	first := l.nameOf != nil && from == c.near
	for p := range pieces {
		if first {
			l.name(c, p.text)
			first = false
		}
		if !l.arrives(c, p.sent, way) {
			continue
		}
		if _, err := to.Write(p.text); err != nil || len(p.text) == 0 {
			c.close() // and what is sent still is not read on
		}
	}
}

func (l *line) name(c *connection, first []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c.caller = l.nameOf(first)
}

// arrives waits until a piece is to arrive, and reports false where it is lost.
func (l *line) arrives(c *connection, sent time.Time, way func(trouble) condition) bool {
	for {
		l.mu.Lock()
		is, said := l.troubles[c.caller]
		if !said {
			is = l.troubles[""]
		}
		now, changed := way(is), l.changed
		if now.lost {
			c.hasLost = true
		}
		l.mu.Unlock()
		rest := time.Until(sent.Add(now.delay))
		switch {
		case now.lost:
			return false
		case now.held:
			<-changed
		case rest <= 0:
			return true
		default:
			select {
			case <-changed:
			case <-time.After(rest):
			}
		}
	}
}
