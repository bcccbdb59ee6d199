package index

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Words is the index of one text path for searching in the texts: every word, a sequence of
// characters without white space in lower case, with the rows that contain it. A text
// without white space can only be within a word, so the rows of the words that contain it
// are exactly the rows that do.
type Words struct {
	path  Path
	words *numbering
	rows  paged[Posting] // by the word's number
	some  Posting        // rows with a text
	alive int            // words that some text contains
	bytes int64          // estimate of the memory

	// joined has all words except the last few. Each part is at least twice as long as the
	// next one, so that there are few, and each word is joined a few times.
	joined []*joined
}

// TextPart says where in a text a needle must be.
type TextPart uint8

const (
	Anywhere TextPart = iota
	AtStart
	AtEnd
	Whole
)

// Words returns the word index of a text path, and builds it on first use, whatever memory it
// takes. Reads call ReadWords.
func (s *Snapshot) Words(tb *Table, path Path) *Words {
	w, _ := s.ReadWords(nil, tb, path)
	return w
}

// ReadWords is ReadValues for the word index of a text path.
func (s *Snapshot) ReadWords(r Reader, tb *Table, path Path) (*Words, error) {
	tb = tb.base()
	one, err := s.index(r, tb, indexKey{kind: wordsKind, path: path.key}, func(b *indexBuild) pathIndex { return s.buildWords(tb, path, b) })
	if err != nil {
		return &Words{path: path, words: newNumbering(nil)}, err
	}
	return one.(*Words), nil
}

// fewCandidates is the number of rows up to which checking their texts costs less than
// looking up further words.
const fewCandidates = 64

// Exact reports whether all Candidates contain the needle, ignoring case.
func Exact(needle string, part TextPart) bool {
	if needle == "" {
		return part != Whole
	}
	return part == Anywhere && !strings.ContainsFunc(needle, unicode.IsSpace)
}

// Candidates adds to out every row that may contain the needle, which must be folded, in
// that part of a text. out must be empty, unless the needle is Exact. over is called with
// the number of bytes of words to be searched next, and ends the search if it returns true.
func (w *Words) Candidates(needle string, part TextPart, out *Bits, over func(bytes int) bool) {
	pieces := strings.Fields(needle)
	if len(pieces) == 0 {
		w.some.AddTo(out)
		return
	}
	first, _ := utf8.DecodeRuneInString(needle)
	last, _ := utf8.DecodeLastRuneInString(needle)
	before := !unicode.IsSpace(first) && (part == Anywhere || part == AtEnd) // a word may begin before the needle
	after := !unicode.IsSpace(last) && (part == Anywhere || part == AtStart)
	w.addRows(pieces[0], before, after && len(pieces) == 1, out, over)
	for i, piece := range pieces[1:] {
		if !out.More(fewCandidates) {
			break
		}
		rows := NewBits(Row(len(out.words) * 64))
		w.addRows(piece, false, after && i == len(pieces)-2, rows, over)
		out.And(rows)
		rows.Release()
	}
}

// NonNull returns the posting of the rows with a text.
func (w *Words) NonNull() Posting { return w.some }

// addRows adds the rows of the words that contain the piece: anywhere in the word if the
// word may continue before or after it, otherwise at its beginning or end.
func (w *Words) addRows(piece string, before, after bool, out *Bits, over func(bytes int) bool) {
	if !before && !after {
		if n, ok := w.words.find(piece); ok {
			w.rows.at(n).AddTo(out)
		}
		return
	}
	pattern := piece
	if !before {
		pattern = "\n" + pattern
	}
	if !after {
		pattern += "\n"
	}
	add := func(n uint32) { w.rows.at(n).AddTo(out) }
	for _, j := range w.joined {
		j.each(pattern, over, add)
	}
	if over(looseBytes * (w.words.texts.n - int(w.end()))) {
		return
	}
	for n := w.end(); int(n) < w.words.texts.n; n++ {
		if strings.Contains("\n"+w.words.texts.at(n)+"\n", pattern) {
			add(n)
		}
	}
}

const (
	looseWords = 4096 // words that are searched one by one before they are joined
	looseBytes = 32   // bytes that such a word counts as
)

// end returns the number of the first word that is not joined.
func (w *Words) end() uint32 {
	if len(w.joined) == 0 {
		return 0
	}
	return w.joined[len(w.joined)-1].end()
}

// join joins the remaining words with the parts before them that are too short compared to
// the next ones.
func (w *Words) join() {
	first, end := w.end(), uint32(w.words.texts.n)
	kept := len(w.joined)
	for ; kept > 0 && w.joined[kept-1].end()-w.joined[kept-1].first < 2*(end-first); kept-- {
		first = w.joined[kept-1].first
	}
	w.joined = append(w.joined[:kept:kept], joinWords(w.words, first, end))
}

// Memory in bytes of a word besides its text, which is stored twice while words are joined,
// and of a row that has it; and of the words of a text, for each of its bytes.
const (
	wordBytes    = 96
	wordRowBytes = 4
	foldedFactor = 12
)

// buildWords goes through the texts once. A word that is known costs no memory, and a row is
// after all others of a word.
func (s *Snapshot) buildWords(tb *Table, path Path, b *indexBuild) *Words {
	own := &edition{}
	w := &Words{path: path, words: newNumbering(own)}
	var folded []byte
	var last []Row // of each word, + 1
	tb.live.Each(func(r Row) bool {
		before, texts := w.bytes, 0
		s.EachSlot(tb.Entry(r).Body, path.Attributes, func(slot []byte) {
			if slot == nil {
				return
			}
			texts++
			if most := len(slot) * 3 / 2; most > cap(folded) && b.take(most-cap(folded)) {
				folded = make([]byte, 0, most)
			}
			folded = AppendFold(folded[:0], unquote(slot))
			eachWord(folded, func(word []byte) {
				number, known := w.words.findBytes(word)
				if !known {
					number = w.words.add(string(word))
					last = append(last, 0)
					w.bytes += int64(2*len(word)) + wordBytes
				}
				if last[number] != r+1 {
					last[number] = r + 1
					w.rows.edit(number, own).push(r, tb.Size(), own)
					w.bytes += wordRowBytes
				}
			})
		})
		if texts > 0 {
			w.some = w.some.add(r, tb.Size(), own)
		}
		return b.take(int(w.bytes - before))
	})
	w.alive = w.words.len()
	if !b.failed {
		w.join()
	}
	return w
}

// eachWord calls fn for the words of a folded text, which strings.Fields would return.
func eachWord(text []byte, fn func(word []byte)) {
	from := -1 // where the current word begins
	for i := 0; i < len(text); {
		space, size := asciiSpace[text[i]], 1
		if text[i] >= utf8.RuneSelf {
			var r rune
			r, size = utf8.DecodeRune(text[i:])
			space = unicode.IsSpace(r)
		}
		switch {
		case space && from >= 0:
			fn(text[from:i])
			from = -1
		case !space && from < 0:
			from = i
		}
		i += size
	}
	if from >= 0 {
		fn(text[from:])
	}
}

var asciiSpace = [256]bool{'\t': true, '\n': true, '\v': true, '\f': true, '\r': true, ' ': true}

// foldedBytes returns the memory that finding the words of an entry takes, which is free
// afterwards.
func (s *Snapshot) foldedBytes(path Path, e *Entry) (n int) {
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) { n += foldedFactor * len(slot) })
	return n
}

// wordsOf returns the different words of an entry at a path, and the number of texts they
// come from.
func (s *Snapshot) wordsOf(path Path, e *Entry) (texts int, words []string) {
	if !e.exists() {
		return 0, nil
	}
	s.EachSlot(e.Body, path.Attributes, func(slot []byte) {
		if slot != nil {
			texts++
			words = append(words, strings.Fields(Fold(string(unquote(slot))))...)
		}
	})
	slices.Sort(words)
	return texts, slices.Compact(words)
}

func (w *Words) clone(own *edition) pathIndex {
	if w.sparse() {
		return w.withoutDead(own)
	}
	c := *w
	c.words, c.rows = w.words.clone(own), w.rows.clone()
	if c.words.texts.n > int(c.end())+looseWords {
		c.join()
	}
	return &c
}

// deadWords is how many more unused words than used ones an index of words may have.
const deadWords = 4096

// sparse reports whether most words are in no text any more.
func (w *Words) sparse() bool { return w.words.texts.n > 2*w.alive+deadWords }

// withoutDead returns the index without the unused words.
func (w *Words) withoutDead(own *edition) *Words {
	c := &Words{path: w.path, words: newNumbering(own), some: w.some, alive: w.alive, bytes: w.bytes}
	for word := range uint32(w.rows.n) {
		if rows := w.rows.at(word); rows.Len() > 0 {
			c.rows.set(c.words.add(w.words.texts.at(word)), rows, own)
		} else {
			c.bytes -= int64(2*len(w.words.texts.at(word))) + wordBytes
		}
	}
	c.join()
	return c
}

func (w *Words) add(word string, r, universe Row, own *edition) {
	number, known := w.words.find(word)
	if !known {
		number = w.words.add(strings.Clone(word)) // and not the text that it is a part of
		w.bytes += int64(2*len(word)) + wordBytes
	}
	posting := w.rows.edit(number, own)
	if posting.Len() == 0 {
		w.alive++
	}
	*posting = posting.add(r, universe, own)
	w.bytes += wordRowBytes
}

func (w *Words) size() int64 { return w.bytes }

func (w *Words) remove(word string, r Row, own *edition) {
	w.bytes -= wordRowBytes
	posting := w.rows.edit(w.words.number(word), own)
	if *posting = posting.remove(r, own); posting.Len() == 0 {
		w.alive--
	}
}

func (w *Words) update(s *Snapshot, r Row, before, after *Entry, universe Row, own *edition) {
	oldTexts, old := s.wordsOf(w.path, before)
	newTexts, new := s.wordsOf(w.path, after)
	for _, word := range old {
		if _, kept := slices.BinarySearch(new, word); !kept {
			w.remove(word, r, own)
		}
	}
	for _, word := range new {
		if _, had := slices.BinarySearch(old, word); !had {
			w.add(word, r, universe, own)
		}
	}
	switch {
	case newTexts > 0 && oldTexts == 0:
		w.some = w.some.add(r, universe, own)
	case newTexts == 0 && oldTexts > 0:
		w.some = w.some.remove(r, own)
	}
}
