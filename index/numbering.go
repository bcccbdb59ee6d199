package index

import (
	"slices"

	"github.com/google/btree"
)

// numbering gives strings dense numbers and finds them again: the documentIds
// of a content type, the words of a text index.
type numbering struct {
	numbers *btree.BTreeG[numbered]
	texts   paged[string]
	own     *edition
}

type numbered struct {
	text   string
	number uint32
}

func newNumbering(own *edition) *numbering {
	return &numbering{numbers: btree.NewG(64, func(a, b numbered) bool { return a.text < b.text }), own: own}
}

func (n *numbering) clone(own *edition) *numbering {
	return &numbering{numbers: n.numbers.Clone(), texts: n.texts.clone(), own: own}
}

// find returns the number of a text that has one.
func (n *numbering) find(text string) (uint32, bool) {
	found, ok := n.numbers.Get(numbered{text: text})
	return found.number, ok
}

// number returns the number of a text, a new one if it has none.
func (n *numbering) number(text string) uint32 {
	if number, ok := n.find(text); ok {
		return number
	}
	return n.add(text)
}

// add gives a text that has no number the next one.
func (n *numbering) add(text string) uint32 {
	number := uint32(n.texts.n)
	n.put(text, number)
	return number
}

func (n *numbering) put(text string, number uint32) {
	n.numbers.ReplaceOrInsert(numbered{text, number})
	n.texts.set(number, text, n.own)
}

// remove takes a number's text away.
func (n *numbering) remove(number uint32) {
	n.numbers.Delete(numbered{text: n.texts.at(number)})
	n.texts.set(number, "", n.own)
}

// paged is a growing array in pages that are copied when they change.
type paged[T any] struct {
	pages []*page[T] // nil where nothing was ever set
	n     int        // one more than the highest index set
}

const pageSize = 128

type page[T any] struct {
	items [pageSize]T
	own   *edition
}

func (p *paged[T]) clone() paged[T] { return paged[T]{slices.Clone(p.pages), p.n} }

// at returns the item at i, the zero T beyond the end.
func (p *paged[T]) at(i uint32) T {
	if int(i) < p.n {
		if page := p.pages[i/pageSize]; page != nil {
			return page.items[i%pageSize]
		}
	}
	var zero T
	return zero
}

// ref is a pointer to the item at i, which must have been set, for reading.
func (p *paged[T]) ref(i uint32) *T { return &p.pages[i/pageSize].items[i%pageSize] }

// cut shortens the array to its first n items. What is beyond them must be zero.
func (p *paged[T]) cut(n int) {
	pages := (n + pageSize - 1) / pageSize
	if n < p.n {
		clear(p.pages[pages:])
		p.pages, p.n = p.pages[:pages], n
	}
}

func (p *paged[T]) set(i uint32, item T, own *edition) { *p.edit(i, own) = item }

// edit is a pointer to the item at i for own to change; the array grows to hold it.
func (p *paged[T]) edit(i uint32, own *edition) *T {
	at := int(i / pageSize)
	for len(p.pages) <= at {
		p.pages = append(p.pages, nil)
	}
	switch found := p.pages[at]; {
	case found == nil:
		p.pages[at] = &page[T]{own: own}
	case found.own != own:
		p.pages[at] = &page[T]{found.items, own}
	}
	p.n = max(p.n, int(i)+1)
	return &p.pages[at].items[i%pageSize]
}
