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
	steps       int // rows looked at since the context was last asked
	err         error

	plan       *Plan
	unobserved Plan
	depth      int       // of the step being noted
	begun      time.Time // when the run began, and how long after that the last lap ended
	lapped     time.Duration
	hushed     bool // what is done now is not noted

	// Scratch space, used as stacks: whoever pushes pops before it returns.
	owning []owner
	found  []located

	choices   map[*related]*choice
	hopValues map[sortPoint]sortValue
}

// located is an entry by its place in memory.
type located struct {
	tb  *index.Table
	row index.Row
}

func newReader(ctx context.Context, s *index.Snapshot, q *Query) *reader {
	def, _ := s.Locale(q.site.Settings.DefaultLocale)
	x := &reader{ctx: ctx, s: s, site: q.site, status: q.status, locale: def, publication: q.publication, v4: q.v4, plan: q.plan, left: q.site.Settings.Limits.ResponseEntries}
	if x.plan == nil {
		x.plan = &x.unobserved
	} else {
		x.begun = time.Now()
	}
	return x
}

// stopped reports whether the run has been cancelled, asking once in a while.
func (x *reader) stopped() bool {
	if x.steps++; x.steps&1023 == 0 && x.err == nil {
		x.err = x.ctx.Err()
	}
	return x.err != nil
}

// eachRelated calls fn for the rows that a relation attribute of a record leads
// to, in the order of the relation, until fn returns false. Which version of a
// target that is depends on the status of the read and on the locales of the
// two sides; an edge to what is not there leads nowhere.
func (x *reader) eachRelated(a *schema.Attribute, rec record, fn func(*index.Table, index.Row) bool) {
	switch {
	case a.System == schema.SystemLocalizations:
		x.eachLocalization(rec, fn)
	case a.Relation.Owns:
		x.eachTarget(a, rec, fn)
	default:
		x.eachOwner(a, rec, fn)
	}
}

func (x *reader) eachLocalization(rec record, fn func(*index.Table, index.Row) bool) {
	var rows []index.Row
	rec.table.EachVersion(rec.entry.Doc, func(r index.Row, _ *index.Entry) {
		if r != rec.row {
			rows = append(rows, r)
		}
	})
	slices.Sort(rows)
	for _, r := range rows {
		if !fn(rec.table, r) {
			return
		}
	}
}

// eachTarget follows the edges that the record owns.
func (x *reader) eachTarget(a *schema.Attribute, rec record, fn func(*index.Table, index.Row) bool) {
	edges := x.s.Edges(a, rec.body.Slot(a.Slot))
	for e, ok := edges.Next(); ok; e, ok = edges.Next() {
		if tb, r, ok := x.target(a, rec.owner, e); ok && !fn(tb, r) {
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
func (x *reader) eachOwner(a *schema.Attribute, rec record, fn func(*index.Table, index.Row) bool) {
	inverse := a.Relation.Inverse
	tb := x.s.Table(a.Relation.Target, x.status)
	start := len(x.owning)
	defer func() { x.owning = x.owning[:start] }()
	x.owners(tb, inverse, rec).Each(func(r index.Row) bool {
		if e, ok := x.edgeTo(inverse, tb.Entry(r), rec); ok {
			x.owning = append(x.owning, owner{r, e.Place})
		}
		return true
	})
	byPlace := func(a, b owner) int { return cmp.Compare(a.place, b.place) }
	if found := x.owning[start:]; !slices.IsSortedFunc(found, byPlace) {
		slices.SortStableFunc(found, byPlace)
	}
	for i, end := start, len(x.owning); i < end; i++ {
		if !fn(tb, x.owning[i].row) {
			return
		}
	}
}

// owner is a row that links to a record, with its place in the record's list.
type owner struct {
	row   index.Row
	place uint64
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
