package query

import "sync"

// scratch is the space that runs use for the rows that relations lead to, as
// stacks: whoever pushes pops before it returns, so that what goes from run to run
// points to nothing.
type scratch struct {
	owning stack[owner]
	found  stack[located]
}

// stack is what has been pushed with append and not been popped yet.
type stack[T any] []T

// pop takes what was pushed since the stack had so many items, and clears it.
func (s *stack[T]) pop(before int) {
	clear((*s)[before:])
	*s = (*s)[:before]
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
