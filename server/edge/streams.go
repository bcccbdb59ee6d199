package edge

import (
	"net/netip"
	"sync"
	"sync/atomic"
)

// openStreams are the streams that are open, in all and of each address. They are bounded
// apart from requests and connections: they last, and must leave enough of both.
type openStreams struct {
	mu      sync.Mutex
	all     int
	of      map[netip.Addr]int
	dropped atomic.Uint64 // of clients that did not read
	refused atomic.Uint64 // because there were too many in all
	rated   atomic.Uint64 // because their address had too many
}

// TakeStream takes a place for a stream of an address, of so many in all and so many
// that each address may have; with IPv6 the network of 64 bits around it. leave gives
// the place back. The error is ErrStreams or ErrAddressStreams.
func (l *Load) TakeStream(from netip.Addr, most, each int) (leave func(), err error) {
	s, from := &l.streams, network(from)
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.of[from] >= each:
		s.rated.Add(1)
		return nil, ErrAddressStreams
	case s.all >= most:
		s.refused.Add(1)
		return nil, ErrStreams
	}
	if s.of == nil {
		s.of = map[netip.Addr]int{}
	}
	s.all++
	s.of[from]++
	return func() { s.leave(from) }, nil
}

func (s *openStreams) leave(from netip.Addr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.all--
	if s.of[from]--; s.of[from] == 0 {
		delete(s.of, from)
	}
}

func (s *openStreams) count() int64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return int64(s.all)
}
