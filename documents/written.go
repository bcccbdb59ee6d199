package documents

import (
	"context"
	"errors"

	"quire/query"
)

// The response to a write. Once the write is stored, the response reports success even if
// the query fails, because a client that gets an error sends the write again.

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

// onlyIDs is the form for a response among others, which together take too much.
var onlyIDs = []form{lesser[len(lesser)-1]}

// AppendWritten appends the result of show for something that was written, such as a user
// or a file, or less if necessary. The time for queries begins here. omitted says what is
// left out.
func (c *Call) AppendWritten(q *query.Query, dst []byte, show func(q *query.Query, dst []byte) ([]byte, bool, error)) (_ []byte, omitted string, found bool, err error) {
	defer c.Budget.End()
	c.Budget.Restart()
	return c.appendLess(q, dst, lesser, show)
}

// appendLess appends the result of show for the query, or for the first lesser form that
// works. It returns what is left out.
func (c *Call) appendLess(q *query.Query, dst []byte, forms []form, show func(q *query.Query, dst []byte) ([]byte, bool, error)) (_ []byte, omitted string, found bool, err error) {
	before := len(dst)
	dst, found, err = show(q, dst)
	for _, less := range forms {
		if err == nil || isGone(err) {
			break
		}
		c.Log.Warn("the response to a write has less than was requested", "caller", c.Caller.String(), "omitted", less.omitted, "error", err)
		omitted = less.omitted
		dst, found, err = show(less.query(q), dst[:before])
	}
	return dst, omitted, found, err
}

// isGone reports whether the request ended because its client is gone.
func isGone(err error) bool { return errors.Is(err, context.Canceled) }
