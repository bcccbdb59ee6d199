package server

import (
	"sync"
	"testing"
	"time"
)

// What watching adds to a request: counting it, without an allocation.
func BenchmarkMeter(b *testing.B) {
	m := NewMetrics("")
	x := &exchange{server: &Server{metrics: m}, meter: m.meter("GET", "/api/dishes/:documentId"), status: 304, size: 1000}
	m.meter("GET", "/api/dishes")
	b.ReportAllocs()
	for b.Loop() {
		x.count(137 * time.Microsecond)
	}
}

func BenchmarkRequestID(b *testing.B) {
	s := newIDs()
	b.ReportAllocs()
	for b.Loop() {
		s.next()
	}
}

func TestCountingTakesNoMemory(t *testing.T) {
	m := NewMetrics("")
	route := m.meter("GET", "/api/dishes")
	for _, status := range []int{200, 304, 404} {
		route.count(status, time.Millisecond)
	}
	if n := testing.AllocsPerRun(100, func() { route.count(404, time.Millisecond) }); n > 0 {
		t.Errorf("%v allocations", n)
	}
}

// No request is lost where many meet a status for the first time.
func TestMeterCountsEveryRequest(t *testing.T) {
	m := NewMetrics("")
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for i := range 1000 {
				m.meter("GET", "/x").count(200+i%50, time.Millisecond)
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
	d := distribution{bounds: []float64{1, 2, 4}, within: []uint64{10, 10, 30}, count: 40}
	for part, want := range map[float64]float64{0: 0, .125: .5, .25: 1, .5: 3, .75: 4, .99: 4} {
		if got := d.quantile(part); got != want {
			t.Errorf("quantile %v is %v, want %v", part, got, want)
		}
	}
	if got := (distribution{}).quantile(.5); got != 0 {
		t.Errorf("of nothing it is %v", got)
	}
}

func TestWhichIDsAreTakenOver(t *testing.T) {
	for id, want := range map[string]bool{
		"a": true, "0198f3c2-77aa_B": true, "": false, "a b": false, "a\nb": false, `a"`: false, "a.b": false, "é": false,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa":  true,
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa": false,
	} {
		if got := isID(id); got != want {
			t.Errorf("%q: %v", id, got)
		}
	}
}

func TestIDsAreUnlikeEachOther(t *testing.T) {
	one, other, seen := newIDs(), newIDs(), map[string]bool{}
	for range 100 {
		for _, id := range []string{one.next(), other.next()} {
			if seen[id] || !isID(id) {
				t.Errorf("%q", id)
			}
			seen[id] = true
		}
	}
}
