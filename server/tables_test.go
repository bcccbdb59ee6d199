package server_test

import (
	"cmp"
	"maps"
	"slices"
)

// tables store relations as Strapi does: every version of a document is a row with a
// number, and every relation with two sides is a table of pairs of rows, with a column
// for the order on either side. They are slow and simple. The test of histories
// compares the server with them.
type tables struct {
	types     map[string]*tableType
	shadows   []*tableType // for links of one-way relations: a row for each document in each locale
	relations []*relation
	rows      map[int]*versionRow
	taken     map[int]*versionRow // former rows: pairs still lead to them, but nothing shows them
	last      int

	loose map[looseList]bool
}

// looseList is a list whose order is not compared: it has a link that was published for the
// first time, whose place is the draft's. Strapi counts positions in the list of the draft
// and in the published one, so several links may have the same number, and the order of
// these changes when something is published again. Here places are unique.
type looseList struct {
	relation *relation
	from     int
	row      int
}

type tableType struct {
	name              string
	drafts, localized bool

	shadows *tableType // the type for whose documents these stand; nil for other types
}

type versionRow struct {
	id     int
	of     *tableType
	doc    string
	locale string
	draft  bool // whether it is a draft, of a type with drafts
}

// relation is a table of pairs. name is the attribute of the owner, and name + "_seen"
// that of the other side.
type relation struct {
	name          string
	owner, target *tableType
	form          string // of the owner's attribute: oneToOne, manyToOne, manyToMany
	oneWay        bool   // it has no attribute on the other side; the target has shadows
	pairs         []*joined
}

// joined is a pair: the rows and the orders by side, 0 for the owner's and 1 for the
// target's.
type joined struct {
	row   [2]int
	order [2]float64
}

// face is a relation as seen from one of its attributes: from side 0 to 1, or the other
// way round.
type face struct {
	*relation
	from int
}

func (s face) attribute() string { return s.name + []string{"", "_seen"}[s.from] }
func (s face) of() *tableType    { return []*tableType{s.owner, s.target}[s.from] }
func (s face) to() *tableType    { return []*tableType{s.target, s.owner}[s.from] }

// many reports whether the attribute has a list. ordered reports whether the list of
// the other side has an order.
func (s face) many() bool    { return s.form == "manyToMany" || s.form == "manyToOne" && s.from == 1 }
func (s face) ordered() bool { return face{s.relation, 1 - s.from}.many() }

// shared reports whether several rows may link to one target of the attribute.
func (s face) shared() bool { return s.ordered() }

func (t *tables) faces(of *tableType) (list []face) {
	for _, r := range t.relations {
		for from := range 2 {
			if s := (face{r, from}); s.of() == of && !(r.oneWay && from == 1) {
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
	r := &versionRow{t.last, of, doc, locale, draft}
	t.rows[r.id] = r
	for _, shadows := range t.shadows {
		if shadows.shadows == of && t.row(shadows, doc, locale, false) == nil {
			t.add(shadows, doc, locale, false)
		}
	}
	return r
}

// remove deletes a row with its pairs.
func (t *tables) remove(r *versionRow) {
	delete(t.rows, r.id)
	delete(t.taken, r.id)
	for _, one := range t.relations {
		one.pairs = slices.DeleteFunc(one.pairs, func(p *joined) bool { return p.row[0] == r.id || p.row[1] == r.id })
	}
	if t.row(r.of, r.doc, r.locale, true) != nil || t.row(r.of, r.doc, r.locale, false) != nil {
		return
	}
	for _, shadows := range t.shadows {
		if shadow := t.row(shadows, r.doc, r.locale, false); shadow != nil && shadows.shadows == r.of {
			t.remove(shadow)
		}
	}
}

// pairsOf returns the pairs of a row, in the order of its list.
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

// item names a document of a list, and its position.
type item struct {
	doc, locale string
	where       string // start, end, before or after
	neighbour   string
}

// given is the input of one attribute.
type given struct {
	face
	set                 []item
	replace             bool
	connect, disconnect []item
}

// found returns the rows of an item: the draft for a draft and, if the written type has
// no drafts, every version.
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

// connecting is a row to connect.
type connecting struct {
	id        int
	where     string
	neighbour int
}

// write changes the list of one attribute of a row. It returns false if the write is
// refused.
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
	delete(t.loose, looseList{s.relation, s.from, r.id})
	t.release(r, s, ids)
}

// pair adds a pair at the end of the other side's list, unless it exists.
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

// release removes links to rows that allow only one link: from all documents except the
// written one, and from that all but the last connected one.
func (t *tables) release(r *versionRow, s face, ids []int) {
	if len(ids) == 0 {
		return
	}
	last := t.rows[ids[len(ids)-1]]
	for _, p := range slices.Clone(s.pairs) {
		owning, held := t.at(p.row[s.from]), t.at(p.row[1-s.from])
		taken := !s.shared() && slices.Contains(ids, held.id) && owning.doc != r.doc
		second := !s.many() && owning.id == r.id && held.doc != last.doc
		if taken || second {
			t.unpair(s, p)
		}
	}
}

// itself stands for a row in its own list while it is replaced.
const itself = 0

// publish replaces the published row of a draft by a row with the draft's lists.
// Existing places in the lists of other rows stay.
func (t *tables) publish(draft *versionRow) {
	old := t.row(draft.of, draft.doc, draft.locale, false)
	if old == nil {
		old = t.takenBack(draft)
	}
	t.replace(draft, old, false)
}

// discard replaces a draft by a row with the lists of the published row.
func (t *tables) discard(published *versionRow) {
	t.replace(published, t.row(published.of, published.doc, published.locale, true), true)
}

// replace makes one version of a document equal to the other, in place of the old row;
// nil for none.
func (t *tables) replace(from, old *versionRow, draft bool) {
	first := t.row(from.of, from.doc, from.locale, draft) == nil
	type memory struct {
		s     face
		other int
		order float64
	}
	var memories []memory
	lists := map[face][]int{}
	drafts := map[face]map[int]float64{} // the places of the draft in the lists of others
	for _, s := range t.faces(from.of) {
		drafts[s] = map[int]float64{}
		for _, p := range s.pairsOf(from.id) {
			r := t.at(p.row[1-s.from])
			if r == from {
				lists[s] = append(lists[s], itself)
			} else if to := t.row(r.of, r.doc, r.locale, draft && r.of.drafts); to != nil {
				lists[s] = append(lists[s], to.id)
				drafts[s][to.id] = p.order[1-s.from]
			}
			if !s.many() {
				break // only one is shown
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
		for i, id := range lists[s] {
			if id == itself {
				lists[s][i] = r.id
			}
		}
		t.set(r, s, lists[s])
		if t.isLoose(s, from) {
			t.loosen(s, r.id)
		}
	}
	for s, places := range drafts {
		for other, place := range places {
			if p := s.find(r.id, other); first && p != nil {
				t.first(s, p, place)
			}
		}
	}
	for _, m := range memories {
		if p := m.s.find(r.id, m.other); p != nil {
			p.order[1-m.s.from] = m.order
		}
	}
}

// first gives a new pair the place of the draft in the other side's list. If that has the
// pairs of drafts too, the new one comes right after that of the draft.
func (t *tables) first(s face, p *joined, place float64) {
	other := p.row[1-s.from]
	if !s.ordered() {
		return
	}
	p.order[1-s.from] = place
	if !t.at(other).of.drafts && t.at(other).of.shadows == nil {
		p.order[1-s.from] += 0.5
		face{s.relation, 1 - s.from}.renumber(other)
		return
	}
	t.loosen(face{s.relation, 1 - s.from}, other)
}

func (t *tables) loosen(s face, row int) { t.loose[looseList{s.relation, s.from, row}] = true }

func (t *tables) isLoose(s face, r *versionRow) bool {
	return t.loose[looseList{s.relation, s.from, r.id}]
}

// unpublish removes a published row. Strapi then loses its places in the lists of
// published owners. Here they keep its place until it is published again, and their
// drafts keep the link when they are discarded.
func (t *tables) unpublish(r *versionRow) {
	for _, one := range t.relations {
		one.pairs = slices.DeleteFunc(one.pairs, func(p *joined) bool {
			return p.row[0] == r.id || p.row[1] == r.id && !one.owner.drafts
		})
	}
	delete(t.rows, r.id)
	t.taken[r.id] = r
}

// takenBack returns the former row of the published version of a draft.
func (t *tables) takenBack(draft *versionRow) *versionRow {
	for _, r := range t.taken {
		if r.of == draft.of && r.doc == draft.doc && r.locale == draft.locale {
			return r
		}
	}
	return nil
}

// at returns a row, also a former one.
func (t *tables) at(id int) *versionRow {
	if r := t.rows[id]; r != nil {
		return r
	}
	return t.taken[id]
}

// duplicate creates a row with the lists of another one, except links that only one row
// may have.
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
		if t.isLoose(s, from) {
			t.loosen(s, r.id)
		}
	}
}

// unsure reports whether an attribute that shows one document leads to several locales
// of it. It is unspecified which of them Strapi shows and publishes.
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

// list returns what a read of an attribute shows.
func (t *tables) list(r *versionRow, s face, drafts bool) (shown []string) {
	for _, p := range s.pairsOf(r.id) {
		to := t.rows[p.row[1-s.from]]
		if to != nil && to.of.shadows != nil {
			to = t.row(to.of.shadows, to.doc, to.locale, drafts && to.of.shadows.drafts)
		}
		if to != nil && (!to.of.drafts || to.draft == drafts) {
			shown = append(shown, to.doc+" "+to.locale)
		}
	}
	return shown
}

// copied returns a copy of the tables, for a write that may be refused.
func (t *tables) copied() tables {
	c := tables{types: t.types, shadows: t.shadows, rows: maps.Clone(t.rows), taken: maps.Clone(t.taken), last: t.last, loose: map[looseList]bool{}}
	for _, r := range t.relations {
		one := *r
		one.pairs = nil
		for _, p := range r.pairs {
			q := *p
			one.pairs = append(one.pairs, &q)
		}
		c.relations = append(c.relations, &one)
		for l := range t.loose {
			if l.relation == r {
				c.loose[looseList{&one, l.from, l.row}] = true
			}
		}
	}
	return c
}
