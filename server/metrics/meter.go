package metrics

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Meter counts the requests of one route. Its counters are looked up once, so counting
// takes no look-up and no memory. A route that is never called has no series.
type Meter struct {
	answered func(code string) prometheus.Counter
	took     func() prometheus.Observer
	codes    atomic.Pointer[[]codeCounter] // the statuses so far, which are few
}

type codeCounter struct {
	status int
	prometheus.Counter
}

func newMeter(m *Metrics, method, route string) *Meter {
	r := &Meter{
		answered: func(code string) prometheus.Counter { return m.requests.WithLabelValues(method, route, code) },
		took:     sync.OnceValue(func() prometheus.Observer { return m.took.WithLabelValues(method, route) }),
	}
	r.codes.Store(new([]codeCounter))
	return r
}

// Meter returns the meter of a route, the same one each time. Its method and path
// become labels, so they must not come from a client.
func (m *Metrics) Meter(method, route string) *Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{method, route}
	if m.meters[key] == nil {
		m.meters[key] = newMeter(m, method, route)
	}
	return m.meters[key]
}

// Other returns the meter of requests without a route.
func (m *Metrics) Other() *Meter { return m.other }

// Count counts a request with the status of its response.
func (m *Meter) Count(status int, took time.Duration) {
	m.code(status).Inc()
	m.took().Observe(took.Seconds())
}

func (m *Meter) code(status int) prometheus.Counter {
	known := m.codes.Load()
	for _, c := range *known {
		if c.status == status {
			return c.Counter
		}
	}
	c := codeCounter{status, m.answered(strconv.Itoa(status))}
	grown := append(slices.Clip(*known), c)
	m.codes.CompareAndSwap(known, &grown) // if another one was first, the next request tries again
	return c.Counter
}
