package content

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"quire/index"
)

// Transactions that follow each other quickly are prepared one after the other, each on top of
// the one before, and committed together. So they share a commit, and do not overtake each
// other. Who takes long loses its turn: the others go on without it, and it is committed
// alone, if nothing that it has read has changed meanwhile.

const (
	patience      = 25 * time.Millisecond // how long a transaction has its turn
	mostTogether  = 64                    // transactions in one commit
	transactTries = 10

	// LongestTransaction is how long all attempts of one transaction may take.
	LongestTransaction = 5 * time.Second
)

// SlowError reports a transaction that took longer than it may. It was not done.
type SlowError struct{}

func (*SlowError) Error() string {
	return "the project's code took more than " + LongestTransaction.String() + " for a write"
}

// lane is where transactions wait for their turn.
type lane struct {
	turn    chan struct{} // whoever has sent to it has the turn
	waiting atomic.Int32
	group   *group // what is prepared and not committed; only for whoever has the turn
}

func newLane() *lane { return &lane{turn: make(chan struct{}, 1)} }

// group is transactions that are committed together.
type group struct {
	base    *index.Snapshot // what had been committed when it began
	shown   *index.Snapshot // base, and all members
	file    *tentative
	members []*member
	began   time.Time
}

func (w *Writer) newGroup() *group {
	base := w.index().Snapshot()
	return &group{base: base, shown: base, file: &tentative{db: w.db}, began: time.Now()}
}

type member struct {
	*Transaction
	results [][]Result
	err     error
	done    chan struct{}
}

// Transact calls fn with a transaction, and commits what fn has done in it. If fn returns an
// error, nothing is done. If others have changed what fn has read, fn is called again with
// another transaction. The results are those of each Transaction.Do, in their order. Errors:
// that of fn, and those of [Writer.Together]; *OvertakenError if others were faster each time,
// *SlowError if fn takes too long.
func (w *Writer) Transact(ctx context.Context, fn func(context.Context, *Transaction) error) ([][]Result, error) {
	limited, cancel := context.WithTimeoutCause(ctx, LongestTransaction, &SlowError{})
	defer cancel()
	slow := false
	for try := 1; ; try++ {
		results, lost, err := w.TransactOnce(limited, slow, fn)
		slow = lost && !slow // without a turn it may be overtaken each time, so it takes one again
		overtaken := (*OvertakenError)(nil)
		switch {
		case err == nil:
			return results, nil
		case limited.Err() != nil && ctx.Err() == nil:
			return nil, context.Cause(limited)
		case !errors.As(err, &overtaken) || try == transactTries:
			return nil, err
		}
	}
}

// TransactOnce prepares and commits one transaction, as one attempt of Transact; a slow one
// does not wait for its turn. It reports whether the transaction has lost its turn because it
// was slow.
func (w *Writer) TransactOnce(ctx context.Context, slow bool, fn func(context.Context, *Transaction) error) (results [][]Result, lost bool, err error) {
	var t *Transaction
	var keep *time.Timer
	if slow {
		t = w.begin(w.newGroup())
		close(t.slow)
	} else {
		if t, err = w.enter(ctx); err != nil {
			return nil, false, err
		}
		keep = time.AfterFunc(patience, func() { close(t.slow); w.leave(nil) })
	}
	defer func() {
		for _, f := range t.after {
			f(err == nil)
		}
	}()
	err = w.prepareBy(ctx, t, fn)
	if keep != nil && keep.Stop() {
		if err != nil || len(t.writes) == 0 {
			w.leave(nil)
			return nil, false, err
		}
		m := &member{Transaction: t, done: make(chan struct{})}
		w.leave(m)
		<-m.done
		return m.results, false, m.err
	}
	<-t.slow
	switch {
	case err != nil || len(t.writes) == 0:
		return nil, true, err
	case t.others > 0:
		return nil, true, t.writes[0].overtaken() // it saw what may not have been committed
	}
	results, err = w.commitTogether(ctx, t)
	return results, true, err
}

// prepareBy calls fn, and ends the transaction for all that still work in it.
func (w *Writer) prepareBy(ctx context.Context, t *Transaction, fn func(context.Context, *Transaction) error) (err error) {
	defer func() {
		t.mu.Lock()
		t.ended = true
		t.mu.Unlock()
	}()
	defer CatchPanic(&err)
	return fn(ctx, t)
}

// enter waits for the turn, and begins a transaction on top of those that are prepared. It
// sees all that was committed before: if others have committed since the group began, the group
// is committed first.
func (w *Writer) enter(ctx context.Context) (*Transaction, error) {
	l := w.lane
	l.waiting.Add(1)
	select {
	case l.turn <- struct{}{}:
		l.waiting.Add(-1)
	case <-ctx.Done():
		l.waiting.Add(-1)
		go func() { // those before may have left their commit to this one
			l.turn <- struct{}{}
			w.leave(nil)
		}()
		return nil, ctx.Err()
	}
	if g := l.group; g == nil || g.base != w.index().Snapshot() {
		if g != nil {
			w.commitGroup(g.members)
		}
		l.group = w.newGroup()
	}
	return w.begin(l.group), nil
}

// leave gives the turn to the next transaction, after adding one that is complete to the
// group. If none waits, or enough are in the group, it commits the group first.
func (w *Writer) leave(m *member) {
	l := w.lane
	defer func() { <-l.turn }()
	g := l.group
	if g == nil {
		return
	}
	if m != nil {
		g.members = append(g.members, m)
		g.shown, g.file = m.shown, m.file
	}
	if l.waiting.Load() == 0 || len(g.members) >= mostTogether || time.Since(g.began) > patience {
		w.commitGroup(g.members)
		l.group = nil
	}
}

// commitGroup commits the transactions of a group. If one cannot be committed, none is, and
// those that were not the reason are prepared again.
func (w *Writer) commitGroup(members []*member) {
	if len(members) == 0 {
		return
	}
	all := make([]*Transaction, len(members))
	for i, m := range members {
		all[i] = m.Transaction
	}
	results, err := w.commitTogether(context.Background(), all...)
	for _, m := range members {
		if m.err = err; err == nil {
			n := len(m.writes)
			m.results, results = results[:n], results[n:]
		}
		close(m.done)
	}
}

// commitTogether commits transactions in a transaction of the data file, or none of them.
func (w *Writer) commitTogether(ctx context.Context, all ...*Transaction) ([][]Result, error) {
	var plans []plan
	for _, t := range all {
		plans = append(plans, t.plans()...)
	}
	first := plans[0]
	plans[0] = func(op *operation) ([]Result, error) {
		for _, t := range all {
			if err := t.unchanged(op.content); err != nil {
				return nil, err
			}
		}
		return first(op)
	}
	results, err := w.enqueue(&write{ctx: ctx, plans: plans, apart: true, done: make(chan struct{})})
	if part, ok := errors.AsType[*PartError](err); ok {
		err = part.Err
	}
	return results, err
}
