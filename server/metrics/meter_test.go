package metrics

import (
	"sync"
	"testing"
	"time"
)

// BenchmarkMeter measures what counting adds to a request. It must not allocate.
func BenchmarkMeter(b *testing.B) {
	m := New("")
	route := m.Meter("GET", "/api/dishes/:documentId")
	b.ReportAllocs()
	for b.Loop() {
		m.CountSent(1000)
		route.Count(304, 137*time.Microsecond)
	}
}

func TestCountingTakesNoMemory(t *testing.T) {
	m := New("")
	route := m.Meter("GET", "/api/dishes")
	for _, status := range []int{200, 304, 404} {
		route.Count(status, time.Millisecond)
	}
	if n := testing.AllocsPerRun(100, func() { route.Count(404, time.Millisecond) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// No request is lost when many are the first with their status at the same time.
func TestMeterCountsEveryRequest(t *testing.T) {
	m := New("")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				m.Meter("GET", "/x").Count(200+i%50, time.Millisecond)
			}
		})
	}
	all.Wait()
	r, err := m.read()
	if err != nil {
		t.Fatal(err)
	}
	if got := r.requests(); got.Total != 8000 || got.ByClass["2xx"] != 8000 {
		t.Errorf("%+v", got)
	}
}

func TestQuantiles(t *testing.T) {
	d := Distribution{bounds: []float64{1, 2, 4}, within: []uint64{10, 10, 30}, count: 40}
	for part, want := range map[float64]float64{0: 0, .125: .5, .25: 1, .5: 3, .75: 4, .99: 4} {
		if got := d.Quantile(part); got != want {
			t.Errorf("quantile %v is %v, want %v", part, got, want)
		}
	}
	later := Distribution{bounds: d.bounds, within: []uint64{10, 30, 60}, count: 80}
	if got := later.Since(d).Quantile(.5); got != 2 {
		t.Errorf("of what came since, half is within %v", got)
	}
	if got := d.Since(Distribution{}).Quantile(.5); got != 3 {
		t.Errorf("of what came since the beginning, half is within %v", got)
	}
	if got := d.Since(d).Quantile(.99); got != 0 {
		t.Errorf("of nothing that came since it is %v", got)
	}
	if got := (Distribution{}).Quantile(.5); got != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}
