package storetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"

	"quire/store"
)

// ErrLost is the error of Memory if a test drops the response. As for real journals it
// looks like the end of a request, which it is not.
var ErrLost = fmt.Errorf("storetest: the answer got lost: %w", errors.Join(context.DeadlineExceeded, context.Canceled))

// Fault is the fault of one Propose.
type Fault int

const (
	None       Fault = iota
	LoseBefore       // the batch is not stored, and the error is ErrLost
	LoseAfter        // the batch is stored, and the error is ErrLost
)

// Memory is a journal in memory, for several data files of one process. The zero
// value is not ready: see NewMemory.
type Memory struct {
	mu       sync.Mutex
	lineage  uint64
	first    uint64 // position after which batches are kept
	position uint64
	revision uint64
	time     int64
	batches  []store.Batch
	values   map[string]store.Op
	more     chan struct{} // closed when something has changed
	frozen   bool          // a node is about to replace everything

	// Silence is called before each Fresh, which fails with its error; nil for none.
	Silence func() error

	// Fault is called before each Propose; nil for none. It is called while the journal is
	// locked.
	Fault func(store.Batch) Fault
}

// NewMemory returns an empty journal.
func NewMemory() *Memory {
	return &Memory{lineage: rand.Uint64() | 1, position: 1, first: 1, values: map[string]store.Op{}, more: make(chan struct{})}
}

// Lineage implements store.Journal.
func (m *Memory) Lineage(context.Context) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.lineage, nil
}

// Propose implements store.Journal.
func (m *Memory) Propose(ctx context.Context, b store.Batch) (uint64, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	fault := None
	if m.Fault != nil {
		fault = m.Fault(b)
	}
	switch {
	case fault == LoseBefore:
		return 0, ErrLost
	case m.frozen:
		return 0, store.ErrFrozen
	case b.Position != m.position || b.Revision != m.revision+1:
		return 0, store.ErrBehind
	}
	m.append(b)
	if fault == LoseAfter {
		return 0, ErrLost
	}
	return m.position, nil
}

// append decides a batch. Positions skip some numbers, as in real journals.
func (m *Memory) append(b store.Batch) {
	m.position += 1 + m.position%3
	b.Position, m.revision, m.time = m.position, b.Revision, b.Time
	b.Ops = slices.Clone(b.Ops)
	m.batches = append(m.batches, b)
	for _, o := range b.Ops {
		m.apply(o)
	}
	m.wake()
}

func (m *Memory) apply(o store.Op) {
	name := strings.Join(o.Path, "\x00") + "\x00\x00" + string(o.Key)
	if o.Value == nil {
		delete(m.values, name)
		return
	}
	m.values[name] = o
}

func (m *Memory) wake() {
	close(m.more)
	m.more = make(chan struct{})
}

// Follow implements store.Journal.
func (m *Memory) Follow(ctx context.Context, after uint64, fn func(store.Batch) error) error {
	m.mu.Lock()
	lineage := m.lineage
	m.mu.Unlock()
	for {
		batches, more, err := m.since(lineage, after)
		if err != nil {
			return err
		}
		for _, b := range batches {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := fn(b); err != nil {
				return err
			}
			after = b.Position
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-more:
		}
	}
}

// since returns the batches after a position, and a channel that is closed when
// there are more.
func (m *Memory) since(lineage, after uint64) (batches []store.Batch, more chan struct{}, err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case lineage != m.lineage || after < m.first:
		return nil, nil, store.ErrCompacted
	case after > m.position:
		return nil, nil, store.ErrWentBack
	}
	at := slices.IndexFunc(m.batches, func(b store.Batch) bool { return b.Position > after })
	if at >= 0 {
		batches = slices.Clone(m.batches[at:])
	}
	return batches, m.more, nil
}

// Load implements store.Journal.
func (m *Memory) Load(ctx context.Context, fn func(store.Op) error) (last store.Batch, err error) {
	m.mu.Lock()
	last = m.last()
	ops := slices.Collect(maps.Values(m.values))
	m.mu.Unlock()
	for _, o := range ops {
		if err := errors.Join(ctx.Err(), fn(o)); err != nil {
			return store.Batch{}, err
		}
	}
	return last, nil
}

// last returns the last batch without its operations.
func (m *Memory) last() store.Batch {
	return store.Batch{Position: m.position, Revision: m.revision, Time: m.time}
}

// Fresh implements store.Journal.
func (m *Memory) Fresh(context.Context) (uint64, error) {
	if m.Silence != nil {
		if err := m.Silence(); err != nil {
			return 0, err
		}
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.position, nil
}

// Freeze implements store.Journal.
func (m *Memory) Freeze(context.Context) (release func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.frozen {
		return nil, store.ErrFrozen
	}
	m.frozen = true
	return m.release, nil
}

func (m *Memory) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frozen = false
}

// Replace implements store.Journal. Memory cannot say who has the freeze.
func (m *Memory) Replace(ctx context.Context, with *store.DB) (store.Batch, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.frozen = false
	values := m.values
	m.values = map[string]store.Op{}
	revision := uint64(0)
	err := with.View(func(tx *store.Tx) error {
		revision = tx.Revision()
		return tx.Ops(func(o store.Op) error {
			m.apply(o)
			return ctx.Err()
		})
	})
	if err != nil {
		m.values = values
		return store.Batch{}, err
	}
	m.lineage, m.revision = rand.Uint64()|1, max(m.revision, revision)+1
	m.position++
	m.first, m.batches = m.position, nil
	m.wake()
	return m.last(), nil
}

// Renew implements store.Journal.
func (m *Memory) Renew(_ context.Context, lineage uint64) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.lineage != lineage {
		return nil
	}
	next := m.revision + store.UnknownLead
	m.append(store.Batch{Revision: next, Time: m.time, Ops: store.LogAnew(next)})
	m.lineage = rand.Uint64() | 1
	m.first, m.batches = m.position, nil
	return nil
}

// Compact drops all batches so far: nodes that have not followed them must Load.
func (m *Memory) Compact() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.first, m.batches = m.position, nil
	m.wake()
}

// GoBack removes the last n batches, like a journal that is restored from a former copy. It
// must not have been compacted or replaced.
func (m *Memory) GoBack(n int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches = m.batches[:len(m.batches)-n]
	m.position, m.revision, m.values = m.first, 0, map[string]store.Op{}
	for _, b := range m.batches {
		m.position, m.revision, m.time = b.Position, b.Revision, b.Time
		for _, o := range b.Ops {
			m.apply(o)
		}
	}
	m.wake()
}
