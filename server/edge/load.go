package edge

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// What is refused because others take too much. The same request may succeed later.
var (
	ErrCrowded = errors.New("too many requests are under way")
	ErrMemory  = errors.New("too many large requests are under way")
	ErrSlots   = errors.New("too many expensive requests are under way")

	ErrStreams        = errors.New("too many streams are open")
	ErrAddressStreams = errors.New("the address has too many streams open")
)

// Memory is what large bodies and answers may take together, in bytes. A client that
// is slow to send or to receive holds what it takes for as long.
const Memory = 256 << 20

const (
	smallAnswer = 64 << 10   // smaller answers are not counted
	bodyMemory  = Memory / 2 // of it for bodies, so that answers have the rest
	freeBody    = 8 << 10    // of each body is not counted

	waitingBodies = bodyMemory / 2 // of that for requests that wait for others, see Request.Wait
)

// Load is what the requests under way take together, and what became of those that
// did not fit in. It is safe for use by many goroutines.
type Load struct {
	patience Patience

	reads, writes atomic.Int64 // requests under way
	waiters       waiters      // requests that wait for their clients
	connections   atomic.Int64
	memory        *semaphore.Weighted
	bodies        atomic.Int64 // bytes of the memory that bodies take
	waiting       atomic.Int64 // bytes of them that are held by requests which wait for others

	rated, throttled                  atomic.Uint64
	crowded, oversized                atomic.Uint64
	evicted, heavyWaits, heavyRefused atomic.Uint64
	late, backups                     atomic.Uint64

	streams openStreams
}

// NewLoad returns the load of a server that does nothing yet.
func NewLoad(p Patience) *Load {
	return &Load{patience: p, memory: semaphore.NewWeighted(Memory)}
}

// Counts is what a server does at a moment, and what it has turned away since it
// began.
type Counts struct {
	Connections int64 // that are open
	Requests    int64 // that are under way
	Writes      int64 // of them, those that write and have their body
	Waiting     int64 // of them, those that wait for their client to send a body or take an answer
	BodyBytes   int64 // of memory that bodies take
	Streams     int64 // that are open

	Rated        uint64 // requests answered 429 because their address sent too many
	Throttled    uint64 // requests answered 429 because passwords were tried, or mail was asked for, too often
	Backups      uint64 // requests answered 429 because too many backups were being downloaded
	Crowded      uint64 // requests answered 503 because too many were under way
	Oversized    uint64 // requests answered 503 because too many large ones were
	Evicted      uint64 // connections that were closed to make room for others
	HeavyWaits   uint64 // heavy queries that had to wait for others
	HeavyRefused uint64 // those that waited too long and were answered 503
	Late         uint64 // queries that took too long and were answered 503

	StreamsRefused uint64 // streams answered 503 because too many were open
	StreamsRated   uint64 // streams answered 429 because their address had too many
	StreamsDropped uint64 // streams that were ended because their client did not read
}

// Counts reads the counters.
func (l *Load) Counts() Counts {
	waiting := l.waiters.count()
	return Counts{
		Connections: l.connections.Load(), Requests: l.reads.Load() + l.writes.Load() + waiting, Writes: l.writes.Load(),
		Waiting: waiting, BodyBytes: l.bodies.Load(),
		Rated: l.rated.Load(), Throttled: l.throttled.Load(), Backups: l.backups.Load(), Crowded: l.crowded.Load(), Oversized: l.oversized.Load(),
		Evicted: l.evicted.Load(), HeavyWaits: l.heavyWaits.Load(), HeavyRefused: l.heavyRefused.Load(), Late: l.late.Load(),
		Streams: l.streams.count(), StreamsRefused: l.streams.refused.Load(), StreamsRated: l.streams.rated.Load(), StreamsDropped: l.streams.dropped.Load(),
	}
}

// CountRated counts a request whose address had sent too many, see Rate.
func (l *Load) CountRated() { l.rated.Add(1) }

// CountThrottled counts a request that tried a password, or asked for mail, too often.
func (l *Load) CountThrottled() { l.throttled.Add(1) }

// CountBackup counts a download of a backup that was refused because of others.
func (l *Load) CountBackup() { l.backups.Add(1) }

// CountLate counts a query that was given up because it took too long.
func (l *Load) CountLate() { l.late.Add(1) }
