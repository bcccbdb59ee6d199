package server

import (
	"context"
	"net/http"

	"quire/index"
	"quire/query"
	"quire/schema"
)

// contentType serves the routes of one content type.
type contentType struct{ t *schema.Type }

// find answers GET on a collection.
func (c *contentType) find(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	return x.answerList(q, (*query.Query).AppendList)
}

// listing appends the response that lists the results of a query.
type listing func(*query.Query, context.Context, *index.Snapshot, []byte) ([]byte, error)

// costing estimates the cost of a listing, see query.Query.Cost.
type costing func(q *query.Query, s *index.Snapshot, enough int) int

// answerList sends the results of a query, unless the client has the response already.
func (x *exchange) answerList(q *query.Query, list listing) error {
	return x.answerListAt(q, (*query.Query).Cost, list)
}

// answerListAt is answerList for a response with another cost.
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

// count answers GET on _count: the number of entries in the list with these parameters.
func (c *contentType) count(x *exchange) error {
	q, err := c.compileRead(x)
	if err != nil {
		return err
	}
	return x.answerListAt(q, (*query.Query).CostOfCount, (*query.Query).AppendCount)
}

// aggregate answers GET on _aggregate: aggregates of entries, by group. The defaults of
// site.json do not apply, because they are for entries that are shown.
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
	q, err := c.compileOne(x)
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

// findSingle answers GET on a single type. A document that was never written is handled
// like one that has only a draft, so that they look the same.
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

// document responds with the version of the document that the query requests.
func (x *exchange) document(q *query.Query, s *index.Snapshot, documentID string) error {
	return x.answerOne(q, s, documentID, (*query.Query).AppendOne, notFound())
}

// showing appends the response that shows one document; false if there is none.
type showing func(*query.Query, context.Context, *index.Snapshot, string, []byte) ([]byte, bool, error)

// answerOne responds with one document, or with missing if the query finds none.
func (x *exchange) answerOne(q *query.Query, s *index.Snapshot, documentID string, show showing, missing error) error {
	return x.answerOneAt(q, q.CostOfOne(s), s, documentID, show, missing)
}

// answerOneAt is answerOne for a response with another cost.
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
