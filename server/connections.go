package server

import (
	"crypto/tls"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// crowd is a listener with a bound on the connections that are open at once.
// When all places are taken, a new connection gets that of the one that has
// waited longest for its client to send a whole request. So neither connections
// that are kept open nor those that send nothing, or a header byte by byte, keep
// others out. Where none waits, new ones wait.
//
// An address has a share of the places. Proxies that are trusted, and whatever
// runs on the same machine, may take all.
type crowd struct {
	net.Listener
	load    *load
	most    int
	proxies []netip.Prefix

	mu      sync.Mutex
	changed sync.Cond // a place may have become free
	guests  map[*guest]struct{}
	shares  map[netip.Addr]int // of the guests by their address
	closed  bool
	wanted  atomic.Bool // somebody waits for a place
}

// shareOf is the part of the places that one address may take: a fourth.
const shareOf = 4

func newCrowd(l net.Listener, most int, proxies []netip.Prefix, load *load) *crowd {
	c := &crowd{Listener: l, load: load, most: most, proxies: proxies, guests: map[*guest]struct{}{}, shares: map[netip.Addr]int{}}
	c.changed.L = &c.mu
	return c
}

// guest is a connection with a place.
type guest struct {
	net.Conn
	crowd   *crowd
	address netip.Addr   // the zero one may take all places
	since   atomic.Int64 // when it began to wait for a request; 0 while it has one
}

func (c *crowd) Accept() (net.Conn, error) {
	for {
		conn, err := c.Listener.Accept()
		if err != nil {
			return nil, err
		}
		g := &guest{Conn: conn, crowd: c, address: c.sharer(conn)}
		if c.enter(g) {
			return g, nil
		}
		conn.Close()
	}
}

// sharer is the address whose share a connection takes.
func (c *crowd) sharer(conn net.Conn) netip.Addr {
	at, err := netip.ParseAddrPort(conn.RemoteAddr().String())
	if address := at.Addr().Unmap(); err == nil && !address.IsLoopback() && !trusted(address, c.proxies) {
		return network(address)
	}
	return netip.Addr{}
}

// enter waits for a place. It is refused when the address has taken its share
// and none of its connections waits.
func (c *crowd) enter(g *guest) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if g.address.IsValid() && c.shares[g.address] >= max(1, c.most/shareOf) && !c.evict(g.address) {
		c.load.evicted.Add(1)
		return false
	}
	c.wanted.Store(true)
	for !c.closed && len(c.guests) >= c.most && !c.evict(netip.Addr{}) {
		c.changed.Wait()
	}
	c.wanted.Store(false)
	if c.closed {
		return false
	}
	c.guests[g] = struct{}{}
	c.shares[g.address]++
	c.load.connections.Add(1)
	return true
}

// evict closes the connection that has waited longest, among those of an address
// unless that is the zero one.
func (c *crowd) evict(address netip.Addr) bool {
	var longest *guest
	var since int64
	for g := range c.guests {
		if at := g.since.Load(); at != 0 && (longest == nil || at < since) && (!address.IsValid() || g.address == address) {
			longest, since = g, at
		}
	}
	if longest == nil {
		return false
	}
	c.load.evicted.Add(1)
	c.forget(longest)
	longest.Conn.Close()
	return true
}

func (c *crowd) forget(g *guest) {
	if _, in := c.guests[g]; !in {
		return
	}
	delete(c.guests, g)
	if c.shares[g.address]--; c.shares[g.address] == 0 {
		delete(c.shares, g.address)
	}
	c.load.connections.Add(-1)
	c.changed.Signal()
}

// Close ends listening; connections stay open.
func (c *crowd) Close() error {
	c.mu.Lock()
	c.closed = true
	c.changed.Broadcast()
	c.mu.Unlock()
	return c.Listener.Close()
}

// Close gives the place back.
func (g *guest) Close() error {
	g.crowd.mu.Lock()
	g.crowd.forget(g)
	g.crowd.mu.Unlock()
	return g.Conn.Close()
}

// CloseWrite ends what is sent and no more, so that a client that is still sending
// gets to read why its request was refused.
func (g *guest) CloseWrite() error {
	if half, ok := g.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// track notes whether a connection waits for its client.
func track(conn net.Conn, state http.ConnState) {
	if t, secure := conn.(*tls.Conn); secure {
		conn = t.NetConn()
	}
	g, ok := conn.(*guest)
	if !ok {
		return
	}
	if state != http.StateNew && state != http.StateIdle {
		g.since.Store(0)
		return
	}
	g.since.Store(time.Now().UnixNano())
	if g.crowd.wanted.Load() {
		g.crowd.mu.Lock()
		g.crowd.changed.Signal()
		g.crowd.mu.Unlock()
	}
}

// network is what one client has: an address, or with IPv6 the network of 64
// bits around it.
func network(address netip.Addr) netip.Addr {
	if address = address.Unmap().WithZone(""); address.Is6() {
		around, _ := address.Prefix(64)
		return around.Addr()
	}
	return address
}
