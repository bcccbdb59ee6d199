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
	Memory   uint64 // bytes allocated from the operating system
	Requests Requests
	Writes   Writes
}

// Load is the current load, and the number of requests and connections that had to wait or
// were refused.
type Load struct {
	Connections int64  `json:"connections"` // open
	Evicted     uint64 `json:"evictedConnections"`
	Requests    int64  `json:"requestsInFlight"`
	Refused     uint64 `json:"refusedRequests"` // answered 503 because of the load, or because their query took too long
	HeavyWaits  uint64 `json:"heavyQueryWaits"`
}

// Requests summarises the answered requests.
type Requests struct {
	Total     uint64            `json:"total"`
	ByClass   map[string]uint64 `json:"byClass"` // "2xx", "4xx"
	PerSecond float64           `json:"perSecond"`
	P50       float64           `json:"p50Seconds"` // half took no longer, as exactly as the histogram knows
	P99       float64           `json:"p99Seconds"`
	Bytes     uint64            `json:"bytes"` // of bodies sent
	Slow      uint64            `json:"slow"`
	Throttled uint64            `json:"throttled"`
	Panics    uint64            `json:"panics"`

	Took Distribution `json:"-"` // durations of requests, from which P50 and P99 follow
}

// Writes summarises the commits of content.
type Writes struct {
	Total   uint64  `json:"total"`
	Commits uint64  `json:"commits"` // commits that contain the writes
	Failed  uint64  `json:"failedCommits"`
	P50     float64 `json:"commitP50Seconds"`
	P99     float64 `json:"commitP99Seconds"`
}

// SumLoad summarises the load of a server.
func SumLoad(c edge.Counts) Load {
	return Load{c.Connections, c.Evicted, c.Requests, c.Crowded + c.Oversized + c.HeavyRefused + c.Late, c.HeavyWaits}
}

// Summary summarises what was counted. It does not set PerSecond of the requests; the caller
// knows when the server began.
func (m *Metrics) Summary() (Summary, error) {
	r, err := m.read()
	if err != nil {
		return Summary{}, err
	}
	return Summary{Memory: residentMemory(), Requests: r.requests(), Writes: r.writes()}, nil
}

// residentMemory returns the memory that the Go runtime holds, in bytes.
func residentMemory() uint64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return samples[0].Value.Uint64() - samples[1].Value.Uint64()
}

// families is the metrics at one moment, by name.
type families map[string]*dto.MetricFamily

func (m *Metrics) read() (families, error) {
	gathered, err := m.registry.Gather()
	if err != nil {
		return nil, err
	}
	r := families{}
	for _, f := range gathered {
		r[f.GetName()] = f
	}
	return r, nil
}

func (r families) requests() Requests {
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

// class returns the class of the status of a series of requests: "2xx".
func class(m *dto.Metric) string {
	for _, l := range m.GetLabel() {
		if code := l.GetValue(); l.GetName() == "code" && code != "" {
			return code[:1] + "xx"
		}
	}
	return ""
}

func (r families) writes() Writes {
	commit := r.histogram(commitName)
	sum := Writes{Commits: commit.count, Failed: r.counter(failedName), P50: commit.Quantile(.5), P99: commit.Quantile(.99)}
	for _, m := range r[writesName].GetMetric() {
		sum.Total += uint64(m.GetHistogram().GetSampleSum())
	}
	return sum
}

// counter returns the sum of the counters with a name.
func (r families) counter(name string) (sum uint64) {
	for _, m := range r[name].GetMetric() {
		sum += uint64(m.GetCounter().GetValue())
	}
	return sum
}

// Distribution is the number of observations within each bound. The zero value has none.
type Distribution struct {
	bounds []float64 // ascending
	within []uint64  // for each bound, including the bounds before it
	count  uint64    // of all observations, including those beyond the last bound
}

// histogram adds up the histograms with a name.
func (r families) histogram(name string) (d Distribution) {
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

// Since returns the observations since a former distribution of the same metric.
func (d Distribution) Since(former Distribution) Distribution {
	since := Distribution{bounds: d.bounds, within: slices.Clone(d.within), count: d.count - min(former.count, d.count)}
	for i := range min(len(since.within), len(former.within)) {
		since.within[i] -= min(former.within[i], since.within[i])
	}
	return since
}

// Quantile returns the value that the given part of the observations does not exceed, as if
// the observations between two bounds were spread evenly. Observations beyond the last bound
// count as that bound. It returns 0 if there are no observations.
func (d Distribution) Quantile(part float64) float64 {
	if d.count == 0 {
		return 0
	}
	rank := part * float64(d.count)
	low, below := 0.0, 0.0
	for i, high := range d.bounds {
		within := float64(d.within[i])
		if within >= rank && within > below {
			return math.Round((low+(high-low)*(rank-below)/(within-below))*1e6) / 1e6
		}
		low, below = high, within
	}
	return low
}
