package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"time"

	"github.com/julienschmidt/httprouter"

	"quire/audit"
	"quire/auth"
	"quire/content"
	"quire/media"
	"quire/store"
)

// serve is the way of every request: limits, headers, route, answer, log.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, server: s, edition: s.current.Load(), request: r}
	x.share = &x.own
	x.share.Begin(s.load, x.edition.site.Settings.Limits.Requests, w, r)
	x.watch.begun = time.Now()
	x.meter = s.metrics.Other()
	defer x.finish()            // which also holds the edition, and so the content that is read
	debug.SetPanicOnFault(true) // some content is in a file, and its disk may fail
	x.assignID()
	x.setSecurityHeaders()
	if err := x.arrive(); err != nil {
		x.fail(err)
		return
	}
	if b := x.edition.besideOf(r.URL.Path); b != nil {
		x.passBeside(b)
		return
	}
	if x.amongNodes() {
		return
	}
	if m := s.mountOf(r.URL.Path); m != nil {
		x.pass(m)
		return
	}
	if preflight(x, r) {
		return
	}
	r.URL.Path = trimSlashes(r.URL.Path)
	x.edition.router.ServeHTTP(x, r)
}

// arrive lets a request in, or returns why not.
func (x *exchange) arrive() error {
	limits := &x.edition.site.Settings.Limits
	if len(x.request.RequestURI) > limits.URLBytes {
		return uriTooLong(limits.URLBytes)
	}
	if err := x.share.JoinReads(); err != nil {
		return err
	}
	return x.checkRate()
}

func uriTooLong(limit int) *problem {
	return &problem{http.StatusRequestURITooLong, "URITooLongError",
		fmt.Sprintf("The URL is longer than %d bytes", limit), none{}}
}

// trimSlashes makes /api/dishes/ the same as /api/dishes, without the redirect
// that clients would have to follow.
func trimSlashes(path string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" {
		return "/"
	}
	return trimmed
}

// handler answers one route. An error that it returns has sent nothing yet.
type handler func(x *exchange) error

// handle makes a route of the table one of the router.
func (r *Route) handle(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
	x := w.(*exchange)
	route := r.meant(params)
	x.params, x.meter = params, route.meter
	answer := route.answer
	if x.part != nil {
		answer = route.prepare
	}
	if err := answer(x); err != nil {
		x.fail(err)
	}
}

func (r *Route) answer(x *exchange) error {
	if r.Method == http.MethodGet {
		x.server.metrics.CountRead()
	}
	if err := x.identify(); err != nil {
		return err
	}
	if err := r.permit(x); err != nil {
		if r.refused != nil {
			return r.refused(x, err)
		}
		return err
	}
	if err := r.admit(x); err != nil {
		return err
	}
	if r.Method != http.MethodGet {
		if err := x.share.JoinWrites(); err != nil {
			return err
		}
		x.request = x.request.WithContext(x.asCaller())
	}
	return r.handler(x)
}

// asCaller is a context whose writes are the caller's, and change what it may change.
func (x *exchange) asCaller() context.Context {
	ctx := x.request.Context()
	if audit.Of(ctx) == nil {
		ctx = audit.With(ctx, &audit.Source{By: x.identity.Actor(), From: x.client(), Way: audit.ByAPI})
	}
	return content.For(content.By(ctx, x.identity.Actor()), x.caller)
}

// permit refuses callers who may not use the route. It notes who may write drafts with
// it and nothing else.
func (r *Route) permit(x *exchange) error {
	switch {
	case r.inside && !x.caller.IsAdmin():
		return notFound()
	case x.previewed():
		return r.opensPreview(x)
	case r.Open || x.caller.Holds(r.Permission) || r.Instead != auth.Permission{} && x.caller.Holds(r.Instead):
		return nil
	case r.Draft != auth.Permission{} && x.caller.Holds(r.Draft):
		x.drafts = r
		return nil
	}
	return forbidden()
}

// fail answers with the error. What a client may not know goes to the log, under
// the id of the request.
func (x *exchange) fail(err error) {
	if x.part != nil {
		x.part.err = err // which the batch answers with
		return
	}
	if x.status != 0 {
		x.server.log.Error("answer broken off", "id", x.id[0], "error", err)
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, context.Canceled) && x.request.Context().Err() != nil {
		x.status = clientGone
		x.share.AbandonBody()
		x.ResponseWriter.WriteHeader(http.StatusServiceUnavailable) // or a client that only stopped sending would read 200
		return
	}
	if store.Suspends(err) {
		x.server.log.Error("the data file takes no writes", "id", x.id[0], "error", err)
		x.edition.suspended()
	}
	p := explain(err)
	x.nameChanges(p, err)
	switch {
	case p == nil:
		p = x.server.report(x.id[0], err, nil)
	case errors.As(err, new(*media.UnreachableError)):
		x.server.log.Error("the object store fails", "id", x.id[0], "error", err)
	case explainDisk(err) != nil && !store.Suspends(err):
		x.server.log.Error("the disk does not take what is written", "id", x.id[0], "error", err)
	}
	if cap(x.buffer) > maxKeptBuffer {
		x.buffer = nil // an answer that is not sent
	}
	x.dropTag()
	x.setRequestID()
	p.headers(x.Header())
	if x.mounted != "" {
		delete(x.Header(), "Www-Authenticate") // it takes no such credential
	}
	x.setRetryAfter(err)
	x.setStreamRetry(err)
	x.json(p.Status, p.body())
}

// clientGone stands in the log for a client that closed the connection before
// the answer was ready.
const clientGone = 499

// report logs what should not have happened while it answered the request of
// that id.
func (s *Server) report(id string, err error, stack []byte) *problem {
	attributes := []any{"id", id, "error", err}
	if stack != nil {
		attributes = append(attributes, "stack", string(stack))
	}
	s.log.Error("internal error", attributes...)
	return internal(id)
}

// finish ends the exchange, however its handler ended, and logs it.
func (x *exchange) finish() {
	fault := recover()
	if fault != nil && fault != http.ErrAbortHandler {
		fault = x.survive(fault)
	}
	x.share.End()
	x.server.release(x.buffer)
	took := time.Since(x.watch.begun)
	if x.streamed > 0 {
		took = x.streamed // how long somebody listens is no matter of speed
	}
	x.count(took)
	x.log(took)
	x.logSlow(took)
	if x.watch.plan != nil {
		x.server.plans.Put(x.watch.plan)
	}
	if fault != nil {
		panic(fault) // which breaks the connection off
	}
}

// survive answers although the handler panicked. If it had begun to answer, there
// is no way to go on, and what is returned breaks the connection off.
func (x *exchange) survive(fault any) any {
	x.server.metrics.CountPanic()
	p := x.server.report(x.id[0], fmt.Errorf("panic: %v", fault), debug.Stack())
	if x.status != 0 {
		return http.ErrAbortHandler
	}
	x.dropTag()
	x.setRequestID()
	x.json(p.Status, p.body())
	return nil
}

// count adds the request to the metrics.
func (x *exchange) count(took time.Duration) {
	x.server.metrics.CountSent(x.size)
	x.meter.Count(x.status, took)
}

// log writes the line of the request. The query stays out of it: it may hold what
// is nobody's business.
func (x *exchange) log(took time.Duration) {
	if !x.server.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	caller, path := "-", x.request.URL.Path
	if x.caller != nil {
		caller = x.identity.String()
	}
	if x.mounted != "" {
		path = x.mounted
	}
	// Not through LogAttrs, which looks for its caller's line of code in the stack.
	line := slog.NewRecord(x.watch.begun.Add(took), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("id", x.id[0]), slog.String("method", x.request.Method), slog.String("path", path),
		slog.Int("status", x.status), slog.Int("bytes", x.size),
		slog.Duration("took", took), slog.String("caller", caller))
	_ = x.server.log.Handler().Handle(context.Background(), line) // where would one say that nothing can be said
}

// maxKeptBuffer bounds the memory that idle buffers hold.
const maxKeptBuffer = 1 << 20

// scratch returns an empty buffer for the answer. It is reused after the exchange.
func (x *exchange) scratch() []byte {
	if x.buffer != nil {
		return x.buffer[:0]
	}
	if b, ok := x.server.buffers.Get().(*[]byte); ok {
		if !x.share.TryHoldAnswer(int64(cap(*b))) {
			x.server.buffers.Put(b)
			return nil
		}
		x.buffer = (*b)[:0]
	}
	return x.buffer
}

func (s *Server) release(b []byte) {
	if cap(b) > 0 && cap(b) <= maxKeptBuffer {
		s.buffers.Put(&b)
	}
}
