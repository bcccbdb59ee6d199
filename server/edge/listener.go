package edge

import (
	"net"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// limitedListener is a listener that limits the open connections. At the limit, a new
// connection takes the place of the one that has waited longest for its client: for a
// request, for the rest of one, or until the client receives a response. So no
// connection can keep others out by staying open, by sending nothing or one byte at a
// time, or by reading nothing. While the server works on a request of every connection,
// new connections wait.
//
// Each address has a share of the places. Trusted proxies, and programs on the same
// machine, may take all.
type limitedListener struct {
	net.Listener
	load    *Load
	most    int
	grace   time.Duration // that a client has to continue with a request or a response
	proxies []netip.Prefix

	mu      sync.Mutex
	changed sync.Cond // a place may have become free
	conns   map[*conn]struct{}
	shares  map[netip.Addr]int // number of places of each address
	closed  bool
	wanted  atomic.Bool // a connection waits for a place
}

// shareOf is the part of the places that one address may take: a fourth.
const shareOf = 4

// limit limits the connections of a listener.
func (l *Load) limit(inner net.Listener, c *Config) *limitedListener {
	limited := &limitedListener{
		Listener: inner, load: l, most: c.Connections, grace: l.patience.Grace, proxies: c.Proxies,
		conns: map[*conn]struct{}{}, shares: map[netip.Addr]int{},
	}
	limited.changed.L = &limited.mu
	return limited
}

// Accept returns the next connection that has a place.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		c := &conn{Conn: accepted, listener: l, address: l.sharer(accepted)}
		if l.enter(c) {
			return c, nil
		}
		accepted.Close()
	}
}

// sharer returns the address whose share a connection takes.
func (l *limitedListener) sharer(from net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(from.RemoteAddr().String())
	if address := at.Addr().Unmap(); err == nil && !address.IsLoopback() && !trusted(address, l.proxies) {
		return network(address)
	}
	return netip.Addr{}
}

// enter waits for a place. It returns false if the address has taken its share and none
// of its connections waits.
func (l *limitedListener) enter(c *conn) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if c.address.IsValid() && l.shares[c.address] >= max(1, l.most/shareOf) && !l.evict(c.address) {
		l.load.evicted.Add(1)
		return false
	}
	l.wanted.Store(true)
	for !l.closed && len(l.conns) >= l.most && !l.evict(netip.Addr{}) {
		l.wait()
	}
	l.wanted.Store(false)
	if l.closed {
		return false
	}
	l.conns[c] = struct{}{}
	l.shares[c.address]++
	l.load.connections.Add(1)
	return true
}

// wait waits until a place may have become free, also because the grace of a client has
// ended.
func (l *limitedListener) wait() {
	again := time.AfterFunc(max(l.grace/4, time.Millisecond), func() {
		l.mu.Lock()
		l.changed.Signal()
		l.mu.Unlock()
	})
	l.changed.Wait()
	again.Stop()
}

// evict closes the connection that has waited longest: of an address, or of all for the
// zero address.
func (l *limitedListener) evict(address netip.Addr) bool {
	var longest *conn
	now := time.Now().UnixNano()
	since := now
	for c := range l.conns {
		if at := c.waitsSince(now - int64(l.grace)); at != 0 && (longest == nil || at < since) && (!address.IsValid() || c.address == address) {
			longest, since = c, at
		}
	}
	if longest == nil {
		return false
	}
	l.load.evicted.Add(1)
	l.forget(longest)
	longest.Conn.Close()
	return true
}

func (l *limitedListener) forget(c *conn) {
	if _, in := l.conns[c]; !in {
		return
	}
	delete(l.conns, c)
	if l.shares[c.address]--; l.shares[c.address] == 0 {
		delete(l.shares, c.address)
	}
	l.load.connections.Add(-1)
	l.changed.Signal()
}

// Close stops listening. Connections stay open.
func (l *limitedListener) Close() error {
	l.mu.Lock()
	l.closed = true
	l.changed.Broadcast()
	l.mu.Unlock()
	return l.Listener.Close()
}
