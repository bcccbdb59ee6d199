package index

import "slices"

// Links is the index of one relation path of a table: for each target
// document, the rows whose edges name it. Which of them a read shows depends
// on its status and locale and is decided there.
type Links struct {
	path    Path
	targets paged[Posting] // by document number of the target
	// byType holds the targets of morph relations, by ordinal of their type.
	byType map[int]*paged[Posting]
	own    *edition
}

func (l *Links) clone(own *edition) pathIndex {
	c := &Links{path: l.path, targets: l.targets.clone(), own: own}
	if l.byType != nil {
		c.byType = make(map[int]*paged[Posting], len(l.byType))
		for t, p := range l.byType {
			copied := p.clone()
			c.byType[t] = &copied
		}
	}
	return c
}

// Rows returns the rows that link to the document.
func (l *Links) Rows(target Doc) Posting { return l.targets.at(target) }

// MorphRows is Rows for a morph relation, whose targets are of several types.
func (l *Links) MorphRows(typeOrdinal int, target Doc) Posting {
	if p := l.byType[typeOrdinal]; p != nil {
		return p.at(target)
	}
	return Posting{}
}

func (l *Links) postings(typeOrdinal int) *paged[Posting] {
	if typeOrdinal < 0 {
		return &l.targets
	}
	if l.byType == nil {
		l.byType = map[int]*paged[Posting]{}
	}
	p := l.byType[typeOrdinal]
	if p == nil {
		p = &paged[Posting]{}
		l.byType[typeOrdinal] = p
	}
	return p
}

func (l *Links) add(typeOrdinal int, target Doc, r, universe Row, own *edition) {
	p := l.postings(typeOrdinal)
	posting := p.edit(target, own)
	*posting = posting.add(r, universe, own)
}

func (l *Links) remove(typeOrdinal int, target Doc, r Row, own *edition) {
	p := l.postings(typeOrdinal)
	posting := p.edit(target, own)
	*posting = posting.remove(r, own)
}

func (s *Snapshot) buildLinks(tb *Table, path Path) *Links {
	own := &edition{}
	l := &Links{path: path, own: own}
	tb.live.Each(func(r Row) bool {
		for _, k := range s.links(path, tb.Entry(r)) {
			l.add(k.typeOrdinal, k.target, r, tb.Size(), own)
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
}

// links is the targets of an entry at a relation path, each once.
func (s *Snapshot) links(path Path, e *Entry) []link {
	var links []link
	if e.ID == 0 {
		return nil
	}
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		edges := s.Edges(path.Last(), slot)
		for edge, ok := edges.Next(); ok; edge, ok = edges.Next() {
			k := link{-1, edge.Target}
			if edge.Type != nil {
				k.typeOrdinal = s.site.TypeOrdinal(edge.Type)
			}
			if !slices.Contains(links, k) {
				links = append(links, k)
			}
		}
	})
	return links
}

func (l *Links) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	reconcile(s.links(l.path, before), s.links(l.path, after),
		func(k link) { l.remove(k.typeOrdinal, k.target, r, own) },
		func(k link) { l.add(k.typeOrdinal, k.target, r, universe, own) })
}
