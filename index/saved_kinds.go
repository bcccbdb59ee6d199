package index

import (
	"crypto/sha256"
	"fmt"
	"strings"
)

// The sections of the kinds of indexes.
//
//	values    the posting of nulls, the number of values, and for each in ascending order: how
//	          many bytes of its key are those of the key before, the others, its posting
//	words     the words, each with a line break after it, as one text; the posting of rows
//	          with a text; the posting of each word
//	links     the number of types, -1 as none of a relation with one, and for each: its UID,
//	          empty for that one; the number of targets, and for each: its documentId, its
//	          posting, the last row, the place, and the bits mixed and some
//	terms     the number of terms, and for each: its text, empty for a number that is free, and
//	          its posting; then the stream of each row

// savedKind is a kind of index that is saved.
type savedKind interface{ save(*sectionWriter) }

// readSaved reads an index of a table.
func (s *Snapshot) readSaved(tb *Table, d *savedSection, b *indexBuild) (one pathIndex, err error) {
	path, ok := s.pathOf(tb.Type, d.Path)
	if !ok || len(d.Path) == 0 {
		return nil, errSection
	}
	r := newSectionReader(d, b)
	switch d.Kind {
	case kindNames[valuesKind]:
		one = r.values(path, tb.Size())
	case kindNames[wordsKind]:
		one = r.words(path, tb.Size())
	case kindNames[linksKind]:
		one = r.links(s, path, tb.Size())
	case kindNames[termsKind]:
		one = r.terms(newTerms(path, d.Together), tb.Size())
	default:
		return nil, fmt.Errorf("it is of an unknown kind %q", d.Kind)
	}
	return one, r.check(d.Sum)
}

func (v *Values) save(w *sectionWriter) {
	w.posting(v.nulls)
	w.number(uint64(v.Len()))
	before := ""
	v.blocks.Ascend(func(b *block) bool {
		for i := range b.entries {
			e := &b.entries[i]
			same := 0
			for same < min(len(before), len(e.key)) && before[same] == e.key[same] {
				same++
			}
			w.number(uint64(same))
			w.text(e.key[same:])
			w.posting(e.rows)
			before = e.key
		}
		return w.err == nil
	})
}

// values reads an index of values. The keys of a block are parts of one text.
func (r *sectionReader) values(path Path, universe Row) *Values {
	made := newValuesMaker(path, r.posting(universe), universe, nil)
	var key, keys []byte
	var ends [blockSize * 3 / 4]int
	var rows [len(ends)]Posting
	n := 0
	add := func() {
		text, from := string(keys), 0
		for i, end := range ends[:n] {
			one := text[from:end]
			if made.v.bytes > 0 && one <= made.before {
				r.fail(errSection)
				break
			}
			made.add(one, rows[i])
			from = end
		}
		n, keys = 0, keys[:0]
	}
	for range r.length() {
		key = r.append(key[:r.number(uint64(len(key)))], r.length())
		p := r.posting(universe)
		if p.Len() == 0 || len(key) > longestKey+sha256.Size {
			r.fail(errSection)
		}
		if !r.take(valueBytes + len(key) + valueRowBytes*p.Len()) {
			break
		}
		keys = append(keys, key...)
		ends[n], rows[n] = len(keys), p
		if n++; n == len(ends) {
			add()
		}
	}
	add()
	return made.done()
}

func (w *Words) save(to *sectionWriter) {
	size := 0
	each := func(fn func(word string, rows Posting)) {
		for n := range uint32(w.rows.n) {
			if rows := w.rows.at(n); rows.Len() > 0 && to.err == nil {
				fn(w.words.texts.at(n), rows)
			}
		}
	}
	each(func(word string, _ Posting) { size += len(word) + 1 })
	to.number(uint64(size))
	each(func(word string, _ Posting) {
		to.buffer = append(append(to.buffer, word...), '\n')
		to.flushFull()
	})
	to.posting(w.some)
	each(func(_ string, rows Posting) { to.posting(rows) })
}

func (r *sectionReader) words(path Path, universe Row) *Words {
	own := &edition{}
	w := &Words{path: path, words: newNumbering(own)}
	size := r.length()
	if !r.take(2 * size) {
		return w
	}
	text := string(r.append(make([]byte, 0, size), size))
	w.some = r.posting(universe)
	for len(text) > 0 {
		word, rest, ended := strings.Cut(text, "\n")
		p := r.posting(universe)
		if !ended || word == "" || p.Len() == 0 {
			r.fail(errSection)
		}
		if !r.take(wordBytes + wordRowBytes*p.Len()) {
			return w
		}
		w.rows.set(w.words.add(word), p, own)
		w.alive++
		w.bytes += int64(2*len(word) + wordBytes + wordRowBytes*p.Len())
		text = rest
	}
	w.join()
	return w
}

func (l *Links) save(w *sectionWriter) {
	w.number(uint64(1 + len(l.byType)))
	w.text("")
	last := l.path.Last()
	if last.Relation.Morph() {
		w.number(0)
	} else {
		w.targets(w.s.Collection(last.Relation.Target), &l.targets)
	}
	for ordinal, targets := range l.byType {
		c := w.s.Collection(w.s.site.Types[ordinal])
		w.text(c.Type.UID)
		w.targets(c, targets)
	}
}

func (w *sectionWriter) targets(c *Collection, targets *paged[linked]) {
	n := 0
	each := func(fn func(d Doc, l linked)) {
		for d := range Doc(targets.n) {
			if l := targets.at(d); l.rows.Len() > 0 && w.err == nil {
				fn(d, l)
			}
		}
	}
	each(func(Doc, linked) { n++ })
	w.number(uint64(n))
	each(func(d Doc, l linked) {
		w.text(c.DocumentID(d))
		w.posting(l.rows)
		w.number(uint64(w.row(l.last)))
		w.number(l.place)
		flags := uint64(0)
		if l.mixed {
			flags |= 1
		}
		if l.some {
			flags |= 2
		}
		w.number(flags)
	})
}

func (r *sectionReader) links(s *Snapshot, path Path, universe Row) *Links {
	l := &Links{path: path, own: &edition{}}
	var buffer []byte
	for range r.length() {
		ordinal, t := -1, path.Last().Relation.Target
		if uid := r.text(&buffer); uid != "" {
			if t = s.site.Type(uid); t != nil && !t.IsComponent() {
				ordinal = s.site.TypeOrdinal(t)
			} else {
				r.fail(errSection)
			}
		}
		if r.err != nil {
			break
		}
		targets := l.of(ordinal)
		for range r.length() {
			documentID := r.text(&buffer)
			to := linked{rows: r.posting(universe), last: Row(r.number(uint64(universe))), place: r.anyNumber()}
			flags := r.number(3)
			to.mixed, to.some = flags&1 != 0, flags&2 != 0
			if t == nil || to.rows.Len() == 0 || !r.take(to.rows.Len()*linkBytes) {
				r.fail(errSection)
				break
			}
			d, known := s.Collection(t).Document(documentID)
			if !known {
				r.fail(errSection)
				break
			}
			targets.set(d, to, l.own)
		}
	}
	return l
}

func (t *Terms) save(w *sectionWriter) {
	w.number(uint64(t.terms.n))
	for number := range uint32(t.terms.n) {
		one := t.terms.at(number)
		w.text(one.text)
		if one.text != "" {
			w.posting(one.rows)
		}
		if w.err != nil {
			return
		}
	}
	for r := range Row(t.streams.n) {
		if stream := t.streams.at(r); stream != "" {
			w.number(uint64(w.row(r)))
			w.text(stream)
		}
	}
}

func (r *sectionReader) terms(t *Terms, universe Row) *Terms {
	own := &edition{}
	var buffer []byte
	var numbers []uint32
	for number := range uint32(r.length()) {
		text := r.text(&buffer)
		if text == "" {
			t.free = append(t.free, number)
			t.terms.set(number, termRows{}, own)
			continue
		}
		rows := r.posting(universe)
		if rows.Len() == 0 {
			r.fail(errSection)
		}
		size := termBytes + 2*len(text) + termRowBytes*rows.Len()
		if !r.take(size) {
			return t
		}
		t.bytes += int64(size)
		t.terms.set(number, termRows{text, rows}, own)
		numbers = append(numbers, number)
	}
	for r.err == nil && r.left() > 0 {
		row := Row(r.number(uint64(universe) - 1))
		stream := r.text(&buffer)
		if stream == "" || stream[len(stream)-1] >= 0x80 {
			r.fail(errSection)
			break
		}
		eachTerm(stream, func(number uint32) {
			if t.terms.at(number).text == "" {
				r.fail(errSection)
			}
		})
		if r.take(streamBytes + len(stream)) {
			t.setStream(row, stream, own)
		}
	}
	if r.err == nil {
		t.fill(numbers)
	}
	return t
}
