package metrics

import (
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Meter counts the requests of one route. What it counts with is looked up once,
// so that counting takes no look-up and no memory; a route that is never called
// has no series.
type Meter struct {
	answered func(code string) prometheus.Counter
	took     func() prometheus.Observer
	codes    atomic.Pointer[[]codeCounter] // that were answered so far, few
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

// Meter returns that of a route, the same one each time. Its method and path become
// labels: they must not come from a client.
func (m *Metrics) Meter(method, route string) *Meter {
	m.mu.Lock()
	defer m.mu.Unlock()
	key := [2]string{method, route}
	if m.meters[key] == nil {
		m.meters[key] = newMeter(m, method, route)
	}
	return m.meters[key]
}

// Other is the meter of the requests that no route was found for.
func (m *Metrics) Other() *Meter { return m.other }

// Count counts a request that was answered with the status.
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
	m.codes.CompareAndSwap(known, &grown) // if another one was quicker, the next request tries again
	return c.Counter
}
