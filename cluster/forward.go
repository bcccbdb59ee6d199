//go:build cluster

package cluster

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"sync/atomic"
)

var (
	errSilent = errors.New("the node that writes does not answer any more")

	// ErrUnknownOutcome: a write was forwarded, and no answer came. It may have been done.
	ErrUnknownOutcome = errors.New("cluster: it is unknown whether the write was done: the node that it was forwarded to does not answer")

	// ErrNotForwarded: nothing of a request was sent to the node that writes, although that
	// answers others.
	ErrNotForwarded = errors.New("cluster: the request was not forwarded")
)

// What a node adds to a request that it forwards.
const (
	clientHeader = "Quire-Client"        // the address of the client
	protoHeader  = "Quire-Client-Scheme" // by which it came: http or https
)

// Forward has the node that writes answer a request. It reports false where this node is to
// answer: it is the one that writes, or nothing was sent to one that cannot be reached. The
// error is ErrUnknownOutcome or ErrNotForwarded, and nothing was answered then.
func (n *Node) Forward(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	return n.forward(w, r, false)
}

// forward is Forward, again where nothing was sent at first.
func (n *Node) forward(w http.ResponseWriter, r *http.Request, again bool) (done bool, err error) {
	to, other := n.writes(r.Context())
	if !other {
		return false, nil
	}
	ctx, end := n.calls.begin(r.Context(), to)
	defer end()
	sent := new(atomic.Bool)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	var failed error
	proxy := httputil.ReverseProxy{
		Transport:    n.calls.transport,
		Rewrite:      func(p *httputil.ProxyRequest) { passOn(p, to) },
		ErrorHandler: func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:     discarded,
		ModifyResponse: func(*http.Response) error {
			clear(w.Header()) // what the other node says counts
			return nil
		},
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
	switch {
	case failed == nil:
		return true, nil
	case r.Context().Err() != nil:
		return true, context.Canceled
	case !sent.Load():
		if n.calls.ask(context.WithoutCancel(ctx), to); again && n.calls.answers(to) {
			return true, fmt.Errorf("%w: %v", ErrNotForwarded, failed) // it is the request that cannot be sent
		}
		return n.forward(w, r, true)
	}
	return true, fmt.Errorf("%w: %v", ErrUnknownOutcome, failed) // which may be that it was cancelled, though not by the client
}

// passOn makes of a request of a client one to the node that writes.
func passOn(p *httputil.ProxyRequest, to Member) {
	p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "https", to.Address, p.In.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery // what is wrong with it says the node that answers
	p.Out.Trailer = nil                    // nothing reads it, and one that cannot be sent is no fault of the other node
	for _, name := range ofConnection {
		delete(p.Out.Header, name)
	}
	p.Out.Header[clientHeader] = []string{p.In.RemoteAddr}
	p.Out.Header[protoHeader] = []string{clientScheme(p.In)}
	for _, name := range forwardingHeaders {
		if values, given := p.In.Header[name]; given {
			p.Out.Header[name] = values
		}
	}
}

// discarded takes what the proxy has to say of clients that go.
var discarded = log.New(io.Discard, "", 0)

// hostOf is the host that the client has asked for.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

// forwardingHeaders are what proxies before this node have said of the client. Whether that
// is believed is the site's setting, on every node.
var forwardingHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// ofConnection are headers that are between the client and this node. It has asked for the
// body, and there is no other protocol to change to.
var ofConnection = []string{"Connection", "Expect", "Te", "Upgrade"}

func clientScheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// State is what a node reports of itself to another one that asks.
type State struct {
	Member
	Revision  uint64 `json:"revision"`  // of its last commit
	Suspended bool   `json:"suspended"` // it takes no writes, such as where its disk is full
}

// Serving returns what answers other nodes, and the TLS by which no one else gets in. What
// they forward goes to handler, with a context that Forwarded knows.
func (n *Node) Serving(handler http.Handler, state func() State) (http.Handler, *tls.Config) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+alivePath, func(w http.ResponseWriter, _ *http.Request) {
		if state().Suspended {
			w.WriteHeader(http.StatusServiceUnavailable) // and another node is to write
			return
		}
		if n.cutOff() {
			w.WriteHeader(http.StatusBadGateway) // the same, and what it has been sent may wait for long
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+statePath, func(w http.ResponseWriter, _ *http.Request) {
		s := state()
		s.Member = n.self
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s) // who asked has gone
	})
	mux.Handle("/", received(handler))
	return mux, n.id.serving()
}

type forwardedKey struct{}

// Forwarded reports whether a request comes from another node.
func Forwarded(ctx context.Context) bool { return ctx.Value(forwardedKey{}) != nil }

// received makes a forwarded request what the client sent.
func received(handler http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r = r.WithContext(context.WithValue(r.Context(), forwardedKey{}, true))
		r.RemoteAddr = r.Header.Get(clientHeader)
		r.TLS = nil
		if r.Header.Get(protoHeader) == "https" {
			r.TLS = &tls.ConnectionState{ServerName: hostOf(r)}
		}
		delete(r.Header, clientHeader)
		delete(r.Header, protoHeader)
		handler.ServeHTTP(w, r)
	})
}
