package edge

import (
	"errors"
	"net/netip"
	"sync"
	"sync/atomic"
)

// Occupancy counts what lasts, such as streams: in total and for each address. The zero
// value is empty.
type Occupancy struct {
	mu  sync.Mutex
	all int
	of  map[netip.Addr]int
}

// Errors of Occupancy.Take.
var (
	ErrTaken        = errors.New("all places are taken")
	ErrAddressTaken = errors.New("the address has taken all of its places")
)

// Take takes a place for an address; with IPv6, for its /64 network. There are most
// places in total, and each for one address. leave releases the place. The error is
// ErrTaken or ErrAddressTaken.
func (p *Occupancy) Take(from netip.Addr, most, each int) (leave func(), err error) {
	from = network(from)
	p.mu.Lock()
	defer p.mu.Unlock()
	switch {
	case p.of[from] >= each:
		return nil, ErrAddressTaken
	case p.all >= most:
		return nil, ErrTaken
	}
	if p.of == nil {
		p.of = map[netip.Addr]int{}
	}
	p.all++
	p.of[from]++
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.all--
		if p.of[from]--; p.of[from] == 0 {
			delete(p.of, from)
		}
	}, nil
}

func (p *Occupancy) count() int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return int64(p.all)
}

// openStreams are the open streams. Their limits are separate from those of requests and
// connections, because streams last, and must leave enough of both.
type openStreams struct {
	Occupancy
	dropped atomic.Uint64 // their client did not read
	refused atomic.Uint64 // too many in total
	rated   atomic.Uint64 // too many of their address
}

// TakeStream takes a place for a stream of an address, like Places.Take. The error is
// ErrStreams or ErrAddressStreams.
func (l *Load) TakeStream(from netip.Addr, most, each int) (leave func(), err error) {
	leave, err = l.streams.Take(from, most, each)
	switch {
	case errors.Is(err, ErrAddressTaken):
		l.streams.rated.Add(1)
		return nil, ErrAddressStreams
	case errors.Is(err, ErrTaken):
		l.streams.refused.Add(1)
		return nil, ErrStreams
	}
	return leave, nil
}
