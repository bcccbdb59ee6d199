package index

import (
	"math/bits"
	"slices"
	"strings"
	"unicode/utf8"

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
func (t *Terms) Len() int { return t.words.Len() }

// key returns the key of a term, whose text has the number of its language before it.
func (t *Terms) key(text string) (key termKey, ok bool) {
	t.words.AscendGreaterOrEqual(termKey{text: text}, func(found termKey) bool {
		key, ok = found, found.text == text
		return false
	})
	return key, ok
}

// Term returns the term with a number.
func (t *Terms) Term(number uint32) Term {
	term := t.terms.ref(number)
	return Term{number, term.text[1:], term.rows}
}

// Rows returns the rows of a term.
func (t *Terms) Rows(number uint32) Posting { return t.terms.ref(number).rows }

// Find returns the term with a text, which must be folded.
func (t *Terms) Find(of *language.Language, text string) (Term, bool) {
	key, ok := t.key(string(of.Number) + text)
	if !ok {
		return Term{}, false
	}
	return t.Term(key.number), true
}

// EachPrefix calls fn for the terms that begin with a text, in their order, until it returns
// false.
func (t *Terms) EachPrefix(of *language.Language, prefix string, fn func(Term) bool) {
	t.eachOf(t.words, string(of.Number)+prefix, func(key termKey) bool { return fn(t.Term(key.number)) })
}

// EachForm calls fn for the terms that have the same stem as a word.
func (t *Terms) EachForm(of *language.Language, word string, fn func(Term)) {
	stem := of.Stem(word)
	if one, ok := t.Find(of, stem); ok && of.Stem(stem) == stem {
		fn(one)
	}
	text := string(of.Number) + stem
	t.eachOf(t.stems, text, func(key termKey) bool {
		if key.text != text {
			return false
		}
		fn(t.Term(key.number))
		return true
	})
}

// EachCompound calls fn for the terms that are longer than a word and end with its stem,
// until it returns false.
func (t *Terms) EachCompound(of *language.Language, word string, fn func(Term) bool) {
	stem := of.Stem(word)
	t.eachOf(t.ends, string(of.Number)+reversed(stem), func(key termKey) bool {
		return len(key.text)-1 < len(stem)+leastPart || fn(t.Term(key.number))
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

// EachNear calls fn for the terms that become the word by at most so many edits, and at least
// one: a letter more, less or other, or two neighbours exchanged. With sameFirst the first
// letter is right. With prefix, it is enough if the beginning of a term becomes the word. over
// is called with the number of terms that have been compared, and ends the search if it
// returns true.
func (t *Terms) EachNear(of *language.Language, word string, most int, sameFirst, prefix bool, over func(terms int) bool, fn func(one Term, edits int)) {
	n := newNearness(word, most)
	n.prefix = prefix
	sign := signOf(word)
	within := string(of.Number)
	if sameFirst {
		_, size := utf8.DecodeRuneInString(word)
		within += word[:size]
	}
	from, work := within, 0
	for from != "" {
		pivot := from
		from = ""
		passed := 0
		t.words.AscendGreaterOrEqual(termKey{text: pivot}, func(key termKey) bool {
			if work++; work >= nearStep*signsPerTerm {
				work = 0
				if over(nearStep) {
					return false
				}
			}
			if (!sameFirst || key.sign.first() == sign.first()) && sign.far(key.sign, most, prefix) {
				return true
			}
			if !strings.HasPrefix(key.text, within) {
				return false
			}
			work += signsPerTerm - 1
			edits, far := n.edits(key.text[1:])
			if far == 0 {
				passed = 0
				if edits > 0 && edits <= most {
					fn(t.Term(key.number), edits)
				}
				return true
			}
			if passed++; passed > nearPassed {
				from = afterPrefix(key.text[:1+far])
				return false
			}
			return true
		})
	}
}

const (
	nearStep     = 256 // terms that are compared between two calls of over
	nearPassed   = 16  // terms that are read one by one although they have a prefix that is too far
	signsPerTerm = 8   // signs that are compared in the time of a term
)

// termSign shows of most terms that they are not near a word, without reading them: the number
// of letters, the first one, and which letters there are.
type termSign uint32

const (
	signLetters = 22 // bits for letters; others share them
	signBits    = 31 // of the number of letters and of the first one, the greatest
)

// frequentLetters are those that have a bit of their own.
const frequentLetters = "eariotnslcudpmhgbfywkx"

// signBit returns the bit of a letter.
func signBit(r rune) rune {
	if at := strings.IndexRune(frequentLetters, r); at >= 0 {
		return rune(at)
	}
	return r % signLetters
}

// signOf returns the sign of a folded word.
func signOf(word string) termSign {
	var letters, first termSign
	n := 0
	for _, r := range word {
		if n == 0 {
			first = termSign(r & signBits)
		}
		letters |= 1 << signBit(r)
		n++
	}
	return letters | termSign(min(n, signBits))<<signLetters | first<<(signLetters+5)
}

func (s termSign) first() termSign { return s >> (signLetters + 5) }

func (s termSign) length() int { return int(s >> signLetters & signBits) }

// far reports whether a term is certainly more edits away from a word, or with prefix all
// beginnings of it. An edit takes away one letter at most, and adds one.
func (s termSign) far(term termSign, most int, prefix bool) bool {
	const letters = 1<<signLetters - 1
	if bits.OnesCount32(uint32(s&^term&letters)) > most || s.length()-term.length() > most {
		return true
	}
	return !prefix && (bits.OnesCount32(uint32(term&^s&letters)) > most || term.length()-s.length() > most)
}

// afterPrefix returns the first text after all those that begin with a prefix; empty if there
// is none.
func afterPrefix(prefix string) string {
	next := []byte(prefix)
	for i := len(next) - 1; i >= 0; i-- {
		if next[i]++; next[i] != 0 {
			return string(next[:i+1])
		}
	}
	return ""
}

// nearness computes the edits between one word and many that come in their order. It keeps
// what words that follow each other have in common.
type nearness struct {
	word []rune
	most int
	text []rune  // the last text
	ends []int   // its bytes up to each rune
	rows [][]int // by the number of runes of the text: the edits to each prefix of the word

	prefix bool  // the beginning of a text may be near
	best   []int // then the fewest edits to the word, by the number of runes of the text
}

func newNearness(word string, most int) *nearness {
	n := &nearness{word: []rune(word), most: most}
	first := make([]int, len(n.word)+1)
	for i := range first {
		first[i] = i
	}
	n.rows, n.best = [][]int{first}, []int{len(n.word)}
	return n
}

// edits returns the edits between the word and a text. If the text has a prefix with which
// no text is near, far is the length of that prefix in bytes; otherwise 0.
func (n *nearness) edits(text string) (edits, far int) {
	same, at := 0, 0
	for same < len(n.text) && at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r != n.text[same] {
			break
		}
		same, at = same+1, at+size
	}
	n.text, n.ends = n.text[:same], n.ends[:same]
	if far := n.far(same); far > 0 {
		return 0, far
	}
	for at < len(text) {
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		n.text, n.ends = append(n.text, r), append(n.ends, at)
		n.computeRow(len(n.text))
		if far := n.far(len(n.text)); far > 0 {
			return 0, far
		}
	}
	if n.prefix {
		return n.best[len(n.text)], 0
	}
	return n.rows[len(n.text)][len(n.word)], 0
}

// far returns the length in bytes of the first runes of the text if no text that begins with
// them is near. Two neighbours are exchanged with the row before the last one.
func (n *nearness) far(runes int) int {
	if runes == 0 || slices.Min(n.rows[runes]) <= n.most || slices.Min(n.rows[runes-1]) < n.most || n.prefix && n.best[runes] <= n.most {
		return 0
	}
	return n.ends[runes-1]
}

// computeRow computes the edits between the first runes of the text and the prefixes of the
// word.
func (n *nearness) computeRow(runes int) {
	if len(n.rows) == runes {
		n.rows, n.best = append(n.rows, make([]int, len(n.word)+1)), append(n.best, 0)
	}
	row, before := n.rows[runes], n.rows[runes-1]
	r := n.text[runes-1]
	row[0] = runes
	for i, c := range n.word {
		replaced := before[i]
		if c != r {
			replaced++
		}
		row[i+1] = min(replaced, before[i+1]+1, row[i]+1)
		if i > 0 && runes > 1 && c == n.text[runes-2] && n.word[i-1] == r {
			row[i+1] = min(row[i+1], n.rows[runes-2][i-1]+1)
		}
	}
	n.best[runes] = min(n.best[runes-1], row[len(n.word)])
}
