package content

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"time"

	"quire/content/event"
	"quire/index"
	"quire/store"
)

// Writes queue, and one goroutine commits all that wait together, so that they share one
// fsync. It does not wait for more: while one batch is committed, the next one collects. It
// pauses only if reads need the processors.

// maxBatch is the maximum number of writes in one transaction.
const maxBatch = 256

// plan plans one operation, and has no other effect. It returns the entries that can be
// read back when the operation is done: one for each of its locales, if any.
type plan func(*operation) ([]Result, error)

// write is one queued write: operations that are all done or none.
type write struct {
	ctx   context.Context
	plans []plan
	apart bool // whether it needs a transaction of its own

	before  int // links that were changed by the writes before it in the transaction
	links   int // those and its own
	events  []event.Event
	results [][]Result // of each plan
	err     error
	done    chan struct{}
}

// submit queues a write and waits until it is committed or refused. If ctx ends before the
// write has begun, it is not done; after that it is completed. If one of several plans is
// refused, the error is a *PartError.
func (w *Writer) submit(ctx context.Context, plans ...plan) ([][]Result, error) {
	return w.enqueue(&write{ctx: ctx, plans: plans, apart: len(plans) > 1, done: make(chan struct{})})
}

func (w *Writer) enqueue(one *write) ([][]Result, error) {
	select {
	case <-w.closing: // otherwise a closed Writer might still take one
		return nil, ErrClosed
	default:
	}
	select {
	case w.queue <- one:
	case <-one.ctx.Done():
		return nil, one.ctx.Err()
	case <-w.closing:
		return nil, ErrClosed
	}
	<-one.done
	return one.results, one.err
}

// submitOne is submit for one plan with one result.
func (w *Writer) submitOne(ctx context.Context, fn func(*operation) (Result, error)) (Result, error) {
	results, err := w.submit(ctx, planOne(fn))
	if err != nil {
		return Result{}, err
	}
	return results[0][0], nil
}

// planOne returns a plan with one result.
func planOne(fn func(*operation) (Result, error)) plan {
	return func(op *operation) ([]Result, error) {
		result, err := fn(op)
		return []Result{result}, err
	}
}

// run is the goroutine that commits batches, until Close.
func (w *Writer) run() {
	defer close(w.done)
	defer func() { w.detach() }()
	debug.SetPanicOnFault(true) // some content is in a mapped file, and its disk may fail
	for {
		select {
		case <-w.closing:
			return
		case one := <-w.queue:
			w.pause()
			batch, next := w.gather(one)
			w.commit(batch)
			if next != nil {
				w.commit([]*write{next})
			}
		case task := <-w.alone:
			task.run(w)
		}
	}
}

// gather takes the waiting writes. A write of several operations has its own transaction,
// because if it is refused half way, all others would have to be repeated. If it comes
// after others, it is the next one.
func (w *Writer) gather(first *write) (batch []*write, next *write) {
	batch = []*write{first}
	for len(batch) < maxBatch && !first.apart {
		select {
		case one := <-w.queue:
			if one.apart {
				return batch, one
			}
			batch = append(batch, one)
		default:
			return batch, nil
		}
	}
	return batch, nil
}

// errNothing rolls back a transaction in which nothing was accepted.
var errNothing = errors.New("nothing to commit")

// commit carries out a batch and answers its writes. A group of writes that cannot be
// committed as it is becomes one or two smaller groups:
//
//	batch ─▶ group ─▶ plan and apply each write on those before it ─▶ commit ─▶ answer
//	           ▲             │                                           │
//	           ├─ without it ┴─ one fails while it is applied            │
//	           └─ in two halves ── too large for one transaction ────────┘
//
// A refused write leaves no trace, so the others continue. One that fails while it is applied
// has left traces, so everything is rolled back.
func (w *Writer) commit(batch []*write) {
	defer func() {
		for _, one := range batch {
			close(one.done)
		}
	}()
	for groups := [][]*write{batch}; len(groups) > 0; {
		group := groups[0]
		groups = groups[1:]

		var accepted []*write
		var failed *write            // while it was applied
		var planned time.Time        // when all were planned; zero if none was accepted
		var snapshot *index.Snapshot // once committed; nil if nothing changes
		begun := time.Now()
		err := w.update(func(tx *store.Tx) error {
			accepted, failed, planned, snapshot = nil, nil, time.Time{}, nil // it may be called again
			edit, commit := w.index().Edit(), tx.CommitID()
			tx.AtEnd(func(committed bool) {
				if committed {
					snapshot = edit.Publish(commit)
				} else {
					edit.Discard()
				}
			})
			for _, one := range group {
				var applied bool
				applied, one.err = w.carryOut(one, tx, edit)
				switch {
				case one.err == nil:
					accepted = append(accepted, one)
				case applied:
					failed = one
					return one.err
				}
			}
			if len(accepted) == 0 {
				return errNothing
			}
			planned = time.Now()
			return w.log(tx, accepted)
		})
		if !planned.IsZero() {
			w.worked = planned.Sub(begun)
			w.observe(Batch{Writes: len(accepted), Took: time.Since(begun), Commit: time.Since(planned), Err: err})
		}
		switch half := len(group) / 2; {
		case err == nil:
			answer(accepted, cmp.Or(snapshot, w.index().Snapshot()))
		case failed != nil:
			if others := slices.DeleteFunc(slices.Clone(group), func(one *write) bool { return one == failed }); len(others) > 0 {
				groups = slices.Insert(groups, 0, others)
			}
		case errors.Is(err, errNothing):
		case errors.As(err, new(*store.TooLargeError)) && half > 0:
			groups = slices.Insert(groups, 0, group[:half], group[half:])
		default:
			if errors.As(err, new(*PanicError)) {
				err = w.db.Doubt(err) // it may have been committed
			}
			refuseAll(group, err)
		}
	}
}

// carryOut plans the operations of a write, each on the result of the one before it. It
// reports whether anything has been applied, or may have been.
func (w *Writer) carryOut(one *write, tx *store.Tx, edit *index.Edit) (begun bool, err error) {
	one.results, one.links, one.events = nil, one.before, nil
	var tree folderTree
	var made made
	for i, plan := range one.plans {
		op := w.operation(tx, edit.Snapshot())
		op.touched.links, op.tree, op.complete, op.made = one.links, tree, true, made
		results, err := plan.on(one.ctx, op)
		if err != nil {
			return i > 0, one.inPart(i, err)
		}
		if err := applied(op, edit); err != nil {
			return true, one.inPart(i, err)
		}
		for j := range results {
			results[j].Version = op.version
		}
		one.results = append(one.results, results)
		one.links, tree = op.touched.links, op.tree
		tree.follow(op.changes)
		made.follow(op)
		one.events = append(one.events, op.events...)
	}
	return true, nil
}

// inPart names the refused operation among several.
func (one *write) inPart(i int, err error) error {
	if len(one.plans) == 1 {
		return err
	}
	return &PartError{i, err}
}

// adopt applies a commit of another node to the index.
func (w *Writer) adopt(c store.Commit) (err error) {
	if len(c.Changes) == 0 {
		return nil
	}
	defer CatchPanic(&err)
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	edit := w.index().Edit()
	for _, change := range c.Changes {
		if err := edit.Apply(change); err != nil {
			edit.Discard()
			return err
		}
	}
	edit.Publish(c.CommitID)
	return nil
}

// answer gives the committed writes of a batch the content after it.
func answer(accepted []*write, snapshot *index.Snapshot) {
	for _, one := range accepted {
		for _, results := range one.results {
			for i := range results {
				results[i].Snapshot = snapshot
			}
		}
	}
}

// refuseAll ends the writes of a batch that could not be committed. A store that refuses
// writes has not read them.
func refuseAll(batch []*write, err error) {
	for _, one := range batch {
		if one.err == nil {
			one.results, one.err = nil, err
		}
	}
}

// on plans an operation unless its caller has gone.
func (fn plan) on(ctx context.Context, op *operation) (results []Result, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	defer CatchPanic(&err)
	op.serve(ctx)
	if results, err = fn(op); err == nil {
		err = op.keepsPublished()
	}
	if err == nil {
		err = op.staysWithin()
	}
	return results, op.concealed(err)
}

// serve makes the operation that of the caller in a context.
func (op *operation) serve(ctx context.Context) {
	op.ctx, op.actor, op.author, op.model, op.access = ctx, actorOf(ctx), authorOf(ctx), modelOf(ctx), accessOf(ctx)
}

func applied(op *operation, edit *index.Edit) (err error) {
	defer CatchPanic(&err)
	if err := op.apply(edit); err != nil {
		return err
	}
	return op.note(op.ctx)
}

func (w *Writer) update(fn func(*store.Tx) error) (err error) {
	defer CatchPanic(&err)
	return w.db.Update(fn)
}

// CatchPanic turns a panic into an error, so that a defect in one write does not end the
// others.
func CatchPanic(err *error) {
	if cause := recover(); cause != nil {
		*err = &PanicError{cause, debug.Stack()}
	}
}

// Writes at full speed can keep all processors busy, and would leave too little for reads.
// So if there are reads, and not enough processors for everything, there is a pause before
// each batch. More writes collect meanwhile and share a commit, so little throughput is lost.
const (
	// pauseFactor is how many times as long the pause is as the last batch kept a processor
	// busy. Measured on two processors, 64 connections that create without a pause and 16 that
	// read lists: with 12 there are 5,400 creates a second, and 0.85 of the reads that there
	// are without writes; with 6, 8,300 creates and 0.71 to 0.75 of the reads.
	pauseFactor = 12

	// longestPause bounds what a write waits for reads, however long a batch took to plan.
	longestPause = 20 * time.Millisecond
)

// pauseBetween returns the pause after a batch that kept a processor busy for so long.
func pauseBetween(worked time.Duration) time.Duration {
	return min(pauseFactor*worked, longestPause)
}

// pause leaves the processors to reads, if there were reads since the last batch and work
// waits for a processor.
func (w *Writer) pause() {
	before := w.seen
	w.seen = w.reads()
	if w.seen != before && crowded() {
		time.Sleep(pauseBetween(w.worked))
	}
}

// crowded reports whether work waits for a processor.
func crowded() bool {
	waiting := []metrics.Sample{{Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(waiting)
	return waiting[0].Value.Kind() == metrics.KindUint64 && waiting[0].Value.Uint64() > 0
}
