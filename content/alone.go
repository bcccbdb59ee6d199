package content

import (
	"context"

	"quire/index"
	"quire/store"
)

// task is work to be done while no write is in progress.
type task struct {
	fn   func() (*index.Index, error)
	err  error
	done chan struct{}
}

// Alone calls fn while no write is in progress; writes that arrive meanwhile wait. fn may
// exchange the content of the data file: the Writer continues with the index that fn
// returns, which must be of the new content. If fn returns none, the Writer continues as
// before. Errors: those of fn, that of the context if it ended before fn was called,
// ErrClosed, and *PanicError.
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
	defer CatchPanic(&t.err)
	var x *index.Index
	if x, t.err = t.fn(); x != nil {
		w.detach()
		w.shown.Store(x)
		w.attach()
	}
}

// Record writes records of the store, which are not content, in the transaction of the
// writes that wait, and shares its fsync with them. So callers that change records at the
// same time do not wait for each other's commits.
//
// fn sees the result of the writes before it, and must not change content. It may be
// called again if another write of the transaction fails. If fn returns an error, Record
// returns it, and nothing that fn did is stored. The other errors are those of Create.
func (w *Writer) Record(ctx context.Context, fn func(tx *store.Tx) error) error {
	_, err := w.submitOne(ctx, func(op *operation) (Result, error) {
		op.beside = append(op.beside, fn)
		return Result{}, nil
	})
	return err
}
