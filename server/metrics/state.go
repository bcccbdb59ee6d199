package metrics

import (
	"slices"
	"strings"
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

	// Stream, unless nil, returns the state of the stream of commits; nil for none.
	Stream func() *StreamState

	// Lag, unless nil, returns how far this server is behind the one that it follows, if it
	// follows one.
	Lag func() (time.Duration, bool)

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

// StreamState is that of a stream of commits to another disk or a bucket.
type StreamState struct {
	Works    bool          // nothing keeps commits from being sent
	Records  bool          // commits are kept until they are sent
	Queued   int64         // bytes that wait on this disk
	MayQueue int64         // bytes that may wait there
	Behind   time.Duration // age of the oldest commit that waits
	Sent     uint64        // revision of the last commit in the target
	SentTo   time.Time     // its time; zero before the first
}

// Watch reports what the sources know. Call it once.
func (m *Metrics) Watch(s Sources) {
	m.registry.MustRegister(loadOf(s.Load), stateOf(s.State), backupOf(s.Backup))
	if s.Webhooks != nil {
		m.registry.MustRegister(webhooksOf(s.Webhooks))
	}
	if s.Stream != nil {
		m.registry.MustRegister(streamOf(s.Stream))
	}
	if s.Lag != nil {
		m.registry.MustRegister(lagOf(s.Lag))
	}
	if s.Pictures != nil {
		m.registry.MustRegister(picturesOf(s.Pictures))
	}
}

// collector reports values that are read when they are asked for.
type collector func(report report)

// report reports one value: of a counter if its name ends in _total, otherwise of a gauge.
// labels are names and values in turn.
type report func(name, help string, value float64, labels ...string)

// Describe is for prometheus.Collector. It names nothing, because a collector leaves out
// what is unknown.
func (c collector) Describe(chan<- *prometheus.Desc) {}

// Collect is for prometheus.Collector.
func (c collector) Collect(ch chan<- prometheus.Metric) {
	c(func(name, help string, value float64, labels ...string) {
		kind := prometheus.GaugeValue
		if strings.HasSuffix(name, "_total") {
			kind = prometheus.CounterValue
		}
		var names, values []string
		for label := range slices.Chunk(labels, 2) {
			names, values = append(names, label[0]), append(values, label[1])
		}
		ch <- prometheus.MustNewConstMetric(prometheus.NewDesc(name, help, names, nil), kind, value, values...)
	})
}

func loadOf(counts func() edge.Counts) collector {
	return func(report report) {
		n := counts()
		report("quire_connections", "Connections that are open.", float64(n.Connections))
		report("quire_http_requests_in_flight", "Requests that are being answered.", float64(n.Requests))
		report("quire_streams", "Streams of events that are open.", float64(n.Streams))
		report("quire_dropped_streams_total", "Streams of events that were ended because their client did not read.", float64(n.StreamsDropped))
		report("quire_evicted_connections_total", "Connections that were closed to accept others.", float64(n.Evicted))
		report("quire_heavy_query_waits_total", "Heavy queries that had to wait for others.", float64(n.HeavyWaits))
		throttled := func(limit string, value uint64) {
			report(throttleName, "Requests answered 429, by the limit that they were past.", float64(value), "limit", limit)
		}
		throttled("rateLimit", n.Rated)
		throttled("auth.rateLimit", n.Throttled)
		throttled("backups", n.Backups)
		throttled("limits.streamsPerAddress", n.StreamsRated)
		refused := func(limit string, value uint64) {
			report("quire_refused_requests_total", "Requests answered 503, by the limit that was reached.", float64(value), "limit", limit)
		}
		refused("limits.streams", n.StreamsRefused)
		refused("limits.requests", n.Crowded)
		refused("memory", n.Oversized)
		refused("limits.heavyQueries", n.HeavyRefused)
		refused("limits.querySeconds", n.Late)
	}
}

// stateOf leaves out unknown values: a file that is being reopened has no size.
func stateOf(state func() State) collector {
	return func(report report) {
		s := state()
		for _, n := range s.Entries {
			report("quire_entries", "Entries that are stored, by content type and status.", float64(n.Count), "type", n.Type, "status", n.Status)
		}
		report("quire_ready", "1 when content is served and writes are taken, as /_ready says, otherwise 0.", one(s.Ready))
		if s.File != nil {
			report("quire_revision", "Commits in the life of the data file.", float64(s.File.Revision))
			report("quire_data_file_bytes", "Size of the data file.", float64(s.File.Size))
			report("quire_data_file_free_bytes", "Bytes of the data file that the next writes can use before it grows.", float64(s.File.Free))
		}
	}
}

// backupOf leaves out times that do not exist.
func backupOf(backup func() Backup) collector {
	return func(report report) {
		b := backup()
		if !b.Last.IsZero() {
			report("quire_last_backup_timestamp_seconds", "When the last good backup was made.", float64(b.Last.Unix()))
		}
		if !b.Due.IsZero() {
			report("quire_backup_due_timestamp_seconds", "When the next backup is due, by the schedule of site.json.", float64(b.Due.Unix()))
		}
	}
}

func streamOf(state func() *StreamState) collector {
	return func(report report) {
		s := state()
		if s == nil {
			return
		}
		report("quire_stream_working", "Whether the target of backup.stream accepts what is sent.", one(s.Works))
		report("quire_stream_recording", "Whether commits are kept for the target of backup.stream until it accepts them; if not, the stream will begin anew.", one(s.Records))
		report("quire_stream_queue_limit_bytes", "How much may wait on this disk for the target of backup.stream.", float64(s.MayQueue))
		if !s.SentTo.IsZero() {
			report("quire_stream_sent_revision", "The last commit that the target of backup.stream has.", float64(s.Sent))
			report("quire_stream_sent_timestamp_seconds", "When the last commit was made that the target of backup.stream has.", float64(s.SentTo.UnixMilli())/1000)
		}
		report("quire_stream_queued_bytes", "Commits that wait on this disk for the target of backup.stream.", float64(s.Queued))
		report("quire_stream_behind_seconds", "Age of the oldest commit that waits for the target of backup.stream; 0 for none.", s.Behind.Seconds())
	}
}

// one is a fact as a value.
func one(fact bool) float64 {
	if fact {
		return 1
	}
	return 0
}

// lagOf reports how far a server that follows another one is behind.
func lagOf(lag func() (time.Duration, bool)) collector {
	return func(report report) {
		if behind, follows := lag(); follows {
			report("quire_follow_lag_seconds", "How long ago this follower certainly had everything that the leader had stored.", behind.Seconds())
		}
	}
}

func webhooksOf(state func() (Webhooks, error)) collector {
	return func(report report) {
		if s, err := state(); err == nil {
			report("quire_webhook_waiting", "Deliveries that failed and are tried again, and those behind them.", float64(s.Waiting))
			report("quire_webhook_set_aside", "Deliveries that were given up after three days and are kept.", float64(s.SetAside))
			report("quire_webhook_lag_seconds", "Age of the oldest change that a webhook has not been offered yet; 0 for none.", s.Lag.Seconds())
		}
	}
}

func picturesOf(state func() Pictures) collector {
	return func(report report) {
		p := state()
		for outcome, value := range map[string]uint64{"made": p.Made, "kept": p.Kept, "refused": p.Refused, "failed": p.Failed} {
			report("quire_pictures_total", "Pictures that were made when they were asked for, and answers with one that was there or without one.", float64(value), "outcome", outcome)
		}
		report("quire_pictures_waiting", "Pictures that are being made, or wait to be.", float64(p.Waiting))
	}
}
