package server

import (
	"context"
	"errors"
	"time"

	"quire/query"
)

// The answer to a write. What can keep it from being given is checked before the write
// begins: the parameters are compiled, and a heavy query takes its slots. Once the write
// is stored, the answer says so even if the query fails, since a client that sees an
// error sends the write again.

// omittedHeader says what an answer to a write leaves out of what was asked for.
const omittedHeader = "X-Quire-Omitted"

// form is a query with less to show.
type form struct {
	omitted string
	query   func(*query.Query) *query.Query
}

// lesser are the forms of a query that are tried, one after the other, when it cannot
// be answered. Each shows less.
var lesser = []form{
	{"populate", (*query.Query).WithoutPopulate},
	{"populate, fields", (*query.Query).OnlyIDs},
}

// prepareAnswer lets the query run that a write is to be answered with.
func (x *exchange) prepareAnswer(q *query.Query) error {
	return x.beginQuery(q, q.CostOfOne(x.edition.index.Snapshot()))
}

// appendWritten appends what show appends of something that was just written, or as much
// less as it takes for an answer. The time for queries begins here.
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

// appendLess appends what show appends, of the query or of the first of the less that
// can be answered. It returns what is left out then.
func (x *exchange) appendLess(q *query.Query, dst []byte, forms []form, show func(q *query.Query, dst []byte) ([]byte, bool, error)) (_ []byte, omitted string, found bool, err error) {
	before := len(dst)
	dst, found, err = show(q, dst)
	for _, less := range forms {
		if err == nil || errors.Is(err, context.Canceled) {
			break
		}
		x.server.log.Warn("a write was answered with less than was asked for", "id", x.id[0], "omitted", less.omitted, "error", err)
		omitted = less.omitted
		dst, found, err = show(less.query(q), dst[:before])
	}
	return dst, omitted, found, err
}
