package metrics

import (
	"math"
	"runtime/metrics"
	"slices"

	dto "github.com/prometheus/client_model/go"

	"quire/server/edge"
)

// Summary is the metrics since the start, for people.
type Summary struct {
	Memory   uint64 // bytes that the program has taken from the operating system
	Requests Requests
	Writes   Writes
}

// Load is what is under way, and what had to make room or wait for others.
type Load struct {
	Connections int64  `json:"connections"` // open
	Evicted     uint64 `json:"evictedConnections"`
	Requests    int64  `json:"requestsInFlight"`
	Refused     uint64 `json:"refusedRequests"` // answered 503 because too much was under way or their query took too long
	HeavyWaits  uint64 `json:"heavyQueryWaits"`
}

// Requests sums up the requests that were answered.
type Requests struct {
	Total     uint64            `json:"total"`
	ByClass   map[string]uint64 `json:"byClass"` // "2xx", "4xx"
	PerSecond float64           `json:"perSecond"`
	P50       float64           `json:"p50Seconds"` // half took no longer, as near as the histogram knows
	P99       float64           `json:"p99Seconds"`
	Bytes     uint64            `json:"bytes"` // of bodies sent
	Slow      uint64            `json:"slow"`
	Throttled uint64            `json:"throttled"`
	Panics    uint64            `json:"panics"`

	Took Distribution `json:"-"` // the time of requests, of which P50 and P99 are
}

// Writes sums up the commits of content.
type Writes struct {
	Total   uint64  `json:"total"`
	Commits uint64  `json:"commits"` // that they shared
	Failed  uint64  `json:"failedCommits"`
	P50     float64 `json:"commitP50Seconds"`
	P99     float64 `json:"commitP99Seconds"`
}

// SumLoad sums up the load of a server.
func SumLoad(c edge.Counts) Load {
	return Load{c.Connections, c.Evicted, c.Requests, c.Crowded + c.Oversized + c.HeavyRefused + c.Late, c.HeavyWaits}
}

// Summary sums up what was counted. Of the requests, PerSecond is left to whoever knows
// when the server began.
func (m *Metrics) Summary() (Summary, error) {
	r, err := m.read()
	if err != nil {
		return Summary{}, err
	}
	return Summary{Memory: residentMemory(), Requests: r.requests(), Writes: r.writes()}, nil
}

// residentMemory is what the Go runtime holds of the memory of the machine.
func residentMemory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// reading is the metrics of one moment, by name.
type reading map[string]*dto.MetricFamily

func (m *Metrics) read() (reading, error) {
	families, err := m.registry.Gather()
	if err != nil {
		return nil, err
	}
	r := reading{}
	for _, f := range families {
		r[f.GetName()] = f
	}
	return r, nil
}

func (r reading) requests() Requests {
	took := r.histogram(tookName)
	sum := Requests{
		ByClass: map[string]uint64{}, P50: took.Quantile(.5), P99: took.Quantile(.99), Took: took,
		Bytes: r.counter(sentName), Slow: r.counter(slowName), Throttled: r.counter(throttleName), Panics: r.counter(panicsName),
	}
	for _, m := range r[requestsName].GetMetric() {
		n := uint64(m.GetCounter().GetValue())
		sum.Total += n
		sum.ByClass[class(m)] += n
	}
	return sum
}

// class is that of the status of a series of requests: "2xx".
func class(m *dto.Metric) string {
	for _, l := range m.GetLabel() {
		if code := l.GetValue(); l.GetName() == "code" && code != "" {
			return code[:1] + "xx"
		}
	}
	return ""
}

func (r reading) writes() Writes {
	commit := r.histogram(commitName)
	sum := Writes{Commits: commit.count, Failed: r.counter(failedName), P50: commit.Quantile(.5), P99: commit.Quantile(.99)}
	for _, m := range r[writesName].GetMetric() {
		sum.Total += uint64(m.GetHistogram().GetSampleSum())
	}
	return sum
}

// counter is the sum of the counters of a name.
func (r reading) counter(name string) (sum uint64) {
	for _, m := range r[name].GetMetric() {
		sum += uint64(m.GetCounter().GetValue())
	}
	return sum
}

// Distribution is how many observations were within each bound. The zero value has none.
type Distribution struct {
	bounds []float64 // ascending
	within []uint64  // of each bound, those within the bounds before it included
	count  uint64    // of all, those beyond the last bound included
}

// histogram adds up the histograms of a name.
func (r reading) histogram(name string) (d Distribution) {
	for _, m := range r[name].GetMetric() {
		h := m.GetHistogram()
		d.count += h.GetSampleCount()
		for i, b := range h.GetBucket() {
			if i == len(d.bounds) {
				d.bounds, d.within = append(d.bounds, b.GetUpperBound()), append(d.within, 0)
			}
			d.within[i] += b.GetCumulativeCount()
		}
	}
	return d
}

// Since is the observations that have come since there was a former distribution of the same
// thing.
func (d Distribution) Since(former Distribution) Distribution {
	since := Distribution{bounds: d.bounds, within: slices.Clone(d.within), count: d.count - min(former.count, d.count)}
	for i := range min(len(since.within), len(former.within)) {
		since.within[i] -= min(former.within[i], since.within[i])
	}
	return since
}

// Quantile is the value that a part of the observations do not exceed, as if
// those between two bounds were spread evenly. What lies beyond the last bound
// counts as the bound. It is 0 where there are none.
func (d Distribution) Quantile(part float64) float64 {
	if d.count == 0 {
		return 0
	}
	rank := part * float64(d.count)
	low, below := 0.0, 0.0
	for i, high := range d.bounds {
		within := float64(d.within[i])
		if within >= rank && within > below {
			return round(low + (high-low)*(rank-below)/(within-below))
		}
		low, below = high, within
	}
	return low
}

// round leaves the digits that mean something to people.
func round(seconds float64) float64 { return math.Round(seconds*1e6) / 1e6 }
