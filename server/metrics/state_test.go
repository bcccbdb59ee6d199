package metrics

import (
	"maps"
	"strings"
	"testing"
	"time"

	"quire/server/edge"
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

func TestLoadIsReported(t *testing.T) {
	counts := edge.Counts{
		Connections: 1, Requests: 2, Writes: 1, Evicted: 3, Rated: 4, Throttled: 5,
		Crowded: 6, Oversized: 7, HeavyRefused: 8, HeavyWaits: 9, Late: 10,
		Streams: 11, StreamsDropped: 12, StreamsRated: 13, StreamsRefused: 14, Backups: 15,
	}
	m := New("")
	m.registry.MustRegister(loadOf(func() edge.Counts { return counts }))
	got := series(t, m)
	for key, want := range map[string]float64{
		"quire_connections": 1, "quire_http_requests_in_flight": 2, "quire_evicted_connections_total": 3,
		"quire_throttled_requests_total rateLimit": 4, "quire_throttled_requests_total auth.rateLimit": 5,
		"quire_refused_requests_total limits.requests": 6, "quire_refused_requests_total memory": 7,
		"quire_refused_requests_total limits.heavyQueries": 8, "quire_heavy_query_waits_total": 9,
		"quire_refused_requests_total limits.querySeconds": 10, "quire_streams": 11, "quire_dropped_streams_total": 12,
		"quire_throttled_requests_total limits.streamsPerAddress": 13, "quire_refused_requests_total limits.streams": 14,
		"quire_throttled_requests_total backups": 15,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
	if load := SumLoad(counts); load != (Load{Connections: 1, Evicted: 3, Requests: 2, Refused: 31, HeavyWaits: 9}) {
		t.Errorf("%+v", load)
	}
}

func TestPicturesAreReported(t *testing.T) {
	m := New("")
	m.registry.MustRegister(picturesOf(func() Pictures { return Pictures{Made: 1, Kept: 2, Refused: 3, Failed: 4, Waiting: 5} }))
	got := series(t, m)
	for key, want := range map[string]float64{
		"quire_pictures_total made": 1, "quire_pictures_total kept": 2, "quire_pictures_total refused": 3, "quire_pictures_total failed": 4, "quire_pictures_waiting": 5,
	} {
		if got[key] != want {
			t.Errorf("%s is %v, want %v", key, got[key], want)
		}
	}
}

// Unknown values are left out.
func TestStateAndBackupsAreReported(t *testing.T) {
	const lastName, dueName = "quire_last_backup_timestamp_seconds", "quire_backup_due_timestamp_seconds"
	for name, test := range map[string]struct {
		state  State
		backup Backup
		want   map[string]float64
	}{
		"nothing": {State{}, Backup{}, map[string]float64{"quire_ready": 0}},
		"all": {
			State{true, []Entries{{"api::dish.dish", "draft", 2}, {"api::dish.dish", "published", 0}}, &File{7, 100, 10}},
			Backup{time.Unix(1000, 1), time.Unix(2000, 0)},
			map[string]float64{
				"quire_ready": 1, "quire_entries draft api::dish.dish": 2, "quire_entries published api::dish.dish": 0,
				"quire_revision": 7, "quire_data_file_bytes": 100, "quire_data_file_free_bytes": 10, lastName: 1000, dueName: 2000,
			},
		},
		"a backup by hand": {State{}, Backup{Last: time.Unix(1000, 0)}, map[string]float64{"quire_ready": 0, lastName: 1000}},
		"a first backup":   {State{}, Backup{Due: time.Unix(2000, 0)}, map[string]float64{"quire_ready": 0, dueName: 2000}},
	} {
		m := New("")
		before := series(t, m)
		m.Watch(Sources{Load: func() edge.Counts { return edge.Counts{} }, State: func() State { return test.state }, Backup: func() Backup { return test.backup }})
		got := series(t, m)
		maps.DeleteFunc(got, func(name string, _ float64) bool {
			_, known := before[name]
			return known || strings.Contains(name, "_total") || name == "quire_connections" || name == "quire_streams" || name == "quire_http_requests_in_flight"
		})
		if !maps.Equal(got, test.want) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
		}
	}
}

// Without a stream there is nothing to report.
func TestTheStreamIsReported(t *testing.T) {
	const works, queued, behind = "quire_stream_working", "quire_stream_queued_bytes", "quire_stream_behind_seconds"
	var now *StreamState
	m := New("")
	m.registry.MustRegister(streamOf(func() *StreamState { return now }))
	got := series(t, m)
	for _, name := range []string{works, queued, behind} {
		if _, reported := got[name]; reported {
			t.Errorf("without a stream there is %s", name)
		}
	}
	for _, test := range []struct {
		now                   StreamState
		works, queued, behind float64
	}{{StreamState{Works: true}, 1, 0, 0}, {StreamState{Queued: 7, Behind: 90 * time.Second}, 0, 7, 90}} {
		now = &test.now
		got := series(t, m)
		if got[works] != test.works || got[queued] != test.queued || got[behind] != test.behind {
			t.Errorf("%+v is reported as %v", test.now, got)
		}
	}
	now = &StreamState{Works: true, Records: true, MayQueue: 9, Sent: 12, SentTo: time.UnixMilli(1500)}
	got = series(t, m)
	if got["quire_stream_recording"] != 1 || got["quire_stream_queue_limit_bytes"] != 9 || got["quire_stream_sent_revision"] != 12 || got["quire_stream_sent_timestamp_seconds"] != 1.5 {
		t.Errorf("%+v is reported as %v", now, got)
	}
}

// Only a follower reports how far it is behind.
func TestTheLagIsReported(t *testing.T) {
	follows := false
	m := New("")
	m.registry.MustRegister(lagOf(func() (time.Duration, bool) { return 1500 * time.Millisecond, follows }))
	if _, reported := series(t, m)["quire_follow_lag_seconds"]; reported {
		t.Error("a server that follows nobody reports a lag")
	}
	follows = true
	if got := series(t, m)["quire_follow_lag_seconds"]; got != 1.5 {
		t.Errorf("the lag is reported as %v", got)
	}
}
