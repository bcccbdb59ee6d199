package server

import (
	"bytes"
	"net/http"

	"quire/content"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// A write of content is prepared, done, and answered. A single write takes these steps one
// after the other. The writes of a batch are all prepared, done together, and answered in
// one response.

// preparation reads what a write does.
type preparation func(x *exchange) (*writing, error)

// writing is a write that is ready to be done.
type writing struct {
	t          *schema.Type
	write      content.Write
	documentID string       // the document that it is about or creates; empty if unknown
	gone       bool         // whether it deletes the document
	later      func() error // schedules it instead, and responds; nil for now

	status int                          // of the response
	query  *query.Query                 // of the response; nil for an empty one
	known  func(*schema.Attribute) bool // reports whether the body has an attribute
	sends  bool                         // whether the body has everything in the document, if that is new
	meta   func() string                // the meta object of the response; nil for an empty one
}

// handle does one write.
func (prepare preparation) handle(x *exchange) error {
	w, err := prepare(x)
	if err == nil && w.later != nil {
		return w.later()
	}
	if err != nil {
		return err
	}
	results, err := x.edition.writer.TogetherIn(x.request.Context(), x.place(w.prepareAnswer(x)), []content.Write{w.write})
	if err != nil {
		return err
	}
	if w.query == nil {
		x.answerEmpty()
		return nil
	}
	return w.answer(x, results[0][0])
}

// prepareAnswer returns a function that starts the query of the response.
func (w *writing) prepareAnswer(x *exchange) func() error {
	return func() error {
		if w.query == nil {
			return nil
		}
		return x.prepareAnswer(w.query)
	}
}

// place is what a write needs for its response. It is taken before the write queues, so
// that a write whose response is refused is not done, and not while hooks are asked.
func (x *exchange) place(prepareAnswer func() error) content.Place {
	return content.Place{
		Wait: func() error { x.share.ReturnSlots(); return x.share.Wait() },
		Take: func() error { x.share.Resume(); return prepareAnswer() },
	}
}

// answer responds with the entry as a read right after the write would show it.
func (w *writing) answer(x *exchange, r content.Result) (err error) {
	var found bool
	x.buffer, found, err = x.appendWritten(w.query, x.scratch(), w.show(x, r))
	if err != nil {
		return err
	}
	if !found {
		// A write that was stored in the same transaction has removed it.
		x.buffer = append(x.buffer[:0], `{"data":null,"meta":{}}`...)
	}
	x.showVersion(w.t, r.Snapshot, r.DocumentID)
	if w.meta != nil {
		x.buffer = append(bytes.TrimSuffix(x.buffer, []byte("{}}")), w.meta()+"}"...)
	}
	x.json(w.status, x.buffer)
	return nil
}

// show returns a function that appends the written entry. A caller who may not read the
// draft gets back only what the body has, or only the ids after an action, because it may
// not know when the draft has changed.
func (w *writing) show(x *exchange, r content.Result) func(*query.Query, []byte) ([]byte, bool, error) {
	key := store.Key{DocumentID: r.DocumentID, Locale: r.Locale, Status: r.Status}
	known := w.known
	if r.Created && w.sends {
		known = nil
	}
	hidden := !w.sends && r.Status == store.Draft && !x.seesDrafts(w.t)
	return func(q *query.Query, dst []byte) ([]byte, bool, error) {
		if hidden {
			q = q.OnlyIDs()
		}
		return q.AppendEntry(x.request.Context(), r.Snapshot, key, known, dst)
	}
}

// create prepares POST on a collection.
func (c *contentType) create(x *exchange) (*writing, error) {
	q, request, err := c.prepareWrite(x)
	if err != nil {
		return nil, err
	}
	request.DocumentID = content.NewDocumentID()
	return &writing{t: c.t, write: content.ToCreate(request), documentID: request.DocumentID, status: http.StatusCreated, query: q, known: request.Input.Gives, sends: true}, nil
}

// update prepares PUT on a document, or on a single type, which it creates if there is none
// yet.
func (c *contentType) update(x *exchange) (*writing, error) {
	q, request, err := c.prepareWrite(x)
	if err != nil {
		return nil, err
	}
	return &writing{t: c.t, write: content.ToUpdate(request), documentID: request.DocumentID, status: http.StatusOK, query: q, known: request.Input.Gives, sends: true}, nil
}

// delete prepares DELETE on a document or a single type. As in Strapi, deleting something
// that does not exist is no error.
func (c *contentType) delete(x *exchange) (*writing, error) {
	request, err := c.prepareDelete(x)
	return &writing{t: c.t, write: content.ToDelete(request), documentID: request.DocumentID, gone: true, status: http.StatusNoContent}, err
}
