package query

// hit is how a term of a text fits a word of a search.
type hit struct {
	edits uint8
	exact bool // it is the word, and no form or continuation of it
}

// termHit is a term of a field that a word of a search stands for.
type termHit struct {
	number uint32
	hit
}

// hitSet is the terms that a word of a search stands for in a field, in the order in which
// they were found.
type hitSet struct {
	list  []termHit
	slots []uint32 // for each of a long list its place + 1, at the hash of its number or after it
}

// shortList is the number of terms up to which a list has no slots.
const shortList = 8

// find returns the place of a term in the list; -1 if it is not there.
func (s *hitSet) find(number uint32) int {
	if s.slots == nil {
		for i := range s.list {
			if s.list[i].number == number {
				return i
			}
		}
		return -1
	}
	return int(s.slots[s.slot(number)]) - 1
}

// slot returns the slot of a term, or the free one in which it would be.
func (s *hitSet) slot(number uint32) uint32 {
	mask := uint32(len(s.slots) - 1)
	at := number * 2654435761 >> 7 & mask // Knuth's multiplier spreads numbers that follow each other
	for s.slots[at] != 0 && s.list[s.slots[at]-1].number != number {
		at = (at + 1) & mask
	}
	return at
}

// add adds a term that is not in the list.
func (s *hitSet) add(number uint32, h hit) {
	s.list = append(s.list, termHit{number, h})
	if n := len(s.list); n > shortList && 2*n > len(s.slots) {
		s.slots = make([]uint32, max(8*shortList, 2*len(s.slots)))
		for i := range s.list {
			s.slots[s.slot(s.list[i].number)] = uint32(i + 1)
		}
	} else if s.slots != nil {
		s.slots[s.slot(number)] = uint32(n)
	}
}
