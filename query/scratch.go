package query

import "sync"

// scratch is the space that runs use for the rows that relations lead to, as
// stacks: whoever pushes pops before it returns. It goes from run to run.
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

// give takes back the space of a run. What it pointed to is let go of.
func (s *scratches) give(used *scratch) {
	if cap(used.owning) > maxScratch || cap(used.found) > maxScratch {
		return
	}
	clear(used.owning[:cap(used.owning)])
	clear(used.found[:cap(used.found)])
	s.pool.Put(used)
}
