package endurance

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"
	"time"
)

// soakTally counts what was asked and how it was answered.
type soakTally struct {
	mu     sync.Mutex
	kinds  map[string]*soakKind
	wrong  []string // the first answers that were not asked for
	wrongs int
}

// soakKind is one kind of request.
type soakKind struct {
	requested, wrong int
	took             histogram
}

func newSoakTally() *soakTally { return &soakTally{kinds: map[string]*soakKind{}} }

// done counts one request, with what was wrong about it, if anything was.
func (s *soakTally) done(kind string, took time.Duration, wrong error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.kinds[kind]
	if k == nil {
		k = new(soakKind)
		s.kinds[kind] = k
	}
	k.requested++
	k.took.add(took)
	if wrong == nil {
		return
	}
	k.wrong++
	s.wrongs++
	if len(s.wrong) < 20 {
		s.wrong = append(s.wrong, fmt.Sprintf("%s: %v", kind, wrong))
	}
}

// times is how often something of these kinds was done.
func (s *soakTally) times(kinds ...string) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, kind := range kinds {
		if k := s.kinds[kind]; k != nil {
			n += k.requested
		}
	}
	return n
}

// table shows a line for each kind.
func (s *soakTally) table(took time.Duration) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var b strings.Builder
	b.WriteString("| what clients did | times | a second | wrong answers | p50 | p99 |\n|---|---|---|---|---|---|\n")
	requested, wrong := 0, 0
	for _, name := range slices.Sorted(maps.Keys(s.kinds)) {
		k := s.kinds[name]
		requested, wrong = requested+k.requested, wrong+k.wrong
		fmt.Fprintf(&b, "| %s | %d | %.0f | %d | %s | %s |\n", name, k.requested, float64(k.requested)/took.Seconds(), k.wrong, milliseconds(k.took.quantile(.5)), milliseconds(k.took.quantile(.99)))
	}
	fmt.Fprintf(&b, "| all | %d | %.0f | %d | | |\n", requested, float64(requested)/took.Seconds(), wrong)
	return b.String()
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
}

// histogram counts durations in steps of 5 %, from a microsecond on.
type histogram struct {
	steps [512]int
	count int
}

const histogramStep = 1.05

func (h *histogram) add(d time.Duration) {
	step := math.Log(float64(max(d, time.Microsecond))/float64(time.Microsecond)) / math.Log(histogramStep)
	h.steps[min(int(step), len(h.steps)-1)]++
	h.count++
}

// quantile is the duration that a share of all did not exceed.
func (h *histogram) quantile(share float64) time.Duration {
	left := int(math.Ceil(share * float64(h.count)))
	for i, n := range h.steps {
		if left -= n; left <= 0 {
			return time.Duration(math.Pow(histogramStep, float64(i+1)) * float64(time.Microsecond))
		}
	}
	return 0
}
