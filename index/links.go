package index

import "slices"

// Links is the index of one relation path of a table: for each target
// document, the rows whose edges name it. Which of them a read shows depends
// on its status and locale and is decided there.
type Links struct {
	path    Path
	targets paged[linked] // by document number of the target
	// byType holds the targets of morph relations, by ordinal of their type.
	byType map[int]*paged[linked]
	own    *edition
}

// linked is the rows that link to one target. As long as rows come in the order
// of their places in the target's list, which is how most lists grow, that is
// known without looking at their edges. Rows that go leave the others in order.
type linked struct {
	rows  Posting
	last  Row    // no row after it has come
	place uint64 // none beyond it has come
	mixed bool   // a row has come out of order
}

func (l *linked) add(r Row, place uint64, universe Row, own *edition) {
	if l.rows.Len() == 0 {
		*l = linked{}
	}
	l.mixed = l.mixed || r < l.last || place < l.place
	l.last, l.place = max(l.last, r), max(l.place, place)
	l.rows = l.rows.add(r, universe, own)
}

func (l *Links) clone(own *edition) pathIndex {
	c := &Links{path: l.path, targets: l.targets.clone(), own: own}
	if l.byType != nil {
		c.byType = make(map[int]*paged[linked], len(l.byType))
		for t, p := range l.byType {
			copied := p.clone()
			c.byType[t] = &copied
		}
	}
	return c
}

// Rows returns the rows that link to the document.
func (l *Links) Rows(target Doc) Posting { return l.targets.at(target).rows }

// InOrder reports whether the rows that link to the document are known to stand
// in its list in the order of their numbers. False says nothing.
func (l *Links) InOrder(target Doc) bool { return !l.targets.at(target).mixed }

// MorphRows is Rows for a morph relation, whose targets are of several types.
func (l *Links) MorphRows(typeOrdinal int, target Doc) Posting {
	if p := l.byType[typeOrdinal]; p != nil {
		return p.at(target).rows
	}
	return Posting{}
}

func (l *Links) of(typeOrdinal int) *paged[linked] {
	if typeOrdinal < 0 {
		return &l.targets
	}
	if l.byType == nil {
		l.byType = map[int]*paged[linked]{}
	}
	p := l.byType[typeOrdinal]
	if p == nil {
		p = &paged[linked]{}
		l.byType[typeOrdinal] = p
	}
	return p
}

func (l *Links) add(k link, r, universe Row, own *edition) {
	l.of(k.typeOrdinal).edit(k.target, own).add(r, k.place, universe, own)
}

func (l *Links) remove(k link, r Row, own *edition) {
	from := l.of(k.typeOrdinal).edit(k.target, own)
	from.rows = from.rows.remove(r, own)
}

func (s *Snapshot) buildLinks(tb *Table, path Path) *Links {
	own := &edition{}
	l := &Links{path: path, own: own}
	tb.live.Each(func(r Row) bool {
		for _, k := range s.links(path, tb.Entry(r)) {
			l.add(k, r, tb.Size(), own)
		}
		return true
	})
	return l
}

func (l *Links) rebuild(s *Snapshot, tb *Table) pathIndex { return s.buildLinks(tb, l.path) }

// link is one target that an entry links to at a path.
type link struct {
	typeOrdinal int // -1 but in morph relations
	target      Doc
	place       uint64
}

func (k link) leadsTo(other link) bool {
	return k.typeOrdinal == other.typeOrdinal && k.target == other.target
}

// links is the targets of an entry at a relation path, each once with the place
// of the first edge to it.
func (s *Snapshot) links(path Path, e *Entry) []link {
	var links []link
	if !e.exists() {
		return nil
	}
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		edges := s.Edges(path.Last(), slot)
		for edge, ok := edges.Next(); ok; edge, ok = edges.Next() {
			k := link{-1, edge.Target, edge.Place}
			if edge.Type != nil {
				k.typeOrdinal = s.site.TypeOrdinal(edge.Type)
			}
			if !slices.ContainsFunc(links, k.leadsTo) {
				links = append(links, k)
			}
		}
	})
	return links
}

func (l *Links) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	reconcile(s.links(l.path, before), s.links(l.path, after),
		func(k link) { l.remove(k, r, own) },
		func(k link) { l.add(k, r, universe, own) })
}
