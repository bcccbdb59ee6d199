package index

import (
	"hash/maphash"
	"slices"
)

// hashTable finds numbers by the hash of what they stand for. It skips slots that others
// have taken, up to the next free one. It is in pages that clones share until one of them
// changes.
type hashTable struct {
	pages []hashPage
	n     int // numbers in the table
}

// A table of minimum size takes most of a page. It doubles when more than 3 of 4 slots are
// taken, and halves when 1 of 8 is.
const (
	hashPageSlots = 512
	leastSlots    = hashPageSlots
)

type hashPage struct {
	slots *[hashPageSlots]hashSlot
	own   *edition
}

// hashSlot is free if next is 0.
type hashSlot struct {
	hash uint32
	next uint32 // the number + 1
}

var hashSeed = maphash.MakeSeed()

func hashOf(text string) uint32 { return uint32(maphash.String(hashSeed, text)) }

func (h *hashTable) clone() hashTable { return hashTable{slices.Clone(h.pages), h.n} }

// size returns the number of slots, a power of two or 0.
func (h *hashTable) size() uint32 { return uint32(len(h.pages) * hashPageSlots) }

func (h *hashTable) at(i uint32) hashSlot {
	return h.pages[i/hashPageSlots].slots[i%hashPageSlots]
}

func (h *hashTable) set(i uint32, s hashSlot, own *edition) {
	p := &h.pages[i/hashPageSlots]
	if p.own != own {
		copied := *p.slots
		*p = hashPage{&copied, own}
	}
	p.slots[i%hashPageSlots] = s
}

// find returns the number with that hash for which is returns true.
func (h *hashTable) find(hash uint32, is func(number uint32) bool) (uint32, bool) {
	if h.n == 0 {
		return 0, false
	}
	mask := h.size() - 1
	for i := hash & mask; ; i = (i + 1) & mask {
		switch s := h.at(i); {
		case s.next == 0:
			return 0, false
		case s.hash == hash && is(s.next-1):
			return s.next - 1, true
		}
	}
}

// put adds a number that the table does not have.
func (h *hashTable) put(hash, number uint32, own *edition) {
	if 4*(h.n+1) > 3*int(h.size()) {
		h.resize(max(leastSlots, 2*h.size()), own)
	}
	h.n++
	h.insert(hashSlot{hash, number + 1}, own)
}

func (h *hashTable) insert(s hashSlot, own *edition) {
	mask := h.size() - 1
	i := s.hash & mask
	for h.at(i).next != 0 {
		i = (i + 1) & mask
	}
	h.set(i, s, own)
}

// remove removes a number that the table has. Those after it move up if that brings them
// nearer to their slot.
func (h *hashTable) remove(hash, number uint32, own *edition) {
	mask := h.size() - 1
	free := hash & mask
	for h.at(free).next != number+1 {
		free = (free + 1) & mask
	}
	for i := (free + 1) & mask; h.at(i).next != 0; i = (i + 1) & mask {
		if s := h.at(i); (i-s.hash)&mask >= (i-free)&mask {
			h.set(free, s, own)
			free = i
		}
	}
	h.set(free, hashSlot{}, own)
	h.n--
	if h.size() > leastSlots && 8*h.n < int(h.size()) {
		h.resize(h.size()/2, own)
	}
}

func (h *hashTable) resize(size uint32, own *edition) {
	before := h.pages
	h.pages = make([]hashPage, size/hashPageSlots)
	for i := range h.pages {
		h.pages[i] = hashPage{new([hashPageSlots]hashSlot), own}
	}
	for _, p := range before {
		for _, s := range p.slots {
			if s.next != 0 {
				h.insert(s, own)
			}
		}
	}
}
