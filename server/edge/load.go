package edge

import (
	"errors"
	"sync/atomic"

	"golang.org/x/sync/semaphore"
)

// Requests that are refused because of others. The same request may succeed later.
var (
	ErrCrowded = errors.New("too many requests are under way")
	ErrMemory  = errors.New("too many large requests are under way")
	ErrSlots   = errors.New("too many expensive requests are under way")

	ErrStreams        = errors.New("too many streams are open")
	ErrAddressStreams = errors.New("the address has too many streams open")
)

// Memory is what all large bodies and responses may take together, in bytes. A slow
// client holds its part as long as it sends or receives.
const Memory = 256 << 20

const (
	smallAnswer = 64 << 10   // smaller responses are not counted
	bodyMemory  = Memory / 2 // for bodies; responses have the rest
	freeBody    = 8 << 10    // of each body are not counted

	waitingBodies = bodyMemory / 2 // for requests that wait for others, see Request.Wait
)

// Load is what the requests in progress take together, and the number of those that
// were refused. It is safe for concurrent use.
type Load struct {
	patience Patience

	reads, writes atomic.Int64 // requests in progress
	waiters       waiters      // requests that wait for their clients
	connections   atomic.Int64
	memory        *semaphore.Weighted
	bodies        atomic.Int64 // bytes of memory that bodies take
	waiting       atomic.Int64 // those of requests that wait for others

	rated, throttled                  atomic.Uint64
	crowded, oversized                atomic.Uint64
	evicted, heavyWaits, heavyRefused atomic.Uint64
	late, backups                     atomic.Uint64

	streams openStreams
}

// NewLoad returns an empty load.
func NewLoad(p Patience) *Load {
	return &Load{patience: p, memory: semaphore.NewWeighted(Memory)}
}

// Counts are the current load of a server, and what it has refused since its start.
type Counts struct {
	Connections int64 // open
	Requests    int64 // in progress
	Writes      int64 // those that write and have their body
	Waiting     int64 // those that wait until their client sends a body or receives a response
	BodyBytes   int64 // of memory that bodies take
	Streams     int64 // open

	Rated        uint64 // requests answered 429 because their address sent too many
	Throttled    uint64 // requests answered 429 because of too many attempts at passwords, or requests for mail
	Backups      uint64 // requests answered 429 because too many backups were being downloaded
	Crowded      uint64 // requests answered 503 because too many were in progress
	Oversized    uint64 // requests answered 503 because there was no memory for them
	Evicted      uint64 // connections that were closed because others needed their places
	HeavyWaits   uint64 // heavy queries that had to wait for slots
	HeavyRefused uint64 // heavy queries that waited too long and were answered 503
	Late         uint64 // queries that took too long and were answered 503

	StreamsRefused uint64 // streams answered 503 because too many were open
	StreamsRated   uint64 // streams answered 429 because their address had too many
	StreamsDropped uint64 // streams that ended because their client did not read
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

// CountRated counts a request beyond the rate of its address, see Rate.
func (l *Load) CountRated() { l.rated.Add(1) }

// CountThrottled counts a refused attempt at a password, or a refused request for mail.
func (l *Load) CountThrottled() { l.throttled.Add(1) }

// CountBackup counts a refused download of a backup.
func (l *Load) CountBackup() { l.backups.Add(1) }

// CountLate counts a query that took too long.
func (l *Load) CountLate() { l.late.Add(1) }
