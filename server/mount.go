package server

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"quire/auth"
	"quire/schema"
	"quire/server/edge"
	"quire/server/metrics"
)

// A mount is a part of the site that another handler answers, such as the admin. Its
// requests pass the limits, and are logged and counted, like all others; what they may
// see is the handler's business. It answers content in somebody's name through ServeAs.

// mount is a path and all below it; of "/" it is the path alone.
type mount struct {
	prefix  string
	handler http.Handler
	meter   *metrics.Meter
}

// Authenticator finds out in whose name a request is served. A stream asks again, from
// any goroutine, whenever that may have changed; after an error it ends.
type Authenticator func() (auth.Identity, error)

// Mount has h answer the requests to a path and to all below it, "/admin", or to "/"
// alone. It must be called before anything is served. What h writes to has neither
// headers for other origins nor a Content-Security-Policy for pages; h sets its own.
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

// exchangeKey leads from the context of a request that a mount answers to its exchange.
type exchangeKey struct{}

// exchangeOf is the exchange of a request that a mount answers.
func exchangeOf(r *http.Request) *exchange {
	x, ok := r.Context().Value(exchangeKey{}).(*exchange)
	if !ok {
		panic("server: the request does not come from a mount")
	}
	return x
}

// pass passes the request on to what is mounted at its path.
func (x *exchange) pass(m *mount) {
	x.mounted, x.meter = x.request.URL.Path, m.meter
	delete(x.Header(), "Access-Control-Allow-Origin")
	x.request = x.request.WithContext(context.WithValue(x.request.Context(), exchangeKey{}, x))
	m.handler.ServeHTTP(x, x.request)
}

// ServeAs answers a request for a route below /api in the name that who gives. Other
// credentials that the request has are not read. r must have the context of a request
// that a mount answers.
//
// With the http.ResponseWriter of that request its answer is sent as that of the whole
// request, a stream or an upload too. With another one it is a request of this process,
// whose answer the handler reads: there may be several, one after the other; they have
// the time and the place of the whole request.
func (s *Server) ServeAs(w http.ResponseWriter, r *http.Request, who Authenticator) {
	x := exchangeOf(r)
	r.URL.Path = trimSlashes(r.URL.Path)
	if w == http.ResponseWriter(x) {
		x.request = r
	} else {
		outer := x
		x = &exchange{ResponseWriter: w, server: s, edition: outer.edition, request: r, mounted: outer.mounted, within: true, id: outer.id, due: outer.due, meter: s.metrics.Other()}
		x.share = &x.own
		x.share.BeginWithin(outer.share, w, r)
		x.watch.begun = time.Now()
		defer func() {
			x.share.End()
			s.release(x.buffer)
			outer.due = x.due
		}()
	}
	x.who = who
	if !strings.HasPrefix(r.URL.Path, "/api/") {
		x.fail(notFound())
		return
	}
	x.edition.router.ServeHTTP(x, r)
}

// Name has the log say in whose name a request is served that a mount answers.
func (s *Server) Name(r *http.Request, i auth.Identity) {
	x := exchangeOf(r)
	x.identity, x.caller = i, i.Caller
}

// Site is the version of the site by which a request is served that a mount answers.
func (s *Server) Site(r *http.Request) *schema.Site { return exchangeOf(r).edition.site }

// Served is the version of the site by which the next request will be served. It waits for
// nothing.
func (s *Server) Served() *schema.Site { return s.current.Load().site }

// Hold takes memory for what a request that a mount answers is answered with, until it
// has been sent: so many bytes all in all. Errors are for Fail.
func (s *Server) Hold(r *http.Request, bytes int) error { return exchangeOf(r).Hold(bytes) }

// Fail answers a request that a mount answers with an error, as the server's own
// handlers do; nothing must have been sent yet.
func (s *Server) Fail(r *http.Request, err error) { exchangeOf(r).fail(err) }

// Problem is an error that Fail answers with: a status, a name such as
// "ValidationError", a message for people, and details, nil for none.
func Problem(status int, name, message string, details any) error {
	if details == nil {
		details = none{}
	}
	return &problem{status, name, message, details}
}

// KeyProblem is a Problem with a key of the body, which does not belong there or has the
// wrong value.
func KeyProblem(key, message string) error {
	return &problem{http.StatusBadRequest, "ValidationError", message, bodyKey{key, nil, "body"}}
}

// unknownKey refuses a key that a body of this kind does not have.
func unknownKey(what, key string) error {
	return KeyProblem(key[:min(len(key), 100)], fmt.Sprintf("%s does not know the key %.100q", what, key))
}

// ReadJSON reads the body of a request that a mount answers, of so many bytes at most;
// empty for none. Errors are for Fail.
func (s *Server) ReadJSON(r *http.Request, most int64) ([]byte, error) {
	x := exchangeOf(r)
	kind, text, err := openBody(x, most)
	if err == nil && kind != jsonBody && x.request.ContentLength != 0 {
		err = invalid("The body must be JSON, and say so in Content-Type")
	}
	return text, err
}

// ReadFile has take read the body of a request that a mount answers, as it arrives and for
// as long as it moves. The reader fails after so many bytes. What is wrong with the body is
// for Fail; other errors are those of take.
func (s *Server) ReadFile(r *http.Request, most int64, take func(io.Reader) error) error {
	x := exchangeOf(r)
	if x.request.ContentLength > most {
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

// bodyFile reads a body of a bounded length, and keeps the error of that.
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

// SendJSON answers a request that a mount answers with a whole JSON body.
func (s *Server) SendJSON(r *http.Request, status int, body []byte) { exchangeOf(r).json(status, body) }

// Patient is the writer of an answer that a client may take long to take, such as a large
// file, for as long as it moves. Others are broken off after two minutes.
func (s *Server) Patient(r *http.Request) http.ResponseWriter {
	x := exchangeOf(r)
	return x.share.Patient(x)
}

// Client is the address that a request comes from, the zero address where that is not
// known.
func (s *Server) Client(r *http.Request) netip.Addr { return exchangeOf(r).client() }

// Answered is the status of the answer to a request that a mount answers; 0 before it has
// begun.
func (s *Server) Answered(r *http.Request) int { return exchangeOf(r).status }

// OverTLS reports whether the client uses TLS, up to this server or to a trusted proxy.
func (s *Server) OverTLS(r *http.Request) bool {
	return edge.OverTLS(r, exchangeOf(r).edition.site.Settings.Accounts.Proxies)
}
