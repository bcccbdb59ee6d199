package server

import (
	"bytes"
	"net/http"

	"quire/content"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// A write of content is prepared, done, and answered. Alone it goes through these one
// after the other; those of a batch are all prepared, done together, and answered in
// one answer.

// preparation reads what a write is to do.
type preparation func(x *exchange) (*writing, error)

// writing is a write that is ready to be done.
type writing struct {
	t          *schema.Type
	write      content.Write
	documentID string       // of the document that it is about or makes; empty where that is not known
	gone       bool         // it deletes the document
	later      func() error // has it done later instead, and answers; nil for now

	status int                          // of the answer
	query  *query.Query                 // of the answer; nil for an empty one
	known  func(*schema.Attribute) bool // reports whether the body gave an attribute
	sends  bool                         // the body gave all that the document holds, if it is new
	meta   func() string                // the meta object of the answer; nil where it says nothing
}

// handle does one write.
func (prepare preparation) handle(x *exchange) error {
	w, err := prepare(x)
	if err == nil && w.later != nil {
		return w.later()
	}
	if err == nil && w.query != nil {
		err = x.prepareAnswer(w.query)
	}
	if err != nil {
		return err
	}
	results, err := x.edition.writer.Together(x.request.Context(), []content.Write{w.write})
	if err != nil {
		return err
	}
	if w.query == nil {
		x.answerEmpty()
		return nil
	}
	return w.answer(x, results[0][0])
}

// answer answers with the entry as a read right after the write would see it.
func (w *writing) answer(x *exchange, r content.Result) (err error) {
	var found bool
	x.buffer, found, err = x.appendWritten(w.query, x.scratch(), w.show(x, r))
	if err != nil {
		return err
	}
	if !found {
		// A write that was stored together with this one has removed it.
		x.buffer = append(x.buffer[:0], `{"data":null,"meta":{}}`...)
	}
	x.showVersion(w.t, r.Snapshot, r.DocumentID)
	if w.meta != nil {
		x.buffer = append(bytes.TrimSuffix(x.buffer, []byte("{}}")), w.meta()+"}"...)
	}
	x.json(w.status, x.buffer)
	return nil
}

// show returns what appends the entry that was written. Who may not read the draft
// that was written gets back what the body gave, or its ids after an action: when the
// draft has last changed is not theirs to know.
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

// update prepares PUT on a document, or on a single type, which it creates when there
// is none yet.
func (c *contentType) update(x *exchange) (*writing, error) {
	q, request, err := c.prepareWrite(x)
	if err != nil {
		return nil, err
	}
	return &writing{t: c.t, write: content.ToUpdate(request), documentID: request.DocumentID, status: http.StatusOK, query: q, known: request.Input.Gives, sends: true}, nil
}

// delete prepares DELETE on a document or a single type. Deleting what is not there is
// no error, as in Strapi.
func (c *contentType) delete(x *exchange) (*writing, error) {
	request, err := c.prepareDelete(x)
	return &writing{t: c.t, write: content.ToDelete(request), documentID: request.DocumentID, gone: true, status: http.StatusNoContent}, err
}
