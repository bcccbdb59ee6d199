package index

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/google/btree"

	"quire/index/language"
	"quire/schema"
)

// Terms is the index of one text path for searching by words of a language: every folded
// word and gram of the texts, a term, with the rows that have it, and for each row its terms
// in order. Terms of two languages are different terms, and the language is that of the
// locale of an entry.
type Terms struct {
	path    Path
	whole   language.Together      // words that are not divided
	list    termList               // by text
	stems   *btree.BTreeG[termKey] // by stem, if the stem is another text
	ends    *btree.BTreeG[termKey] // by the stem from its end, in languages with compounds
	terms   paged[termRows]        // by number
	streams paged[string]          // by row, see TermStream
	texts   int                    // rows with a term
	tokens  int                    // of all rows
	free    []uint32               // numbers of terms that no text has any more
	bytes   int64                  // estimate of the memory
}

// termKey is a text by which a term is found. The first byte is the number of its language.
type termKey struct {
	text   string
	number uint32
}

func compareTermKeys(a, b termKey) int {
	if n := strings.Compare(a.text, b.text); n != 0 {
		return n
	}
	return int(a.number) - int(b.number)
}

func termKeyLess(a, b termKey) bool { return compareTermKeys(a, b) < 0 }

type termRows struct {
	text string // with the number of the language before it
	rows Posting
}

// Terms returns the term index of a text path, and builds it on first use, whatever memory it
// takes, with the words of site.json that are not divided. Reads call ReadTerms.
func (s *Snapshot) Terms(tb *Table, path Path) *Terms {
	t, _ := s.ReadTerms(nil, tb, path, s.site.Settings.Search.Together)
	return t
}

// ReadTerms is ReadValues for the term index of a text path in which some words are not
// divided. There is one for each path: a read with other such words replaces it.
func (s *Snapshot) ReadTerms(r Reader, tb *Table, path Path, together language.Together) (*Terms, error) {
	tb = tb.base()
	key := indexKey{termsKind, path.key, togetherKey(together)}
	one, err := s.index(r, tb, key, func(b *indexBuild) pathIndex { return s.buildTerms(tb, path, together, b) })
	if err != nil {
		return newTerms(path, together), err
	}
	return one.(*Terms), nil
}

// togetherKey is the part of the key of a term index for words that are not divided.
func togetherKey(words language.Together) string { return strings.Join(words, "\x00") }

// HasTerms reports whether an attribute can be searched by the words of a language.
func HasTerms(a *schema.Attribute) bool {
	switch a.Kind {
	case schema.String, schema.Text, schema.RichText, schema.Blocks, schema.Email, schema.UID, schema.Enumeration:
		return a.System == schema.NotSystem && !a.Unsearchable
	}
	return false
}

// PlainText returns the text of an attribute's value without the signs of its format.
func PlainText(a *schema.Attribute, slot []byte) string {
	switch a.Kind {
	case schema.Blocks:
		return language.OfBlocks(slot)
	case schema.RichText:
		return language.OfMarkdown(string(SlotText(slot)))
	}
	return string(SlotText(slot))
}

// Language returns the language of the entries of a locale. Those without a locale are in the
// default one.
func (s *Snapshot) Language(l Locale) *language.Language {
	if l == NoLocale {
		return language.Of(s.site.Settings.DefaultLocale)
	}
	return language.Of(s.LocaleCode(l))
}

func newTerms(path Path, together language.Together) *Terms {
	return &Terms{path: path, whole: together, stems: btree.NewG(32, termKeyLess), ends: btree.NewG(32, termKeyLess)}
}

// Memory in bytes of a term besides its text, of a row that has it, and of a row besides its
// stream; and of the tokens of a text while they are found, for each of its bytes.
const (
	termBytes    = 144
	termRowBytes = 4
	streamBytes  = 16
	tokenFactor  = 4
)

// termsBuild has what building an index needs and the index does not.
type termsBuild struct {
	*Terms
	known map[string]uint32
	rows  [][]Row // by number
}

func (s *Snapshot) buildTerms(tb *Table, path Path, together language.Together, b *indexBuild) *Terms {
	own := &edition{}
	t := &termsBuild{Terms: newTerms(path, together), known: map[string]uint32{}}
	tb.live.Each(func(r Row) bool {
		temporary := s.foldedBytes(path, tb.Entry(r)) * tokenFactor / foldedFactor
		if !b.take(temporary) {
			return false
		}
		before := t.bytes
		t.addStream(r, t.stream(s, tb.Entry(r), t.newNumber), own)
		b.release(temporary)
		return b.take(int(t.bytes - before))
	})
	if b.failed {
		return t.Terms
	}
	numbers := make([]uint32, len(t.rows))
	for i, rows := range t.rows {
		number := uint32(i)
		t.terms.edit(number, own).rows = postingOf(rows, tb.Size())
		numbers[i] = number
	}
	t.fill(numbers)
	return t.Terms
}

// newNumber returns the number of a term while the index is built.
func (t *termsBuild) newNumber(text []byte) uint32 {
	number, ok := t.known[string(text)]
	if !ok {
		number = uint32(len(t.rows))
		term := string(text)
		t.known[term] = number
		t.rows = append(t.rows, nil)
		t.terms.set(number, termRows{text: term}, nil)
		t.bytes += termBytes + 2*int64(len(term))
	}
	return number
}

func (t *termsBuild) addStream(r Row, stream string, own *edition) {
	t.setStream(r, stream, own)
	eachTerm(stream, func(number uint32) {
		rows := &t.rows[number]
		if n := len(*rows); n == 0 || (*rows)[n-1] != r {
			*rows = append(*rows, r)
			t.bytes += termRowBytes
		}
	})
}

// setStream replaces the stream of a row.
func (t *Terms) setStream(r Row, stream string, own *edition) {
	former := t.streams.at(r)
	if former == stream {
		return
	}
	count := func(stream string, sign int) {
		if stream != "" {
			n := 0
			eachTerm(stream, func(uint32) { n++ })
			t.texts += sign
			t.tokens += sign * n
			t.bytes += int64(sign * (streamBytes + len(stream)))
		}
	}
	count(former, -1)
	count(stream, 1)
	t.streams.set(r, stream, own)
}

// stream returns the terms of an entry, in the form of TermStream.
func (t *Terms) stream(s *Snapshot, e *Entry, number func(text []byte) uint32) string {
	if !e.exists() {
		return ""
	}
	of := s.Language(e.Locale)
	text := []byte{of.Number}
	var stream []byte
	s.EachSlot(e.Body, t.path.Attributes, func(slot []byte) {
		if slot == nil {
			return
		}
		if len(stream) > 0 {
			stream = append(stream, 0)
		}
		of.Tokens(PlainText(t.path.Last(), slot), t.whole, func(token language.Token) bool {
			if len(token.Folded) > language.LongestWord {
				return true
			}
			text = append(text[:1], token.Folded...)
			stream = binary.AppendUvarint(stream, uint64(number(text))+1)
			return true
		})
	})
	for len(stream) > 0 && stream[len(stream)-1] == 0 {
		stream = stream[:len(stream)-1]
	}
	return string(stream)
}

// addStems makes a term be found by its stem.
func (t *Terms) addStems(number uint32) {
	t.eachStemKey(number, func(tree *btree.BTreeG[termKey], key termKey) { tree.ReplaceOrInsert(key) })
}

func (t *Terms) removeStems(number uint32) {
	t.eachStemKey(number, func(tree *btree.BTreeG[termKey], key termKey) { tree.Delete(key) })
}

// eachStemKey calls fn for the keys of a term by its stem.
func (t *Terms) eachStemKey(number uint32, fn func(tree *btree.BTreeG[termKey], key termKey)) {
	text := t.text(number)
	of := language.Numbered(text[0])
	stem := of.Stem(text[1:])
	if stem != text[1:] {
		fn(t.stems, termKey{text[:1] + stem, number})
	}
	if of.Compounds {
		fn(t.ends, termKey{text[:1] + reversed(stem), number})
	}
}

// reversed returns a text from its end to its beginning.
func reversed(text string) string {
	runes := []rune(text)
	slices.Reverse(runes)
	return string(runes)
}

func (t *Terms) size() int64 { return t.bytes }

func (t *Terms) clone(*edition) pathIndex {
	c := *t
	c.stems, c.ends, c.list.pages = t.stems.Clone(), t.ends.Clone(), slices.Clone(t.list.pages)
	c.terms, c.streams, c.free = t.terms.clone(), t.streams.clone(), slices.Clip(t.free)
	return &c
}

// renumbered keeps the numbers of the terms, which do not depend on those of rows.
func (t *Terms) renumbered(n *renumbering) pathIndex {
	c := t.clone(n.own).(*Terms)
	terms, streams := c.terms, c.streams
	c.terms, c.streams = paged[termRows]{}, paged[string]{}
	for number := range uint32(terms.n) {
		term := terms.at(number)
		c.terms.set(number, termRows{term.text, n.posting(term.rows)}, n.own)
	}
	for r := range Row(streams.n) {
		if stream := streams.at(r); stream != "" {
			c.streams.set(n.row(r), stream, n.own)
		}
	}
	return c
}

func (t *Terms) update(s *Snapshot, r Row, _, after *Entry, universe Row, own *edition) {
	former := t.streams.at(r)
	old := numbersOf(former)
	stream := t.stream(s, after, func(text []byte) uint32 { return t.numberOf(string(text), own) })
	new := numbersOf(stream)
	for _, number := range new {
		if _, had := slices.BinarySearch(old, number); !had {
			t.addRow(number, r, universe, own)
		}
	}
	for _, number := range old {
		if _, kept := slices.BinarySearch(new, number); !kept {
			t.removeRow(number, r, own)
		}
	}
	t.setStream(r, stream, own)
}

// numberOf returns the number of a term; one that no text has is added.
func (t *Terms) numberOf(text string, own *edition) uint32 {
	if number, ok := t.number(text); ok {
		return number
	}
	number := uint32(t.terms.n)
	if n := len(t.free); n > 0 {
		number, t.free = t.free[n-1], t.free[:n-1:n-1]
	}
	t.terms.set(number, termRows{text: text}, own)
	t.addToList(number, own)
	t.addStems(number)
	t.bytes += termBytes + 2*int64(len(text))
	return number
}

func (t *Terms) addRow(number uint32, r, universe Row, own *edition) {
	term := t.terms.edit(number, own)
	before := term.rows.Len()
	term.rows = term.rows.add(r, universe, own)
	t.resize(number, before, own)
	t.bytes += termRowBytes
}

func (t *Terms) removeRow(number uint32, r Row, own *edition) {
	term := t.terms.edit(number, own)
	before := term.rows.Len()
	term.rows = term.rows.remove(r, own)
	t.bytes -= termRowBytes
	if term.rows.Len() > 0 {
		t.resize(number, before, own)
		return
	}
	t.removeFromList(number, own)
	t.removeStems(number)
	t.bytes -= termBytes + 2*int64(len(term.text))
	*term = termRows{}
	t.free = append(t.free, number)
}

// numbersOf returns the different terms of a stream, in ascending order.
func numbersOf(stream string) (numbers []uint32) {
	eachTerm(stream, func(number uint32) { numbers = append(numbers, number) })
	slices.Sort(numbers)
	return slices.Compact(numbers)
}
