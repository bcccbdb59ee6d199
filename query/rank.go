package query

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// The result of _q is ordered by rank if the query requests that: by where the text is in
// an entry, and how it occurs. Ranks ignore accents and case.

// standing is how a text occurs in another: the best first.
type standing int

const (
	isAll   standing = iota // word by word it is the whole text
	inWords                 // as whole words
	inPart                  // including a part of a word at one of its ends
	notIn
)

// ranks are the sort values of entries: by how the text occurs in the title, and then, of
// those that have it elsewhere, as whole words and otherwise.
const ranks = "12345"

// ranker has the text that _q searches, and the attributes.
type ranker struct {
	title  *schema.Attribute   // nil if the type has none
	others []*schema.Attribute // the other searched attributes
	folded []byte              // the text
	words  []byte              // its words, see appendWords; empty for none
	first  []byte              // the first word
}

// newRanker prepares the order of the result of _q among entries of a type.
func newRanker(in scope, n *params.Node) (*ranker, error) {
	if !n.IsText() || n.Text == "" {
		return nil, refuseParam("sort", "sort", "sort="+schema.RankKey+" orders what _q finds; this query has no _q")
	}
	r := newNeedle(n.Text)
	attributes := searched(in, n.Text)
	r.title = titleOf(attributes)
	for _, a := range attributes {
		if a != r.title {
			r.others = append(r.others, a)
		}
	}
	return r, nil
}

// newNeedle returns a ranker that has only a text.
func newNeedle(text string) *ranker {
	r := &ranker{folded: appendFolded(nil, []byte(text))}
	if words := appendWords(nil, r.folded); len(words) > 1 {
		r.words = words
		r.first, _, _ = bytes.Cut(words[1:], []byte{' '})
	}
	return r
}

// titleNames are the usual names of an attribute with the title of an entry.
var titleNames = []string{"title", "name", "label", "headline", "heading", "subject"}

// titleOf returns the attribute with the title of an entry: the text with the first of the
// titleNames, otherwise the first string. It is nil if there is none.
func titleOf(attributes []*schema.Attribute) *schema.Attribute {
	for _, name := range titleNames {
		for _, a := range attributes {
			if a.Name == name && a.IsText() && a.System == schema.NotSystem {
				return a
			}
		}
	}
	at := slices.IndexFunc(attributes, func(a *schema.Attribute) bool { return a.Kind == schema.String && a.System == schema.NotSystem })
	if at < 0 {
		return nil
	}
	return attributes[at]
}

// rank returns the sort value of an entry that _q has found.
func (x *run) rank(rec record, r *ranker) string {
	if r.title != nil {
		if how := x.standing(rec, r.title, r); how < notIn {
			return ranks[how : how+1]
		}
	}
	for _, a := range r.others {
		if x.standing(rec, a, r) <= inWords {
			return ranks[notIn : notIn+1]
		}
	}
	return ranks[notIn+1:]
}

// standing returns how the text of _q occurs in an attribute of a record.
func (x *run) standing(rec record, a *schema.Attribute, r *ranker) standing {
	slot, null := x.value(rec, a)
	if null {
		return notIn
	}
	return x.standingOf(x.text(rec, a, slot), r)
}

func (x *run) standingOf(text []byte, r *ranker) standing {
	x.steps += len(text) / rankedBytes
	x.folded = appendFolded(x.folded[:0], text)
	if !bytes.Contains(x.folded, r.first) {
		return notIn
	}
	x.spaced = appendWords(x.spaced[:0], x.folded)
	switch {
	case r.words != nil && bytes.Equal(x.spaced, r.words):
		return isAll
	case r.words != nil && bytes.Contains(x.spaced, r.words):
		return inWords
	case bytes.Contains(x.folded, r.folded):
		return inPart
	}
	return notIn
}

// rankedBytes is the number of bytes that are ranked in one step.
const rankedBytes = searchedBytes / 4

// appendFolded appends a text in lower case and without accents.
func appendFolded(dst, text []byte) []byte {
	for _, c := range text {
		if c >= utf8.RuneSelf {
			return index.AppendFold(dst, norm.NFC.Bytes(dropAccents(norm.NFD.Append(nil, text...))))
		}
	}
	return index.AppendFold(dst, text)
}

// Accents are the combining diacritical marks of Latin, Greek and Cyrillic letters. The
// marks of other scripts make another letter, or a vowel.
const firstAccent, lastAccent = 0x0300, 0x036f

// dropAccents removes the accents from a decomposed text, in place.
func dropAccents(text []byte) []byte {
	plain := text[:0]
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		if r < firstAccent || r > lastAccent {
			plain = append(plain, text[:size]...)
		}
		text = text[size:]
	}
	return plain
}

// appendWords appends the words of a folded text, sequences of letters and digits, with one
// space before each and one at the end.
func appendWords(dst, text []byte) []byte {
	dst = append(dst, ' ')
	for len(text) > 0 {
		if c := text[0]; 'a' <= c && c <= 'z' || '0' <= c && c <= '9' {
			dst, text = append(dst, c), text[1:]
			continue
		}
		r, size := utf8.DecodeRune(text)
		switch {
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			dst = append(dst, text[:size]...)
		case dst[len(dst)-1] != ' ':
			dst = append(dst, ' ')
		}
		text = text[size:]
	}
	if dst[len(dst)-1] != ' ' {
		dst = append(dst, ' ')
	}
	return dst
}
