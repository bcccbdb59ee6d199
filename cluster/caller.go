//go:build cluster

package cluster

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	askInterval = 500 * time.Millisecond // between questions whether a node answers
	askTime     = time.Second            // for its answer
	dialTime    = time.Second
)

// paths that nodes ask each other for.
const (
	alivePath = "/cluster/alive"
	statePath = "/cluster/state"
)

// caller calls other nodes. It asks the one that writes again and again whether it answers,
// since one that has stopped keeps its connections.
type caller struct {
	node      *Node
	transport *http.Transport

	mu     sync.Mutex
	asked  Member                 // the node that was asked last
	silent bool                   // it did not answer, or takes no writes
	under  map[*underway]struct{} // requests that wait for its answer
}

// underway is a request that was forwarded.
type underway struct {
	to     string
	cancel context.CancelCauseFunc
}

func newCaller(n *Node) *caller {
	return &caller{node: n, under: map[*underway]struct{}{}, transport: newTransport(n.id)}
}

func newTransport(id identity) *http.Transport {
	return &http.Transport{
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSClientConfig:        id.calling(),
		TLSHandshakeTimeout:    dialTime,
		ForceAttemptHTTP2:      true,
		IdleConnTimeout:        time.Minute,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 1 << 20,
		HTTP2:                  &http.HTTP2Config{MaxReceiveBufferPerStream: answerBuffer},
	}
}

// answerBuffer is how much of an answer waits here for a client that is slow to take it.
const answerBuffer = 256 << 10

func (c *caller) close() { c.transport.CloseIdleConnections() }

// answers reports whether a node has answered lately, as far as it was asked.
func (c *caller) answers(m Member) bool {
	c.mu.Lock()
	known, silent := c.asked == m, c.silent
	c.mu.Unlock()
	if known {
		return !silent
	}
	c.ask(context.Background(), m)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked != m || !c.silent
}

// keepAsking asks the node that writes.
func (c *caller) keepAsking(ctx context.Context) {
	every(ctx, askInterval, func() {
		if m, known := c.toAsk(); known {
			c.ask(ctx, m)
		}
	})
}

// toAsk is the node that this one forwards to: that which writes, or, where this is that
// one and cut off from etcd, the one that was asked last.
func (c *caller) toAsk() (m Member, known bool) {
	v := c.node.seen.Load()
	if v.writer != c.node.self.Name {
		m, known = v.members[v.writer]
		return m, known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.asked, c.asked.Name != "" && c.node.cutOff()
}

// ask asks a node whether it answers, and takes writes. What waits for one that does not
// answer, or has no answer of etcd although this node has, is given up.
func (c *caller) ask(ctx context.Context, m Member) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "https://"+m.Address+alivePath, nil)
	status := 0
	if err == nil {
		var answer *http.Response
		if answer, err = c.transport.RoundTrip(request); err == nil {
			status = answer.StatusCode
			err = answer.Body.Close()
		}
	}
	if err != nil || status == http.StatusBadGateway && !c.node.cutOff() {
		c.giveUp(m)
		return
	}
	waits := status == http.StatusBadGateway && m.Name == c.node.seen.Load().writer // as all nodes do
	c.note(m, status != http.StatusNoContent && !waits)
}

// note keeps whether a node is one to forward to.
func (c *caller) note(m Member, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked, c.silent = m, silent
}

// giveUp has what waits for a node that does not answer wait no longer.
func (c *caller) giveUp(m Member) {
	c.note(m, true)
	c.mu.Lock()
	defer c.mu.Unlock()
	for u := range c.under {
		if u.to == m.Name {
			u.cancel(errSilent)
		}
	}
	c.transport.CloseIdleConnections()
}

// begin counts a request among those that wait for a node.
func (c *caller) begin(ctx context.Context, m Member) (_ context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	u := &underway{m.Name, cancel}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.under[u] = struct{}{}
	return ctx, func() {
		cancel(nil)
		c.mu.Lock()
		defer c.mu.Unlock()
		delete(c.under, u)
	}
}
