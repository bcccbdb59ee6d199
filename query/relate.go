package query

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// reader is one run of a query: the moment it sees and the version it shows.
type reader struct {
	ctx         context.Context
	s           *index.Snapshot
	site        *schema.Site
	status      store.Status
	locale      index.Locale // the site's default
	publication publication
	v4          bool
	left        int // entries and components that the answer may still hold
	most        int // bytes that it may have
	steps       int // rows looked at and entries encoded
	err         error

	plan       *Plan
	unobserved Plan
	depth      int       // of the step being noted
	begun      time.Time // when the run began, and how long after that the last lap ended
	lapped     time.Duration
	hushed     bool // what is done now is not noted

	*scratch
	scratches *scratches
	fetched   byte // see fetch

	choices   map[*related]*choice
	hopValues map[sortPoint]sortValue

	gate   Gate // nil once it was asked
	gateAt int  // steps from which on it is
}

// located is an entry with its place in memory.
type located struct {
	tb    *index.Table
	row   index.Row
	entry *index.Entry
}

func (at located) record() record {
	return record{t: at.tb.Type, table: at.tb, row: at.row, entry: at.entry, owner: at.entry, body: at.entry.Body}
}

func newReader(ctx context.Context, s *index.Snapshot, q *Query) *reader {
	def, _ := s.Locale(q.site.Settings.DefaultLocale)
	limits := &q.site.Settings.Limits
	x := &reader{
		ctx: ctx, s: s, site: q.site, status: q.status, locale: def, publication: q.publication, v4: q.v4, plan: q.plan,
		left: limits.ResponseEntries, most: limits.ResponseBytes, gate: q.gate, gateAt: q.gateAt,
		scratch: q.scratches.take(), scratches: q.scratches,
	}
	if x.plan == nil {
		x.plan = &x.unobserved
	} else {
		x.begun = time.Now()
	}
	return x
}

// end gives back what only the run needed.
func (x *reader) end() { x.scratches.give(x.scratch) }

// stopped reports whether the run has been cancelled, asking once in a while.
func (x *reader) stopped() bool {
	if x.err != nil {
		return true
	}
	if x.steps++; x.steps&1023 == 0 {
		x.err = x.pause()
	}
	return x.err != nil
}

// eachRelated calls fn for the rows that a relation attribute of a record leads
// to, in the order of the relation, until fn returns false. Which version of a
// target that is depends on the status of the read and on the locales of the
// two sides; an edge to what is not there leads nowhere.
func (x *reader) eachRelated(a *schema.Attribute, rec record, fn func(located) bool) {
	switch {
	case a.System == schema.SystemLocalizations:
		x.eachLocalization(rec, fn)
	case a.Relation.Owns:
		x.eachTarget(a, rec, fn)
	default:
		x.eachOwner(a, rec, fn)
	}
}

func (x *reader) eachLocalization(rec record, fn func(located) bool) {
	var others []located
	rec.table.EachVersion(rec.entry.Doc, func(r index.Row, e *index.Entry) {
		if r != rec.row {
			others = append(others, located{rec.table, r, e})
		}
	})
	slices.SortFunc(others, func(a, b located) int { return cmp.Compare(a.row, b.row) })
	for _, at := range others {
		if !fn(at) {
			return
		}
	}
}

// eachTarget follows the edges that the record owns.
func (x *reader) eachTarget(a *schema.Attribute, rec record, fn func(located) bool) {
	edges := x.s.Edges(a, rec.body.Slot(a.Slot))
	for e, ok := edges.Next(); ok; e, ok = edges.Next() {
		if tb, r, ok := x.target(a, rec.owner, e); ok && !fn(located{tb, r, tb.Entry(r)}) {
			return
		}
	}
}

// target finds the row that an edge leads to.
func (x *reader) target(a *schema.Attribute, owner *index.Entry, e index.Edge) (*index.Table, index.Row, bool) {
	t := a.Relation.Target
	if e.Type != nil {
		t = e.Type
	}
	tb := x.s.Table(t, x.status)
	r, ok := tb.Find(e.Target, x.targetLocale(t, owner, e))
	return tb, r, ok
}

// targetLocale is the locale in which an edge's target is seen: the owner's
// own, or where it has none the one that the edge names.
func (x *reader) targetLocale(t *schema.Type, owner *index.Entry, e index.Edge) index.Locale {
	switch {
	case !t.Localized:
		return index.NoLocale
	case owner.Locale != index.NoLocale:
		return owner.Locale
	case e.Locale != index.NoLocale:
		return e.Locale
	}
	return x.locale
}

// eachOwner finds the rows whose edges lead to the record, in the order of the
// record's list.
func (x *reader) eachOwner(a *schema.Attribute, rec record, fn func(located) bool) {
	inverse := a.Relation.Inverse
	tb := x.s.Table(a.Relation.Target, x.status)
	if rows, known := x.ownersInOrder(tb, inverse, rec); known {
		rows.Each(func(r index.Row) bool { return fn(located{tb, r, tb.Entry(r)}) })
		return
	}
	start := len(x.owning)
	defer x.owning.pop(start)
	x.owners(tb, inverse, rec).Each(func(r index.Row) bool {
		at := located{tb, r, tb.Entry(r)}
		if e, ok := x.edgeTo(inverse, at.entry, rec); ok {
			x.owning = append(x.owning, owner{at, e.Place})
		}
		return !x.stopped()
	})
	slices.SortStableFunc(x.owning[start:], func(a, b owner) int { return cmp.Compare(a.place, b.place) })
	for i, end := start, len(x.owning); i < end; i++ {
		if !fn(x.owning[i].located) {
			return
		}
	}
}

// owner is a row that links to a record, with its place in the record's list.
type owner struct {
	located
	place uint64
}

// ownersInOrder is the rows that link to the record where the index knows them
// and their order without a look at their edges: each of them leads to the
// record in whatever locale it is in, and the list has never been rearranged.
func (x *reader) ownersInOrder(tb *index.Table, inverse *schema.Attribute, rec record) (rows index.Posting, known bool) {
	if rec.t.Localized || inverse.Relation.Morph() {
		return rows, false
	}
	links := x.s.Links(tb, index.NewPath(inverse))
	return links.Rows(rec.entry.Doc), links.InOrder(rec.entry.Doc)
}

// owners is the posting of the rows of tb that link to the record, in any locale.
func (x *reader) owners(tb *index.Table, inverse *schema.Attribute, rec record) index.Posting {
	links := x.s.Links(tb, index.NewPath(inverse))
	if inverse.Relation.Morph() {
		return links.MorphRows(x.site.TypeOrdinal(rec.t), rec.entry.Doc)
	}
	return links.Rows(rec.entry.Doc)
}

// edgeTo returns the edge by which an owner leads to the record.
func (x *reader) edgeTo(a *schema.Attribute, owner *index.Entry, rec record) (index.Edge, bool) {
	edges := x.s.Edges(a, owner.Body.Slot(a.Slot))
	for e, ok := edges.Next(); ok; e, ok = edges.Next() {
		if e.Target == rec.entry.Doc && (e.Type == nil || e.Type == rec.t) && x.targetLocale(rec.t, owner, e) == rec.entry.Locale {
			return e, true
		}
	}
	return index.Edge{}, false
}
