package index

// Links is the index of one relation path of a table: for each target document, the rows
// whose edges name it. Which of them a read shows depends on its status and locale and is
// decided there.
type Links struct {
	path    Path
	targets paged[linked] // by document number of the target
	// byType holds the targets of morph relations, by ordinal of their type.
	byType map[int]*paged[linked]
	own    *edition
}

// linked is the rows that link to one target. As long as rows are added in the order of
// their places in the target's list, as in most lists, that is known without reading their
// edges. Removed rows leave the others in order.
type linked struct {
	rows  Posting
	last  Row    // no later row has been added
	place uint64 // no higher place has been added
	mixed bool   // a row was added out of order
	some  bool   // a row links to only one version of the target
}

func (l *linked) add(k link, r, universe Row, own *edition) {
	if l.rows.Len() == 0 {
		*l = linked{}
	}
	l.mixed = l.mixed || r < l.last || k.place < l.place
	l.some = l.some || k.only
	l.last, l.place = max(l.last, r), max(l.place, k.place)
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

// InOrder reports whether the rows that link to the document are known to be in its list in
// the order of their numbers. False means unknown.
func (l *Links) InOrder(target Doc) bool { return !l.targets.at(target).mixed }

// Whole reports whether the rows that link to the document are known to link to both its
// draft and its published version. False means unknown.
func (l *Links) Whole(target Doc) bool { return !l.targets.at(target).some }

// RowsAndWhole returns Rows and Whole.
func (l *Links) RowsAndWhole(target Doc) (rows Posting, whole bool) {
	at := l.targets.at(target)
	return at.rows, !at.some
}

// MorphWhole is Whole for a morph relation.
func (l *Links) MorphWhole(typeOrdinal int, target Doc) bool {
	p := l.byType[typeOrdinal]
	return p == nil || !p.at(target).some
}

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
	l.of(k.typeOrdinal).edit(k.target, own).add(k, r, universe, own)
}

func (l *Links) remove(k link, r Row, own *edition) {
	from := l.of(k.typeOrdinal).edit(k.target, own)
	from.rows = from.rows.remove(r, own)
}

// linkBytes is the memory of a link, with its part of what its target takes.
const linkBytes = 32

func (l *Links) size() int64 { return 0 }

func (s *Snapshot) buildLinks(tb *Table, path Path, b *indexBuild) *Links {
	own := &edition{}
	l := &Links{path: path, own: own}
	tb.live.Each(func(r Row) bool {
		links := s.links(path, tb.Entry(r)).all
		for _, k := range links {
			l.add(k, r, tb.Size(), own)
		}
		return b.take(len(links) * linkBytes)
	})
	return l
}

// link is one target that an entry links to at a path, and the place in its list.
type link struct {
	linkTarget
	place uint64
	only  bool // to only one of its versions
}

type linkTarget struct {
	typeOrdinal int // -1 except in morph relations
	target      Doc
}

// links returns the targets of an entry at a relation path, each once with the place of the
// first edge to it.
func (s *Snapshot) links(path Path, e *Entry) (links distinct[link]) {
	if !e.exists() {
		return links
	}
	var targets distinct[linkTarget]
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		edges := s.Edges(path.Last(), slot)
		for edge, ok := edges.Next(); ok; edge, ok = edges.Next() {
			to := linkTarget{-1, edge.Target}
			if edge.Type != nil {
				to.typeOrdinal = s.site.TypeOrdinal(edge.Type)
			}
			if targets.add(to) {
				links.add(link{to, edge.Place, edge.Only != 0})
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
