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

	"quire/store"
)

// serve is the way of every request: limits, headers, route, answer, log.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	x := &exchange{ResponseWriter: w, server: s, edition: s.current.Load(), request: r}
	x.watch.begun = time.Now()
	x.meter = s.metrics.other
	defer x.finish()
	x.name()
	x.secure()
	if err := x.arrive(); err != nil {
		x.fail(err)
		return
	}
	if preflight(x, r) {
		return
	}
	r.URL.Path = trimSlashes(r.URL.Path)
	x.edition.router.ServeHTTP(x, r)
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
	if err := route.answer(x); err != nil {
		x.fail(err)
	}
}

func (r *Route) answer(x *exchange) error {
	if r.Method == http.MethodGet {
		x.server.metrics.reads.Add(1)
	}
	if err := x.identify(); err != nil {
		return err
	}
	if !r.Open && !x.caller.Holds(r.Permission) {
		return forbidden()
	}
	if err := r.admit(x); err != nil {
		return err
	}
	return r.handler(x)
}

// fail answers with the error. What a client may not know goes to the log, under
// the id of the request.
func (x *exchange) fail(err error) {
	if x.status != 0 {
		x.server.log.Error("answer broken off", "id", x.id[0], "error", err)
		panic(http.ErrAbortHandler)
	}
	if errors.Is(err, context.Canceled) {
		x.status = clientGone
		return
	}
	if store.Suspends(err) {
		x.server.log.Error("the data file takes no writes", "id", x.id[0], "error", err)
		x.edition.suspended()
	}
	p := explain(err)
	switch {
	case p == nil:
		p = x.server.report(x.id[0], err, nil)
	case explainDisk(err) != nil && !store.Suspends(err):
		x.server.log.Error("the disk does not take what is written", "id", x.id[0], "error", err)
	}
	x.dropTag()
	x.sayID()
	p.headers(x.Header())
	x.sayWhen(err)
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
	x.leave()
	x.server.release(x.buffer)
	took := time.Since(x.watch.begun)
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
	x.server.metrics.panics.Inc()
	p := x.server.report(x.id[0], fmt.Errorf("panic: %v", fault), debug.Stack())
	if x.status != 0 {
		return http.ErrAbortHandler
	}
	x.dropTag()
	x.sayID()
	x.json(p.Status, p.body())
	return nil
}

// count adds the request to the metrics.
func (x *exchange) count(took time.Duration) {
	m := x.server.metrics
	m.sent.Add(float64(x.size))
	x.meter.count(x.status, took)
}

// log writes the line of the request. The query stays out of it: it may hold what
// is nobody's business.
func (x *exchange) log(took time.Duration) {
	if !x.server.log.Enabled(context.Background(), slog.LevelInfo) {
		return
	}
	caller := "-"
	if x.caller != nil {
		caller = x.identity.String()
	}
	// Not through LogAttrs, which looks for its caller's line of code in the stack.
	line := slog.NewRecord(x.watch.begun.Add(took), slog.LevelInfo, "request", 0)
	line.AddAttrs(
		slog.String("id", x.id[0]), slog.String("method", x.request.Method), slog.String("path", x.request.URL.Path),
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
		x.buffer = (*b)[:0]
	}
	return x.buffer
}

func (s *Server) release(b []byte) {
	if cap(b) > 0 && cap(b) <= maxKeptBuffer {
		s.buffers.Put(&b)
	}
}
