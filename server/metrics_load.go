package server

import "github.com/prometheus/client_golang/prometheus"

// loadState tells, each time it is asked, what the limits hold and have turned
// away. The label names the limit: a setting of site.json, or "memory".
type loadState struct {
	server                                                    *Server
	connections, requests, evicted, throttled, refused, waits *prometheus.Desc
}

func newLoadState(s *Server) *loadState {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &loadState{
		server:      s,
		connections: describe("quire_connections", "Connections that are open."),
		requests:    describe("quire_http_requests_in_flight", "Requests that are being answered."),
		evicted:     describe("quire_evicted_connections_total", "Connections that were closed to make room for others."),
		throttled:   describe(throttleName, "Requests answered 429, by the limit that they were past.", "limit"),
		refused:     describe("quire_refused_requests_total", "Requests answered 503 because too much was under way, by the limit that was reached.", "limit"),
		waits:       describe("quire_heavy_query_waits_total", "Heavy queries that had to wait for others."),
	}
}

// Describe is for prometheus.Collector.
func (c *loadState) Describe(ch chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{c.connections, c.requests, c.evicted, c.throttled, c.refused, c.waits} {
		ch <- d
	}
}

// Collect is for prometheus.Collector.
func (c *loadState) Collect(ch chan<- prometheus.Metric) {
	n := c.server.Counts()
	gauge := func(d *prometheus.Desc, value int64) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, float64(value))
	}
	counter := func(d *prometheus.Desc, value uint64, limit ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, float64(value), limit...)
	}
	gauge(c.connections, n.Connections)
	gauge(c.requests, n.Requests)
	counter(c.evicted, n.Evicted)
	counter(c.throttled, n.Rated, "rateLimit")
	counter(c.throttled, n.Throttled, "auth.rateLimit")
	counter(c.refused, n.Crowded, "limits.requests")
	counter(c.refused, n.Oversized, "memory")
	counter(c.refused, n.HeavyRefused, "limits.heavyQueries")
	counter(c.waits, n.HeavyWaits)
}
