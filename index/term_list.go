package index

import (
	"math/bits"
	"slices"
	"sort"
	"strings"
)

// termList is the terms of an index in the order of their texts. It is in pages, which clones
// share until one of them changes. What searches compare of each term is side by side, so that
// they read it fast; the texts are with the rows.
type termList struct {
	pages []*termPage
	n     int
}

// termPage is never empty.
type termPage struct {
	first   string // no text of the page is before it, and all of former pages are
	numbers []uint32
	signs   []termSign
	heads   []termHead
	sizes   []uint8 // see sizeOf
	own     *edition
}

// termPageSize is the maximum number of terms of a page.
const termPageSize = 256

// sizeOf returns the number of bits of a number of rows, which changes seldom.
func sizeOf(rows int) uint8 { return uint8(bits.Len(uint(rows))) }

// termPlace is a place in the list: the first term has the place 0, 0. The place after the
// last term is that of a page that does not exist.
type termPlace struct{ page, at int }

// text returns the text of a term with the number of its language before it.
func (t *Terms) text(number uint32) string { return t.terms.ref(number).text }

// placeOf returns the place of the first term whose text is not before a text.
func (t *Terms) placeOf(text string) termPlace {
	pages := t.list.pages
	page := sort.Search(len(pages), func(i int) bool { return pages[i].first > text }) - 1
	if page < 0 {
		return termPlace{}
	}
	numbers := pages[page].numbers
	at := sort.Search(len(numbers), func(i int) bool { return t.text(numbers[i]) >= text })
	if at == len(numbers) {
		return termPlace{page + 1, 0}
	}
	return termPlace{page, at}
}

// number returns the number of the term with a text.
func (t *Terms) number(text string) (number uint32, ok bool) {
	if at := t.placeOf(text); at.page < len(t.list.pages) {
		number = t.list.pages[at.page].numbers[at.at]
		return number, t.text(number) == text
	}
	return 0, false
}

// eachPart calls fn for the parts of the pages that have the terms beginning with a text, in
// order, until it returns false.
func (t *Terms) eachPart(prefix string, fn func(p *termPage, from, to int) bool) {
	end := termPlace{len(t.list.pages), 0}
	if next := afterPrefix(prefix); next != "" {
		end = t.placeOf(next)
	}
	for at := t.placeOf(prefix); at.page < len(t.list.pages) && at.page <= end.page; at = (termPlace{at.page + 1, 0}) {
		p := t.list.pages[at.page]
		to := len(p.numbers)
		if at.page == end.page {
			to = end.at
		}
		if at.at < to && !fn(p, at.at, to) {
			return
		}
	}
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

// fill makes the list of terms that have their texts and rows.
func (t *Terms) fill(numbers []uint32) {
	slices.SortFunc(numbers, func(a, b uint32) int { return strings.Compare(t.text(a), t.text(b)) })
	for part := range slices.Chunk(numbers, termPageSize) {
		p := &termPage{first: t.text(part[0])}
		for _, number := range part {
			p.insert(len(p.numbers), number, t.terms.ref(number))
		}
		t.list.pages = append(t.list.pages, p.clone(nil))
	}
	t.list.n = len(numbers)
	for _, number := range numbers {
		t.addStems(number)
	}
}

func (p *termPage) insert(at int, number uint32, term *termRows) {
	p.numbers = slices.Insert(p.numbers, at, number)
	p.signs = slices.Insert(p.signs, at, signOf(term.text[1:]))
	p.heads = slices.Insert(p.heads, at, headOf(term.text[1:]))
	p.sizes = slices.Insert(p.sizes, at, sizeOf(term.rows.Len()))
}

func (p *termPage) clone(own *edition) *termPage {
	return &termPage{p.first, slices.Clone(p.numbers), slices.Clone(p.signs), slices.Clone(p.heads), slices.Clone(p.sizes), own}
}

// edit returns a page for own to change.
func (l *termList) edit(page int, own *edition) *termPage {
	if l.pages[page].own != own {
		l.pages[page] = l.pages[page].clone(own)
	}
	return l.pages[page]
}

// addToList adds a term that has its text.
func (t *Terms) addToList(number uint32, own *edition) {
	l, term := &t.list, t.terms.ref(number)
	at := t.placeOf(term.text)
	l.n++
	if len(l.pages) == 0 {
		l.pages = append(l.pages, &termPage{first: term.text, own: own})
	}
	if at.at == 0 && at.page > 0 {
		at = termPlace{at.page - 1, len(l.pages[at.page-1].numbers)} // after the last one of a page
	}
	p := l.edit(at.page, own)
	p.first = min(p.first, term.text)
	p.insert(at.at, number, term)
	if half := len(p.numbers) / 2; len(p.numbers) > termPageSize {
		next := (&termPage{t.text(p.numbers[half]), p.numbers[half:], p.signs[half:], p.heads[half:], p.sizes[half:], own}).clone(own)
		p.numbers, p.signs, p.heads, p.sizes = p.numbers[:half], p.signs[:half], p.heads[:half], p.sizes[:half]
		l.pages = slices.Insert(l.pages, at.page+1, next)
	}
}

// removeFromList removes a term that still has its text.
func (t *Terms) removeFromList(number uint32, own *edition) {
	l, at := &t.list, t.placeOf(t.text(number))
	l.n--
	p := l.edit(at.page, own)
	p.numbers = slices.Delete(p.numbers, at.at, at.at+1)
	p.signs = slices.Delete(p.signs, at.at, at.at+1)
	p.heads = slices.Delete(p.heads, at.at, at.at+1)
	p.sizes = slices.Delete(p.sizes, at.at, at.at+1)
	if next := at.page + 1; next < len(l.pages) && len(p.numbers)+len(l.pages[next].numbers) <= termPageSize/2 {
		other := l.pages[next]
		p.numbers, p.signs = append(p.numbers, other.numbers...), append(p.signs, other.signs...)
		p.heads, p.sizes = append(p.heads, other.heads...), append(p.sizes, other.sizes...)
		l.pages = slices.Delete(l.pages, next, next+1)
	}
	if len(p.numbers) == 0 {
		l.pages = slices.Delete(l.pages, at.page, at.page+1)
	}
}

// resize updates the list after the rows of a term have changed.
func (t *Terms) resize(number uint32, before int, own *edition) {
	if size := sizeOf(t.Rows(number).Len()); size != sizeOf(before) {
		at := t.placeOf(t.text(number))
		t.list.edit(at.page, own).sizes[at.at] = size
	}
}
