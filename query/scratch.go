package query

import "sync"

// scratch is memory that runs reuse. It has stacks of the rows that relations lead to. A
// function that pushes rows pops them before it returns, so that an unused scratch refers
// to nothing.
type scratch struct {
	owning stack[owner]
	found  stack[located]
	place  []any  // in a response with a Shape: keys, and positions in lists
	folded []byte // the text that is being searched, in lower case
	spaced []byte // the words of a text that is being ranked
}

// stack grows by append and shrinks by pop.
type stack[T any] []T

// pop removes what was pushed since the stack had before items, and clears it.
func (s *stack[T]) pop(before int) {
	clear((*s)[before:])
	*s = (*s)[:before]
}

// scratches has the runs that have ended, for their memory and their scratch.
type scratches struct{ pool sync.Pool }

// Maximum kept for the next run: rows of each stack, and bytes.
const (
	maxScratch = 1 << 10
	maxFolded  = 1 << 16
)

// get takes the memory for a run.
func (s *scratches) get() *run {
	if ended, ok := s.pool.Get().(*run); ok {
		return ended
	}
	return &run{}
}

// put returns the memory of a run, unless its scratch has grown too large to keep.
func (s *scratches) put(x *run) {
	used := x.scratch
	*x = run{}
	if cap(used.owning) <= maxScratch && cap(used.found) <= maxScratch && cap(used.place) <= maxScratch && cap(used.folded) <= maxFolded && cap(used.spaced) <= maxFolded {
		clear(used.place[:cap(used.place)])
		x.scratch = used
		s.pool.Put(x)
	}
}
