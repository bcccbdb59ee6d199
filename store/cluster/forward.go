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
	"maps"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"strings"
	"sync/atomic"
)

var (
	errSilent = errors.New("the node that writes does not answer any more")

	// ErrUnknownOutcome: a write was forwarded, and there was no response. It may have been
	// done.
	ErrUnknownOutcome = errors.New("cluster: it is unknown whether the write was done: the node that it was forwarded to does not answer")

	// ErrNotForwarded: nothing of a request was sent to the writing node, although that
	// node responds to others.
	ErrNotForwarded = errors.New("cluster: the request was not forwarded")
)

// Headers that a node adds to a request that it forwards.
const (
	clientHeader = "Quire-Client"        // the address of the client
	protoHeader  = "Quire-Client-Scheme" // by which it came: http or https
)

// Forward makes the writing node answer a request. It reports false if this node must
// answer: if it is the writing node, or if nothing was sent to one that cannot be reached.
// The error is ErrUnknownOutcome or ErrNotForwarded, and then nothing was answered.
func (n *Node) Forward(w http.ResponseWriter, r *http.Request) (done bool, err error) {
	return n.forward(w, r, false)
}

// forward is Forward, and retries if nothing was sent the first time.
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
			clear(w.Header()) // the response of the other node replaces this one's
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
			return true, fmt.Errorf("%w: %v", ErrNotForwarded, failed) // the request itself cannot be sent
		}
		return n.forward(w, r, true)
	}
	return true, fmt.Errorf("%w: %v", ErrUnknownOutcome, failed) // for example because it was cancelled, though not by the client
}

// passOn turns a request of a client into one to the writing node.
func passOn(p *httputil.ProxyRequest, to Member) {
	p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = "https", to.Address, p.In.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery // the answering node reports errors in it
	p.Out.Trailer = nil                    // nothing reads it, and one that cannot be sent is not the other node's fault
	for _, name := range ofConnection {
		delete(p.Out.Header, name)
	}
	maps.DeleteFunc(p.Out.Header, func(name string, _ []string) bool { // in whatever case a client wrote it
		return strings.EqualFold(name, clientHeader) || strings.EqualFold(name, protoHeader)
	})
	p.Out.Header[clientHeader] = []string{p.In.RemoteAddr}
	p.Out.Header[protoHeader] = []string{clientScheme(p.In)}
	for _, name := range forwardingHeaders {
		if values, given := p.In.Header[name]; given {
			p.Out.Header[name] = values
		}
	}
}

// discarded drops what the proxy logs about clients that go away.
var discarded = log.New(io.Discard, "", 0)

// hostOf returns the host that the client has requested.
func hostOf(r *http.Request) string {
	if host, _, err := net.SplitHostPort(r.Host); err == nil {
		return host
	}
	return r.Host
}

// forwardingHeaders are what proxies before this node say about the client. Whether they
// are trusted is a setting of the site, on every node.
var forwardingHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// ofConnection are headers between the client and this node. This node has already
// requested the body, and no other protocol is possible.
var ofConnection = []string{"Connection", "Expect", "Te", "Upgrade"}

func clientScheme(r *http.Request) string {
	if r.TLS != nil {
		return "https"
	}
	return "http"
}

// State is the state that a node reports to another one.
type State struct {
	Member
	Revision  uint64 `json:"revision"`  // of its last commit
	Suspended bool   `json:"suspended"` // it accepts no writes, for example because its disk is full
}

// Serving returns the handler for other nodes, and the TLS configuration that accepts only
// them. Forwarded requests go to handler, with a context that Forwarded recognizes.
func (n *Node) Serving(handler http.Handler, state func() State) (http.Handler, *tls.Config) {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+alivePath, func(w http.ResponseWriter, _ *http.Request) {
		if state().Suspended {
			w.WriteHeader(http.StatusServiceUnavailable) // and another node should write
			return
		}
		if n.cutOff() {
			w.WriteHeader(http.StatusBadGateway) // the same, and forwarded requests may wait for long
			return
		}
		w.WriteHeader(http.StatusNoContent)
	})
	mux.HandleFunc("GET "+statePath, func(w http.ResponseWriter, _ *http.Request) {
		s := state()
		s.Member = n.self
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(s) // the other node has gone away
	})
	mux.Handle("/", received(handler))
	return mux, n.id.serving()
}

type forwardedKey struct{}

// Forwarded reports whether a request comes from another node.
func Forwarded(ctx context.Context) bool { return ctx.Value(forwardedKey{}) != nil }

// received turns a forwarded request back into what the client sent.
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
