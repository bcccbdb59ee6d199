package server

import (
	dto "github.com/prometheus/client_model/go"
)

// reading is one look at the metrics, by name.
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
		ByClass: map[string]uint64{}, P50: took.quantile(.5), P99: took.quantile(.99),
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
	sum := Writes{Commits: commit.count, Failed: r.counter(failedName), P50: commit.quantile(.5), P99: commit.quantile(.99)}
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

// distribution is how many observations were within each bound.
type distribution struct {
	bounds []float64 // ascending
	within []uint64  // of each bound, those within the bounds before it included
	count  uint64    // of all, those beyond the last bound included
}

// histogram adds up the histograms of a name.
func (r reading) histogram(name string) (d distribution) {
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

// quantile is the value that a part of the observations do not exceed, as if
// those between two bounds were spread evenly. What lies beyond the last bound
// counts as the bound.
func (d distribution) quantile(part float64) float64 {
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
