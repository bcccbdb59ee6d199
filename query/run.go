package query

import (
	"context"
	"slices"
	"strconv"

	"quire/index"
	"quire/store"
)

// AppendList runs the query and appends the whole answer: the page of entries
// and the meta object with the paging.
func (q *Query) AppendList(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	x := newReader(ctx, s, q)
	defer x.end()
	m := q.matched(x)
	dst = append(dst, `{"data":`...)
	dst = q.appendPage(x, m, dst)
	dst = append(dst, `,"meta":{"pagination":`...)
	dst = q.paging.append(dst, m.n)
	dst = append(dst, "}}"...)
	m.release()
	return dst, x.err
}

// AppendBare runs the query and appends the entries alone, as the endpoints of
// users and files answer. All matching entries are listed unless the query asks
// for a page.
func (q *Query) AppendBare(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	x := newReader(ctx, s, q)
	defer x.end()
	m := q.matched(x)
	dst = q.appendPage(x, m, dst)
	m.release()
	return dst, x.err
}

// Count is the number of entries that the query selects.
func (q *Query) Count(ctx context.Context, s *index.Snapshot) (int, error) {
	x := newReader(ctx, s, q)
	defer x.end()
	m := q.matched(x)
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	m.release()
	return m.n, x.err
}

func (q *Query) appendPage(x *reader, m *matched, dst []byte) []byte {
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	rows := x.page(m, q.order, q.paging.start, q.paging.size)
	x.plan.Returned, x.plan.Order = len(rows), x.lap()
	dst = append(dst, '[')
	for i, r := range rows {
		if x.err != nil {
			return dst
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = q.appendWhole(x, entryRecord(m.tb, r), dst)
	}
	x.plan.Encode = x.lap()
	return append(dst, ']')
}

// matched selects the rows of the query.
func (q *Query) matched(x *reader) *matched {
	tb := x.s.Table(q.t, q.status)
	m := &matched{tb: tb, n: tb.Len()}
	var parts allOf
	for _, c := range []condition{q.where, q.search} {
		if c != nil {
			parts = append(parts, c)
		}
	}
	inLocale := q.locales == nil || len(q.locales) == 1 && q.localeLen(x, tb) == tb.Len()
	if len(parts) == 0 && inLocale && q.publication == "" {
		x.noteFirst("all of ", q.t.UID)
		return m
	}
	m.rows = q.selectParts(x, tb, parts)
	if !inLocale {
		x.note("in the locales asked for: index")
		locales := index.NewBits(tb.Size())
		for _, code := range q.locales {
			x.s.Values(tb, index.NewPath(q.t.Attribute("locale"))).Rows(code).AddTo(locales)
		}
		m.rows.And(locales)
		locales.Release()
	}
	if q.publication != "" {
		x.note("asking %d rows for the other version", m.rows.Count())
		x.plan.Visited += m.rows.Count()
		m.rows.Keep(func(r index.Row) bool { return !x.stopped() && x.publishedAs(entryRecord(tb, r)) })
	}
	m.n = m.rows.Count()
	return m
}

func (q *Query) localeLen(x *reader, tb *index.Table) int {
	l, ok := x.s.Locale(q.locales[0])
	if !ok {
		return -1
	}
	return tb.LocaleLen(l)
}

func (q *Query) selectParts(x *reader, tb *index.Table, parts allOf) *index.Bits {
	if len(parts) == 1 {
		return x.selectRows(tb, nil, parts[0])
	}
	return x.selectRows(tb, nil, parts)
}

// AppendOne appends the answer with one document, in the locale and status that
// the query asks for; false when there is no such entry or a filter of the
// query excludes it.
func (q *Query) AppendOne(ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	return q.appendDocument(ctx, s, documentID, dst, q.appendAnswer)
}

// appendDocument appends what appending makes of a document, if it is found.
func (q *Query) appendDocument(ctx context.Context, s *index.Snapshot, documentID string, dst []byte, appending appendRecord) ([]byte, bool, error) {
	x := newReader(ctx, s, q)
	defer x.end()
	rec, ok := q.find(x, documentID)
	if !ok {
		return dst, false, x.err
	}
	return appending(x, rec, dst), true, x.err
}

// appendRecord appends the answer about one entry.
type appendRecord func(x *reader, rec record, dst []byte) []byte

// find looks a document up and asks the query's conditions of it.
func (q *Query) find(x *reader, documentID string) (record, bool) {
	d, ok := x.s.Collection(q.t).Document(documentID)
	if !ok {
		return record{}, false
	}
	tb := x.s.Table(q.t, q.status)
	var rows []index.Row
	tb.EachVersion(d, func(r index.Row, e *index.Entry) {
		if q.locales == nil || slices.Contains(q.locales, x.s.LocaleCode(e.Locale)) {
			rows = append(rows, r)
		}
	})
	slices.Sort(rows)
	x.noteFirst("look-up of the document", "")
	x.plan.Visited = len(rows)
	for _, r := range rows {
		rec := entryRecord(tb, r)
		if x.matches(q.where, rec) && x.matches(q.search, rec) && x.publishedAs(rec) {
			x.plan.Matched, x.plan.Returned, x.plan.Select = 1, 1, x.lap()
			return rec, true
		}
	}
	return record{}, false
}

// AppendEntry appends the answer to a write: the entry of that key, whatever
// the filters of the query say; false when it is gone.
func (q *Query) AppendEntry(ctx context.Context, s *index.Snapshot, k store.Key, dst []byte) ([]byte, bool, error) {
	return q.appendWritten(ctx, s, k, dst, q.appendAnswer)
}

// appendWritten appends what appending makes of the entry of a key, if it is there.
func (q *Query) appendWritten(ctx context.Context, s *index.Snapshot, k store.Key, dst []byte, appending appendRecord) ([]byte, bool, error) {
	x := newReader(ctx, s, q)
	defer x.end()
	x.status = k.Status
	tb, r, ok := s.Find(q.t, k)
	if !ok {
		return dst, false, nil
	}
	return appending(x, entryRecord(tb, r), dst), true, x.err
}

func (q *Query) appendAnswer(x *reader, rec record, dst []byte) []byte {
	dst = append(dst, `{"data":`...)
	dst = q.appendAlone(x, rec, dst)
	return append(dst, `,"meta":{}}`...)
}

// append appends the pagination object of an answer.
func (p *paging) append(dst []byte, total int) []byte {
	first, second, start := "start", "limit", p.start
	if p.byPage {
		first, second, start = "page", "pageSize", p.page
	}
	dst = appendNumber(append(dst, '{'), first, start)
	dst = appendNumber(append(dst, ','), second, p.size)
	if p.withCount {
		if p.byPage {
			dst = appendNumber(append(dst, ','), "pageCount", (total+p.size-1)/p.size)
		}
		dst = appendNumber(append(dst, ','), "total", total)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, key string, n int) []byte {
	dst = append(dst, '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, int64(n), 10)
}
