package server

import (
	"time"

	"quire/server/metrics"
	"quire/store"
)

// Status is the state of a server for people: the metrics since its start, in a few
// figures.
type Status struct {
	Version  string           `json:"version"`
	Started  time.Time        `json:"started"`
	Problem  string           `json:"problem,omitempty"` // what /_ready reports; empty if all is well
	Memory   uint64           `json:"memoryBytes"`       // allocated from the operating system
	Load     metrics.Load     `json:"load"`
	Requests metrics.Requests `json:"requests"`
	Writes   metrics.Writes   `json:"writes"`
	Pictures metrics.Pictures `json:"pictures"`
}

// ContentSummary is the content of a data file.
type ContentSummary struct {
	Revision uint64      `json:"revision"`  // commits in the life of the file; 0 when it cannot be read
	Changed  time.Time   `json:"changed"`   // when the file was last written to
	Size     int64       `json:"fileBytes"` // of the file
	Free     int64       `json:"freeBytes"` // the part of it that later writes can use before the file grows
	Entries  []TypeCount `json:"entries"`   // of the types that have any, ordered by uid
}

// TypeCount is the number of entries of a type, in all locales. Types without draft and
// publish have only published entries.
type TypeCount struct {
	Type      string `json:"type"`
	Draft     int    `json:"draft"`
	Published int    `json:"published"`
}

// Status summarises what the server has done since its start.
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

// ContentSummary counts what is served. While the data file cannot be read, which the Status
// reports, nothing is known about the file.
func (s *Server) ContentSummary() (ContentSummary, error) {
	e := s.current.Load()
	file, err := e.db.Statistics()
	if err != nil && !e.db.Suspended() {
		return ContentSummary{}, err
	}
	h := NewContentSummary(file)
	for _, t := range e.schema.Types {
		h.Add(e.count(t))
	}
	return h, nil
}

// NewContentSummary returns the summary of a data file, without the entries.
func NewContentSummary(s store.Statistics) ContentSummary {
	return ContentSummary{Revision: s.Revision, Changed: s.Changed, Size: s.Size, Free: s.Free, Entries: []TypeCount{}}
}

// Add adds a type that has entries.
func (h *ContentSummary) Add(n TypeCount) {
	if n.Draft+n.Published > 0 {
		h.Entries = append(h.Entries, n)
	}
}
