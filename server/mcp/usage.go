package mcp

import (
	"fmt"
	"sync"
	"time"

	"quire/documents"
	"quire/schema/settings"
	"quire/store"
)

// Usage counts what each agent has used in the current minute. It is safe for use by many
// goroutines.
type Usage struct {
	now func() time.Time

	mu      sync.Mutex
	minutes map[store.Actor]*minute
}

// minute is what one agent has used since a time.
type minute struct {
	since                   time.Time
	calls, documents, bytes int
	running                 int // messages that are being answered, also of the minute before
}

// expected is how many documents a message counts until it is answered, so that many at once do
// not use more than they may.
const expected = mostItems

// mostCounted limits the memory of a Usage. Beyond it, minutes that are over are forgotten.
const mostCounted = 1000

// NewUsage returns a Usage. A nil clock is time.Now.
func NewUsage(now func() time.Time) *Usage {
	if now == nil {
		now = time.Now
	}
	return &Usage{now: now, minutes: map[store.Actor]*minute{}}
}

// begin counts a message with so many bytes. It refuses an agent that has used too much, and
// counts what it refuses, too. end counts what the answer has used, and has to be called.
func (u *Usage) begin(who store.Actor, bytes int, limits *settings.MCPLimits) (end func(documents, bytes int), err error) {
	u.mu.Lock()
	defer u.mu.Unlock()
	m := u.minuteLocked(who)
	m.calls++
	m.bytes += bytes
	over := ""
	switch {
	case m.calls > limits.Calls:
		over = fmt.Sprintf("%d calls", limits.Calls)
	case m.documents+m.running*expected >= limits.Documents:
		over = fmt.Sprintf("%d documents", limits.Documents)
	case m.bytes+m.running*limits.Answer > limits.Bytes:
		over = fmt.Sprintf("%d bytes", limits.Bytes)
	}
	if over != "" {
		wait := m.since.Add(time.Minute).Sub(u.now()).Truncate(time.Second) + time.Second
		return nil, &documents.Problem{Kind: documents.Throttled, Name: "RateLimitError", Message: fmt.Sprintf("An assistant may use %s in a minute; try again in %d seconds", over, wait/time.Second)}
	}
	m.running++
	return func(documents, bytes int) {
		u.mu.Lock()
		defer u.mu.Unlock()
		m := u.minuteLocked(who)
		m.running--
		m.documents += documents
		m.bytes += bytes
	}, nil
}

// minuteLocked returns the current minute of an agent. mu must be held.
func (u *Usage) minuteLocked(who store.Actor) *minute {
	now := u.now()
	if len(u.minutes) >= mostCounted {
		for other, m := range u.minutes {
			if now.Sub(m.since) >= time.Minute && m.running == 0 {
				delete(u.minutes, other)
			}
		}
	}
	m := u.minutes[who]
	switch {
	case m == nil:
		m = &minute{since: now}
		u.minutes[who] = m
	case now.Sub(m.since) >= time.Minute:
		*m = minute{since: now, running: m.running}
	}
	return m
}
