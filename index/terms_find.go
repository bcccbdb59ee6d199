package index

import (
	"strings"

	"github.com/google/btree"

	"quire/index/language"
)

// Term is a word or gram that texts have.
type Term struct {
	Number uint32
	Text   string
	Rows   Posting
}

// TermStream is the terms of a row at one path, in order, and where one text ends and the next
// begins: for each term its number + 1, and 0 between texts, each as a uvarint.
type TermStream string

// Next returns the number of the next term. gap is true between two texts, and more is false
// at the end.
func (s *TermStream) Next() (number uint32, gap, more bool) {
	if *s == "" {
		return 0, false, false
	}
	value, shift, n := uint32(0), 0, 0
	for ; n < len(*s); n++ {
		c := (*s)[n]
		value |= uint32(c&0x7f) << shift
		if c < 0x80 {
			break
		}
		shift += 7
	}
	*s = (*s)[n+1:]
	return value - 1, value == 0, true
}

func eachTerm(stream string, fn func(number uint32)) {
	s := TermStream(stream)
	for {
		number, gap, more := s.Next()
		if !more {
			return
		}
		if !gap {
			fn(number)
		}
	}
}

// Stream returns the terms of a row.
func (t *Terms) Stream(r Row) TermStream { return TermStream(t.streams.at(r)) }

// Mean returns the mean number of terms of the rows that have some.
func (t *Terms) Mean() float64 {
	if t.texts == 0 {
		return 1
	}
	return float64(t.tokens) / float64(t.texts)
}

// Len returns the number of terms.
func (t *Terms) Len() int { return t.list.n }

// Term returns the term with a number.
func (t *Terms) Term(number uint32) Term {
	term := t.terms.ref(number)
	return Term{number, term.text[1:], term.rows}
}

// Rows returns the rows of a term.
func (t *Terms) Rows(number uint32) Posting { return t.terms.ref(number).rows }

// Find returns the number of the term with a text, which must be folded.
func (t *Terms) Find(of *language.Language, text string) (number uint32, ok bool) {
	return t.number(string(of.Number) + text)
}

// Begins reports whether the text of a term begins with a text.
func (t *Terms) Begins(number uint32, of *language.Language, text string) bool {
	term := t.text(number)
	return term[0] == of.Number && strings.HasPrefix(term[1:], text)
}

// EachPrefix calls fn for the numbers of the terms that begin with a text, in their order,
// until it returns false. The term has fewer than 1<<size rows.
func (t *Terms) EachPrefix(of *language.Language, prefix string, fn func(number uint32, size uint8) bool) {
	t.eachPart(string(of.Number)+prefix, func(p *termPage, from, to int) bool {
		for i := from; i < to; i++ {
			if !fn(p.numbers[i], p.sizes[i]) {
				return false
			}
		}
		return true
	})
}

// EachForm calls fn for the numbers of the terms that have the same stem as a word.
func (t *Terms) EachForm(of *language.Language, word string, fn func(number uint32)) {
	stem := of.Stem(word)
	if one, ok := t.Find(of, stem); ok && of.Stem(stem) == stem {
		fn(one)
	}
	text := string(of.Number) + stem
	t.eachOf(t.stems, text, func(key termKey) bool {
		if key.text != text {
			return false
		}
		fn(key.number)
		return true
	})
}

// EachCompound calls fn for the numbers of the terms that are longer than a word and end with
// its stem, until it returns false.
func (t *Terms) EachCompound(of *language.Language, word string, fn func(number uint32) bool) {
	stem := of.Stem(word)
	t.eachOf(t.ends, string(of.Number)+reversed(stem), func(key termKey) bool {
		return len(key.text)-1 < len(stem)+leastPart || fn(key.number)
	})
}

// leastPart is the minimum length of a part of a compound, in bytes.
const leastPart = 3

// eachOf calls fn for the keys of a tree that begin with a text.
func (t *Terms) eachOf(tree *btree.BTreeG[termKey], text string, fn func(termKey) bool) {
	tree.AscendGreaterOrEqual(termKey{text: text}, func(key termKey) bool {
		return strings.HasPrefix(key.text, text) && fn(key)
	})
}
