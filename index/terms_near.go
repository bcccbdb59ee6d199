package index

import (
	"math/bits"
	"unicode/utf8"

	"quire/index/language"
)

// EachNear calls fn for the terms that become the word by at most so many edits, and at least
// one: a letter more, less or other, or two neighbours exchanged. With sameFirst the first
// letter is right. With prefix, it is enough if the beginning of a term becomes the word. over
// is called with the number of terms that have been compared, and ends the search if it
// returns true. Nothing is near a word that is too long for an index.
func (t *Terms) EachNear(of *language.Language, word string, most int, sameFirst, prefix bool, over func(terms int) bool, fn func(number uint32, edits int)) {
	if len(word) > language.LongestWord {
		return
	}
	n := newNearness(word, most, prefix)
	within := string(of.Number)
	if sameFirst {
		_, size := utf8.DecodeRuneInString(word)
		within += word[:size]
	}
	work := 0
	t.eachPart(within, func(p *termPage, from, to int) bool {
		for i, sign := range p.signs[from:to] {
			if n.far(sign) {
				continue
			}
			work += signsPerTerm
			edits, sure := n.headEdits(p.heads[from+i])
			if edits > most {
				continue
			}
			number := p.numbers[from+i]
			if !sure {
				edits = n.edits(t.text(number)[1:])
			}
			if edits > 0 && edits <= most {
				fn(number, edits)
			}
		}
		for work += to - from; work >= nearStep*signsPerTerm; work -= nearStep * signsPerTerm {
			if over(nearStep) {
				return false
			}
		}
		return true
	})
}

const (
	nearStep     = 256 // terms that are compared between two calls of over
	signsPerTerm = 8   // signs that are compared in the time of a term, at least
)

// termSign shows of most terms that they are not near a word, without reading them: the number
// of letters, and which letters there are.
type termSign uint32

const (
	signLetters = 27 // bits for letters: those of a to z have one each, others share them
	signLength  = 31 // the greatest number of letters; more count as that
)

// signOf returns the sign of a folded word.
func signOf(word string) (sign termSign) {
	n := termSign(0)
	for _, r := range word {
		bit := r - 'a'
		if r < 'a' || r > 'z' {
			bit = r % signLetters
		}
		sign |= 1 << bit
		n++
	}
	return sign | min(n, signLength)<<signLetters
}

func (s termSign) length() int { return int(s >> signLetters) }

const letterBits termSign = 1<<signLetters - 1

// nearness computes the edits between one word and others.
type nearness struct {
	most   int
	prefix bool // the beginning of a text may be near
	length int  // letters of the word

	head           termHead
	letters        termSign // of the sign of the word
	least, longest termSign // of the lengths in the signs of near words

	ascii  [utf8.RuneSelf]uint64 // for each letter, where it is in the word, as bits
	others []letterPlaces
}

type letterPlaces struct {
	letter rune
	places uint64
}

func newNearness(word string, most int, prefix bool) *nearness {
	sign := signOf(word)
	n := &nearness{most: most, prefix: prefix, head: headOf(word), letters: sign & letterBits, least: termSign(max(0, sign.length()-most)), longest: signLength}
	if !prefix {
		n.longest = termSign(min(signLength, sign.length()+most))
	}
	for at, r := range []rune(word) {
		places := n.placesOf(r)
		if places == nil {
			n.others = append(n.others, letterPlaces{letter: r})
			places = &n.others[len(n.others)-1].places
		}
		*places |= 1 << at
		n.length++
	}
	return n
}

// placesOf returns where a letter is in the word; nil for a letter that is not ASCII and not
// in it.
func (n *nearness) placesOf(letter rune) *uint64 {
	if letter < utf8.RuneSelf {
		return &n.ascii[letter]
	}
	for i := range n.others {
		if n.others[i].letter == letter {
			return &n.others[i].places
		}
	}
	return nil
}

// far reports whether a term with a sign is certainly too many edits away from the word, or
// with prefix all beginnings of it. An edit takes away one letter at most, and adds one.
func (n *nearness) far(sign termSign) bool {
	if length := sign >> signLetters; length < n.least || length > n.longest || bits.OnesCount32(uint32(n.letters&^sign)) > n.most {
		return true
	}
	return !n.prefix && bits.OnesCount32(uint32(sign&letterBits&^n.letters)) > n.most
}

// headEdits returns the edits between the word and a text with a head, as edits does, and
// whether that is sure. Otherwise there may be more.
func (n *nearness) headEdits(head termHead) (edits int, sure bool) {
	if n.length+n.most > headLetters {
		return 0, false
	}
	both := rest{n.head &^ otherLetters, head &^ otherLetters, n.length, n.prefix}
	switch {
	case !both.near(n.most):
		edits = n.most + 1
	case both.different() == 0:
		edits = 0
	case n.most == 1 || both.near(1):
		edits = 1
	default:
		edits = 2
	}
	return edits, (n.head|head)&otherLetters == 0
}

// edits returns the edits between the word and a text, or with prefix the beginning of the
// text to which it is nearest; some number above the most if there are more. For all
// beginnings of the word at once, it computes how the edits to them differ from one letter
// of the text to the next, as Hyyrö describes in "A Bit-Vector Algorithm for Computing
// Levenshtein and Damerau Edit Distances".
func (n *nearness) edits(text string) int {
	more, less := ^uint64(0), uint64(0) // one more edit than to the beginning that is a letter shorter, or one less
	var same, before uint64             // no edit more than to both a letter shorter; where the letter before is in the word
	edits, best, last := n.length, n.length, uint64(1)<<(n.length-1)
	left := n.length + n.most // letters that can be in a near text
	for _, r := range text {
		if left--; left < 0 || edits > n.most+left+1 && best > n.most {
			break
		}
		places := uint64(0)
		if at := n.placesOf(r); at != nil {
			places = *at
		}
		exchanged := (^same & places) << 1 & before
		same = (places&more + more ^ more) | places | less | exchanged
		up, down := less|^(same|more), same&more
		switch {
		case up&last != 0:
			edits++
		case down&last != 0:
			edits--
		}
		up, down = up<<1|1, down<<1
		more, less = down|^(same|up), same&up
		best, before = min(best, edits), places
	}
	switch {
	case n.prefix:
		return best
	case left < 0:
		return n.most + 1
	}
	return edits
}
