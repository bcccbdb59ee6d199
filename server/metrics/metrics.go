package metrics

import (
	"log/slog"
	"net/http"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"
)

// Metrics counts what a server does. It is safe for concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec   // by method, route and status code
	took     *prometheus.HistogramVec // by method and route
	sent     prometheus.Counter

	reads atomic.Uint64 // reads that have begun

	slow   prometheus.Counter
	panics prometheus.Counter

	events prometheus.Counter // sent to streams

	backups prometheus.Counter // downloads that have begun

	writes prometheus.Histogram // writes in a batch
	commit prometheus.Histogram
	failed prometheus.Counter // failed commits

	released, unreleased prometheus.Counter // schedules and releases that were carried out, and that failed

	webhooks *prometheus.CounterVec // deliveries, by outcome

	hooks   *prometheus.CounterVec   // calls, by hook and outcome
	hooking *prometheus.HistogramVec // durations of calls, by hook

	mu     sync.Mutex
	meters map[[2]string]*Meter // by method and route
	other  *Meter               // for requests without a route
}

// Names of metrics that Summary reads.
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

// tookBuckets returns the bounds of the histograms of durations, in seconds. A read from
// memory takes some tens of microseconds, a large upload minutes.
func tookBuckets() []float64 {
	return []float64{.0001, .00025, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60}
}

// liveHeap matches the best measure of the content in memory: the memory in use at the
// last garbage collection.
var liveHeap = regexp.MustCompile(`^/gc/heap/live:bytes$`)

// New returns counters at zero. The version of the program becomes a label.
func New(version string) *Metrics {
	m := &Metrics{registry: prometheus.NewRegistry(), meters: map[[2]string]*Meter{}}
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
	m.events = m.counter("quire_stream_events_total", "Events that were sent to streams.")
	m.backups = m.counter("quire_backup_downloads_total", "Downloads of backups, and of parts of them, that have begun.")
	m.other = newMeter(m, "any", "other")
	m.writes = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: writesName, Help: "Writes that shared a commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 9),
	})
	m.commit = prometheus.NewHistogram(prometheus.HistogramOpts{
		Name: commitName, Help: "Time to bring a batch of writes to the disk, fsync included.", Buckets: tookBuckets(),
	})
	m.registry.MustRegister(m.writes, m.commit)
	m.failed = m.counter(failedName, "Commits that failed.")
	m.released = m.counter("quire_releases_done_total", "Schedules and releases that were done at their time.")
	m.unreleased = m.counter("quire_failed_releases_total", "Schedules and releases that could not be done at their time.")
	m.webhooks = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "quire_webhook_deliveries_total", Help: "Attempts to deliver a change to a webhook, and deliveries that were given up.",
	}, []string{"outcome"})
	m.registry.MustRegister(m.webhooks)
	for _, outcome := range []string{"delivered", "failed", "set_aside", "lost"} {
		m.webhooks.WithLabelValues(outcome)
	}
	m.hooks = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "quire_hook_calls_total", Help: "Calls of hooks before writes, by hook and outcome.",
	}, []string{"hook", "outcome"})
	m.hooking = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "quire_hook_duration_seconds", Help: "Time that calls of hooks took.", Buckets: tookBuckets(),
	}, []string{"hook"})
	m.registry.MustRegister(m.hooks, m.hooking)
	build := prometheus.NewGauge(prometheus.GaugeOpts{
		Name: "quire_build_info", Help: "What the program was built from; always 1.", ConstLabels: prometheus.Labels{"version": version},
	})
	build.Set(1)
	m.registry.MustRegister(build,
		collectors.NewGoCollector(collectors.WithGoCollectorRuntimeMetrics(collectors.GoRuntimeMetricsRule{Matcher: liveHeap})),
		collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *Metrics) counter(name, help string) prometheus.Counter {
	c := prometheus.NewCounter(prometheus.CounterOpts{Name: name, Help: help})
	m.registry.MustRegister(c)
	return c
}

// Handler returns a handler that sends all metrics, in the format that the client
// requests. It logs errors.
func (m *Metrics) Handler(log *slog.Logger) http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{
		ErrorLog:      slog.NewLogLogger(log.Handler(), slog.LevelError),
		ErrorHandling: promhttp.ContinueOnError,
	})
}

// CountRead counts a read at its start.
func (m *Metrics) CountRead() { m.reads.Add(1) }

// Reads returns how many reads have begun; it is for content.WriterOptions.
func (m *Metrics) Reads() uint64 { return m.reads.Load() }

// CountSent counts bytes of the bodies of responses.
func (m *Metrics) CountSent(bytes int) { m.sent.Add(float64(bytes)) }

// CountEvents counts events that were sent to a stream.
func (m *Metrics) CountEvents(n int) { m.events.Add(float64(n)) }

// CountBackup counts a download of a backup at its start.
func (m *Metrics) CountBackup() { m.backups.Inc() }

// CountSlow counts a request that kept the server busy for long.
func (m *Metrics) CountSlow() { m.slow.Inc() }

// CountPanic counts a request that ended in a panic.
func (m *Metrics) CountPanic() { m.panics.Inc() }

// CountRelease counts a schedule or release that was carried out at its time, or that
// failed.
func (m *Metrics) CountRelease(err error) {
	if err != nil {
		m.unreleased.Inc()
		return
	}
	m.released.Inc()
}

// CountWebhook counts the outcome of a delivery: delivered, failed, set_aside or lost.
func (m *Metrics) CountWebhook(outcome string) { m.webhooks.WithLabelValues(outcome).Inc() }

// CountHook counts a call of a hook by its outcome: allowed, changed, refused, failed or
// busy.
func (m *Metrics) CountHook(hook, outcome string, took time.Duration) {
	m.hooks.WithLabelValues(hook, outcome).Inc()
	m.hooking.WithLabelValues(hook).Observe(took.Seconds())
}

// CountCommit counts a commit with its number of writes and its duration, or a failed
// one.
func (m *Metrics) CountCommit(writes int, took time.Duration, err error) {
	if err != nil {
		m.failed.Inc()
		return
	}
	m.writes.Observe(float64(writes))
	m.commit.Observe(took.Seconds())
}
