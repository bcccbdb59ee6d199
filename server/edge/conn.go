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

// conn is a connection with a place in a listener. It records since when it waits for
// its client, and for what.
type conn struct {
	net.Conn
	listener *limitedListener
	address  netip.Addr // whose share it takes; the zero address may take all places

	// When each wait began, in nanoseconds since 1970; 0 without a wait.
	request atomic.Int64 // for the client to send a request, or to close the connection
	rest    atomic.Int64 // for all requests: to send their bodies, or to take their answers
	answer  atomic.Int64 // to receive what is being written

	streaming atomic.Bool // it has a stream, and is evicted only if its client does not read

	linger atomic.Int64 // until when Close reads further; 0 for not at all

	mu      sync.Mutex
	streams int // requests in progress: one, or several with HTTP/2
	waiting int // those of them that wait for the client
}

// waitsSince returns when the connection began to wait, or 0. In the middle of a
// request or a response, it counts as waiting only if nothing has moved since grace.
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

// begin records the start of a request.
func (c *conn) begin() { c.change(1, 0) }

// end records the end of a request. net/http may still be sending its response.
func (c *conn) end() { c.change(-1, 0) }

// await and resume record that a request begins and ends to wait for its client.
func (c *conn) await()  { c.change(0, 1) }
func (c *conn) resume() { c.change(0, -1) }

// change counts requests. The connection waits when all of them wait. A nil conn
// belongs to a request without a connection, as in tests.
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

// wake records that a request has arrived, and is about to begin.
func (c *conn) wake() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.streams == 0 {
		c.rest.Store(0)
	}
	c.request.Store(0)
}

// Write sends to the client, and waits until the client receives it.
func (c *conn) Write(p []byte) (int, error) {
	c.answer.Store(time.Now().UnixNano())
	defer c.answer.Store(0)
	return c.Conn.Write(p)
}

// CloseWrite ends only the sending direction, so that a client that is still sending
// can read why its request was refused.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// mostUnwanted is how many bytes of an unwanted body are read.
const mostUnwanted = 4 << 20

// lingerFor makes Close read what the client is still sending, for that long. If a
// connection is closed with unread data, the client gets a reset, and may never see the
// response.
func (c *conn) lingerFor(wait time.Duration) {
	if c != nil {
		c.linger.Store(time.Now().Add(wait).UnixNano())
	}
}

// Close releases the place. Until then, a lingering connection can be evicted.
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

// track records whether a connection waits for a request.
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

// below finds the conn below TLS; nil if there is none.
func below(of net.Conn) *conn {
	if t, secure := of.(*tls.Conn); secure {
		of = t.NetConn()
	}
	c, _ := of.(*conn)
	return c
}

type connKey struct{}

// introduce lets requests find the conn of their connection.
func introduce(ctx context.Context, of net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, below(of))
}

// connOf returns the conn of a request; nil if it did not arrive through Serve.
func connOf(r *http.Request) *conn {
	c, _ := r.Context().Value(connKey{}).(*conn)
	return c
}
