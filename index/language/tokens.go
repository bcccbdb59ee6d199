package language

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Token is one word of a text, or one gram.
type Token struct {
	Folded     []byte // valid until the next token
	Start, End int    // where it is in the text
	Gram       bool
}

// LongestWord is the maximum length in bytes of a folded word that an index has. What is longer
// is not a word that somebody types: its token has a few bytes more than that, and is not
// indexed, so that a search for it finds nothing.
const LongestWord = 64

// Together are words that are not divided although they have other characters than letters
// and digits, such as C++ and AC/DC.
type Together []string

// at returns the length of the word that begins a text; 0 if none of them does.
func (t Together) at(text string) (longest int) {
	for _, word := range t {
		n := prefixOf(text, utf8.RuneCountInString(word))
		if n <= longest || !strings.EqualFold(text[:n], word) {
			continue
		}
		if next, _ := utf8.DecodeRuneInString(text[n:]); n == len(text) || !isWord(next) {
			longest = n
		}
	}
	return longest
}

// prefixOf returns the bytes of the first characters of a text; 0 if it has fewer.
func prefixOf(text string, characters int) int {
	for at := range text {
		if characters == 0 {
			return at
		}
		characters--
	}
	if characters == 0 {
		return len(text)
	}
	return 0
}

// Tokens calls fn for the tokens of a text, in order, until it returns false.
func (l *Language) Tokens(text string, together Together, fn func(Token) (more bool)) {
	s := segmenter{language: l, text: text, together: together, fn: fn}
	for s.at < len(text) && !s.done {
		r, size := s.next()
		switch whole := s.whole(); {
		case whole > 0:
			s.add(Token{Folded: []byte(Fold(text[s.at : s.at+whole])), Start: s.at, End: s.at + whole})
			s.at += whole
		case isGram(r):
			s.grams(r)
		case isWord(r):
			s.word()
		default:
			s.at += size
		}
	}
}

type segmenter struct {
	language *Language
	text     string
	together Together
	fn       func(Token) (more bool)
	done     bool // fn wants no more
	at       int
	folded   []byte
}

func (s *segmenter) next() (rune, int) {
	if c := s.text[s.at]; c < utf8.RuneSelf {
		return rune(c), 1
	}
	return utf8.DecodeRuneInString(s.text[s.at:])
}

// whole returns the length of a word that stays together, if one begins here.
func (s *segmenter) whole() int {
	if len(s.together) == 0 {
		return 0
	}
	if before, _ := utf8.DecodeLastRuneInString(s.text[:s.at]); s.at > 0 && isWord(before) {
		return 0
	}
	return s.together.at(s.text[s.at:])
}

// add passes on a token, unless it is empty.
func (s *segmenter) add(t Token) {
	if len(t.Folded) > 0 {
		s.done = !s.fn(t)
	}
}

// word reads a word: letters, digits and marks, and what may be between two letters.
func (s *segmenter) word() {
	start := s.at
	s.folded = s.folded[:0]
	for s.at < len(s.text) {
		r, size := s.next()
		if !isWord(r) && !s.joins(r, size) || isGram(r) {
			break
		}
		if isWord(r) && len(s.folded) <= LongestWord {
			s.folded = appendFolded(s.folded, r)
		}
		s.at += size
	}
	s.add(Token{Folded: s.folded, Start: start, End: s.at})
}

// joins reports whether a character that is not of a word may be within one: an apostrophe
// between two letters, a soft hyphen, a joiner.
func (s *segmenter) joins(r rune, size int) bool {
	switch r {
	case '\u00ad', '\u200c', '\u200d', '\u2060':
		return true
	case '\'', '’', 'ʼ':
		if s.language.elision {
			return false
		}
		after, _ := utf8.DecodeRuneInString(s.text[s.at+size:])
		return unicode.IsLetter(after) && !isGram(after)
	}
	return false
}

// grams reads characters of one script that is written without spaces. Each token has two
// neighbours; the last has the last character alone, so that each character begins one.
func (s *segmenter) grams(first rune) {
	kind, start := scriptOf(first), s.at
	s.folded = s.character(s.folded[:0], kind)
	for !s.done {
		middle, half := s.at, len(s.folded)
		s.folded = s.character(s.folded, kind)
		s.add(Token{Folded: s.folded, Start: start, End: s.at, Gram: true})
		if s.at == middle {
			return
		}
		start, s.folded = middle, append(s.folded[:0], s.folded[half:]...)
	}
}

// character reads a character of a script with its marks, if there is one, and appends it
// folded. What is longer than a word is not appended.
func (s *segmenter) character(dst []byte, kind script) []byte {
	for begin := s.at; s.at < len(s.text); {
		r, size := s.next()
		if s.at == begin && scriptOf(r) != kind || s.at > begin && !unicode.Is(unicode.Mn, r) {
			break
		}
		if len(dst) <= LongestWord {
			dst = appendFolded(dst, r)
		}
		s.at += size
	}
	return dst
}

// firstHan is where the characters of Chinese, Japanese and Korean begin.
const firstHan = 0x2e80

// isWord reports whether a character is part of words.
func isWord(r rune) bool {
	switch {
	case r < utf8.RuneSelf:
		return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
	case r == utf8.RuneError, r >= firstHan && unicode.In(r, unicode.Nl, unicode.No): // signs made of others, such as ㈢
		return false
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// script is a group of characters that are written without spaces between words.
type script uint8

const (
	spaced script = iota
	chinese
	korean
	thai
)

var southEast = []*unicode.RangeTable{unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar}

// scriptOf returns the script of a character. Chinese characters and the syllables of
// Japanese are one, because Japanese words have both.
func scriptOf(r rune) script {
	switch {
	case r < 0x0e00:
		return spaced
	case unicode.Is(unicode.Hangul, r) && unicode.IsLetter(r):
		return korean
	case r == 'ー', r == '々', r == '〇', unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) && unicode.IsLetter(r):
		return chinese
	case unicode.In(r, southEast...) && (unicode.IsLetter(r) || unicode.IsMark(r)):
		return thai
	}
	return spaced
}

func isGram(r rune) bool { return scriptOf(r) != spaced }
