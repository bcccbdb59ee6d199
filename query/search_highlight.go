package query

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"quire/index"
	"quire/index/language"
)

// Limits of what is shown of the texts in which words were found.
const (
	mostMarked    = 8   // attributes of an entry
	longestMarked = 200 // characters of an attribute
	beforeMark    = 60  // characters before the first word, if the text is longer
	mostMarkText  = 64 << 10
)

// highlighter shows where the words of a search are in texts.
type highlighter struct{ *searching }

// span is a part of a text, in bytes.
type span struct{ start, end int }

// append appends a member for each attribute in which words were found, with a comma before
// it: a part of the text, in HTML, with the words in <mark>.
func (m highlighter) append(dst []byte, row index.Row, rec record) []byte {
	var known []string
	for at := range m.terms {
		f := &m.fields[at]
		if len(known) == mostMarked || m.err != nil || slices.Contains(known, f.name) || !m.isIn(at, row) {
			continue
		}
		text, spans := m.best(at, m.terms[at].Stream(row), rec)
		if len(spans) == 0 {
			continue
		}
		known = append(known, f.name)
		dst = append(index.AppendString(append(m.grow(dst, 8*longestMarked), ','), f.name), ':')
		dst = index.AppendString(dst, cut(text, spans))
	}
	return dst
}

// isIn reports whether an attribute of a row has words of the search.
func (m highlighter) isIn(at int, row index.Row) bool {
	stream, hits := m.terms[at].Stream(row), m.ranker(at)
	for number, gap, more := stream.Next(); more; number, gap, more = stream.Next() {
		if !gap && hits.has(number) {
			return true
		}
	}
	return false
}

// best returns the first text of an attribute with the most words of the search, and where
// they are. The terms of the texts are those of the stream, in the same order.
func (m highlighter) best(at int, stream index.TermStream, rec record) (text string, spans []span) {
	path, of, hits := m.fields[at].path, m.s.Language(rec.owner.Locale), m.ranker(at)
	m.s.EachSlot(rec.body, path.Attributes, func(slot []byte) {
		if slot == nil || m.stopped() {
			return
		}
		one := index.PlainText(path.Last(), slot)
		m.steps += len(one) / searchedBytes
		var found []span
		whole := true
		of.Tokens(one, m.vocabulary.together, func(t language.Token) bool {
			if len(t.Folded) > language.LongestWord {
				return true
			}
			number, gap, more := stream.Next()
			for gap {
				number, gap, more = stream.Next()
			}
			switch n := len(found); {
			case !more || !hits.has(number):
			case n > 0 && t.Start <= found[n-1].end:
				found[n-1].end = max(t.End, found[n-1].end)
			default:
				found = append(found, span{t.Start, t.End})
			}
			whole = t.End < mostMarkText
			return whole
		})
		for more := !whole; more; { // skip the rest of the text
			var gap bool
			_, gap, more = stream.Next()
			more = more && !gap
		}
		if len(found) > len(spans) {
			text, spans = one, found
		}
	})
	return text, spans
}

// cut returns the part of a text around the first spans, in HTML, with the spans in <mark>.
func cut(text string, spans []span) string {
	from, to := 0, len(text)
	if utf8.RuneCountInString(text) > longestMarked {
		from = wordStart(text, back(text, spans[0].start, beforeMark))
		to = wordEnd(text, forward(text, from, longestMarked))
	}
	var out strings.Builder
	if from > 0 {
		out.WriteString("… ")
	}
	at := from
	for _, s := range spans {
		if s.start < from || s.end > to {
			continue
		}
		out.WriteString(escapeHTML(text[at:s.start]))
		out.WriteString("<mark>" + escapeHTML(text[s.start:s.end]) + "</mark>")
		at = s.end
	}
	out.WriteString(escapeHTML(text[at:to]))
	if to < len(text) {
		out.WriteString(" …")
	}
	return out.String()
}

var htmlEscaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&#34;", "'", "&#39;")

func escapeHTML(text string) string { return htmlEscaper.Replace(text) }

// back returns the place so many characters before another.
func back(text string, at, characters int) int {
	for ; at > 0 && characters > 0; characters-- {
		_, size := utf8.DecodeLastRuneInString(text[:at])
		at -= size
	}
	return at
}

func forward(text string, at, characters int) int {
	for ; at < len(text) && characters > 0; characters-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return at
}

// nearSpace is how far the beginning or end of a word is searched, in bytes.
const nearSpace = 30

// wordStart returns the place after the first space at a place or soon after it.
func wordStart(text string, at int) int {
	if at == 0 {
		return 0
	}
	if n := strings.IndexAny(text[at:min(at+nearSpace, len(text))], " \n\t"); n >= 0 {
		return at + n + 1
	}
	return at
}

// wordEnd returns the place of the last space before a place.
func wordEnd(text string, at int) int {
	if at == len(text) {
		return at
	}
	from := max(0, at-nearSpace)
	if n := strings.LastIndexAny(text[from:at], " \n\t"); n > 0 {
		return from + n
	}
	return at
}

// didYouMean returns the text of the search with other words for those that no entry has, as
// entries have them; empty if all words are there.
func (f *searching) didYouMean() string {
	better := ""
	at := 0
	for i := range f.units {
		u := &f.units[i]
		if !u.isWord() || u.excluded || u.stops || f.found[i].rows[0] != nil && f.found[i].rows[0].Count() > 0 || f.err != nil {
			continue
		}
		if word := f.nearest(i); word != "" {
			better += f.Search.text[at:u.start] + word
			at = u.end
		}
	}
	if at == 0 {
		return ""
	}
	return better + f.Search.text[at:]
}

// nearest returns the nearest misspelt word of a unit: of those with the fewest errors, the
// one that the most rows have, as one of them spells it.
func (f *searching) nearest(i int) string {
	type candidate struct {
		index.Term
		field, edits, rows int
	}
	var all []candidate
	for at, field := range f.found[i].fields {
		for _, hit := range field.sequences[0].words[0].list {
			if hit.edits == 0 {
				continue
			}
			one := candidate{f.terms[at].Term(hit.number), at, int(hit.edits), f.terms[at].Rows(hit.number).CountIn(f.base)}
			if one.rows > 0 {
				all = append(all, one)
			}
		}
	}
	if len(all) == 0 {
		return ""
	}
	best := slices.MinFunc(all, func(a, b candidate) int {
		return cmp.Or(a.edits-b.edits, b.rows-a.rows, cmp.Compare(a.Text, b.Text), a.field-b.field)
	})
	return f.spelled(best.field, best.Term, f.base)
}

// spelled returns a term as the first row of a set that has it spells it.
func (f *searching) spelled(at int, one index.Term, among *index.Bits) (word string) {
	one.Rows.Each(func(r index.Row) bool {
		if !among.Has(r) {
			return !f.stopped()
		}
		word = f.spelling(at, entryRecord(f.tb, r), one.Text)
		return false
	})
	return word
}

func (f *searching) spelling(at int, rec record, folded string) (word string) {
	path, of := f.fields[at].path, f.s.Language(rec.owner.Locale)
	f.s.EachSlot(rec.body, path.Attributes, func(slot []byte) {
		if slot == nil || word != "" {
			return
		}
		text := index.PlainText(path.Last(), slot)
		f.steps += len(text) / searchedBytes
		of.Tokens(text, f.vocabulary.together, func(t language.Token) bool {
			if string(t.Folded) == folded {
				word = text[t.Start:t.End]
			}
			return word == ""
		})
	})
	return word
}
