package server

import (
	"context"
	"errors"
	"time"

	"quire/query"
)

// The response to a write. What can prevent it is checked before the write begins: the
// parameters are compiled, and a heavy query takes its slots. Once the write is stored, the
// response reports success even if the query fails, because a client that gets an error
// sends the write again.

// omittedHeader names what a response to a write leaves out.
const omittedHeader = "X-Quire-Omitted"

// form is a query that shows less.
type form struct {
	omitted string
	query   func(*query.Query) *query.Query
}

// lesser are the forms of a query that are tried in turn if the query cannot be answered.
// Each shows less.
var lesser = []form{
	{"populate", (*query.Query).WithoutPopulate},
	{"populate, fields", (*query.Query).OnlyIDs},
}

// prepareAnswer starts the query of the response to a write.
func (x *exchange) prepareAnswer(q *query.Query) error {
	return x.beginQuery(q, q.CostOfOne(x.edition.index.Snapshot()))
}

// appendWritten appends the result of show for something that was written, or less if
// necessary. The time for queries begins here.
func (x *exchange) appendWritten(q *query.Query, dst []byte, show func(q *query.Query, dst []byte) ([]byte, bool, error)) (_ []byte, found bool, err error) {
	defer x.share.ReturnSlots()
	x.due = time.Time{}
	x.startClock()
	dst, omitted, found, err := x.appendLess(q, dst, lesser, show)
	if omitted != "" {
		x.Header()[omittedHeader] = []string{omitted}
		x.expose(omittedHeader)
	}
	return dst, found, err
}

// appendLess appends the result of show for the query, or for the first lesser form that
// works. It returns what is left out.
func (x *exchange) appendLess(q *query.Query, dst []byte, forms []form, show func(q *query.Query, dst []byte) ([]byte, bool, error)) (_ []byte, omitted string, found bool, err error) {
	before := len(dst)
	dst, found, err = show(q, dst)
	for _, less := range forms {
		if err == nil || errors.Is(err, context.Canceled) {
			break
		}
		x.server.log.Warn("the response to a write has less than was requested", "id", x.id[0], "omitted", less.omitted, "error", err)
		omitted = less.omitted
		dst, found, err = show(less.query(q), dst[:before])
	}
	return dst, omitted, found, err
}
