package server

import (
	"slices"
	"sync"
	"time"
)

// SlowRequest is a request that kept the server busy for longer than site.json allows.
type SlowRequest struct {
	ID       string
	At       time.Time // when it began
	Method   string
	Path     string // without the query
	Status   int
	Took     time.Duration
	Plan     []string // how it was answered; with names of attributes, but no values
	Visited  int      // rows that were examined one by one
	Matched  int
	Returned int
}

// slowKept is the number of slow requests that are kept, and slowText the maximum number of
// bytes of each text.
const (
	slowKept = 100
	slowText = 4000
)

// slowRing holds the recent slow requests, in the memory of this process.
type slowRing struct {
	mu   sync.Mutex
	list []SlowRequest // oldest first
}

func (r *slowRing) add(s SlowRequest) {
	s.Path = s.Path[:min(len(s.Path), slowText)]
	left, plan := slowText, s.Plan
	s.Plan = nil
	for _, step := range plan {
		if left -= len(step); left < 0 {
			s.Plan = append(s.Plan, "…")
			break
		}
		s.Plan = append(s.Plan, step)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.list) == slowKept {
		r.list = slices.Delete(r.list, 0, 1)
	}
	r.list = append(r.list, s)
}

// SlowRequests lists the recent slow requests, newest first.
func (s *Server) SlowRequests() []SlowRequest {
	s.slow.mu.Lock()
	defer s.slow.mu.Unlock()
	list := slices.Clone(s.slow.list)
	slices.Reverse(list)
	return list
}
