package server

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"quire/query"
)

// This file measures how the time of a request is spent. The log has it for slow requests,
// and the response if a token of full access requests it.

const (
	explainHeader = "X-Quire-Explain"
	planHeader    = "X-Quire-Plan"

	// planBytes limits the header with the plan, so that proxies accept it.
	planBytes = 4000
)

// watch measures the stages of a request. The plan has the stages of the query.
type watch struct {
	begun   time.Time
	lapped  time.Duration // from then to the end of the last lap
	parse   time.Duration // of the query
	compile time.Duration
	receive time.Duration // time that the client took to send the body
	write   time.Duration // time that it took to receive the response
	plan    *query.Plan   // nil if not needed
	cost    int           // the expected cost of its queries
}

// lap returns the time since the last lap.
func (w *watch) lap() time.Duration {
	before := w.lapped
	w.lapped = time.Since(w.begun)
	return w.lapped - before
}

// wantsPlan reports whether the caller requests the plan, and may see it.
func (x *request) wantsPlan() bool {
	h := x.http.Header[explainHeader]
	return len(h) > 0 && h[0] == "1" && x.caller != nil && x.caller.Full()
}

// Observe makes a query record its plan if it may be needed.
func (x *request) Observe(q *query.Query) {
	if x.part != nil {
		return // see observeBatch
	}
	if x.watch.plan == nil {
		if x.site.schema.Settings.Log.Slow == 0 && !x.wantsPlan() {
			return
		}
		x.watch.plan = x.server.newPlan()
	}
	q.Observe(x.watch.plan)
}

// observeBatch makes a slow batch be logged. Its queries are many, and do not record their
// plans.
func (x *request) observeBatch(requests int) {
	if x.site.schema.Settings.Log.Slow > 0 || x.wantsPlan() {
		x.watch.plan = x.server.newPlan()
		x.watch.plan.Note("a batch of %d requests", requests)
	}
}

func (s *Server) newPlan() *query.Plan {
	if p, ok := s.plans.Get().(*query.Plan); ok {
		p.Reset()
		return p
	}
	return &query.Plan{Explain: true}
}

// addPlan adds the plan to the response, for a caller who may see it.
func (x *request) addPlan() {
	if x.watch.plan != nil && x.wantsPlan() {
		x.Header()[planHeader] = []string{headerText(x.watch.text())}
	}
}

// text returns the plan in one line, after the stages before it.
func (w *watch) text() string {
	return fmt.Sprintf("%s, parse %s, compile %s; expected to cost %d", w.plan, w.parse, w.compile, w.cost)
}

// headerText turns a text into one that a header can contain.
func headerText(text string) string {
	text = strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return '?'
		}
		return r
	}, strings.ReplaceAll(text, "µs", "us"))
	return text[:min(len(text), planBytes)]
}

// logSlow logs a request that kept the server busy for long. The time that the client took
// to send and to receive does not count.
func (x *request) logSlow(took time.Duration) {
	w, slow := &x.watch, x.site.schema.Settings.Log.Slow
	if w.plan == nil || slow == 0 || took-w.receive-w.write < slow {
		return
	}
	p, steps := w.plan, w.plan.Steps()
	x.server.metrics.CountSlow()
	x.server.slow.add(SlowRequest{
		ID: x.id[0], At: w.begun.UTC(), Method: x.http.Method, Path: x.http.URL.Path, Status: x.status, Took: took,
		Plan: steps, Visited: p.Visited, Matched: p.Matched, Returned: p.Returned,
	})
	x.server.log.LogAttrs(context.Background(), slog.LevelWarn, "slow request",
		slog.String("id", x.id[0]), slog.String("method", x.http.Method), slog.String("path", x.http.URL.Path),
		slog.Int("status", x.status), slog.Duration("took", took),
		slog.String("plan", strings.Join(steps, "; ")),
		slog.Int("visited", p.Visited), slog.Int("matched", p.Matched), slog.Int("returned", p.Returned), slog.Int("cost", w.cost),
		slog.Duration("parse", w.parse), slog.Duration("compile", w.compile), slog.Duration("select", p.Select),
		slog.Duration("order", p.Order), slog.Duration("encode", p.Encode),
		slog.Duration("receive", w.receive), slog.Duration("write", w.write))
}
