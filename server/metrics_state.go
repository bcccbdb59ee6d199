package server

import (
	"github.com/prometheus/client_golang/prometheus"

	"quire/schema"
	"quire/store"
)

// state tells, each time it is asked, what the server holds.
type state struct {
	server                               *Server
	entries, revision, size, free, ready *prometheus.Desc
}

func newState(s *Server) *state {
	describe := func(name, help string, labels ...string) *prometheus.Desc {
		return prometheus.NewDesc(name, help, labels, nil)
	}
	return &state{
		server:   s,
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

// Collect is for prometheus.Collector. What cannot be told at the moment is left
// out: a file that is being reopened has no size.
func (c *state) Collect(ch chan<- prometheus.Metric) {
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		ch <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	e := c.server.current.Load()
	for _, t := range e.site.Types {
		n := e.count(t)
		gauge(c.entries, float64(n.Published), n.Type, store.Published.String())
		if t.DraftAndPublish {
			gauge(c.entries, float64(n.Draft), n.Type, store.Draft.String())
		}
	}
	ready := 1.0
	if c.server.unready(e) != nil {
		ready = 0
	}
	gauge(c.ready, ready)
	if file, err := e.db.Stats(); err == nil {
		gauge(c.revision, float64(file.Revision))
		gauge(c.size, float64(file.Size))
		gauge(c.free, float64(file.Free))
	}
}

// count counts the entries of a type in the snapshot that is current.
func (e *edition) count(t *schema.Type) TypeCount {
	snapshot := e.index.Snapshot()
	n := TypeCount{Type: t.UID, Published: snapshot.Table(t, store.Published).Len()}
	if t.DraftAndPublish {
		n.Draft = snapshot.Table(t, store.Draft).Len()
	}
	return n
}
