package query

import (
	"quire/index"
	"quire/schema"
)

// addRelated adds the rows for which some related row matches the condition, and those
// without any if a row of nulls does.
func (x *run) addRelated(tb *index.Table, way []*schema.Attribute, c *related, out *index.Bits) {
	target := x.table(c.target)
	rows := x.selectRows(target, nil, c.where)
	x.join(tb, way, c.attribute, target, rows, out)
	x.releaseBits(target, rows)
	if !c.where.nulls() {
		return
	}
	all := x.selectRows(target, nil, nil)
	linked := x.newBits(tb)
	x.join(tb, way, c.attribute, target, all, linked)
	x.releaseBits(target, all)
	rest := x.selectRows(tb, nil, nil)
	rest.AndNot(linked)
	x.releaseBits(tb, linked)
	x.addSet(tb, out, rest)
}

// join adds the rows of tb from which the relation leads to one of the rows of
// target.
func (x *run) join(tb *index.Table, way []*schema.Attribute, a *schema.Attribute, target *index.Table, rows *index.Bits, out *index.Bits) {
	switch {
	case a.System == schema.SystemLocalizations:
		rows.Each(func(r index.Row) bool {
			tb.EachVersion(target.Entry(r).Doc, func(other index.Row, _ *index.Entry) {
				if other != r {
					out.Add(other)
				}
			})
			return !x.stopped()
		})
	case a.Relation.Owns:
		x.joinOwned(tb, way, a, target, rows, out)
	default:
		x.joinInverse(tb, a, target, rows, out)
	}
}

// joinOwned crosses edges that the rows of tb own: from the targets through the index of
// links, or, if there are many targets and few owners, from the owners.
func (x *run) joinOwned(tb *index.Table, way []*schema.Attribute, a *schema.Attribute, target *index.Table, rows *index.Bits, out *index.Bits) {
	if rows.Count() > 4*tb.Len() {
		x.note("from each of %d rows", tb.Len())
		c := wrapInside(way, &leadsInto{a, target, rows})
		x.eachMatching(tb, c, out)
		return
	}
	x.note("from %d rows of %s", rows.Count(), target.Type.UID)
	links := x.links(tb, index.NewPath(append(way[:len(way):len(way)], a)...))
	exact := !target.Type.Localized || tb.Type.Localized && tb.SharesLocale(target)
	united := out.Unite()
	defer united.Done()
	rows.EachBatch(func(batch []index.Row) bool {
		x.plan.Visited += len(batch)
		var docs [index.Batch]index.Doc
		for i, r := range batch {
			docs[i] = target.Entry(r).Doc
		}
		var linked [index.Batch]index.Posting
		var whole [index.Batch]bool
		for i := range batch {
			linked[i], whole[i] = links.RowsAndWhole(docs[i])
		}
		for i := range batch {
			x.prefetched += byte(linked[i].Fetch())
		}
		for i, r := range batch {
			if exact && whole[i] {
				united.Add(linked[i])
			} else {
				x.addOwners(tb, wrapInside(way, &leadsTo{a, target, r}), linked[i], out)
			}
			if x.stopped() {
				return false
			}
		}
		return true
	})
}

// addOwners adds the rows of a posting that match a condition.
func (x *run) addOwners(tb *index.Table, c condition, owners index.Posting, out *index.Bits) {
	owners.Each(func(owner index.Row) bool {
		if x.matches(c, entryRecord(tb, owner)) {
			out.Add(owner)
		}
		return !x.stopped()
	})
}

// leadsInto and leadsTo are true if an edge of the attribute leads to one of the rows. They
// are checked on records, never selected.
type leadsInto struct {
	attribute *schema.Attribute
	target    *index.Table
	rows      *index.Bits
}

type leadsTo struct {
	attribute *schema.Attribute
	target    *index.Table
	row       index.Row
}

func (c *leadsInto) nulls() bool { return false }
func (c *leadsTo) nulls() bool   { return false }

// linksTo reports whether an edge of the record leads to a wanted row.
func (x *run) linksTo(a *schema.Attribute, target *index.Table, rec record, wanted func(index.Row) bool) bool {
	found := false
	x.eachTarget(a, rec, func(at located) bool {
		found = at.tb == target && wanted(at.row)
		return !found
	})
	return found
}

// joinInverse crosses edges that the rows of target own: from the owners or, if there are
// many, by checking for each row of tb whether one of its owners is among them.
func (x *run) joinInverse(tb *index.Table, a *schema.Attribute, target *index.Table, rows *index.Bits, out *index.Bits) {
	inverse := a.Relation.Inverse
	if rows.Count() > 4*tb.Len() {
		x.note("from each of %d rows", tb.Len())
		exact := !tb.Type.Localized || target.Type.Localized && tb.SharesLocale(target)
		tb.Live().Each(func(r index.Row) bool {
			rec := entryRecord(tb, r)
			posting := x.owners(target, inverse, rec)
			found := posting.Intersects(rows)
			if found && !(exact && x.linksBothVersions(target, inverse, rec)) {
				found = x.ownedBy(target, inverse, rec, posting, rows)
			}
			if found {
				out.Add(r)
			}
			return !x.stopped()
		})
		return
	}
	x.note("from %d rows of %s", rows.Count(), target.Type.UID)
	rows.Each(func(r index.Row) bool {
		x.plan.Visited++
		if !x.owns(target, target.Entry(r), tb.Type) {
			return !x.stopped()
		}
		x.eachTarget(inverse, entryRecord(target, r), func(owned located) bool {
			if owned.tb == tb {
				out.Add(owned.row)
			}
			return true
		})
		return !x.stopped()
	})
}

// ownedBy reports whether one of the wanted rows leads to the record in its own locale.
func (x *run) ownedBy(target *index.Table, inverse *schema.Attribute, rec record, owners index.Posting, wanted *index.Bits) bool {
	return !owners.Each(func(r index.Row) bool {
		if !wanted.Has(r) {
			return true
		}
		_, leads := x.edgeTo(inverse, target, target.Entry(r), rec)
		return !leads && !x.stopped()
	})
}
