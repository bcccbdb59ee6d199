package server

import (
	"regexp"
	"sync"
	"sync/atomic"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"

	"quire/content"
)

// Metrics counts what a server does. It outlives the versions of the site that
// are served, and is safe for use by many goroutines.
//
// No label comes from a client: routes go by their pattern in the table of
// routes, and all that is in no table is one route.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by method, route and status code
	took     *prometheus.HistogramVec // by method and route
	sent     prometheus.Counter

	reads atomic.Uint64 // that have begun

	slow   prometheus.Counter
	panics prometheus.Counter

	writes prometheus.Histogram // of a batch
	commit prometheus.Histogram
	failed prometheus.Counter // commits

	mu     sync.Mutex
	meters map[[2]string]*meter // by method and route
	other  *meter               // of requests that no route was found for
}

// Names that are read again for people, see Status.
const (
	requestsName = "quire_http_requests_total"
	tookName     = "quire_http_request_duration_seconds"
	sentName     = "quire_http_response_bytes_total"
	slowName     = "quire_slow_requests_total"
	throttleName = "quire_throttled_requests_total"
	panicsName   = "quire_panics_total"
	writesName   = "quire_batch_writes"
	commitName   = "quire_commit_duration_seconds"
	failedName   = "quire_failed_commits_total"
)

// tookBuckets are the bounds of the histograms of time, in seconds. A read from
// memory takes some tens of microseconds, a large upload minutes.
func tookBuckets() []float64 {
	return []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}
}

// liveHeap is the name of the best measure there is of the content in memory: what
// was in use when garbage was collected last.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

// NewMetrics returns counters that stand at zero. The version is shown as it is.
func NewMetrics(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), meters: map[[2]string]*meter{}}
	m.countRequests()
	m.countWrites()
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quire_build_info", Help: "What the program was built from; always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(build,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap})),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) countRequests() {
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: requestsName, Help: "Requests that were answered, by route and status.",
	}, []string{"method", "route", "code"})
	m.took = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: tookName, Help: "Time from the head of a request to the end of its answer, what the client takes to send and receive included.",
		Buckets: tookBuckets(),
	}, []string{"method", "route"})
	m.registry.MustRegister(m.requests, m.took)
	m.sent = m.counter(sentName, "Bytes of the bodies of answers, as sent.")
	m.slow = m.counter(slowName, "Requests that kept the server busy for longer than log.slowMs.")
	m.panics = m.counter(panicsName, "Requests that ended in a panic, which is a defect.")
	m.other = newMeter(m, "any", "other")
}

func (m *Metrics) countWrites() {
	m.writes = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: writesName, Help: "Writes that shared a commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
	})
	m.commit = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: commitName, Help: "Time to bring a batch of writes to the disk, fsync included.", Buckets: tookBuckets(),
	})
	m.registry.MustRegister(m.writes, m.commit)
	m.failed = m.counter(failedName, "Commits that failed.")
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

// Reads counts the reads that have begun; it is for content.WriterOptions.
func (m *Metrics) Reads() uint64 { return m.reads.Load() }

// Batch counts a batch of writes; it is for content.WriterOptions.
func (m *Metrics) Batch(b content.Batch) {
	if b.Err != nil {
		m.failed.Inc()
		return
	}
	m.writes.Observe(float64(b.Writes))
	m.commit.Observe(b.Commit.Seconds())
}
