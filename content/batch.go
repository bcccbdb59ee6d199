package content

import (
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"time"

	"quire/index"
	"quire/store"
)

// Writes queue, and one goroutine takes all that wait and commits them
// together, so that they share one fsync. It does not wait for more to come:
// while one batch is being committed, the next gathers by itself. It only rests
// where reads are in need of the processors.

// maxBatch bounds how many writes share one transaction.
const maxBatch = 256

// write is one queued write. plan must have no side effects.
type write struct {
	ctx  context.Context
	plan func(*operation) (Result, error)

	result Result
	err    error
	done   chan struct{}
}

// submit queues a write and waits until it is committed or refused. When ctx
// ends before the write has begun, it is not done; after that it is completed.
func (w *Writer) submit(ctx context.Context, plan func(*operation) (Result, error)) (Result, error) {
	one := &write{ctx: ctx, plan: plan, done: make(chan struct{})}
	select {
	case <-w.closing: // without this, a closed Writer might still take one
		return Result{}, ErrClosed
	default:
	}
	select {
	case w.queue <- one:
	case <-ctx.Done():
		return Result{}, ctx.Err()
	case <-w.closing:
		return Result{}, ErrClosed
	}
	<-one.done
	return one.result, one.err
}

// run is the goroutine that commits batches, until Close.
func (w *Writer) run() {
	defer close(w.done)
	for {
		select {
		case <-w.closing:
			return
		case one := <-w.queue:
			w.rest()
			w.commit(w.gather(one))
		case task := <-w.alone:
			task.run(w)
		}
	}
}

// gather takes what waits.
func (w *Writer) gather(first *write) []*write {
	batch := []*write{first}
	for len(batch) < maxBatch {
		select {
		case one := <-w.queue:
			batch = append(batch, one)
		default:
			return batch
		}
	}
	return batch
}

// commit carries a batch out and answers. Refused writes drop out of it without
// a trace. A write that fails while it is being applied has left traces, so
// everything is rolled back and done again without it.
func (w *Writer) commit(batch []*write) {
	defer func() {
		for _, one := range batch {
			close(one.done)
		}
	}()
	for rest := batch; len(rest) > 0; {
		failed := w.try(rest)
		if failed == nil {
			return
		}
		rest = slices.DeleteFunc(slices.Clone(rest), func(one *write) bool { return one == failed })
	}
}

// errNothing rolls back a transaction in which nothing was accepted.
var errNothing = errors.New("nothing to commit")

// try runs a batch in one transaction and makes its snapshot current. It returns
// the write that failed while it was being applied, if one did, with its error
// set; nothing has been done then. Otherwise every write has its outcome.
func (w *Writer) try(batch []*write) (failed *write) {
	edit := w.index.Edit()
	var accepted []*write
	var revision uint64
	var planned time.Time
	begun := time.Now()
	err := w.update(func(tx *store.Tx) error {
		for _, one := range batch {
			op := w.operation(tx, edit.Snapshot())
			if one.err = one.planned(op); one.err != nil {
				continue
			}
			if one.err = applied(op, edit); one.err != nil {
				failed = one
				return one.err
			}
			accepted = append(accepted, one)
		}
		if len(accepted) == 0 {
			return errNothing
		}
		revision, planned = tx.Revision(), time.Now()
		return nil
	})
	if !planned.IsZero() {
		w.worked = planned.Sub(begun)
		w.observe(Batch{Writes: len(accepted), Took: time.Since(begun), Commit: time.Since(planned), Err: err})
	}
	switch {
	case err == nil:
		answer(accepted, edit.Publish(revision))
		return nil
	case !errors.Is(err, errNothing) && failed == nil:
		if errors.As(err, new(*PanicError)) {
			w.db.Suspend(err) // it may have been committed
		}
		refuseAll(batch, err)
	}
	edit.Discard()
	return failed
}

// answer settles the writes of a batch that were committed.
func answer(accepted []*write, snapshot *index.Snapshot) {
	for _, one := range accepted {
		one.result.Snapshot = snapshot
	}
}

// refuseAll settles the writes of a batch that could not be committed. A store that
// takes no writes has not even looked at them.
func refuseAll(batch []*write, err error) {
	for _, one := range batch {
		if one.err == nil {
			one.result, one.err = Result{}, err
		}
	}
}

// planned plans the write unless its caller has gone.
func (one *write) planned(op *operation) (err error) {
	if err := one.ctx.Err(); err != nil {
		return err
	}
	defer recovered(&err)
	if one.result, err = one.plan(op); err != nil {
		one.result = Result{}
	}
	return err
}

func applied(op *operation, edit *index.Edit) (err error) {
	defer recovered(&err)
	return op.apply(edit)
}

func (w *Writer) update(fn func(*store.Tx) error) (err error) {
	defer recovered(&err)
	return w.db.Update(fn)
}

// recovered turns a panic into an error, so that a defect in one write does not
// end the others.
func recovered(err *error) {
	if cause := recover(); cause != nil {
		*err = &PanicError{cause, debug.Stack()}
	}
}
