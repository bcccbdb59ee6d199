package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/schema"
	"quire/server/edge"
	"quire/server/metrics"
)

// A mount is a part of the site that another handler serves, such as the admin. Its
// requests are limited, logged and counted like all others. The handler decides what they
// may see. It serves content on somebody's behalf through ServeAs.

// mount is a path and everything below it; for "/" only the path itself.
type mount struct {
	prefix  string
	handler http.Handler
	meter   *metrics.Meter
}

// Authenticator returns on whose behalf a request is served. A stream calls it again, from
// any goroutine, when that may have changed, and ends after an error.
type Authenticator func() (auth.Identity, error)

// Mount makes h serve the requests to a path and everything below it, "/admin", or only to
// "/". It must be called before anything is served. The responses have neither headers for
// other origins nor a Content-Security-Policy for pages; h sets its own.
func (s *Server) Mount(prefix string, h http.Handler) {
	s.mounts = append(s.mounts, mount{prefix, h, s.metrics.Meter("any", prefix)})
}

// mountOf returns what is mounted at a path, nil for nothing.
func (s *Server) mountOf(path string) *mount {
	for i := range s.mounts {
		m := &s.mounts[i]
		rest, below := strings.CutPrefix(path, m.prefix)
		if below && (rest == "" || rest[0] == '/' && m.prefix != "/") {
			return m
		}
	}
	return nil
}

// requestKey is the key of the request in the context of one that a mount serves.
type requestKey struct{}

// requestOf is the request that a mount serves.
func requestOf(r *http.Request) *request {
	x, ok := r.Context().Value(requestKey{}).(*request)
	if !ok {
		panic("server: the request does not come from a mount")
	}
	return x
}

// ServeAs serves a request for a route below /api on behalf of who. Other credentials of
// the request are ignored. r must have the context of a request that a mount serves.
//
// With the http.ResponseWriter of that request, the response is sent as the response of the
// whole request, also for a stream or an upload. With another one, see serveWithin.
func (s *Server) ServeAs(w http.ResponseWriter, r *http.Request, who Authenticator) {
	x := requestOf(r)
	r.URL.Path = trimSlashes(r.URL.Path)
	if w != http.ResponseWriter(x) {
		x.serveWithin(w, r, who)
		return
	}
	x.http, x.who = r, who
	x.serveBelowAPI()
}

// serveWithin serves a request of this process for a route below /api, on behalf of who; w
// takes its response. There may be several of these, one after the other; they share the
// time and the limits of the whole request.
func (x *request) serveWithin(w http.ResponseWriter, r *http.Request, who Authenticator) {
	inner := &request{ResponseWriter: w, server: x.server, site: x.site, http: r, who: who, mounted: x.mounted, within: true, id: x.id, due: x.due, meter: x.server.metrics.Other()}
	inner.share = &inner.own
	inner.share.BeginWithin(x.share, w, r)
	inner.watch.begun = time.Now()
	defer func() {
		inner.share.End()
		inner.release()
		x.due = inner.due
	}()
	inner.serveBelowAPI()
}

// within is the response to a request that another one makes in this process.
type within struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *within) Header() http.Header         { return w.header }
func (w *within) Write(b []byte) (int, error) { return w.body.Write(b) }
func (w *within) WriteHeader(status int)      { w.status = status }

// requestWithin makes a request for a route below /api on behalf of the caller of x, with the
// headers of x but for some. A nil body is none.
func (x *request) requestWithin(method string, to *url.URL, kind string, body []byte, without ...string) *within {
	return x.serveRequest(x.requestFor(x.http.Context(), method, to, kind, body, without...))
}

func (x *request) requestFor(ctx context.Context, method string, to *url.URL, kind string, body []byte, without ...string) *http.Request {
	r := x.http.Clone(ctx)
	r.Method, r.URL, r.RequestURI = method, to, ""
	for _, name := range without {
		r.Header.Del(name)
	}
	r.Body, r.ContentLength = http.NoBody, 0
	if body != nil {
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
		r.Header.Set("Content-Type", kind)
	}
	return r
}

// serveRequest serves a request of requestFor.
func (x *request) serveRequest(r *http.Request) *within {
	w := &within{header: http.Header{}, status: http.StatusOK}
	x.serveWithin(w, r, x.who)
	return w
}

func (x *request) serveBelowAPI() {
	if !strings.HasPrefix(x.http.URL.Path, "/api/") {
		x.fail(notFound())
		return
	}
	x.site.router.ServeHTTP(x, x.http)
}

// CallAs returns the call of a request that a mount serves, on behalf of who. All reads of
// the request see one snapshot.
func (s *Server) CallAs(r *http.Request, who Authenticator) (*documents.Call, error) {
	x := requestOf(r)
	if x.who == nil {
		identity, err := who()
		if err != nil {
			return nil, err
		}
		x.who = who
		x.setCaller(identity)
		x.call.V4 = false
	}
	return &x.call, nil
}

// Name sets the caller that the log names for a request that a mount serves.
func (s *Server) Name(r *http.Request, i auth.Identity) {
	x := requestOf(r)
	x.identity, x.caller = i, i.Caller
}

// Site returns the version of the site that a request of a mount is served with.
func (s *Server) Site(r *http.Request) *schema.Site { return requestOf(r).site.schema }

// Served returns the version of the site that the next request will be served with. It does
// not wait.
func (s *Server) Served() *schema.Site { return s.current.Load().schema }

// Reserve reserves memory for the response to a request that a mount serves, until it has been
// sent; n is the total number of bytes. Errors are for Fail.
func (s *Server) Reserve(r *http.Request, bytes int) error { return requestOf(r).Reserve(bytes) }

// Fail responds to a request that a mount serves with an error, as the server's own
// handlers do. Nothing may have been sent yet.
func (s *Server) Fail(r *http.Request, err error) { requestOf(r).fail(err) }

// Problem is an error for Fail: a status, a name such as "ValidationError", a message for
// people, and details, nil for none.
func Problem(status int, name, message string, details any) error {
	if details == nil {
		details = none{}
	}
	return &problem{status, name, message, details}
}

// KeyProblem is a Problem with a key of the body that is unknown or has a wrong value.
func KeyProblem(key, message string) error {
	return &problem{http.StatusBadRequest, "ValidationError", message, documents.BodyKey{Key: key, Source: "body"}}
}

// unknownKey refuses an unknown key of a body.
func unknownKey(what, key string) error {
	return KeyProblem(key[:min(len(key), 100)], fmt.Sprintf("%s does not know the key %.100q", what, key))
}

// ReadJSON reads the body of a request that a mount serves, up to the given number of
// bytes; empty for none. Errors are for Fail.
func (s *Server) ReadJSON(r *http.Request, most int64) ([]byte, error) {
	x := requestOf(r)
	kind, text, err := openBody(x, most)
	if err == nil && kind != jsonBody && x.http.ContentLength != 0 {
		err = invalid("The body must be JSON, and say so in Content-Type")
	}
	return text, err
}

// ReadFile passes the body of a request that a mount serves to take as it arrives, for as
// long as data arrives. The reader fails after the given number of bytes. Errors of the
// body are for Fail; other errors are those of take.
func (s *Server) ReadFile(r *http.Request, most int64, take func(io.Reader) error) error {
	x := requestOf(r)
	if x.http.ContentLength > most {
		return tooLarge(most)
	}
	if err := x.share.ReserveBody(fileBuffers); err != nil {
		return err
	}
	x.watch.lap()
	body := &bodyFile{left: most}
	err := x.share.Receive(true, func(b *edge.Body) error {
		b.Stream()
		body.from = b
		return take(body)
	})
	x.watch.receive = x.watch.lap()
	switch {
	case errors.Is(body.err, edge.ErrTooLong):
		return tooLarge(most)
	case body.err != nil && explainEdge(body.err) == nil:
		return invalid("The request body could not be read to its end")
	case body.err != nil:
		return body.err
	}
	return err
}

// bodyFile reads a body of limited length, and keeps its error.
type bodyFile struct {
	from io.Reader
	left int64
	err  error
}

func (f *bodyFile) Read(p []byte) (int, error) {
	n, err := f.from.Read(p)
	if f.left -= int64(n); f.left < 0 {
		n, err = 0, edge.ErrTooLong
	}
	if err != nil && err != io.EOF {
		f.err = err
	}
	return n, err
}

// SendJSON sends a whole JSON body for a request that a mount serves.
func (s *Server) SendJSON(r *http.Request, status int, body []byte) { requestOf(r).json(status, body) }

// Patient returns a writer for a response that a client may receive slowly, such as a large
// file, for as long as data moves. Other responses end after two minutes.
func (s *Server) Patient(r *http.Request) http.ResponseWriter {
	x := requestOf(r)
	return x.share.Patient(x)
}

// Client is the address of the client, or the zero address if it is unknown.
func (s *Server) Client(r *http.Request) netip.Addr { return requestOf(r).client() }

// Answered is the status of the response to a request that a mount serves; 0 before it has
// begun.
func (s *Server) Answered(r *http.Request) int { return requestOf(r).status }

// OverTLS reports whether the client uses TLS, up to this server or to a trusted proxy.
func (s *Server) OverTLS(r *http.Request) bool { return requestOf(r).overTLS() }

func (x *request) overTLS() bool {
	return edge.OverTLS(x.http, x.site.schema.Settings.Accounts.Proxies)
}
