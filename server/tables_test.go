package server_test

import (
	"cmp"
	"maps"
	"slices"
)

// tables keep relations as Strapi does: every version of a document is a row with
// a number of its own, and every relation with two sides is a table of pairs of
// rows, with a column for the order on either side. They are slow and plain, and
// the test of histories holds the server against them.
type tables struct {
	types     map[string]*tableType
	relations []*relation
	rows      map[int]*versionRow
	taken     map[int]*versionRow // back: pairs still lead to them, but nothing shows them
	last      int
}

type tableType struct {
	name              string
	drafts, localized bool
}

type versionRow struct {
	id     int
	of     *tableType
	doc    string
	locale string
	draft  bool // of a type with drafts
}

// relation is a table of pairs. name is the attribute on the owner's face, and
// name + "_seen" the one on the other.
type relation struct {
	name          string
	owner, target *tableType
	form          string // as the owner has it: oneToOne, manyToOne, manyToMany
	pairs         []*joined
}

// joined has the rows and the orders by side: 0 is the owner's, 1 the target's.
type joined struct {
	row   [2]int
	order [2]float64
}

// face is a relation as one of its attributes has it: from 0 to 1, or the other
// way round.
type face struct {
	*relation
	from int
}

func (s face) attribute() string { return s.name + []string{"", "_seen"}[s.from] }
func (s face) of() *tableType    { return []*tableType{s.owner, s.target}[s.from] }
func (s face) to() *tableType    { return []*tableType{s.target, s.owner}[s.from] }

// many reports whether the attribute holds a list, and ordered whether the list of
// the other side has an order.
func (s face) many() bool    { return s.form == "manyToMany" || s.form == "manyToOne" && s.from == 1 }
func (s face) ordered() bool { return face{s.relation, 1 - s.from}.many() }

// shared reports whether several may hold one of what the attribute leads to.
func (s face) shared() bool { return s.ordered() }

func (t *tables) faces(of *tableType) (list []face) {
	for _, r := range t.relations {
		for from := range 2 {
			if s := (face{r, from}); s.of() == of {
				list = append(list, s)
			}
		}
	}
	return list
}

func (t *tables) row(of *tableType, doc, locale string, draft bool) *versionRow {
	for _, r := range t.rows {
		if r.of == of && r.doc == doc && r.locale == locale && r.draft == draft {
			return r
		}
	}
	return nil
}

func (t *tables) add(of *tableType, doc, locale string, draft bool) *versionRow {
	t.last++
	t.rows[t.last] = &versionRow{t.last, of, doc, locale, draft}
	return t.rows[t.last]
}

// remove deletes a row, and the pairs that it is in go with it.
func (t *tables) remove(r *versionRow) {
	delete(t.rows, r.id)
	delete(t.taken, r.id)
	for _, one := range t.relations {
		one.pairs = slices.DeleteFunc(one.pairs, func(p *joined) bool { return p.row[0] == r.id || p.row[1] == r.id })
	}
}

// pairsOf are the pairs that a row is in, in the order of its list.
func (s face) pairsOf(row int) (list []*joined) {
	for _, p := range s.pairs {
		if p.row[s.from] == row {
			list = append(list, p)
		}
	}
	if s.many() {
		slices.SortStableFunc(list, func(a, b *joined) int { return cmp.Compare(a.order[s.from], b.order[s.from]) })
	}
	return list
}

func (s face) find(row, other int) *joined {
	for _, p := range s.pairs {
		if p.row[s.from] == row && p.row[1-s.from] == other {
			return p
		}
	}
	return nil
}

// item names a document of a list, and where it goes.
type item struct {
	doc, locale string
	where       string // start, end, before or after
	neighbour   string
}

// given is what a body says about one attribute.
type given struct {
	face
	set                 []item
	replace             bool
	connect, disconnect []item
}

// found are the rows that an item stands for: of a draft the draft, and where the
// writing type has no drafts, every version.
func (t *tables) found(s face, from *versionRow, draft bool, doc, locale string) (ids []int) {
	to := s.to()
	switch {
	case !to.localized:
		locale = ""
	case s.of().localized:
		locale = from.locale
	case locale == "":
		locale = "en"
	}
	statuses := []bool{false}
	if to.drafts {
		statuses = []bool{draft}
		if !s.of().drafts {
			statuses = []bool{true, false}
		}
	}
	for _, status := range statuses {
		if r := t.row(to, doc, locale, status); r != nil {
			ids = append(ids, r.id)
		}
	}
	return ids
}

// connecting is a row to be connected.
type connecting struct {
	id        int
	where     string
	neighbour int
}

// write changes the list of one attribute of a row. It reports false where the
// write is refused.
func (t *tables) write(r *versionRow, g given) bool {
	var set, gone []int
	var connect []connecting
	for _, i := range g.set {
		ids := t.found(g.face, r, r.draft, i.doc, i.locale)
		if len(ids) == 0 {
			return false
		}
		for _, id := range ids {
			if !slices.Contains(set, id) {
				set = append(set, id)
			}
		}
	}
	for _, i := range g.disconnect {
		ids := t.found(g.face, r, r.draft, i.doc, i.locale)
		if len(ids) == 0 {
			return false
		}
		gone = append(gone, ids...)
	}
	for _, i := range g.connect {
		ids := t.found(g.face, r, r.draft, i.doc, i.locale)
		if len(ids) == 0 {
			return false
		}
		neighbour := 0
		if i.neighbour != "" {
			beside := t.found(g.face, r, r.draft, i.neighbour, i.locale)
			if len(beside) == 0 {
				return false
			}
			neighbour = beside[0]
		}
		for _, id := range ids {
			connect = append(connect, connecting{id, i.where, neighbour})
		}
	}
	if g.replace {
		t.set(r, g.face, set)
		return true
	}
	return t.change(r, g.face, connect, gone)
}

func (t *tables) set(r *versionRow, s face, ids []int) {
	for _, p := range s.pairsOf(r.id) {
		if !slices.Contains(ids, p.row[1-s.from]) {
			t.unpair(s, p)
		}
	}
	for i, id := range ids {
		t.pair(s, r.id, id).order[s.from] = float64(i + 1)
	}
	t.release(r, s, ids)
}

// pair adds a pair at the end of the other side's list, unless there is one.
func (t *tables) pair(s face, row, other int) *joined {
	p := s.find(row, other)
	if p == nil {
		p = &joined{}
		p.row[s.from], p.row[1-s.from] = row, other
		for _, q := range s.pairs {
			if q.row[1-s.from] == other {
				p.order[1-s.from] = max(p.order[1-s.from], q.order[1-s.from])
			}
		}
		p.order[1-s.from]++
		s.relation.pairs = append(s.relation.pairs, p)
	}
	return p
}

// unpair removes a pair and closes the gaps.
func (t *tables) unpair(s face, p *joined) {
	s.relation.pairs = slices.DeleteFunc(s.relation.pairs, func(q *joined) bool { return q == p })
	face{s.relation, 0}.renumber(p.row[0])
	face{s.relation, 1}.renumber(p.row[1])
}

func (s face) renumber(row int) {
	for i, p := range s.pairsOf(row) {
		p.order[s.from] = float64(i + 1)
	}
}

// change disconnects rows and then connects others, each at its position.
func (t *tables) change(r *versionRow, s face, connect []connecting, gone []int) bool {
	for _, c := range connect {
		gone = slices.DeleteFunc(gone, func(id int) bool { return id == c.id })
	}
	for _, id := range gone {
		if p := s.find(r.id, id); p != nil {
			t.unpair(s, p)
		}
	}
	var list []int
	for _, p := range s.pairsOf(r.id) {
		list = append(list, p.row[1-s.from])
	}
	later := func(id int) int { return slices.IndexFunc(connect, func(c connecting) bool { return c.id == id }) }
	var place func(c connecting, way []int) bool
	placed := map[int]bool{}
	place = func(c connecting, way []int) bool {
		if placed[c.id] {
			return !slices.Contains(way, c.id)
		}
		placed[c.id] = true
		if c.neighbour != 0 && !slices.Contains(list, c.neighbour) {
			n := later(c.neighbour)
			if n < 0 || !place(connect[n], append(way, c.id)) {
				return false
			}
		}
		list = slices.DeleteFunc(list, func(id int) bool { return id == c.id })
		at := len(list)
		switch c.where {
		case "start":
			at = 0
		case "before", "after":
			if at = slices.Index(list, c.neighbour); at < 0 {
				return false
			}
			if c.where == "after" {
				at++
			}
		}
		list = slices.Insert(list, at, c.id)
		return true
	}
	for _, c := range connect {
		if !place(c, nil) {
			return false
		}
	}
	var ids []int
	for _, c := range connect {
		ids = append(ids, c.id)
		t.pair(s, r.id, c.id)
	}
	for i, id := range list {
		s.find(r.id, id).order[s.from] = float64(i + 1)
	}
	t.release(r, s, ids)
	return true
}

// release takes rows from where only one may have them: from other documents than
// the one written, and from it all but the last document connected.
func (t *tables) release(r *versionRow, s face, ids []int) {
	if len(ids) == 0 {
		return
	}
	last := t.rows[ids[len(ids)-1]]
	for _, p := range slices.Clone(s.pairs) {
		holder, held := t.at(p.row[s.from]), t.at(p.row[1-s.from])
		taken := !s.shared() && slices.Contains(ids, held.id) && holder.doc != r.doc
		second := !s.many() && holder.id == r.id && held.doc != last.doc
		if taken || second {
			t.unpair(s, p)
		}
	}
}

// publish replaces the published row of a draft by one with the draft's lists. What
// was in the list of another row before keeps its place there.
func (t *tables) publish(draft *versionRow) {
	old := t.row(draft.of, draft.doc, draft.locale, false)
	if old == nil {
		old = t.takenBack(draft)
	}
	t.become(draft, old, false)
}

// discard replaces a draft by one with the lists of the published row.
func (t *tables) discard(published *versionRow) {
	t.become(published, t.row(published.of, published.doc, published.locale, true), true)
}

// become makes the other version of a document what one version is, in the place of
// the old row, nil for none.
func (t *tables) become(from, old *versionRow, draft bool) {
	type memory struct {
		s     face
		other int
		order float64
	}
	var memories []memory
	lists := map[face][]int{}
	for _, s := range t.faces(from.of) {
		for _, p := range s.pairsOf(from.id) {
			r := t.at(p.row[1-s.from])
			if to := t.row(r.of, r.doc, r.locale, draft && r.of.drafts); to != nil {
				lists[s] = append(lists[s], to.id)
			}
			if !s.many() {
				break // one is shown
			}
		}
	}
	if old != nil {
		for _, s := range t.faces(from.of) {
			for _, p := range s.pairsOf(old.id) {
				memories = append(memories, memory{s, p.row[1-s.from], p.order[1-s.from]})
			}
		}
		t.remove(old)
	}
	r := t.add(from.of, from.doc, from.locale, draft)
	for _, s := range t.faces(from.of) {
		t.set(r, s, lists[s])
	}
	for _, m := range memories {
		if p := m.s.find(r.id, m.other); p != nil {
			p.order[1-m.s.from] = m.order
		}
	}
}

// unpublish removes a published row. Strapi forgets with it where it was in the lists
// of published owners; here they keep its place until it is published again, and their
// drafts keep the link when they go back to what is published.
func (t *tables) unpublish(r *versionRow) {
	for _, one := range t.relations {
		one.pairs = slices.DeleteFunc(one.pairs, func(p *joined) bool {
			return p.row[0] == r.id || p.row[1] == r.id && !one.owner.drafts
		})
	}
	delete(t.rows, r.id)
	t.taken[r.id] = r
}

// takenBack is the row that the published version of a draft had before.
func (t *tables) takenBack(draft *versionRow) *versionRow {
	for _, r := range t.taken {
		if r.of == draft.of && r.doc == draft.doc && r.locale == draft.locale {
			return r
		}
	}
	return nil
}

// at is a row, even one that was taken back.
func (t *tables) at(id int) *versionRow {
	if r := t.rows[id]; r != nil {
		return r
	}
	return t.taken[id]
}

// duplicate makes a row with the lists of another, but for what only one may have.
func (t *tables) duplicate(from *versionRow, doc string) {
	lists := map[face][]int{}
	for _, s := range t.faces(from.of) {
		for _, p := range s.pairsOf(from.id) {
			if s.shared() && (s.from == 0 || s.many()) {
				lists[s] = append(lists[s], p.row[1-s.from])
			}
		}
	}
	r := t.add(from.of, doc, from.locale, from.draft)
	for _, s := range t.faces(from.of) {
		for i, id := range lists[s] {
			t.pair(s, r.id, id).order[s.from] = float64(i + 1)
		}
	}
}

// unsure reports whether an attribute that shows one document leads to several
// locales of it. Nothing says which of them Strapi shows, and publishes.
func (t *tables) unsure() bool {
	for _, r := range t.rows {
		for _, s := range t.faces(r.of) {
			if !s.many() && (len(t.list(r, s, true)) > 1 || len(t.list(r, s, false)) > 1) {
				return true
			}
		}
	}
	return false
}

// list is what a read of an attribute shows.
func (t *tables) list(r *versionRow, s face, drafts bool) (shown []string) {
	for _, p := range s.pairsOf(r.id) {
		to := t.rows[p.row[1-s.from]]
		if to != nil && (!to.of.drafts || to.draft == drafts) {
			shown = append(shown, to.doc+" "+to.locale)
		}
	}
	return shown
}

// copied is the tables as they are, for a write that may be refused.
func (t *tables) copied() tables {
	c := tables{types: t.types, rows: maps.Clone(t.rows), taken: maps.Clone(t.taken), last: t.last}
	for _, r := range t.relations {
		one := *r
		one.pairs = nil
		for _, p := range r.pairs {
			q := *p
			one.pairs = append(one.pairs, &q)
		}
		c.relations = append(c.relations, &one)
	}
	return c
}
