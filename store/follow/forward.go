package follow

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/http/httputil"
	"strconv"
	"strings"
	"sync/atomic"
	"time"
)

// Headers that a follower adds to a request that it forwards, and the leader takes off.
const (
	TokenHeader  = "Quire-Follower" // the token of the follower, without which the others mean nothing
	ClientHeader = "Quire-Client"   // the address of the client
	HostHeader   = "Quire-Client-Host"
	ProtoHeader  = "Quire-Client-Scheme" // by which it came: http or https

	// RevisionHeader of the leader's response names the last commit then.
	RevisionHeader = "Quire-Revision"
)

var (
	// ErrNotForwarded: nothing of a request was sent to the leader.
	ErrNotForwarded = errors.New("follow: the leader cannot be reached; nothing was sent")

	// ErrUnknownOutcome: a request was sent, and there was no response. It may have been done.
	ErrUnknownOutcome = errors.New("follow: the leader did not answer, and may have done what was asked")

	errSilent = errors.New("the leader is silent")
)

// Forwarder passes requests of clients on to the leader.
type Forwarder struct {
	journal   *Feed
	transport *http.Transport
	await     func(ctx context.Context, revision uint64) error // until the file has the commit
}

// mostSilent is how long a leader may say nothing while a request waits for its response.
const mostSilent = 10 * time.Second

// awaitTime is how long a response is held back until this follower has what it shows.
const awaitTime = 3 * time.Second

// NewForwarder returns a forwarder. It holds back a response until await has returned.
func NewForwarder(j *Feed, await func(ctx context.Context, revision uint64) error) *Forwarder {
	transport := &http.Transport{
		DialContext:            (&net.Dialer{Timeout: dialTime}).DialContext,
		TLSClientConfig:        j.leader.client.Transport.(*http.Transport).TLSClientConfig.Clone(),
		TLSHandshakeTimeout:    dialTime,
		IdleConnTimeout:        time.Minute,
		MaxIdleConnsPerHost:    64,
		DisableCompression:     true,
		MaxResponseHeaderBytes: 1 << 20,
	}
	return &Forwarder{j, transport, await}
}

// Forward makes the leader answer a request. It holds back the response to a write, and to a
// read if shows says so, until this server shows what it is about. The error is
// ErrNotForwarded, ErrUnknownOutcome or context.Canceled, and then nothing was answered.
func (f *Forwarder) Forward(w http.ResponseWriter, r *http.Request, shows bool) error {
	ctx, end := f.whileHeard(r.Context())
	defer end()
	sent := new(atomic.Bool)
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { sent.Store(true) }})
	var failed error
	proxy := httputil.ReverseProxy{
		Transport:     f.transport,
		Rewrite:       f.passOn,
		FlushInterval: -1,
		ErrorHandler:  func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:      discarded,
		ModifyResponse: func(response *http.Response) error {
			clear(w.Header()) // the response of the leader replaces this one's
			if shows || r.Method != http.MethodGet && r.Method != http.MethodHead {
				f.awaitShown(ctx, response)
			}
			return nil
		},
	}
	proxy.ServeHTTP(w, r.WithContext(ctx))
	switch {
	case failed == nil:
		return nil
	case r.Context().Err() != nil:
		return context.Canceled
	case !sent.Load():
		return fmt.Errorf("%w: %v", ErrNotForwarded, failed)
	}
	return fmt.Errorf("%w: %v", ErrUnknownOutcome, failed)
}

// awaitShown waits until this follower shows what a write has changed, or what a read has
// shown, so that its client reads it here. If that takes too long, the response says that reads
// may be stale.
func (f *Forwarder) awaitShown(ctx context.Context, response *http.Response) {
	revision, err := strconv.ParseUint(response.Header.Get(RevisionHeader), 10, 64)
	if err != nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, awaitTime)
	defer cancel()
	if f.await(ctx, revision) != nil {
		response.Header.Set("Quire-Stale", "true")
	}
}

// whileHeard returns a context that ends if the leader has been silent for too long.
func (f *Forwarder) whileHeard(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	begun := time.Now()
	var check func()
	var timer atomic.Pointer[time.Timer]
	check = func() {
		if quiet := time.Since(f.journal.heardAt(begun)); quiet > mostSilent {
			cancel(errSilent)
			return
		}
		if ctx.Err() == nil {
			timer.Store(time.AfterFunc(mostSilent/4, check))
		}
	}
	timer.Store(time.AfterFunc(mostSilent, check))
	return ctx, func() {
		cancel(nil)
		timer.Load().Stop()
	}
}

// heardAt returns when the leader was last heard from, or a later time.
func (j *Feed) heardAt(begun time.Time) time.Time {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.heard.After(begun) {
		return j.heard
	}
	return begun
}

// passOn turns a request of a client into one to the leader.
func (f *Forwarder) passOn(p *httputil.ProxyRequest) {
	l := f.journal.leader
	p.Out.URL.Scheme, p.Out.URL.Host, p.Out.Host = l.address.Scheme, l.address.Host, l.address.Host
	p.Out.URL.RawQuery = p.In.URL.RawQuery // the leader reports errors in it
	p.Out.Trailer = nil
	for _, name := range ofConnection {
		delete(p.Out.Header, name)
	}
	for name := range p.Out.Header { // in whatever case a client wrote it
		switch {
		case strings.EqualFold(name, TokenHeader), strings.EqualFold(name, ClientHeader), strings.EqualFold(name, HostHeader), strings.EqualFold(name, ProtoHeader):
			delete(p.Out.Header, name)
		}
	}
	scheme := "http"
	if p.In.TLS != nil {
		scheme = "https"
	}
	p.Out.Header.Set(TokenHeader, l.token)
	p.Out.Header.Set(ClientHeader, p.In.RemoteAddr)
	p.Out.Header.Set(HostHeader, p.In.Host)
	p.Out.Header.Set(ProtoHeader, scheme)
	for _, name := range forwardingHeaders {
		if values, given := p.In.Header[name]; given {
			p.Out.Header[name] = values
		}
	}
}

// discarded drops what the proxy logs about clients that go away.
var discarded = log.New(io.Discard, "", 0)

// forwardingHeaders are what proxies before this server say about the client. Whether they
// are trusted is a setting of the site.
var forwardingHeaders = []string{"Forwarded", "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto"}

// ofConnection are headers between the client and this server.
var ofConnection = []string{"Connection", "Expect", "Te", "Upgrade"}
