package server

import (
	"errors"
	"fmt"
	"maps"
	"testing"
	"time"

	"quire/schema"
)

// series reads the counters and gauges of the metrics, by name and label.
func series(t *testing.T, m *Metrics) map[string]float64 {
	t.Helper()
	r, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]float64{}
	for name, family := range r {
		for _, m := range family.GetMetric() {
			key := name
			for _, l := range m.GetLabel() {
				key += " " + l.GetValue()
			}
			all[key] = m.GetCounter().GetValue() + m.GetGauge().GetValue()
		}
	}
	return all
}

func TestMetricsOfTheLoad(t *testing.T) {
	s := &Server{metrics: NewMetrics("")}
	s.metrics.registry.MustRegister(newLoadState(s))
	l := &s.load
	l.connections.Store(1)
	l.requests.Store(2)
	l.evicted.Store(3)
	l.rated.Store(4)
	l.throttled.Store(5)
	l.crowded.Store(6)
	l.oversized.Store(7)
	l.heavyRefused.Store(8)
	l.heavyWaits.Store(9)
	got := series(t, s.metrics)
	for key, want := range map[string]float64{
		"quire_connections": 1, "quire_http_requests_in_flight": 2, "quire_evicted_connections_total": 3,
		"quire_throttled_requests_total rateLimit": 4, "quire_throttled_requests_total auth.rateLimit": 5,
		"quire_refused_requests_total limits.requests": 6, "quire_refused_requests_total memory": 7,
		"quire_refused_requests_total limits.heavyQueries": 8, "quire_heavy_query_waits_total": 9,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if load := s.Counts().load(); load != (Load{Connections: 1, Evicted: 3, Requests: 2, Refused: 21, HeavyWaits: 9}) {
		t.Errorf("%+v", load)
	}
}

func TestMetricsOfBackups(t *testing.T) {
	const lastName, dueName = "quire_last_backup_timestamp_seconds", "quire_backup_due_timestamp_seconds"
	last := time.Date(2026, 11, 20, 12, 0, 30, 0, time.Local)
	started := last.Add(24 * time.Hour)
	due := time.Date(2026, 11, 21, 3, 0, 0, 0, time.Local)
	at := func(t time.Time) float64 { return float64(t.Unix()) }
	for _, test := range []struct {
		name, schedule string
		last           time.Time
		err            error
		want           map[string]float64
	}{
		{"nothing", "", time.Time{}, nil, map[string]float64{}},
		{"by hand", "", last, nil, map[string]float64{lastName: at(last)}},
		{"by schedule", "0 3 * * *", last, nil, map[string]float64{lastName: at(last), dueName: at(due)}},
		{"none yet", "0 3 * * *", time.Time{}, nil, map[string]float64{dueName: at(started)}},
		{"a file that cannot be read", "0 3 * * *", last, errors.New("suspended"), map[string]float64{}},
	} {
		t.Run(test.name, func(t *testing.T) {
			s := &Server{metrics: NewMetrics(""), started: started}
			site := &schema.Site{Settings: schema.Settings{Backup: schema.Backup{Schedule: test.schedule, Keep: 7}}}
			s.current.Store(&edition{site: site, lastBackup: func() (time.Time, error) { return test.last, test.err }})
			s.metrics.registry.MustRegister(newBackupState(s))
			got := series(t, s.metrics)
			maps.DeleteFunc(got, func(name string, _ float64) bool { return name != lastName && name != dueName })
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("%v, want %v", got, test.want)
			}
		})
	}
}
