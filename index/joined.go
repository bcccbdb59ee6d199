package index

import (
	"math/bits"
	"slices"
	"strings"
)

// joined is several words in one string, which is searched much faster than the words one
// by one. It does not change.
type joined struct {
	first  uint32   // the number of its first word
	text   string   // "\nword\nword\n…": white space cannot be part of a word
	starts []uint32 // of each word in text
	pieces *pieces  // nil if there are so few words that all are searched
}

// fewWords is the minimum number of words for pieces.
const fewWords = 4096

// joinWords joins the words of a numbering from first up to, but not including, end. Their
// texts become parts of the joined one, so that each is stored once.
func joinWords(words *numbering, first, end uint32) *joined {
	j := &joined{first: first, starts: make([]uint32, 0, end-first)}
	size := 1
	for n := first; n < end; n++ {
		size += len(words.texts.at(n)) + 1
	}
	var text strings.Builder
	text.Grow(size)
	text.WriteByte('\n')
	for n := first; n < end; n++ {
		j.starts = append(j.starts, uint32(text.Len()))
		text.WriteString(words.texts.at(n))
		text.WriteByte('\n')
	}
	j.text = text.String()
	for i := range j.starts {
		words.texts.set(first+uint32(i), j.text[j.starts[i]:j.start(i+1)-1], words.own)
	}
	if len(j.starts) >= fewWords {
		j.pieces = newPieces(j)
	}
	return j
}

// start returns the start of the i-th word, or the end of the text if there is none.
func (j *joined) start(i int) int {
	if i < len(j.starts) {
		return int(j.starts[i])
	}
	return len(j.text)
}

// end returns the number of the first word after the joined ones.
func (j *joined) end() uint32 { return j.first + uint32(len(j.starts)) }

// each calls fn once for every word that contains the pattern; a line break in the pattern
// is an end of the word. It calls over with the number of bytes to search, and searches
// nothing if that returns true.
func (j *joined) each(pattern string, over func(bytes int) bool, fn func(n uint32)) {
	if j.pieces == nil || len(pattern) < pieceBytes {
		if !over(len(j.text)) {
			j.search(0, len(j.starts), pattern, fn)
		}
		return
	}
	blocks := j.pieces.blocksWith(pattern)
	n := 0
	for _, w := range blocks {
		n += bits.OnesCount64(w)
	}
	if over(n * len(j.text) / j.pieces.blocks) {
		return
	}
	eachRow(blocks, 0, func(block Row) bool {
		from := int(block) * blockWords
		j.search(from, min(from+blockWords, len(j.starts)), pattern, fn)
		return true
	})
}

// search calls fn for the words in a range that contain the pattern.
func (j *joined) search(from, to int, pattern string, fn func(n uint32)) {
	first := strings.IndexFunc(pattern, func(r rune) bool { return r != '\n' })
	for at, end := j.start(from)-1, j.start(to); at < end; {
		found := strings.Index(j.text[at:end], pattern)
		if found < 0 {
			return
		}
		n, exact := slices.BinarySearch(j.starts[from:to], uint32(at+found+first))
		if !exact {
			n--
		}
		fn(j.first + uint32(from+n))
		at = j.start(from+n+1) - 1 // the line break before the next word
	}
}
