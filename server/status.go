package server

import (
	"math"
	"runtime/metrics"
	"time"

	"quire/store"
)

// Status is what a server is doing, for people: the metrics, since its start, in
// few numbers.
type Status struct {
	Version  string    `json:"version"`
	Started  time.Time `json:"started"`
	Problem  string    `json:"problem,omitempty"` // what /_ready says; empty when it is content
	Memory   uint64    `json:"memoryBytes"`       // taken from the operating system
	Load     Load      `json:"load"`
	Requests Requests  `json:"requests"`
	Writes   Writes    `json:"writes"`
}

// Load is what is under way, and what had to make room or wait for others.
type Load struct {
	Connections int64  `json:"connections"` // open
	Evicted     uint64 `json:"evictedConnections"`
	Requests    int64  `json:"requestsInFlight"`
	Refused     uint64 `json:"refusedRequests"` // answered 503 because too much was under way
	HeavyWaits  uint64 `json:"heavyQueryWaits"`
}

// Requests sums up the requests that were answered.
type Requests struct {
	Total     uint64            `json:"total"`
	ByClass   map[string]uint64 `json:"byClass"` // "2xx", "4xx"
	PerSecond float64           `json:"perSecond"`
	P50       float64           `json:"p50Seconds"` // half took no longer, as near as the histogram tells
	P99       float64           `json:"p99Seconds"`
	Bytes     uint64            `json:"bytes"` // of bodies sent
	Slow      uint64            `json:"slow"`
	Throttled uint64            `json:"throttled"`
	Panics    uint64            `json:"panics"`
}

// Writes sums up the commits of content.
type Writes struct {
	Total   uint64  `json:"total"`
	Commits uint64  `json:"commits"` // that they shared
	Failed  uint64  `json:"failedCommits"`
	P50     float64 `json:"commitP50Seconds"`
	P99     float64 `json:"commitP99Seconds"`
}

// Holdings is what a data file holds.
type Holdings struct {
	Revision uint64      `json:"revision"`  // commits in the life of the file; 0 when it cannot be read
	Changed  time.Time   `json:"changed"`   // when the file was last written to
	Size     int64       `json:"fileBytes"` // of the file
	Free     int64       `json:"freeBytes"` // of that, what the next writes can use before it grows
	Entries  []TypeCount `json:"entries"`   // of the types that have any, ordered by uid
}

// TypeCount is how many entries of a type there are, in all locales. Types without
// draft and publish have published ones only.
type TypeCount struct {
	Type      string `json:"type"`
	Draft     int    `json:"draft"`
	Published int    `json:"published"`
}

// Status tells what the server has done since its start.
func (s *Server) Status() (Status, error) {
	r, err := s.metrics.read()
	if err != nil {
		return Status{}, err
	}
	status := Status{Version: s.version, Started: s.started, Memory: residentMemory(), Load: s.Counts().load(), Requests: r.requests(), Writes: r.writes()}
	status.Requests.PerSecond = float64(status.Requests.Total) / max(time.Since(s.started).Seconds(), 1)
	if p := s.unready(s.current.Load()); p != nil {
		status.Problem = p.Message
	}
	return status, nil
}

func (c Counts) load() Load {
	return Load{c.Connections, c.Evicted, c.Requests, c.Crowded + c.Oversized + c.HeavyRefused, c.HeavyWaits}
}

// residentMemory is what the Go runtime holds of the memory of the machine.
func residentMemory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// Holdings tells what is served. While the data file cannot be read, which the
// Status says, nothing is known of the file.
func (s *Server) Holdings() (Holdings, error) {
	e := s.current.Load()
	file, err := e.db.Stats()
	if err != nil && !e.db.Suspended() {
		return Holdings{}, err
	}
	h := NewHoldings(file)
	for _, t := range e.site.Types {
		h.Add(e.count(t))
	}
	return h, nil
}

// NewHoldings are those of a data file, without the entries.
func NewHoldings(s store.Stats) Holdings {
	return Holdings{Revision: s.Revision, Changed: s.Changed, Size: s.Size, Free: s.Free, Entries: []TypeCount{}}
}

// Add lists a type, if there is anything of it.
func (h *Holdings) Add(n TypeCount) {
	if n.Draft+n.Published > 0 {
		h.Entries = append(h.Entries, n)
	}
}

// round leaves the digits that mean something to people.
func round(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }
