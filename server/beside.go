package server

import (
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httputil"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"quire/event/webhook"
	"quire/schema"
	"quire/schema/settings"
	"quire/server/edge"
	"quire/server/metrics"
)

// What a process beside the site answers: the paths that site.json gives to it under
// "proxy". Its requests pass the limits, and are logged and counted, like all others; who
// may send them is the process's business.

const (
	besideRequests = 128 // that are passed on to a process at a time
	besideEach     = 64  // of these for one address, unless it is this machine's own
	besideConnect  = 5 * time.Second
	besideAnswer   = 30 * time.Second // until the header of an answer has come
	besideHeaders  = 64 << 10         // bytes of it
)

// beside is a path that another process answers.
type beside struct {
	settings.ProxyRoute
	target    *url.URL
	transport *http.Transport
	places    *edge.Places // one for each request that is passed on to the process
	meter     *metrics.Meter
}

// besides are the paths of an edition, the longest first.
func besides(s *settings.Settings, m *metrics.Metrics) (all []*beside) {
	places := map[string]*edge.Places{} // by target
	for _, r := range s.Proxy {
		target, err := url.Parse(r.Target)
		if err != nil {
			continue // it was read with the site, and is an address
		}
		t := webhook.NewTransport(s.Events.Beside(r.Target), nil, besideConnect)
		t.ResponseHeaderTimeout, t.MaxResponseHeaderBytes, t.MaxIdleConnsPerHost = besideAnswer, besideHeaders, besideRequests
		if places[r.Target] == nil {
			places[r.Target] = new(edge.Places)
		}
		all = append(all, &beside{r, target, t, places[r.Target], m.Meter("any", r.Prefix)})
	}
	return all
}

// besideOf is who answers a path beside the site; nil for nobody.
func (e *edition) besideOf(path string) *beside {
	for _, b := range e.beside {
		if rest, below := strings.CutPrefix(path, b.Prefix); below && (rest == "" || rest[0] == '/') {
			return b
		}
	}
	return nil
}

// closeBesides gives up the connections that wait for the next request.
func (e *edition) closeBesides() {
	for _, b := range e.beside {
		b.transport.CloseIdleConnections()
	}
}

// passBeside has a process beside the site answer the request.
func (x *exchange) passBeside(b *beside) {
	x.meter = b.meter
	if err := x.passBesideWithin(b); err != nil && x.status == 0 {
		x.fail(err)
	}
}

func (x *exchange) passBesideWithin(b *beside) error {
	most := x.edition.site.Settings.Upload.SizeLimit
	switch r := x.request; {
	case strings.EqualFold(r.Header.Get("Upgrade"), "websocket"):
		return &problem{http.StatusNotImplemented, "NotImplementedError", "WebSockets are not passed on; use server-sent events, or another address", none{}}
	case hasDotSegment(r.URL.Path):
		return invalid("A path that is passed on has no . and .. in it")
	case r.ContentLength > most:
		return tooLarge(most)
	}
	leave, err := b.takePlace(x.client())
	if err != nil {
		return unavailable("Too many requests are passed on to other programs; try again")
	}
	defer leave()
	var broken any // what a proxy panics with when an answer breaks off
	err = x.share.Receive(true, func(body *edge.Body) error {
		defer func() { broken = recover() }()
		body.Stream()
		return b.pass(x, &bodyFile{from: body, left: most})
	})
	if broken != nil {
		panic(broken)
	}
	return err
}

// takePlace takes the place of one request. Programs of this machine, such as a front end
// that asks for all of its visitors, can have all places.
func (b *beside) takePlace(from netip.Addr) (leave func(), err error) {
	each := besideEach
	if from.Unmap().IsLoopback() {
		each = besideRequests
	}
	return b.places.Take(from, besideRequests, each)
}

// hasDotSegment reports whether a process may read a path as one that leaves its place:
// some take \ for /, and leave out what follows a semicolon.
func hasDotSegment(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// pass passes the request on, with the body as it arrives. The error says what to answer.
func (b *beside) pass(x *exchange, body *bodyFile) error {
	r := x.request.WithContext(x.request.Context())
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = io.NopCloser(body)
		}
	default:
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if r.ContentLength == 0 {
		_, _ = body.Read(make([]byte, 1)) // its end, after which the answer may take as long as it needs
	}
	var failed error
	proxy := httputil.ReverseProxy{
		Transport:      final{b.transport},
		FlushInterval:  -1,
		Rewrite:        func(p *httputil.ProxyRequest) { b.rewrite(x, p) },
		ModifyResponse: func(a *http.Response) error { return b.takeHeaders(x, a) },
		ErrorHandler:   func(_ http.ResponseWriter, _ *http.Request, err error) { failed = err },
		ErrorLog:       log.New(io.Discard, "", 0),
	}
	proxy.ServeHTTP(x.share.Patient(x), r)
	switch {
	case failed == nil:
		return nil
	case errors.Is(body.err, edge.ErrTooLong):
		return tooLarge(x.edition.site.Settings.Upload.SizeLimit)
	case x.request.Context().Err() != nil:
		return x.request.Context().Err()
	case body.err != nil && explainEdge(body.err) == nil:
		return invalid("The request body could not be read to its end")
	case body.err != nil:
		return body.err
	}
	x.server.log.Warn("the program beside the site does not answer", "id", x.id[0], "path", b.Prefix, "error", webhook.WithoutURL(failed))
	return &problem{http.StatusBadGateway, "BadGatewayError", "The program that answers this path does not answer; try again later", none{}}
}

// checkProxy reports the paths of "proxy" that are Quire's.
func checkProxy(site *schema.Site, routes []Route) (problems []error) {
	for _, p := range site.Settings.Proxy {
		if p.Prefix == "/admin" || strings.HasPrefix(p.Prefix, "/admin/") {
			problems = append(problems, fmt.Errorf("proxy[%q]: /admin is the admin; choose another path", p.Prefix))
			continue
		}
		for _, r := range routes {
			if covers(p.Prefix, r.Path) {
				problems = append(problems, fmt.Errorf("proxy[%q]: %s %s is a route of Quire; choose another path", p.Prefix, r.Method, r.Path))
				break
			}
		}
	}
	return problems
}

// covers reports whether a path, or one below it, can be that of a route.
func covers(prefix, route string) bool {
	of := strings.Split(route, "/")
	for i, segment := range strings.Split(prefix, "/") {
		switch {
		case i == len(of):
			return false
		case strings.HasPrefix(of[i], "*"):
			return true
		case of[i] != segment && !strings.HasPrefix(of[i], ":"):
			return false
		}
	}
	return true
}
