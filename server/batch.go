package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"quire/auth"
	"quire/content"
	"quire/documents"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// POST /api/_batch does several writes of content in one transaction, all or none. Each is
// routed, authorised and prepared as it would be alone. Their sum is limited: the body, the
// elements in it, links, passwords, stored data, and the response.

// batchRoute is open: each request in the batch needs its own permission.
func batchRoute(site *schema.Site) Route {
	return Route{Method: http.MethodPost, Path: "/api/_batch", Open: true, handler: answerBatch}
}

// batchPart is a request of a batch while it is prepared.
type batchPart struct {
	header http.Header
	body   []byte // JSON; empty for none

	write *documents.Write
	err   error
}

// Header, Write and WriteHeader make a part an http.ResponseWriter. Nothing is sent there:
// the part is prepared, or fails.
func (p *batchPart) Header() http.Header         { return p.header }
func (p *batchPart) Write(b []byte) (int, error) { return len(b), nil }
func (p *batchPart) WriteHeader(int)             {}

// open is openBody for a part.
func (p *batchPart) open(most int64) (bodyKind, []byte, error) {
	switch {
	case len(p.body) == 0:
		return noBody, nil, nil
	case int64(len(p.body)) > most:
		return noBody, nil, tooLarge(most)
	}
	return jsonBody, p.body, nil
}

// requestError is the error of one request, which fails the whole batch.
type requestError struct {
	request int // index, from 0
	err     error
}

func (e *requestError) Error() string {
	return fmt.Sprintf("request %d of a batch: %v", e.request, e.err)
}

func (e *requestError) Unwrap() error { return e.err }

func answerBatch(x *request) error {
	if !x.site.mayWrite(x.caller) {
		return forbidden() // before its body is read
	}
	requests, err := readBatch(x)
	if err != nil {
		return err
	}
	if err := x.checkRates(len(requests) - 1); err != nil {
		return err
	}
	x.observeBatch(len(requests))
	batch := &batch{request: x, requests: requests}
	if err := batch.prepare(); err != nil {
		return err
	}
	if err := x.call.Do(x.http.Context(), batch.writes...); err != nil {
		return batch.named(err)
	}
	return batch.answer()
}

// mayWrite reports whether the caller may do any write that can be part of a batch.
func (e *siteVersion) mayWrite(c *auth.Caller) bool {
	for i := range e.writes {
		if e.writes[i].isFor(c) {
			return true
		}
	}
	return false
}

// prepare prepares a write that is part of a batch.
func (r *Route) prepare(x *request) (err error) {
	if r.write == nil {
		return invalid(fmt.Sprintf("%s %.200q cannot be part of a batch, which takes creates, updates, deletes and actions of content", x.http.Method, x.http.URL.Path))
	}
	if err := errors.Join(r.permit(x), x.refusePreview(), x.refusePart()); err != nil {
		return err
	}
	if err := r.checkQuery(x); err != nil {
		return err
	}
	x.part.write, err = r.write(x)
	return err
}

// beside limits the stored data of a part together with the parts before it.
func (x *request) beside() func(*store.Tx) error {
	if x.part == nil {
		return nil
	}
	return documents.FitsTogether
}

// named returns the request that an error of the writer is about.
func (b *batch) named(err error) error {
	if at := new(content.PartError); errors.As(err, &at) {
		return &requestError{at.Part, at.Err}
	}
	if len(b.requests) == 1 {
		return &requestError{0, err}
	}
	return err
}

// batch is a request with several writes.
type batch struct {
	*request
	requests []batchRequest
	writes   []*documents.Write
	grown    int // bytes that references have added to the body
}

// prepare prepares the writes in their order.
func (b *batch) prepare() error {
	for i := range b.requests {
		w, err := b.prepareOne(i)
		if err != nil {
			return &requestError{i, err}
		}
		b.writes = append(b.writes, w)
	}
	return nil
}

// prepareOne finds the route of a request, and prepares it.
func (b *batch) prepareOne(i int) (*documents.Write, error) {
	target, text, err := b.resolve(i)
	if err != nil {
		return nil, err
	}
	p := &batchPart{header: http.Header{}, body: text}
	x := &request{ResponseWriter: p, server: b.server, site: b.site, http: target, caller: b.caller, identity: b.identity, id: b.id, share: b.share, part: p, call: b.call}
	x.call.Budget = x
	x.site.router.ServeHTTP(x, target)
	return p.write, p.err
}

// answer sends what was written, in the order of the requests.
func (b *batch) answer() (err error) {
	defer b.share.ReturnSlots()
	b.Start()
	dst := append(b.scratch(), `{"data":[`...)
	for i, w := range b.writes {
		if i > 0 {
			dst = append(dst, ',')
		}
		if dst, err = b.appendPart(dst, w); err != nil {
			return err
		}
	}
	b.buffer = append(dst, `],"meta":{}}`...)
	b.json(http.StatusOK, b.buffer)
	return nil
}

// appendPart appends the response to one request. It is null if a later request has removed
// the document.
func (b *batch) appendPart(dst []byte, w *documents.Write) (_ []byte, err error) {
	dst = strconv.AppendInt(append(dst, `{"status":`...), int64(statusOf(w)), 10)
	if w.Empty() {
		return append(dst, `,"body":null}`...), nil
	}
	if version := w.Version(); version > 0 {
		dst = strconv.AppendUint(append(dst, `,"version":`...), version, 10)
	}
	dst, omitted, err := w.AppendPart(b.http.Context(), append(dst, `,"body":`...))
	if err != nil {
		return dst, err
	}
	if omitted != "" {
		dst = index.AppendString(append(dst, `,"omitted":`...), omitted)
	}
	return append(dst, '}'), nil
}

// asPart returns a request of a batch as an http.Request, for the router and the readers of
// requests.
func (b *batch) asPart(ctx context.Context, r *batchRequest, target string) (*http.Request, error) {
	u, err := parseTarget(target)
	if err != nil {
		return nil, err
	}
	header := http.Header{}
	for _, name := range []string{"Strapi-Response-Format"} {
		if values := b.http.Header[name]; values != nil {
			header[name] = values
		}
	}
	if r.match != "" {
		header["If-Match"] = []string{r.match}
	}
	return (&http.Request{Method: r.method, URL: u, RequestURI: target, Header: header}).WithContext(ctx), nil
}
