package content

import (
	"context"

	"quire/index"
)

// task is something to be done while no write is under way.
type task struct {
	fn   func() (*index.Index, error)
	err  error
	done chan struct{}
}

// Alone calls fn while no write is under way; writes that come meanwhile wait.
// fn may exchange what the data file holds: the Writer goes on with the index
// that it returns, which is of what the file holds then. If fn returns none, the
// Writer goes on as before. Errors: fn's, the context's when it ended before fn
// was called, ErrClosed, and *PanicError.
func (w *Writer) Alone(ctx context.Context, fn func() (*index.Index, error)) error {
	t := &task{fn: fn, done: make(chan struct{})}
	select {
	case w.alone <- t:
	case <-ctx.Done():
		return ctx.Err()
	case <-w.closing:
		return ErrClosed
	}
	<-t.done
	return t.err
}

func (t *task) run(w *Writer) {
	defer close(t.done)
	defer recovered(&t.err)
	var x *index.Index
	if x, t.err = t.fn(); x != nil {
		w.index = x
	}
}
