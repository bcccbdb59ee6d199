package query

import (
	"context"
	"slices"
	"strconv"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// AppendList runs the query and appends the whole response: the page of entries and the
// meta object with the paging.
func (q *Query) AppendList(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	m := q.selectRows(x)
	dst = append(dst, `{"data":`...)
	dst, next := q.appendPage(x, m, dst)
	dst = append(dst, `,"meta":{"pagination":`...)
	dst = q.paging.append(dst, m.n, next)
	dst = append(dst, "}}"...)
	m.release(x)
	return dst, x.err
}

// AppendBare runs the query and appends only the entries, as the endpoints of users and
// files answer. It lists all matching entries unless the query requests a page.
func (q *Query) AppendBare(ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	m := q.selectRows(x)
	dst, _ = q.appendPage(x, m, dst)
	m.release(x)
	return dst, x.err
}

// Count returns the number of entries that the query selects.
func (q *Query) Count(ctx context.Context, s *index.Snapshot) (int, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	m := q.selectRows(x)
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	m.release(x)
	return m.n, x.err
}

// appendPage appends the entries of a page, and returns the cursor of the next one, empty
// if there is none.
func (q *Query) appendPage(x *run, m *matched, dst []byte) (answer []byte, next string) {
	x.plan.Matched, x.plan.Select = m.n, x.lap()
	part := q.paging.stretch()
	part.behind = q.place(x, m.tb)
	rows := x.page(m, q.order, part)
	if q.paging.byCursor && len(rows) > q.paging.size {
		rows = rows[:q.paging.size]
		next = q.next(x, m.tb, rows[len(rows)-1])
	}
	x.plan.Returned, x.plan.Order = len(rows), x.lap()
	dst = append(dst, '[')
	for i, r := range rows {
		if x.err != nil {
			return dst, ""
		}
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = q.appendWhole(x, entryRecord(m.tb, r), dst)
	}
	x.plan.Encode = x.lap()
	return append(dst, ']'), next
}

// selectRows finds the rows that the query selects.
func (q *Query) selectRows(x *run) *matched {
	tb := x.table(q.t)
	m := &x.matched
	*m = matched{tb: tb, n: tb.Len()}
	var parts allOf
	for _, c := range []condition{q.where, q.search} {
		if c != nil {
			parts = append(parts, c)
		}
	}
	inLocale := q.locales == nil || q.oneLocale(x, tb)
	if len(parts) == 0 && inLocale && q.publication == "" && !tb.IsPart() {
		x.note("all of %s", uidOf{q.t})
		return m
	}
	m.rows = q.selectParts(x, tb, parts)
	if !inLocale {
		locales := x.newBits(tb)
		q.addShown(x, tb, locales)
		m.rows.And(locales)
		x.releaseBits(tb, locales)
	}
	if q.publication != "" {
		x.note("asking %d rows for the other version", m.rows.Count())
		x.plan.Visited += m.rows.Count()
		m.rows.Filter(func(r index.Row) bool { return !x.stopped() && x.publishedAs(entryRecord(tb, r)) })
	}
	m.n = m.rows.Count()
	return m
}

// oneLocale reports whether all entries are in one of the locales that the query requests
// or accepts as a fallback.
func (q *Query) oneLocale(x *run, tb *index.Table) bool {
	if tb.IsPart() {
		return false
	}
	for _, codes := range [...][]string{q.locales, q.fallback} {
		for _, code := range codes {
			if l, ok := x.s.Locale(code); ok && tb.LocaleLen(l) == tb.Len() {
				return true
			}
		}
	}
	return false
}

// addShown adds the rows that are in the requested locales, and those that stand in for
// them.
func (q *Query) addShown(x *run, tb *index.Table, out *index.Bits) {
	if x.fallback != nil {
		x.note("in the locales asked for, or standing in: index")
		x.fallback.rows(x, tb, out)
		return
	}
	x.note("in the locales asked for: index")
	for _, code := range q.locales {
		x.values(tb, index.NewPath(q.t.Attribute("locale"))).Rows(code).AddTo(out)
	}
}

// shownIn reports whether an entry is the version of its document that the query shows, by
// its locale.
func (q *Query) shownIn(x *run, tb *index.Table, e *index.Entry) bool {
	switch code := x.s.LocaleCode(e.Locale); {
	case q.locales == nil, slices.Contains(q.locales, code):
		return true
	case x.fallback == nil:
		return false
	}
	return x.fallback.standsIn(e.Locale) && x.fallback.shows(tb, e)
}

func (q *Query) selectParts(x *run, tb *index.Table, parts allOf) *index.Bits {
	if len(parts) == 1 {
		return x.selectRows(tb, nil, parts[0])
	}
	return x.selectRows(tb, nil, parts)
}

// AppendOne appends the response with one document, in the requested locale and status;
// false if the entry does not exist or a filter of the query excludes it.
func (q *Query) AppendOne(ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
	return q.appendDocument(ctx, s, documentID, dst, q.appendAnswer)
}

// appendDocument appends a document with the given function, if it is found.
func (q *Query) appendDocument(ctx context.Context, s *index.Snapshot, documentID string, dst []byte, appending appendRecord) ([]byte, bool, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	rec, ok := q.findDocument(x, documentID)
	if !ok {
		return dst, false, x.err
	}
	return appending(x, rec, dst), true, x.err
}

// appendRecord appends the response about one entry.
type appendRecord func(x *run, rec record, dst []byte) []byte

// findDocument finds the entry of a document that matches the query.
func (q *Query) findDocument(x *run, documentID string) (record, bool) {
	d, ok := x.s.Collection(q.t).Document(documentID)
	if !ok {
		return record{}, false
	}
	tb := x.table(q.t)
	var rows []index.Row
	tb.EachVersion(d, func(r index.Row, e *index.Entry) {
		if q.shownIn(x, tb, e) {
			rows = append(rows, r)
		}
	})
	slices.Sort(rows)
	x.note("look-up of the document")
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

// AppendEntry appends the response to a write: the entry with that key, ignoring the
// filters of the query; false if it has been deleted. known reports whether the write
// itself contained the whole value of an attribute; nil means that it contained all. Of a
// draft that the caller may not read, only these are shown.
func (q *Query) AppendEntry(ctx context.Context, s *index.Snapshot, k store.Key, known func(*schema.Attribute) bool, dst []byte) ([]byte, bool, error) {
	q = q.forWriter(k, known)
	return q.appendWritten(ctx, s, k, dst, q.appendAnswer)
}

// appendWritten appends the entry of a key with the given function, if it exists.
func (q *Query) appendWritten(ctx context.Context, s *index.Snapshot, k store.Key, dst []byte, appending appendRecord) ([]byte, bool, error) {
	x := newRun(ctx, s, q)
	defer x.close()
	x.versions.status = k.Status
	tb, r, ok := s.Find(q.t, k)
	if !ok || !x.within(tb).Has(r) {
		return dst, false, x.err
	}
	return appending(x, entryRecord(tb, r), dst), true, x.err
}

// WithoutPopulate returns the query without its populate and without the limits of a
// response. It answers a write whose full response would be too large: a single entry is no
// larger than a body may be.
func (q *Query) WithoutPopulate() *Query {
	own, s := *q, *q.selection
	own.selection, own.unlimited = &s, true
	s.populated, s.relations = nil, nil
	s.arrange()
	s.members = kept(s.members, (*schema.Attribute).IsScalar)
	return &own
}

// OnlyIDs returns WithoutPopulate without attributes: id and documentId are left.
func (q *Query) OnlyIDs() *Query {
	named := q.WithoutPopulate()
	named.selection.fields = fieldSet{}
	named.selection.arrange()
	named.selection.members = kept(named.selection.members, func(*schema.Attribute) bool { return false })
	return named
}

func (q *Query) appendAnswer(x *run, rec record, dst []byte) []byte {
	dst = append(dst, `{"data":`...)
	dst = q.appendAlone(x, rec, dst)
	return append(dst, `,"meta":{}}`...)
}

// append appends the pagination object of a response.
func (p *paging) append(dst []byte, total int, next string) []byte {
	dst = append(dst, '{')
	switch {
	case p.byCursor:
		dst = appendNumber(dst, p.sized, p.size)
	case p.byPage:
		dst = appendNumber(dst, "page", p.page)
		dst = appendNumber(append(dst, ','), "pageSize", p.size)
	default:
		dst = appendNumber(dst, "start", p.start)
		dst = appendNumber(append(dst, ','), "limit", p.size)
	}
	if p.withCount {
		if p.byPage || p.sized == "pageSize" {
			dst = appendNumber(append(dst, ','), "pageCount", (total+p.size-1)/p.size)
		}
		dst = appendNumber(append(dst, ','), "total", total)
	}
	switch {
	case next != "":
		dst = index.AppendString(append(dst, `,"next":`...), next)
	case p.byCursor:
		dst = append(dst, `,"next":null`...)
	}
	return append(dst, '}')
}

func appendNumber(dst []byte, key string, n int) []byte {
	dst = append(dst, '"')
	dst = append(dst, key...)
	dst = append(dst, '"', ':')
	return strconv.AppendInt(dst, int64(n), 10)
}
