package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"quire/documents"
	"quire/server/mcp"
)

// LocalGet is a GET request of this process to itself, for a command.
type LocalGet struct {
	Path    string        // below /api, without a slash before it: "restaurants/k4hx"
	Query   string        // as in a URL; empty for none
	Explain bool          // whether the response has the plan; only for a caller of full access
	Who     Authenticator // on whose behalf it is answered
}

// Response is the response to a LocalGet.
type Response struct {
	Status int
	Body   []byte // JSON
	Plan   string // how the query was executed, in one line; empty if not requested
}

// LargestReading is the maximum size of the body of a Response, in bytes.
const LargestReading = 32 << 20

// Read answers a request of this process like one of a client, with the same routes,
// permissions and limits, but without the limit on the rate of an address. It returns an
// error if ctx is done, or if the response is larger than LargestReading or not JSON.
func (s *Server) Read(ctx context.Context, r LocalGet) (Response, error) {
	get := (&http.Request{
		Method: http.MethodGet, URL: &url.URL{Path: "/api/" + r.Path, RawQuery: r.Query}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: http.Header{}, Body: http.NoBody, RemoteAddr: "127.0.0.1:0",
	}).WithContext(ctx)
	if r.Explain {
		get.Header[explainHeader] = []string{"1"}
	}
	kept := &keptResponse{header: http.Header{}}
	s.serveHere(kept, get, func(x *request) {
		x.who = r.Who
		x.site.router.ServeHTTP(x, x.http)
	})
	switch kind := kept.header.Get("Content-Type"); {
	case ctx.Err() != nil:
		return Response{}, ctx.Err()
	case kept.large:
		return Response{}, fmt.Errorf("the response has more than %d MiB; ask for fewer entries or fields", LargestReading>>20)
	case !strings.HasPrefix(kind, "application/json"):
		return Response{}, errors.New("the response is not JSON, but " + kind)
	}
	return Response{kept.status, kept.body, kept.header.Get(planHeader)}, nil
}

// Ask calls fn with a call of documents on behalf of who, with the limits of a request.
func (s *Server) Ask(ctx context.Context, who Authenticator, fn func(context.Context, *documents.Call) error) (err error) {
	identity, err := who()
	if err != nil {
		return err
	}
	r := (&http.Request{Method: http.MethodPost, URL: &url.URL{Path: "/"}, Header: http.Header{}, Body: http.NoBody, RemoteAddr: "127.0.0.1:0"}).WithContext(ctx)
	x := s.requestHere(&keptResponse{header: http.Header{}}, r, who)
	defer x.finish()
	x.setCaller(identity)
	if err := x.share.JoinWrites(); err != nil {
		return err
	}
	return fn(x.http.Context(), &x.call)
}

// requestHere begins a request of this process, which the caller finishes.
func (s *Server) requestHere(w http.ResponseWriter, r *http.Request, who Authenticator) *request {
	x := &request{ResponseWriter: w, server: s, site: s.current.Load(), http: r, within: true, who: who}
	x.share = &x.own
	x.share.Begin(s.load, x.site.schema.Settings.Limits.Requests, w, r)
	x.watch.begun = time.Now()
	x.meter = s.metrics.Other()
	x.assignID()
	return x
}

// serveHere is serve for a request of this process.
func (s *Server) serveHere(w http.ResponseWriter, r *http.Request, serve func(*request)) {
	x := s.requestHere(w, r, nil)
	defer x.finish()
	limits := &x.site.schema.Settings.Limits
	if len(r.URL.Path)+len(r.URL.RawQuery) >= limits.URLBytes {
		x.fail(uriTooLong(limits.URLBytes))
		return
	}
	if err := x.share.JoinReads(); err != nil {
		x.fail(err)
		return
	}
	r.URL.Path = trimSlashes(r.URL.Path)
	serve(x)
}

// Tell answers a message that an assistant sends through a command, whether or not site.json
// lets assistants use the site over the network. header has the headers of the protocol. The
// body of the response is empty for a message without an answer.
func (s *Server) Tell(ctx context.Context, agent func() (*mcp.Agent, error), header http.Header, message []byte) (Response, error) {
	r := (&http.Request{
		Method: http.MethodPost, URL: &url.URL{Path: mcpPath}, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: header.Clone(), Body: io.NopCloser(bytes.NewReader(message)), ContentLength: int64(len(message)), RemoteAddr: "127.0.0.1:0",
	}).WithContext(ctx)
	r.Header.Set("Content-Type", "application/json")
	kept := &keptResponse{header: http.Header{}}
	s.serveHere(kept, r, func(x *request) {
		if err := x.serveAs(agent); err != nil {
			x.fail(err)
		}
	})
	return Response{Status: kept.status, Body: kept.body}, ctx.Err()
}

// keptResponse stores a response of up to LargestReading bytes.
type keptResponse struct {
	status int
	header http.Header
	body   []byte
	large  bool // whether the response was larger
}

func (k *keptResponse) Header() http.Header { return k.header }

func (k *keptResponse) WriteHeader(status int) {
	if k.status == 0 {
		k.status = status
	}
}

func (k *keptResponse) Write(p []byte) (int, error) {
	k.WriteHeader(http.StatusOK)
	if k.large = k.large || len(k.body)+len(p) > LargestReading; k.large {
		return len(p), nil
	}
	k.body = append(k.body, p...)
	return len(p), nil
}
