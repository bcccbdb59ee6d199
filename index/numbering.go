package index

import (
	"hash/maphash"
	"slices"
)

// numbering assigns dense numbers to strings and finds them again: the documentIds of a
// content type, the words of a text index.
type numbering struct {
	texts paged[string] // by number; empty if a number is free
	found hashTable     // index of each in texts
	own   *edition
}

func newNumbering(own *edition) *numbering { return &numbering{own: own} }

func (n *numbering) clone(own *edition) *numbering {
	return &numbering{texts: n.texts.clone(), found: n.found.clone(), own: own}
}

// len returns how many texts have a number.
func (n *numbering) len() int { return n.found.n }

// find returns the number of a text that has one.
func (n *numbering) find(text string) (uint32, bool) {
	return n.found.find(hashOf(text), func(number uint32) bool { return n.texts.at(number) == text })
}

// findBytes is find for a text in a buffer.
func (n *numbering) findBytes(text []byte) (uint32, bool) {
	return n.found.find(uint32(maphash.Bytes(hashSeed, text)), func(number uint32) bool { return n.texts.at(number) == string(text) })
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
	n.texts.set(number, text, n.own)
	n.found.put(hashOf(text), number, n.own)
}

// remove removes the text of a number.
func (n *numbering) remove(number uint32) {
	n.found.remove(hashOf(n.texts.at(number)), number, n.own)
	n.texts.set(number, "", n.own)
}

// paged is a growing array in pages that are copied when they change.
type paged[T any] struct {
	pages []page[T] // without items if nothing was set in it
	n     int       // one more than the highest index set
}

const pageSize = 128

// page has its owner separate from its items, so that their size is a power of two times
// the size of one, which is how memory is allocated.
type page[T any] struct {
	items *[pageSize]T
	own   *edition
}

func (p *paged[T]) clone() paged[T] { return paged[T]{slices.Clone(p.pages), p.n} }

// at returns the item at i, the zero T beyond the end.
func (p *paged[T]) at(i uint32) T {
	if int(i) < p.n {
		if items := p.pages[i/pageSize].items; items != nil {
			return items[i%pageSize]
		}
	}
	var zero T
	return zero
}

// ref returns a pointer to the item at i, which must have been set, for reading.
func (p *paged[T]) ref(i uint32) *T { return &p.pages[i/pageSize].items[i%pageSize] }

// cut shortens the array to its first n items. The items after these must be zero.
func (p *paged[T]) cut(n int) {
	pages := (n + pageSize - 1) / pageSize
	if n < p.n {
		clear(p.pages[pages:])
		p.pages, p.n = p.pages[:pages], n
	}
}

// add appends an item that nobody else has yet.
func (p *paged[T]) add(item T) { p.set(uint32(p.n), item, nil) }

func (p *paged[T]) set(i uint32, item T, own *edition) { *p.edit(i, own) = item }

// edit returns a pointer to the item at i for own to change; the array grows to include it.
func (p *paged[T]) edit(i uint32, own *edition) *T {
	at := int(i / pageSize)
	for len(p.pages) <= at {
		p.pages = append(p.pages, page[T]{})
	}
	switch found := &p.pages[at]; {
	case found.items == nil:
		*found = page[T]{new([pageSize]T), own}
	case found.own != own:
		copied := *found.items
		*found = page[T]{&copied, own}
	}
	p.n = max(p.n, int(i)+1)
	return &p.pages[at].items[i%pageSize]
}
