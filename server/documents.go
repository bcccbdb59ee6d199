package server

import (
	"context"
	"fmt"
	"net/http"

	"quire/content"
	"quire/index"
	"quire/query"
	"quire/schema"
	"quire/store"
)

// contentType answers the routes of one content type.
type contentType struct{ t *schema.Type }

// find answers GET on a collection.
func (c *contentType) find(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	return x.list(q, (*query.Query).AppendList)
}

// listing appends the answer that lists what a query selects.
type listing func(*query.Query, context.Context, *index.Snapshot, []byte) ([]byte, error)

// list answers with what a query selects, unless the client has it already.
func (x *exchange) list(q *query.Query, list listing) (err error) {
	s := x.edition.index.Snapshot()
	if x.unchanged(q, s) {
		return nil
	}
	if err := x.weigh(q, q.Cost(s, x.edition.gate.cost)); err != nil {
		return err
	}
	x.buffer, err = list(q, x.request.Context(), s, x.scratch())
	if err := x.weighed(err); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// findOne answers GET on a document of a collection.
func (c *contentType) findOne(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	s := x.edition.index.Snapshot()
	if x.unchanged(q, s) {
		return nil
	}
	return x.document(q, s, x.params[0].Value)
}

// findSingle answers GET on a single type.
func (c *contentType) findSingle(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	s := x.edition.index.Snapshot()
	documentID, ok := s.SingleDocument(c.t)
	if !ok {
		return notFound()
	}
	if x.unchanged(q, s) {
		return nil
	}
	return x.document(q, s, documentID)
}

// document answers with the version of the document that the query asks for.
func (x *exchange) document(q *query.Query, s *index.Snapshot, documentID string) error {
	return x.one(q, s, documentID, (*query.Query).AppendOne, notFound())
}

// showing appends the answer that shows one document; false when there is none.
type showing func(*query.Query, context.Context, *index.Snapshot, string, []byte) ([]byte, bool, error)

// one answers with one document, or with missing when the query finds none.
func (x *exchange) one(q *query.Query, s *index.Snapshot, documentID string, show showing, missing error) (err error) {
	if err := x.weigh(q, q.CostOfOne(s)); err != nil {
		return err
	}
	var found bool
	x.buffer, found, err = show(q, x.request.Context(), s, documentID, x.scratch())
	if err := x.weighed(err); err != nil {
		return err
	}
	if !found {
		return missing
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// create answers POST on a collection.
func (c *contentType) create(x *exchange) error {
	q, request, err := c.prepareWrite(x)
	if err != nil {
		return err
	}
	result, err := x.edition.writer.Create(x.request.Context(), request)
	return c.written(x, http.StatusCreated, q, result, err)
}

// update answers PUT on a document, or on a single type, which it creates when
// there is none yet.
func (c *contentType) update(x *exchange) error {
	q, request, err := c.prepareWrite(x)
	if err != nil {
		return err
	}
	result, err := x.edition.writer.Update(x.request.Context(), request)
	return c.written(x, http.StatusOK, q, result, err)
}

// delete answers DELETE on a document or a single type. Deleting what is not
// there is no error, as in the reference.
func (c *contentType) delete(x *exchange) error {
	request, err := c.prepareDelete(x)
	if err != nil {
		return err
	}
	if err := x.edition.writer.Delete(x.request.Context(), request); err != nil {
		return err
	}
	x.empty()
	return nil
}

// written answers with the entry as a read right after the write would see it.
func (c *contentType) written(x *exchange, status int, q *query.Query, r content.Result, err error) error {
	if err != nil {
		return err
	}
	key := store.Key{DocumentID: r.DocumentID, Locale: r.Locale, Status: r.Status}
	var found bool
	x.buffer, found, err = q.AppendEntry(x.request.Context(), r.Snapshot, key, x.scratch())
	if err != nil {
		return err
	}
	if !found {
		return fmt.Errorf("%s %s was written and cannot be read back", c.t.UID, r.DocumentID)
	}
	x.json(status, x.buffer)
	return nil
}
