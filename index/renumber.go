package index

// Rows of deleted entries are not given to others: rows ascend with ids, and every order
// relies on that. Instead a table with many of them is renumbered: its next version has the
// same entries, in the same order, in rows without gaps. Earlier snapshots keep their
// table, and its indexes.

// spareRows is how many more rows of deleted entries than entries a table may have. So a
// table is renumbered at most once in that many deletions, and takes at most about one step
// for each of them.
const spareRows = pageSize

// sparse reports whether the table must be renumbered.
func (tb *Table) sparse() bool { return int(tb.Size()) > 2*tb.Len()+spareRows }

// renumbering gives the rows of a table new numbers.
type renumbering struct {
	to   []Row // by old row; for one without an entry, the number of the next one with an entry
	n    Row   // number of rows after it
	rows []Row // of the posting being renumbered
	own  *edition
}

func newRenumbering(tb *Table, own *edition) *renumbering {
	n := &renumbering{to: make([]Row, tb.Size()), n: Row(tb.Len()), own: own}
	next := Row(0)
	for r := range n.to {
		n.to[r] = next
		if tb.live.Has(Row(r)) {
			next++
		}
	}
	return n
}

func (n *renumbering) row(r Row) Row {
	if int(r) >= len(n.to) {
		return n.n
	}
	return n.to[r]
}

// link renumbers a row + 1; 0 means none.
func (n *renumbering) link(next Row) Row {
	if next == 0 {
		return 0
	}
	return n.row(next-1) + 1
}

func (n *renumbering) posting(p Posting) Posting {
	if p.rows == nil {
		return Posting{one: n.link(p.one)}
	}
	n.rows = n.rows[:0]
	p.Each(func(r Row) bool {
		n.rows = append(n.rows, n.row(r))
		return true
	})
	return postingOf(n.rows, n.n)
}

// renumbered returns the next version of the table, without gaps, for own to change. Its
// indexes have a separate registry: they do not fit other versions.
func (tb *Table) renumbered(own *edition) *Table {
	n := newRenumbering(tb, own)
	c := newTable(tb.Type, tb.Status)
	c.locales = append(c.locales, tb.locales...)
	tb.live.Each(func(r Row) bool {
		e := *tb.Entry(r)
		e.next = n.link(e.next)
		c.entries.set(n.row(r), e, own)
		return true
	})
	for d := range Doc(tb.heads.n) {
		if head := tb.heads.at(d); head != 0 {
			c.heads.set(d, n.link(head), own)
		}
	}
	c.live = n.posting(tb.live)
	c.indexes.Store(n.indexes(tb))
	return c
}

func (n *renumbering) indexes(tb *Table) *tableIndexes {
	next := tableIndexes{}
	tb.registry.mu.Lock() // parts of them are cloned
	defer tb.registry.mu.Unlock()
	for key, one := range *tb.indexes.Load() {
		next[key] = builtIndex{one.renumbered(n), one.usage}
	}
	return &next
}

func (v *Values) renumbered(n *renumbering) pathIndex {
	made := newValuesMaker(v.path, n.posting(v.nulls), n.n, n.own)
	v.blocks.Ascend(func(b *block) bool {
		for _, e := range b.entries {
			made.add(e.key, n.posting(e.rows))
		}
		return true
	})
	c := made.done()
	c.tied = v.tied
	return c
}

func (l *Links) renumbered(n *renumbering) pathIndex {
	c := &Links{path: l.path, targets: n.targets(&l.targets), own: n.own}
	if l.byType != nil {
		c.byType = make(map[int]*paged[linked], len(l.byType))
	}
	for t, p := range l.byType {
		targets := n.targets(p)
		c.byType[t] = &targets
	}
	return c
}

func (n *renumbering) targets(from *paged[linked]) (to paged[linked]) {
	for d := range Doc(from.n) {
		if l := from.at(d); l.rows.Len() > 0 {
			to.set(d, linked{n.posting(l.rows), n.row(l.last), l.place, l.mixed, l.some}, n.own)
		}
	}
	return to
}

// renumbered keeps the numbers of the words, which do not depend on those of rows.
func (w *Words) renumbered(n *renumbering) pathIndex {
	c := w.clone(n.own).(*Words)
	rows := c.rows
	c.rows, c.some = paged[Posting]{}, n.posting(c.some)
	for word := range uint32(rows.n) {
		if p := rows.at(word); p.Len() > 0 {
			c.rows.set(word, n.posting(p), n.own)
		}
	}
	return c
}
