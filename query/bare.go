package query

import (
	"context"
	"math"

	"quire/index"
	"quire/query/params"
	"quire/schema/settings"
	"quire/store"
)

// AppendBareOne appends one document without the envelope of AppendOne.
func (q *Query) AppendBareOne(ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	return q.appendDocument(ctx, s, documentID, dst, q.appendAlone)
}

// AppendBareEntry appends an entry that was just written, without an envelope, ignoring the
// filters of the query; false if it has been deleted.
func (q *Query) AppendBareEntry(ctx context.Context, s *index.Snapshot, k store.Key, dst []byte) ([]byte, bool, error) {
	return q.appendWritten(ctx, s, k, dst, q.appendAlone)
}

// appendAlone appends the one entry of the response.
func (q *Query) appendAlone(x *run, rec record, dst []byte) []byte {
	dst = q.appendWhole(x, rec, dst)
	x.plan.Encode = x.lap()
	return dst
}

// appendWhole appends an entry of the response, with the query's Extra and the state of the
// document.
func (q *Query) appendWhole(x *run, rec record, dst []byte) []byte {
	dst = x.appendEntry(dst, rec, q.selection)
	if q.extra == "" && !q.state || x.err != nil {
		return dst
	}
	dst = append(dst[:len(dst)-1], q.extra...)
	if q.state {
		dst = x.appendState(dst, rec)
	}
	return append(dst, '}')
}

// compilePages resolves which part of the result is requested.
func (c *Compiler) compilePages(n *params.Node, o Options) (paging, error) {
	if o.Shape != nil {
		return o.Shape.compilePage(n.Get("pagination"))
	}
	return compilePages(n, &c.site.Settings, o.Bare)
}

// compilePages is for responses without a Shape.
func compilePages(n *params.Node, s *settings.Settings, bare bool) (paging, error) {
	if err := checkPages(n, bare); err != nil {
		return paging{}, err
	}
	if bare {
		if n.Get("pagination").Get("after") != nil {
			return paging{}, refuseParam("pagination", afterKey, afterKey+" is for lists that say in meta where they go on; this one has none")
		}
		if pages := n.Get("pagination"); pages.Get("page") == nil && pages.Get("pageSize") == nil {
			return compileRange(n)
		}
	}
	return compilePaging(n, s)
}

// compileRange resolves start and limit of a list without pages. As in Strapi, a limit of
// -1 is no limit.
func compileRange(n *params.Node) (p paging, err error) {
	p.size = math.MaxInt
	if start := rangeValue(n, "start"); start != nil {
		if p.start, err = checkStart(toNumber(*start)); err == nil && p.start < 0 {
			err = refuseParam("start", "start", "start must not be negative")
		}
	}
	if limit := rangeValue(n, "limit"); limit != nil && *limit != "-1" && err == nil {
		if p.size, err = checkStart(toNumber(*limit)); err == nil && p.size < 0 {
			err = refuseParam("limit", "limit", "limit must not be negative")
		}
	}
	return p, err
}

func rangeValue(n *params.Node, key string) *string {
	if v := pagingText(n.Get("pagination"), key); v != nil {
		return v
	}
	return pagingText(n, key)
}
