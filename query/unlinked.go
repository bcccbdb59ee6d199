package query

import (
	"slices"

	"quire/index"
	"quire/schema"
)

// unlinked is true for entries to which nothing links that the caller sees, as in a
// Linking. Links of the entries' own type do not count.
type unlinked struct{ links *Linking }

func (*unlinked) nulls() bool { return false }

// compileUnlinked resolves Options.Unlinked: the query then depends on everything that can
// link to its entries.
func (c *Compiler) compileUnlinked(q *Query, b *compilation, o Options) error {
	if !o.Unlinked {
		return nil
	}
	l, err := c.CompileLinking(q.t, nil, b.access)
	if err != nil {
		return err
	}
	l.owners = slices.DeleteFunc(l.owners, func(t *schema.Type) bool { return t == q.t })
	for _, t := range l.owners {
		b.dependsOn(t)
	}
	q.linking = true // drafts count
	q.where = bothOf(&unlinked{l}, q.where)
	return nil
}

// addUnlinked adds the rows to which nothing links.
func (x *run) addUnlinked(tb *index.Table, c *unlinked, out *index.Bits) {
	tb.Live().Each(func(r index.Row) bool {
		x.plan.Visited++
		if x.isUnlinked(c, tb.Entry(r).Doc) {
			out.Add(r)
		}
		return !x.stopped()
	})
}

// isUnlinked reports whether the caller sees no link to a document.
func (x *run) isUnlinked(c *unlinked, target index.Doc) bool {
	l, ordinal := c.links, x.s.Site().TypeOrdinal(c.links.query.t)
	for _, t := range l.owners {
		for _, tb := range l.tables(x, t) {
			rows := x.references(tb).Rows(ordinal, target)
			if rows.Len() > 0 && x.seesLink(l, tb, rows, target) {
				return false
			}
		}
	}
	return true
}

// seesLink reports whether one of some rows has a link to a document that the caller sees.
func (x *run) seesLink(l *Linking, tb *index.Table, rows index.Posting, target index.Doc) (seen bool) {
	rows.Each(func(r index.Row) bool {
		if !tb.Has(r) {
			return !x.stopped()
		}
		e := tb.Entry(r)
		x.worked(1 + len(e.Body)/scannedBytes)
		x.s.EachReference(tb.Type, e.Body, l.sees, func(ref index.Reference) bool {
			seen = seen || ref.Edge.Target == target && ref.Target == l.query.t
			return !seen
		})
		return !seen && !x.stopped()
	})
	return seen
}
