package store

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"time"
)

// Fresh waits until the file shows everything that had been decided when it was called, so
// that the next View shows the writes of all nodes so far. Without a journal it returns at
// once. Concurrent callers share the calls to the journal.
//
// The error is a *JournalError if that cannot be known, for example because ctx ends first,
// or a *SuspendedError.
func (db *DB) Fresh(ctx context.Context) error {
	if db.options.Journal == nil {
		return nil
	}
	before := db.reached.at()
	position, err := db.latest.ask(ctx, func() (uint64, error) { return db.options.Journal.Fresh(db.life) })
	if err == nil && position < before {
		err = ErrWentBack
	}
	if err != nil {
		return &JournalError{Path: db.path, Err: err}
	}
	return db.await(ctx, func() bool { return db.reached.position >= position })
}

// overtakeTime is the maximum time an update waits for earlier commits of other nodes.
const overtakeTime = 10 * time.Second

// overtake waits until the file shows the commits of other nodes.
func (db *DB) overtake() error {
	ctx, cancel := context.WithTimeout(db.life, overtakeTime)
	defer cancel()
	return db.Fresh(ctx)
}

// Await waits until the file shows the commit of a revision, or a later one.
func (db *DB) Await(ctx context.Context, revision uint64) error {
	if db.options.Journal == nil {
		return nil
	}
	return db.await(ctx, func() bool { return db.reached.revision >= revision })
}

// Reached returns the revision that the file shows, or an earlier one. Without a journal it
// is 0.
func (db *DB) Reached() uint64 {
	db.reached.mu.Lock()
	defer db.reached.mu.Unlock()
	return db.reached.revision
}

// progress is the position of a replica. A caller who waits for a later one waits on moved.
type progress struct {
	mu                 sync.Mutex
	era                uint64 // number of the file: advance is for one of them
	position, revision uint64
	moved              chan struct{} // closed with the next change; nil if nobody waits
}

func (p *progress) at() (position uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.position
}

// move sets the position of another file.
func (p *progress) move(position, revision uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.era++
	p.position, p.revision = position, revision
	p.wake()
}

// advance sets the position of the file of an era.
func (p *progress) advance(era, position, revision uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.era == era && position > p.position {
		p.position, p.revision = position, revision
		p.wake()
	}
}

// turn is the feed's turn for a commit of a replica: waiting callers continue after all
// listeners have been called, so that what these keep, for example permissions, is up to
// date.
func (db *DB) turn(c Commit, position uint64) (notify func()) {
	db.reached.mu.Lock()
	era := db.reached.era
	db.reached.mu.Unlock()
	pass := db.feed.turn(c)
	return func() {
		pass()
		db.reached.advance(era, position, c.Revision)
	}
}

// stir makes all waiting callers check again: what they wait for may never come.
func (p *progress) stir() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wake()
}

func (p *progress) wake() {
	if p.moved != nil {
		close(p.moved)
		p.moved = nil
	}
}

// await waits until there returns true. It calls there with reached locked.
func (db *DB) await(ctx context.Context, there func() bool) error {
	for {
		db.reached.mu.Lock()
		done := there()
		if db.reached.moved == nil {
			db.reached.moved = make(chan struct{})
		}
		moved := db.reached.moved
		db.reached.mu.Unlock()
		if done {
			return nil
		}
		if cause := db.suspended.cause(); cause != nil {
			return &SuspendedError{Path: db.path, Cause: cause}
		}
		select {
		case <-moved:
		case <-ctx.Done():
			return &JournalError{Path: db.path, Err: errors.Join(errNotYet, ctx.Err())}
		case <-db.life.Done():
			return ErrClosed
		}
	}
}

var errNotYet = errors.New("the commits of other nodes have not arrived yet")

// shared gives all concurrent callers one answer, from a call that began after they asked.
type shared struct {
	mu    sync.Mutex
	calls bool  // one is in progress
	next  *call // begins when that one ends; nil if nobody waits for it
}

type call struct {
	done  chan struct{}
	value uint64
	err   error
}

// ask returns the result of a call to fn.
func (s *shared) ask(ctx context.Context, fn func() (uint64, error)) (uint64, error) {
	s.mu.Lock()
	if s.next == nil {
		s.next = &call{done: make(chan struct{})}
	}
	mine := s.next
	if !s.calls {
		s.calls = true
		go s.run(fn)
	}
	s.mu.Unlock()
	select {
	case <-mine.done:
		return mine.value, mine.err
	case <-ctx.Done():
		return 0, ctx.Err()
	}
}

// run makes calls while somebody waits for one. Before each, it lets all other goroutines
// run: those that were answered, and those that are about to ask and then share the call.
func (s *shared) run(fn func() (uint64, error)) {
	for {
		runtime.Gosched()
		s.mu.Lock()
		c := s.next
		s.next, s.calls = nil, c != nil
		s.mu.Unlock()
		if c == nil {
			return
		}
		c.value, c.err = fn()
		close(c.done)
	}
}
