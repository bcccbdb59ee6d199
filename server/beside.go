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

	"quire/notify/webhook"
	"quire/schema"
	"quire/schema/settings"
	"quire/server/edge"
	"quire/server/metrics"
)

// A process beside the site answers the paths that site.json lists under "proxy". Its
// requests are limited, logged and counted like all others. The process itself decides
// who may send them.

const (
	besideRequests = 128 // requests that one process answers at a time
	besideEach     = 64  // of these for one address, except addresses of this machine
	besideConnect  = 5 * time.Second
	besideAnswer   = 30 * time.Second // until the header of a response has arrived
	besideHeaders  = 64 << 10         // size of that header
)

// beside is a path that another process answers.
type beside struct {
	settings.ProxyRoute
	target    *url.URL
	transport *http.Transport
	places    *edge.Occupancy // one for each request in progress
	meter     *metrics.Meter
}

// besides returns the paths of a version of the site, the longest first.
func besides(s *settings.Settings, m *metrics.Metrics) (all []*beside) {
	places := map[string]*edge.Occupancy{} // by target
	for _, r := range s.Proxy {
		target, err := url.Parse(r.Target)
		if err != nil {
			continue // impossible: loading the site has checked the address
		}
		t := webhook.NewTransport(s.Events.Beside(r.Target), nil, besideConnect)
		t.ResponseHeaderTimeout, t.MaxResponseHeaderBytes, t.MaxIdleConnsPerHost = besideAnswer, besideHeaders, besideRequests
		if places[r.Target] == nil {
			places[r.Target] = new(edge.Occupancy)
		}
		all = append(all, &beside{r, target, t, places[r.Target], m.Meter("any", r.Prefix)})
	}
	return all
}

// besideOf returns the process that answers a path; nil for none.
func (e *siteVersion) besideOf(path string) *beside {
	for _, b := range e.beside {
		if rest, below := strings.CutPrefix(path, b.Prefix); below && (rest == "" || rest[0] == '/') {
			return b
		}
	}
	return nil
}

// passBeside lets the process answer the request.
func (x *request) passBeside(b *beside) {
	x.meter = b.meter
	if err := x.passBesideWithin(b); err != nil && x.status == 0 {
		x.fail(err)
	}
}

func (x *request) passBesideWithin(b *beside) error {
	most := x.site.schema.Settings.Upload.SizeLimit
	switch r := x.http; {
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
	var broken any // a proxy panics with it if the response breaks off
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

// takePlace takes a place for one request. Programs of this machine, such as a front end
// that sends requests for all of its visitors, can take all places.
func (b *beside) takePlace(from netip.Addr) (leave func(), err error) {
	each := besideEach
	if from.Unmap().IsLoopback() {
		each = besideRequests
	}
	return b.places.Take(from, besideRequests, each)
}

// hasDotSegment reports whether a process may read a path as one outside the prefix. Some
// read \ as /, and ignore what follows a semicolon.
func hasDotSegment(path string) bool {
	for segment := range strings.FieldsFuncSeq(path, func(r rune) bool { return r == '/' || r == '\\' }) {
		if name, _, _ := strings.Cut(segment, ";"); name == "." || name == ".." {
			return true
		}
	}
	return false
}

// pass forwards the request while its body arrives. An error becomes the response.
func (b *beside) pass(x *request, body *bodyFile) error {
	r := x.http.WithContext(x.http.Context())
	switch r.Method {
	case http.MethodPost, http.MethodPut, http.MethodPatch:
		if r.Body != nil && r.Body != http.NoBody {
			r.Body = io.NopCloser(body)
		}
	default:
		r.Body, r.ContentLength = http.NoBody, 0
	}
	if r.ContentLength == 0 {
		_, _ = body.Read(make([]byte, 1)) // reads the end of the body; after that, the response has no deadline
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
		return tooLarge(x.site.schema.Settings.Upload.SizeLimit)
	case x.http.Context().Err() != nil:
		return x.http.Context().Err()
	case body.err != nil && explainEdge(body.err) == nil:
		return invalid("The request body could not be read to its end")
	case body.err != nil:
		return body.err
	}
	x.server.log.Warn("the program beside the site does not answer", "id", x.id[0], "path", b.Prefix, "error", webhook.WithoutURL(failed))
	return &problem{http.StatusBadGateway, "BadGatewayError", "The program that answers this path does not answer; try again later", none{}}
}

// checkProxy reports the paths in "proxy" that belong to Quire.
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

// covers reports whether a path, or one below it, can be the path of a route.
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
