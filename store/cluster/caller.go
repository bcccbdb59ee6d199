//go:build cluster

package cluster

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

const askInterval = 500 * time.Millisecond // between checks whether a node responds

var ( // longer in tests
	askTime  = time.Second // for its response
	dialTime = time.Second
)

// paths of requests between nodes.
const (
	alivePath = "/cluster/alive"
	statePath = "/cluster/state"
)

// caller calls other nodes. It regularly checks whether the writing node responds, because
// a stopped node keeps its connections.
type caller struct {
	node      *Node
	transport *http.Transport

	mu      sync.Mutex
	checked Member                 // the node that was checked last
	silent  bool                   // it did not respond, or accepts no writes
	under   map[*underway]struct{} // requests that wait for its response
}

// underway is a forwarded request.
type underway struct {
	to     string
	cancel context.CancelCauseFunc
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

// answerBuffer is how much of a response is buffered for a client that reads slowly.
const answerBuffer = 256 << 10

// answers reports whether a node has responded recently, if it was checked.
func (c *caller) answers(m Member) bool {
	c.mu.Lock()
	known, silent := c.checked == m, c.silent
	c.mu.Unlock()
	if known {
		return !silent
	}
	c.ask(context.Background(), m)
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checked != m || !c.silent
}

// keepAsking checks the writing node regularly.
func (c *caller) keepAsking(ctx context.Context) {
	every(ctx, askInterval, func() {
		if m, known := c.toCheck(); known {
			c.ask(ctx, m)
		}
	})
}

// toCheck returns the node to which this one forwards: the writing node, or, if this is the
// writing node and cut off from etcd, the one that was checked last.
func (c *caller) toCheck() (m Member, known bool) {
	v := c.node.seen.Load()
	if v.writer != c.node.self.Name {
		m, known = v.members[v.writer]
		return m, known
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.checked, c.checked.Name != "" && c.node.cutOff()
}

// ask checks whether a node responds and accepts writes. Requests that wait for a node are
// given up if it does not respond, or if it has no response from etcd although this node
// has.
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
	waits := status == http.StatusBadGateway && m.Name == c.node.seen.Load().writer // like all nodes
	c.note(m, status != http.StatusNoContent && !waits)
}

// note records whether requests can be forwarded to a node.
func (c *caller) note(m Member, silent bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.checked, c.silent = m, silent
}

// giveUp ends the requests that wait for a node that does not respond.
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
