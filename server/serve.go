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

	"quire/content"
	"quire/content/audit"
	"quire/documents"
	"quire/media"
	"quire/store"
)

// serve handles every request: limits, headers, route, response, log.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	x := &request{ResponseWriter: w, server: s, site: s.current.Load(), http: r}
	x.share = &x.own
	x.share.Begin(s.load, x.site.schema.Settings.Limits.Requests, w, r)
	x.watch.begun = time.Now()
	x.meter = s.metrics.Other()
	defer x.finish()            // also keeps the version of the site, and so its content, in use until then
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
	x.assignID()
	x.setSecurityHeaders()
	if err := x.accept(); err != nil {
		x.fail(err)
		return
	}
	if b := x.site.besideOf(r.URL.Path); b != nil {
		x.passBeside(b)
		return
	}
	if x.amongNodes() {
		return
	}
	if m := s.mountOf(r.URL.Path); m != nil {
		x.mounted, x.meter = x.http.URL.Path, m.meter
		delete(x.Header(), "Access-Control-Allow-Origin")
		x.http = x.http.WithContext(context.WithValue(x.http.Context(), requestKey{}, x))
		m.handler.ServeHTTP(x, x.http)
		return
	}
	if preflight(x, r) {
		return
	}
	r.URL.Path = trimSlashes(r.URL.Path)
	if !x.passCode() {
		x.site.router.ServeHTTP(x, r)
	}
}

// accept accepts a request, or returns why not.
func (x *request) accept() error {
	limits := &x.site.schema.Settings.Limits
	if len(x.http.RequestURI) > limits.URLBytes {
		return uriTooLong(limits.URLBytes)
	}
	if err := x.share.JoinReads(); err != nil {
		return err
	}
	refused := x.receive()
	if err := x.checkRate(); err != nil {
		return err
	}
	return refused
}

func uriTooLong(limit int) *problem {
	return &problem{http.StatusRequestURITooLong, "URITooLongError",
		fmt.Sprintf("The URL is longer than %d bytes", limit), none{}}
}

// trimSlashes makes /api/dishes/ the same as /api/dishes, without a redirect.
func trimSlashes(path string) string {
	trimmed := strings.TrimRight(path, "/")
	if trimmed == "" {
		return "/"
	}
	return trimmed
}

// handler serves one route. If it returns an error, it has sent nothing.
type handler func(x *request) error

// handle turns a route of the table into one of the router.
func (r *Route) handle(w http.ResponseWriter, _ *http.Request, params httprouter.Params) {
	x := w.(*request)
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

func (r *Route) answer(x *request) error {
	if r.Method == http.MethodGet {
		x.server.metrics.CountRead()
	}
	if r.identifies {
		return r.handler(x)
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
	if err := r.checkQuery(x); err != nil {
		return err
	}
	if err := r.admit(x); err != nil {
		return err
	}
	if err := x.call.ShowForm(x.http.Context()); err != nil {
		return err
	}
	if r.Method != http.MethodGet && !r.reads {
		if err := r.refuseConditions(x); err != nil {
			return err
		}
		if err := x.share.JoinWrites(); err != nil {
			return err
		}
		x.http = x.http.WithContext(x.asCaller())
	}
	return r.handler(x)
}

// asCaller returns a context whose writes are those of the caller, with the caller's
// rights.
func (x *request) asCaller() context.Context {
	ctx := x.http.Context()
	if audit.Of(ctx) == nil {
		ctx = audit.With(ctx, &audit.Source{By: x.identity.Actor(), From: x.client(), Way: audit.ByAPI})
	}
	if x.site.code != nil {
		ctx = context.WithValue(ctx, writerKey{}, x)
	}
	return x.call.Context(ctx)
}

// StillMay refuses a caller whose credential or rights have changed since the request was
// permitted.
func (x *request) StillMay() error {
	now, err := x.listener()()
	if err == nil && (now.Actor() != x.identity.Actor() || *now.Caller.Rights() != *x.identity.Caller.Rights()) {
		err = forbidden()
	}
	return err
}

// permit refuses callers who may not use the route, before they take anything of the
// server. Of what concerns documents, package documents decides.
func (r *Route) permit(x *request) error {
	switch {
	case r.inside && !x.caller.IsAdmin():
		return notFound()
	case r.bypassesCode(x):
		return forbidden()
	case x.previewed():
		return r.opensPreview(x)
	case r.Open || r.isFor(x.caller):
		return nil
	}
	return forbidden()
}

// fail sends the error. Details that a client may not know go to the log, under the id of
// the request.
func (x *request) fail(err error) {
	if x.part != nil {
		x.part.err = err // the batch sends it
		return
	}
	if x.status != 0 {
		x.server.log.Error("response broken off", "id", x.id[0], "error", err)
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, context.Canceled) && x.http.Context().Err() != nil {
		x.status = clientGone
		x.share.AbandonBody()
		x.ResponseWriter.WriteHeader(http.StatusServiceUnavailable) // otherwise a client that only stopped sending would get 200
		return
	}
	if store.Suspends(err) {
		x.server.log.Error("the data file accepts no writes", "id", x.id[0], "error", err)
		x.site.suspended()
	}
	p := explain(err)
	x.nameChanges(p, err)
	switch {
	case p == nil:
		p = x.server.report(x.id[0], err, nil)
	case errors.As(err, new(*media.UnreachableError)):
		x.server.log.Error("the object store fails", "id", x.id[0], "error", err)
	case documents.ExplainDisk(err) != nil && !store.Suspends(err):
		x.server.log.Error("the disk cannot be written to", "id", x.id[0], "error", err)
	}
	if cap(x.buffer) > maxKeptBuffer {
		x.buffer = nil // the response that is not sent
	}
	x.dropTag()
	x.setRequestID()
	p.headers(x.Header())
	if x.mounted != "" {
		delete(x.Header(), "Www-Authenticate") // it accepts no such credential
	}
	x.setRetryAfter(err)
	x.setStreamRetry(err)
	x.json(p.Status, p.body())
}

// nameChanges adds to a 412 the paths in which the document differs from the version that
// the write named.
func (x *request) nameChanges(p *problem, err error) {
	var changed *content.ConflictError
	if !errors.As(err, &changed) {
		return
	}
	if details, ok := p.Details.(documents.ChangedDetails); ok {
		details.Paths = x.call.Changed(x.http.Context(), changed)
		p.Details = details
	}
}

// clientGone is the status in the log if the client closed the connection before the
// response was ready.
const clientGone = 499

// report logs a defect that occurred during the request with that id.
func (s *Server) report(id string, err error, stack []byte) *problem {
	attributes := []any{"id", id, "error", err}
	if stack != nil {
		attributes = append(attributes, "stack", string(stack))
	}
	s.log.Error("internal error", attributes...)
	return internal(id)
}

// finish ends the request, whatever the outcome of its handler, and logs it.
func (x *request) finish() {
	fault := recover()
	if fault != nil && fault != http.ErrAbortHandler {
		fault = x.survive(fault)
	}
	x.share.End()
	x.release()
	took := time.Since(x.watch.begun)
	if x.streamed > 0 {
		took = x.streamed // the duration of a stream is not the speed of the server
	}
	x.count(took)
	x.log(took)
	x.logSlow(took)
	if x.watch.plan != nil {
		x.server.plans.Put(x.watch.plan)
	}
	if fault != nil {
		panic(fault) // closes the connection
	}
}

// survive sends a response although the handler panicked. If the response had begun, it
// cannot continue, and the returned value closes the connection.
func (x *request) survive(fault any) any {
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
func (x *request) count(took time.Duration) {
	x.server.metrics.CountSent(x.size)
	x.meter.Count(x.status, took)
}

// log writes the log line of the request, without the query, which may be confidential.
func (x *request) log(took time.Duration) {
	if !x.server.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	caller, path := "-", x.http.URL.Path
	if x.caller != nil {
		caller = x.identity.String()
	}
	if x.mounted != "" {
		path = x.mounted
	}
	// Not through LogAttrs, which looks up its caller in the stack.
	line := slog.NewRecord(x.watch.begun.Add(took), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("id", x.id[0]), slog.String("method", x.http.Method), slog.String("path", path),
		slog.Int("status", x.status), slog.Int("bytes", x.size),
		slog.Duration("took", took), slog.String("caller", caller))
	_ = x.server.log.Handler().Handle(context.Background(), line) // there is nowhere to report this error
}

// maxKeptBuffer limits the memory of idle buffers.
const maxKeptBuffer = 1 << 20

// scratch returns an empty buffer for the response. It is reused after the request.
func (x *request) scratch() []byte {
	if x.buffer != nil {
		return x.buffer[:0]
	}
	if b, ok := x.server.buffers.Get().(*[]byte); ok {
		if !x.share.TryReserveAnswer(int64(cap(*b))) {
			x.server.buffers.Put(b)
			return nil
		}
		x.buffer, x.pooled = (*b)[:0], b
	}
	return x.buffer
}

// release lets later requests use the buffer.
func (x *request) release() {
	if cap(x.buffer) == 0 || cap(x.buffer) > maxKeptBuffer {
		return
	}
	if x.pooled == nil {
		x.pooled = new([]byte)
	}
	*x.pooled = x.buffer
	x.server.buffers.Put(x.pooled)
}
