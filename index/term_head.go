package index

import "math/bits"

// termHead is the first letters of a term, the first one lowest, so that edits between short
// words are found without reading them. A letter of a to z is a number from 1 to 26, each other
// one some number from 1 to 31, and the end is 0. The last bit says that there are others.
type termHead uint64

const (
	headLetters = 12
	headBits    = 5 // of a letter

	otherLetters termHead = 1 << 63
)

// headOf returns the head of a folded word.
func headOf(word string) (head termHead) {
	n := 0
	for _, r := range word {
		if n == headLetters {
			break
		}
		code := termHead(r - 'a' + 1)
		if r < 'a' || r > 'z' {
			code = termHead(r%31 + 1)
			head |= otherLetters
		}
		head |= code << (headBits * n)
		n++
	}
	return head
}

// rest is what is left of two heads: of a word with so many letters, and of a text. With prefix
// the text may go on after the word.
type rest struct {
	word, text termHead
	length     int
	prefix     bool
}

// different returns the bits in which they differ.
func (r rest) different() termHead {
	if r.prefix {
		return (r.word ^ r.text) & (1<<(headBits*r.length) - 1)
	}
	return r.word ^ r.text
}

// after returns what is left after so many letters of each.
func (r rest) after(word, text int) rest {
	return rest{r.word >> (headBits * word), r.text >> (headBits * text), r.length - word, r.prefix}
}

// near reports whether at most so many edits, 1 or 2, make one the other. What is the same
// before the first letters that differ needs none.
func (r rest) near(most int) bool {
	different := r.different()
	if different == 0 {
		return true
	}
	same := bits.TrailingZeros64(uint64(different)) / headBits
	r = r.after(same, same)
	more, less, other := r.after(0, 1), r.after(1, 0), r.after(1, 1)
	const letter, two = 1<<headBits - 1, 1<<(2*headBits) - 1
	exchanged := r.length > 1 && r.text&two == (r.word&letter)<<headBits|r.word>>headBits&letter
	if most == 1 {
		return r.text != 0 && more.different() == 0 || r.length > 0 && less.different() == 0 ||
			r.text != 0 && r.length > 0 && other.different() == 0 || exchanged && r.after(2, 2).different() == 0
	}
	return r.text != 0 && more.near(1) || r.length > 0 && less.near(1) ||
		r.text != 0 && r.length > 0 && other.near(1) || exchanged && r.after(2, 2).near(1)
}
