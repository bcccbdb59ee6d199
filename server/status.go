package server

import (
	"time"

	"quire/server/metrics"
	"quire/store"
)

// Status is what a server is doing, for people: the metrics, since its start, in
// few numbers.
type Status struct {
	Version  string           `json:"version"`
	Started  time.Time        `json:"started"`
	Problem  string           `json:"problem,omitempty"` // what /_ready says; empty when it is content
	Memory   uint64           `json:"memoryBytes"`       // taken from the operating system
	Load     metrics.Load     `json:"load"`
	Requests metrics.Requests `json:"requests"`
	Writes   metrics.Writes   `json:"writes"`
	Pictures metrics.Pictures `json:"pictures"`
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

// Status sums up what the server has done since its start.
func (s *Server) Status() (Status, error) {
	sum, err := s.metrics.Summary()
	if err != nil {
		return Status{}, err
	}
	status := Status{Version: s.version, Started: s.started, Memory: sum.Memory, Load: metrics.SumLoad(s.Counts()), Requests: sum.Requests, Writes: sum.Writes, Pictures: s.pictures()}
	status.Requests.PerSecond = float64(status.Requests.Total) / max(time.Since(s.started).Seconds(), 1)
	if p := s.unready(s.current.Load()); p != nil {
		status.Problem = p.Message
	}
	return status, nil
}

// Holdings counts what is served. While the data file cannot be read, which the
// Status says, nothing is known of the file.
func (s *Server) Holdings() (Holdings, error) {
	e := s.current.Load()
	file, err := e.db.Statistics()
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
func NewHoldings(s store.Statistics) Holdings {
	return Holdings{Revision: s.Revision, Changed: s.Changed, Size: s.Size, Free: s.Free, Entries: []TypeCount{}}
}

// Add lists a type, if there is anything of it.
func (h *Holdings) Add(n TypeCount) {
	if n.Draft+n.Published > 0 {
		h.Entries = append(h.Entries, n)
	}
}
