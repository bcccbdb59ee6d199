package query

import (
	"cmp"
	"slices"

	"quire/index"
	"quire/schema"
)

// located is an entry with its table and row.
type located struct {
	tb    *index.Table
	row   index.Row
	entry *index.Entry
}

func (at located) record() record {
	return record{t: at.tb.Type, entry: at.entry, owner: at.entry, body: at.entry.Body}
}

// eachRelated calls fn for the rows that a relation attribute of a record leads to, in the
// order of the relation, until fn returns false or the run has ended; each is a step. The
// version of a target depends on what the caller may see and on the locales of the two
// sides; an edge to a missing target leads nowhere.
func (x *run) eachRelated(a *schema.Attribute, rec record, fn func(located) bool) {
	switch {
	case a.System == schema.SystemLocalizations:
		x.eachLocalization(rec, fn)
	case a.Relation.Owns:
		x.eachTarget(a, rec, fn)
	default:
		x.eachOwner(a, rec, fn)
	}
}

func (x *run) eachLocalization(rec record, fn func(located) bool) {
	var others []located
	tb := x.table(rec.t)
	tb.EachVersion(rec.entry.Doc, func(r index.Row, e *index.Entry) {
		if e.Locale != rec.entry.Locale {
			others = append(others, located{tb, r, e})
		}
	})
	slices.SortFunc(others, func(a, b located) int { return cmp.Compare(a.row, b.row) })
	for _, at := range others {
		if x.stopped() || !fn(at) {
			return
		}
	}
}

// eachTarget follows the edges that the record owns.
func (x *run) eachTarget(a *schema.Attribute, rec record, fn func(located) bool) {
	edges := x.s.Edges(a, rec.body.Slot(a.Slot))
	for e, ok := edges.Next(); ok && !x.stopped(); e, ok = edges.Next() {
		if tb, r, ok := x.target(a, rec.owner, e); ok && e.LeadsTo(tb.Status) && !fn(located{tb, r, tb.Entry(r)}) {
			return
		}
	}
}

// target finds the row that an edge leads to.
func (x *run) target(a *schema.Attribute, owner *index.Entry, e index.Edge) (*index.Table, index.Row, bool) {
	t := a.Relation.Target
	if e.Type != nil {
		t = e.Type
	}
	tb := x.table(t)
	r, ok := x.findTarget(tb, e.Target, owner, x.targetLocale(t, owner, e))
	return tb, r, ok
}

// targetLocale returns the locale in which an edge's target is read: the owner's own, or if
// it has none the one in the edge.
func (x *run) targetLocale(t *schema.Type, owner *index.Entry, e index.Edge) index.Locale {
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
func (x *run) eachOwner(a *schema.Attribute, rec record, fn func(located) bool) {
	inverse := a.Relation.Inverse
	tb := x.table(a.Relation.Target)
	if rows, known := x.ownersInOrder(tb, inverse, rec); known {
		rows.Each(func(r index.Row) bool { return !x.stopped() && (!tb.Has(r) || fn(located{tb, r, tb.Entry(r)})) })
		return
	}
	start := len(x.owning)
	defer x.owning.pop(start)
	x.owners(tb, inverse, rec).Each(func(r index.Row) bool {
		at := located{tb, r, tb.Entry(r)}
		if e, ok := x.edgeTo(inverse, tb, at.entry, rec); ok && tb.Has(r) {
			if x.owning.full() && !growStack(x, &x.owning, ownerBytes) {
				return false
			}
			x.owning = append(x.owning, owner{at, e.Place})
		}
		return !x.stopped()
	})
	slices.SortStableFunc(x.owning[start:], func(a, b owner) int { return cmp.Compare(a.place, b.place) })
	for i, end := start, len(x.owning); i < end && x.err == nil; i++ {
		if !fn(x.owning[i].located) {
			return
		}
	}
}

// owner is a row that links to a record, with its position in the record's list.
type owner struct {
	located
	place uint64
}

// ownersInOrder returns the rows that link to the record, in the order of its list, if the
// index alone is enough: each of them links to the record in every locale and version, and
// the list has never been rearranged.
func (x *run) ownersInOrder(tb *index.Table, inverse *schema.Attribute, rec record) (rows index.Posting, known bool) {
	if rec.t.Localized || inverse.Relation.Morph() {
		return rows, false
	}
	links := x.links(tb, index.NewPath(inverse))
	return links.Rows(rec.entry.Doc), links.InOrder(rec.entry.Doc) && links.Whole(rec.entry.Doc)
}

// owners returns the posting of the rows of tb that link to the record, in any locale.
func (x *run) owners(tb *index.Table, inverse *schema.Attribute, rec record) index.Posting {
	links := x.links(tb, index.NewPath(inverse))
	if inverse.Relation.Morph() {
		return links.MorphRows(x.site.TypeOrdinal(rec.t), rec.entry.Doc)
	}
	return links.Rows(rec.entry.Doc)
}

// linksBothVersions reports whether all rows of tb that link to the record are known by the
// index to link to both versions of it.
func (x *run) linksBothVersions(tb *index.Table, inverse *schema.Attribute, rec record) bool {
	links := x.links(tb, index.NewPath(inverse))
	if inverse.Relation.Morph() {
		return links.MorphWhole(x.site.TypeOrdinal(rec.t), rec.entry.Doc)
	}
	return links.Whole(rec.entry.Doc)
}

// edgeTo returns the edge by which an owner leads to the record.
func (x *run) edgeTo(a *schema.Attribute, tb *index.Table, owner *index.Entry, rec record) (index.Edge, bool) {
	if !x.owns(tb, owner, rec.t) {
		return index.Edge{}, false
	}
	edges := x.s.Edges(a, owner.Body.Slot(a.Slot))
	for e, ok := edges.Next(); ok; e, ok = edges.Next() {
		if e.Target == rec.entry.Doc && (e.Type == nil || e.Type == rec.t) && (e.Only == 0 || e.LeadsTo(x.table(rec.t).Status)) &&
			x.leadsHere(rec, owner, e) {
			return e, true
		}
	}
	return index.Edge{}, false
}

// prefetch reads a little of each row of a batch before the rows are encoded. The reads of this
// loop do not depend on each other, so the processor loads the rows in parallel; the encoder would
// wait for one after the other.
func (x *run) prefetch(rows []located) {
	for i := range rows {
		e := rows[i].entry
		if len(e.Body) > cacheLine {
			x.prefetched += e.Body[0] + e.Body[cacheLine]
		}
		if len(e.DocumentID) > 0 {
			x.prefetched += e.DocumentID[0]
		}
	}
}

const cacheLine = 64 // bytes
