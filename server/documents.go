package server

import (
	"context"
	"net/http"

	"quire/index"
	"quire/query"
	"quire/schema"
)

// contentType answers the routes of one content type.
type contentType struct{ t *schema.Type }

// find answers GET on a collection.
func (c *contentType) find(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	return x.answerList(q, (*query.Query).AppendList)
}

// listing appends the answer that lists what a query selects.
type listing func(*query.Query, context.Context, *index.Snapshot, []byte) ([]byte, error)

// costing estimates what a listing costs, see query.Query.Cost.
type costing func(q *query.Query, s *index.Snapshot, enough int) int

// answerList answers with what a query selects, unless the client has it already.
func (x *exchange) answerList(q *query.Query, list listing) error {
	return x.answerListAt(q, (*query.Query).Cost, list)
}

// answerListAt is answerList for an answer that costs something else.
func (x *exchange) answerListAt(q *query.Query, cost costing, list listing) (err error) {
	s := x.edition.index.Snapshot()
	if x.unchanged(q, s) {
		return nil
	}
	x.startClock()
	if err := x.beginQuery(q, cost(q, s, x.edition.heavyCost())); err != nil {
		return err
	}
	x.buffer, err = list(q, x.request.Context(), s, x.scratch())
	if err := x.endQuery(err); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// count answers GET on _count: how many entries the list with these parameters has.
func (c *contentType) count(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	return x.answerListAt(q, (*query.Query).CostOfCount, (*query.Query).AppendCount)
}

// aggregate answers GET on _aggregate: figures about entries, by group. The defaults
// of site.json, which are about entries that are shown, do not apply.
func (c *contentType) aggregate(x *exchange) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	a, err := x.edition.compiler.CompileAggregate(c.t, params, x.caller)
	x.watch.compile = x.watch.lap()
	if err != nil {
		return err
	}
	x.observe(a.Query())
	cost := func(_ *query.Query, s *index.Snapshot, enough int) int { return a.Cost(s, enough) }
	list := func(_ *query.Query, ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
		return a.Append(ctx, s, dst)
	}
	return x.answerListAt(a.Query(), cost, list)
}

// findOne answers GET on a document of a collection.
func (c *contentType) findOne(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	s := x.edition.index.Snapshot()
	documentID := x.params[0].Value
	if x.unchangedDocument(q, s, documentID) {
		return nil
	}
	return x.document(q, s, documentID)
}

// findSingle answers GET on a single type. One that was never written goes the
// same way as one that has only a draft, and so looks the same.
func (c *contentType) findSingle(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	s := x.edition.index.Snapshot()
	documentID, _ := s.SingleDocument(c.t)
	if x.unchangedDocument(q, s, documentID) {
		return nil
	}
	return x.document(q, s, documentID)
}

// document answers with the version of the document that the query asks for.
func (x *exchange) document(q *query.Query, s *index.Snapshot, documentID string) error {
	return x.answerOne(q, s, documentID, (*query.Query).AppendOne, notFound())
}

// showing appends the answer that shows one document; false when there is none.
type showing func(*query.Query, context.Context, *index.Snapshot, string, []byte) ([]byte, bool, error)

// answerOne answers with one document, or with missing when the query finds none.
func (x *exchange) answerOne(q *query.Query, s *index.Snapshot, documentID string, show showing, missing error) error {
	return x.answerOneAt(q, q.CostOfOne(s), s, documentID, show, missing)
}

// answerOneAt is answerOne for an answer that costs something else.
func (x *exchange) answerOneAt(q *query.Query, cost int, s *index.Snapshot, documentID string, show showing, missing error) (err error) {
	if err := x.beginQuery(q, cost); err != nil {
		return err
	}
	var found bool
	x.buffer, found, err = show(q, x.request.Context(), s, documentID, x.scratch())
	if err := x.endQuery(err); err != nil {
		return err
	}
	if !found {
		return missing
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}
