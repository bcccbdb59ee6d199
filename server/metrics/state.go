package metrics

import (
	"errors"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"quire/server/edge"
)

// Sources are called each time the metrics are read. They return the current state.
type Sources struct {
	Load  func() edge.Counts
	State func() State

	// Backup returns the zero Backup if nothing is known.
	Backup func() Backup

	// Pictures, unless nil, returns the figures of pictures that are made on request.
	Pictures func() Pictures

	// Webhooks, unless nil, returns the deliveries that have not arrived. While they
	// cannot be read, nothing is reported.
	Webhooks func() (Webhooks, error)
}

// Webhooks are the numbers of waiting deliveries and of those set aside, and the age of
// the oldest change without an attempt.
type Webhooks struct {
	Waiting, SetAside int
	Lag               time.Duration
}

// Pictures are the figures of pictures that are made on request.
type Pictures struct {
	Made    uint64 `json:"made"`
	Kept    uint64 `json:"kept"`    // responses with an existing picture
	Refused uint64 `json:"refused"` // responses 503, because of too much work
	Failed  uint64 `json:"failed"`  // responses without a picture, because the file allows none
	Waiting int    `json:"waiting"` // that are being made, or wait
}

// State is the state of a server.
type State struct {
	Ready   bool // content is served and writes are accepted
	Entries []Entries
	File    *File // nil while the data file cannot be read
}

// Entries is the number of entries of a type with a status.
type Entries struct {
	Type, Status string
	Count        int
}

// File is the data file: its commits, its size in bytes, and how many of these later
// writes can use before the file grows.
type File struct {
	Revision   uint64
	Size, Free int64
}

// Backup has the times of the last successful backup and of the next one; the zero time
// for none.
type Backup struct{ Last, Due time.Time }

// Watch adds the metrics of the sources. Call it once.
func (m *Metrics) Watch(s Sources) error {
	if s.Webhooks != nil {
		m.registry.MustRegister(newWebhooks(s.Webhooks))
	}
	if s.Pictures != nil {
		m.registry.MustRegister(newPictures(s.Pictures))
	}
	return errors.Join(m.registry.Register(newLoad(s.Load)), m.registry.Register(newState(s.State)), m.registry.Register(newBackup(s.Backup)))
}

// describe returns the description of a metric of a source.
func describe(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc(name, help, labels, nil)
}

// load reports the current use of the limits, and the refusals. The label names the
// limit: a setting of site.json, or "memory".
type load struct {
	counts                                                    func() edge.Counts
	connections, requests, evicted, throttled, refused, waits *prometheus.Desc
	streams, dropped                                          *prometheus.Desc
}

func newLoad(counts func() edge.Counts) *load {
	return &load{
		counts:      counts,
		connections: describe("quire_connections", "Connections that are open."),
		requests:    describe("quire_http_requests_in_flight", "Requests that are being answered."),
		evicted:     describe("quire_evicted_connections_total", "Connections that were closed to accept others."),
		throttled:   describe(throttleName, "Requests answered 429, by the limit that they were past.", "limit"),
		refused:     describe("quire_refused_requests_total", "Requests answered 503, by the limit that was reached.", "limit"),
		waits:       describe("quire_heavy_query_waits_total", "Heavy queries that had to wait for others."),
		streams:     describe("quire_streams", "Streams of events that are open."),
		dropped:     describe("quire_dropped_streams_total", "Streams of events that were ended because their client did not read."),
	}
}

// Describe is for prometheus.Collector.
func (c *load) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.connections, c.requests, c.evicted, c.throttled, c.refused, c.waits, c.streams, c.dropped} {
		ch <- d
	}
}

// Collect is for prometheus.Collector.
func (c *load) Collect(ch chan<- prometheus.Metric) {
	n := c.counts()
	gauge := func(d *prometheus.Desc, value int64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value))
	}
	counter := func(d *prometheus.Desc, value uint64, limit ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), limit...)
	}
	gauge(c.connections, n.Connections)
	gauge(c.requests, n.Requests)
	gauge(c.streams, n.Streams)
	counter(c.dropped, n.StreamsDropped)
	counter(c.evicted, n.Evicted)
	counter(c.throttled, n.Rated, "rateLimit")
	counter(c.throttled, n.Throttled, "auth.rateLimit")
	counter(c.throttled, n.Backups, "backups")
	counter(c.throttled, n.StreamsRated, "limits.streamsPerAddress")
	counter(c.refused, n.StreamsRefused, "limits.streams")
	counter(c.refused, n.Crowded, "limits.requests")
	counter(c.refused, n.Oversized, "memory")
	counter(c.refused, n.HeavyRefused, "limits.heavyQueries")
	counter(c.refused, n.Late, "limits.querySeconds")
	counter(c.waits, n.HeavyWaits)
}

// state reports the state of the server.
type state struct {
	state                                func() State
	entries, revision, size, free, ready *prometheus.Desc
}

func newState(source func() State) *state {
	return &state{
		state:    source,
		entries:  describe("quire_entries", "Entries that are stored, by content type and status.", "type", "status"),
		revision: describe("quire_revision", "Commits in the life of the data file."),
		size:     describe("quire_data_file_bytes", "Size of the data file."),
		free:     describe("quire_data_file_free_bytes", "Bytes of the data file that the next writes can use before it grows."),
		ready:    describe("quire_ready", "1 when content is served and writes are taken, as /_ready says, otherwise 0."),
	}
}

// Describe is for prometheus.Collector.
func (c *state) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.entries, c.revision, c.size, c.free, c.ready} {
		ch <- d
	}
}

// Collect is for prometheus.Collector. It leaves out unknown values: a file that is
// being reopened has no size.
func (c *state) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	s := c.state()
	for _, n := range s.Entries {
		gauge(c.entries, float64(n.Count), n.Type, n.Status)
	}
	ready := 0.0
	if s.Ready {
		ready = 1
	}
	gauge(c.ready, ready)
	if s.File != nil {
		gauge(c.revision, float64(s.File.Revision))
		gauge(c.size, float64(s.File.Size))
		gauge(c.free, float64(s.File.Free))
	}
}

// backup reports the times of the last successful backup and of the next one.
type backup struct {
	backup    func() Backup
	last, due *prometheus.Desc
}

func newBackup(source func() Backup) *backup {
	return &backup{
		backup: source,
		last:   describe("quire_last_backup_timestamp_seconds", "When the last good backup was made."),
		due:    describe("quire_backup_due_timestamp_seconds", "When the next backup is due, by the schedule of site.json."),
	}
}

// Describe is for prometheus.Collector.
func (c *backup) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.last
	ch <- c.due
}

// Collect is for prometheus.Collector. It leaves out times that do not exist.
func (c *backup) Collect(ch chan<- prometheus.Metric) {
	moment := func(d *prometheus.Desc, t time.Time) {
		if !t.IsZero() {
			ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(t.Unix()))
		}
	}
	b := c.backup()
	moment(c.last, b.Last)
	moment(c.due, b.Due)
}

// webhooks reports the deliveries that have not arrived.
type webhooks struct {
	state                  func() (Webhooks, error)
	waiting, setAside, lag *prometheus.Desc
}

func newWebhooks(source func() (Webhooks, error)) *webhooks {
	return &webhooks{
		state:    source,
		waiting:  describe("quire_webhook_waiting", "Deliveries that failed and are tried again, and those behind them."),
		setAside: describe("quire_webhook_set_aside", "Deliveries that were given up after three days and are kept."),
		lag:      describe("quire_webhook_lag_seconds", "Age of the oldest change that a webhook has not been offered yet; 0 for none."),
	}
}

// Describe is for prometheus.Collector.
func (c *webhooks) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.waiting, c.setAside, c.lag} {
		ch <- d
	}
}

// Collect is for prometheus.Collector.
func (c *webhooks) Collect(ch chan<- prometheus.Metric) {
	s, err := c.state()
	if err != nil {
		return
	}
	gauge := func(d *prometheus.Desc, value float64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value)
	}
	gauge(c.waiting, float64(s.Waiting))
	gauge(c.setAside, float64(s.SetAside))
	gauge(c.lag, s.Lag.Seconds())
}

// pictures reports the figures of pictures that are made on request.
type pictures struct {
	state          func() Pictures
	total, waiting *prometheus.Desc
}

func newPictures(source func() Pictures) *pictures {
	return &pictures{
		state:   source,
		total:   describe("quire_pictures_total", "Pictures that were made when they were asked for, and answers with one that was there or without one.", "outcome"),
		waiting: describe("quire_pictures_waiting", "Pictures that are being made, or wait to be."),
	}
}

// Describe is for prometheus.Collector.
func (c *pictures) Describe(ch chan<- *prometheus.Desc) {
	ch <- c.total
	ch <- c.waiting
}

// Collect is for prometheus.Collector.
func (c *pictures) Collect(ch chan<- prometheus.Metric) {
	p := c.state()
	counter := func(outcome string, value uint64) {
		ch <- prometheus.MustNewConstMetric(c.total, prometheus.CounterValue, float64(value), outcome)
	}
	counter("made", p.Made)
	counter("kept", p.Kept)
	counter("refused", p.Refused)
	counter("failed", p.Failed)
	ch <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(p.Waiting))
}
