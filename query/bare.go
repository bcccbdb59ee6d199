package query

import (
	"context"
	"math"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// AppendBareOne appends one document alone, without the envelope of AppendOne.
func (q *Query) AppendBareOne(ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	return q.appendDocument(ctx, s, documentID, dst, q.appendAlone)
}

// AppendBareEntry appends an entry that was just written alone, whatever the
// filters of the query say; false when it is gone.
func (q *Query) AppendBareEntry(ctx context.Context, s *index.Snapshot, k store.Key, dst []byte) ([]byte, bool, error) {
	return q.appendWritten(ctx, s, k, dst, q.appendAlone)
}

// appendAlone appends the one entry that the answer is about.
func (q *Query) appendAlone(x *reader, rec record, dst []byte) []byte {
	dst = q.appendWhole(x, rec, dst)
	x.plan.Encode = x.lap()
	return dst
}

// appendWhole appends an entry that the answer is about, with what the query
// adds to each of these.
func (q *Query) appendWhole(x *reader, rec record, dst []byte) []byte {
	dst = x.appendEntry(dst, rec, q.selection)
	if q.extra == "" {
		return dst
	}
	dst = append(dst[:len(dst)-1], q.extra...)
	return append(dst, '}')
}

// compilePages resolves which part of the result is asked for.
func compilePages(n *Node, s *schema.Settings, bare bool) (paging, error) {
	if bare {
		if pages := n.Get("pagination"); pages.Get("page") == nil && pages.Get("pageSize") == nil {
			return compileRange(n)
		}
	}
	return compilePaging(n, s)
}

// compileRange resolves start and limit of a list that has no pages. As in the
// reference a limit of -1 is none.
func compileRange(n *Node) (p paging, err error) {
	p.size = math.MaxInt
	if start := rangeValue(n, "start"); start != nil {
		if p.start, err = startAt(toNumber(*start)); err == nil && p.start < 0 {
			err = refuse("start", "start", "start must not be negative")
		}
	}
	if limit := rangeValue(n, "limit"); limit != nil && *limit != "-1" && err == nil {
		if p.size, err = startAt(toNumber(*limit)); err == nil && p.size < 0 {
			err = refuse("limit", "limit", "limit must not be negative")
		}
	}
	return p, err
}

func rangeValue(n *Node, key string) *string {
	if v := value(n.Get("pagination"), key); v != nil {
		return v
	}
	return value(n, key)
}
