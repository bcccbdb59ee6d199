package edge

import (
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/netip"
	"sync"
	"sync/atomic"
	"time"
)

// conn is a connection with a place among those of a listener. It knows since when it
// waits for its client, and for what.
type conn struct {
	net.Conn
	listener *limitedListener
	address  netip.Addr // whose share it takes; the zero one may take all places

	// When each wait began, in nanoseconds since 1970; 0 while there is none.
	request atomic.Int64 // for the client to send a request, or to close the connection
	rest    atomic.Int64 // for all requests: to send their bodies, or to take their answers
	answer  atomic.Int64 // to take what is being written

	streaming atomic.Bool // it has a stream, and does not make way unless its client does not read

	linger atomic.Int64 // until when Close reads on; 0 for not at all

	mu      sync.Mutex
	streams int // requests under way: one, or with HTTP/2 several
	waiting int // of them, those that wait for the client
}

// waitsSince is when the connection began to wait, or 0. A client that is in the middle
// of a request or an answer counts only if it has not moved since some moment.
func (c *conn) waitsSince(grace int64) int64 {
	if at := c.request.Load(); at != 0 {
		return at
	}
	at := c.rest.Load()
	if c.streaming.Load() {
		at = 0
	}
	if taking := c.answer.Load(); at == 0 || taking != 0 && taking < at {
		at = taking
	}
	if at > grace {
		return 0
	}
	return at
}

// awaitRequest notes that the connection waits for a request.
func (c *conn) awaitRequest() {
	c.request.Store(time.Now().UnixNano())
	if c.listener.wanted.Load() {
		c.listener.mu.Lock()
		c.listener.changed.Signal()
		c.listener.mu.Unlock()
	}
}

// begin notes that a request is under way.
func (c *conn) begin() { c.change(1, 0) }

// end notes that a request is done. net/http may still be sending its answer.
func (c *conn) end() { c.change(-1, 0) }

// await notes that a request waits for its client. resume ends it.
func (c *conn) await()  { c.change(0, 1) }
func (c *conn) resume() { c.change(0, -1) }

// change counts requests. The connection waits when all of them do. A nil conn is
// that of a request that came another way, as in tests.
func (c *conn) change(streams, waiting int) {
	if c == nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.streams += streams
	c.waiting += waiting
	since := int64(0)
	if c.waiting == c.streams {
		since = time.Now().UnixNano()
	}
	c.rest.Store(since)
}

// wake notes that a request has come, which is about to begin.
func (c *conn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == 0 {
		c.rest.Store(0)
	}
	c.request.Store(0)
}

// Write sends to the client, and waits for it to take what is sent.
func (c *conn) Write(p []byte) (int, error) {
	c.answer.Store(time.Now().UnixNano())
	defer c.answer.Store(0)
	return c.Conn.Write(p)
}

// CloseWrite ends what is sent and no more, so that a client that is still sending
// gets to read why its request was refused.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// mostUnwanted is how much of a body is read that nobody wants, in bytes.
const mostUnwanted = 4 << 20

// lingerFor has Close read what the client is still sending for so long. Were the
// connection closed with something unread, the client would be sent a reset and
// might never see its answer.
func (c *conn) lingerFor(wait time.Duration) {
	if c != nil {
		c.linger.Store(time.Now().Add(wait).UnixNano())
	}
}

// Close gives the place back. Until then a connection that lingers can be evicted.
func (c *conn) Close() error {
	if until := c.linger.Swap(0); until > time.Now().UnixNano() {
		c.awaitRequest()
		_ = c.CloseWrite()
		_ = c.Conn.SetReadDeadline(time.Unix(0, until))
		_, _ = io.CopyN(io.Discard, c.Conn, mostUnwanted)
	}
	c.listener.mu.Lock()
	c.listener.forget(c)
	c.listener.mu.Unlock()
	return c.Conn.Close()
}

// track notes whether a connection waits for a request.
func track(of net.Conn, state http.ConnState) {
	c := below(of)
	switch {
	case c == nil:
	case state == http.StateNew || state == http.StateIdle:
		c.awaitRequest()
	default:
		c.wake()
	}
}

// below finds the conn of a connection, below TLS; nil where there is none.
func below(of net.Conn) *conn {
	if t, secure := of.(*tls.Conn); secure {
		of = t.NetConn()
	}
	c, _ := of.(*conn)
	return c
}

type connKey struct{}

// introduce has requests know the conn that they come from.
func introduce(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, below(of))
}

// connOf is nil for requests that come through no listener of Serve.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
