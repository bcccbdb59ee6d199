package index

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/schema"
)

// Reads build indexes, so what they take is limited: Memory counts all indexes of a site
// together. A build reserves memory as its index grows. If none is left, indexes that are
// hardly used are dropped; if that is not enough, the build ends and its reader gets a
// *MemoryError. Few builds run at the same time, so that other reads have processors.
//
// What a write needs is always built, and so is what it adds to an index: both are no
// larger than the content makes them. They count, and leave less for reads.

// Memory is what the indexes of a site may take. It is safe for use by many goroutines.
type Memory struct {
	limit  int64
	builds chan struct{} // holds a token for each build for a reader in progress

	mu      sync.Mutex
	taken   int64
	indexes map[*usage]*registry // those that are counted
}

// NewMemory returns the memory for indexes of at most limit bytes; 0 is a quarter of the
// memory of the machine, or of what this process may take of it.
func NewMemory(limit int64) *Memory {
	if limit == 0 {
		limit = machineMemory() / 4
	}
	return &Memory{limit: limit, builds: make(chan struct{}, max(1, runtime.GOMAXPROCS(0)/2)), indexes: map[*usage]*registry{}}
}

// Taken returns the bytes that indexes take, including those in progress.
func (m *Memory) Taken() int64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.taken
}

// MemoryError: there is no memory for an index that a read needs.
type MemoryError struct {
	Type *schema.Type
	Path string // of the attribute; empty for an index of all links or locales
}

func (e *MemoryError) Error() string {
	return fmt.Sprintf("there is no memory for an index of %s %s", e.Type.UID, e.Path)
}

// usage is what all versions of an index share.
type usage struct {
	key     indexKey
	uses    atomic.Uint64 // how often it was requested
	bytes   atomic.Int64  // estimate of its memory
	recent  uint64        // uses when it was last considered for dropping; Memory.mu must be held
	dropped atomic.Bool   // no further version has it
}

// resize counts what the indexes of a registry take after a write.
func (m *Memory) resize(indexes tableIndexes, g *registry) {
	if m == nil || len(indexes) == 0 {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range indexes {
		if _, counted := m.indexes[one.usage]; !counted {
			continue
		}
		m.indexes[one.usage] = g
		if size := one.size(); size > 0 {
			m.taken += size - one.bytes.Swap(size)
		}
	}
}

// fewUses is how many requests since the last consideration protect an index from being
// dropped for another one.
const fewUses = 16

// reserve takes memory for a build. It drops indexes that were requested fewer than fewUses
// times since a build last needed memory, least used first. A new index is protected until
// a second build needs memory.
func (m *Memory) reserve(bytes int64) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.taken+bytes > m.limit {
		m.dropUnused(m.taken + bytes - m.limit)
	}
	if m.taken+bytes > m.limit {
		return false
	}
	m.taken += bytes
	return true
}

func (m *Memory) dropUnused(wanted int64) {
	since := func(u *usage) uint64 { return max(u.uses.Load(), u.recent) - u.recent } // one that was prepared has fewer uses
	var unused []*usage
	for u := range m.indexes {
		if since(u) < fewUses {
			unused = append(unused, u)
		}
	}
	slices.SortFunc(unused, func(a, b *usage) int { return int(since(a)) - int(since(b)) })
	for _, u := range unused {
		if wanted <= 0 {
			break
		}
		wanted -= m.dropLocked(u)
	}
	for u := range m.indexes {
		u.recent += since(u) / 2
	}
}

// drop drops an index that nobody asks for any more.
func (m *Memory) drop(u *usage, g *registry) {
	if m != nil {
		m.mu.Lock()
		defer m.mu.Unlock()
		if m.indexes[u] != nil {
			m.dropLocked(u)
			return
		}
	}
	u.dropped.Store(true)
	g.drop(u)
}

// dropLocked drops an index from the current and all later versions of its table, and
// returns its bytes. mu must be held.
func (m *Memory) dropLocked(u *usage) int64 {
	registry := m.indexes[u]
	delete(m.indexes, u)
	u.dropped.Store(true)
	bytes := u.bytes.Load()
	m.taken -= bytes
	registry.drop(u)
	return bytes
}

// indexBuild is one index being built.
type indexBuild struct {
	memory *Memory // nil for one that is not limited
	taken  int64   // reserved bytes
	left   int64   // of these, not yet used
	failed bool
}

// reservedStep is how many bytes are reserved at once.
const reservedStep = 256 << 10

// take reserves memory that the build is about to use, and reports whether it may go on.
func (b *indexBuild) take(bytes int) bool {
	if b.left -= int64(bytes); b.left >= 0 || b.failed {
		return !b.failed
	}
	step := max(reservedStep, -b.left)
	if b.memory != nil && !b.memory.reserve(step) {
		b.failed = true
		return false
	}
	b.taken, b.left = b.taken+step, b.left+step
	runtime.Gosched() // let other reads go on
	return true
}

// release returns memory that the build no longer uses, for it to use again.
func (b *indexBuild) release(bytes int) { b.left += int64(bytes) }

// giveBack returns all memory that the build has reserved.
func (b *indexBuild) giveBack() {
	if b.memory != nil {
		b.memory.mu.Lock()
		b.memory.taken -= b.taken
		b.memory.mu.Unlock()
	}
	b.taken, b.left = 0, 0
}

// done counts the index, or returns the memory of one that could not be built.
func (m *Memory) done(b *indexBuild, one builtIndex, tb *Table) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if b.memory != nil {
		m.taken -= b.taken
	}
	if b.failed {
		return
	}
	bytes := one.size()
	if bytes == 0 {
		bytes = b.taken - b.left
	}
	one.bytes.Store(bytes)
	m.taken += bytes
	m.indexes[one.usage] = tb.registry
}

// Reader is a read that may have to wait for an index.
type Reader interface {
	// Pause is called from time to time while the read waits. An error ends the wait.
	Pause() error
}

// pauseEvery is the time between two pauses of a reader that waits.
const pauseEvery = 10 * time.Millisecond

// wait puts a token into a channel, for a reader that may give up. A nil reader waits as
// long as it takes.
func wait(r Reader, tokens chan<- struct{}) error {
	select {
	case tokens <- struct{}{}:
		return nil
	default:
	}
	if r == nil {
		tokens <- struct{}{}
		return nil
	}
	tick := time.NewTicker(pauseEvery)
	defer tick.Stop()
	for {
		select {
		case tokens <- struct{}{}:
			return nil
		case <-tick.C:
			if err := r.Pause(); err != nil {
				return err
			}
		}
	}
}

// unknownMemory stands for the memory of a machine that does not report it.
const unknownMemory = 2 << 30

// machineMemory returns the bytes that this process may take: GOMEMLIMIT, the limit of its
// control group, or the memory of the machine, whichever is least.
func machineMemory() int64 {
	least := debug.SetMemoryLimit(-1)
	group, _ := os.ReadFile("/sys/fs/cgroup/memory.max")
	if n, err := strconv.ParseInt(strings.TrimSpace(string(group)), 10, 64); err == nil {
		least = min(least, n)
	}
	machine, _ := os.ReadFile("/proc/meminfo")
	for line := range strings.Lines(string(machine)) {
		var kib int64
		if n, _ := fmt.Sscanf(line, "MemTotal: %d kB", &kib); n == 1 {
			least = min(least, kib<<10)
		}
	}
	if least == math.MaxInt64 {
		return unknownMemory
	}
	return least
}
