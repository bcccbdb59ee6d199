package query

import "sync"

// scratch is the space that runs use for the rows that relations lead to, as
// stacks: whoever pushes pops before it returns, and clears what it pops, so that
// what goes from run to run points to nothing.
type scratch struct {
	owning []owner
	found  []located
}

// scratches keeps the scratch space that no run is using.
type scratches struct{ pool sync.Pool }

// maxScratch bounds what is kept between runs, in rows of each stack.
const maxScratch = 1 << 14

func (s *scratches) take() *scratch {
	if kept, ok := s.pool.Get().(*scratch); ok {
		return kept
	}
	return &scratch{}
}

// give takes back the space of a run.
func (s *scratches) give(used *scratch) {
	if cap(used.owning) <= maxScratch && cap(used.found) <= maxScratch {
		s.pool.Put(used)
	}
}

// popFound takes what was pushed since found had start rows.
func (s *scratch) popFound(start int) {
	clear(s.found[start:])
	s.found = s.found[:start]
}

// popOwning takes what was pushed since owning had start rows.
func (s *scratch) popOwning(start int) {
	clear(s.owning[start:])
	s.owning = s.owning[:start]
}
