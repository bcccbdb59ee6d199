//go:build cluster

package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// acks notes when a node has done what it was asked.
type acks struct {
	mu      sync.Mutex
	sent    time.Time // the latest request that was done
	last    time.Time // when that was
	longest time.Duration
}

// note notes that a request was done just now.
func (a *acks) note(sent time.Time) {
	a.mu.Lock()
	defer a.mu.Unlock()
	now := time.Now()
	a.longest = max(a.longest, now.Sub(a.last))
	a.last = now
	if sent.After(a.sent) {
		a.sent = sent
	}
}

// begin begins anew.
func (a *acks) begin() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.last, a.longest = time.Now(), 0
}

// since reports whether a request was done that was sent after a time.
func (a *acks) since(begun time.Time) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.sent.After(begun)
}

// waited is the longest time without a request that was done.
func (a *acks) waited() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	return max(a.longest, time.Since(a.last))
}

// tally is what there was of one fault.
type tally struct {
	times   int
	answers int64           // that something was done, while the fault lasted
	writes  []time.Duration // the longest of each without a write at a node that is there
	reads   []time.Duration // the same without a read that has a credential
	after   []time.Duration // of writes once the fault was over
}

// table lists the faults as rows of a page.
func (h *history) table() string {
	var b strings.Builder
	b.WriteString("\n| fault | times | answers meanwhile | without writes for: median, longest | without reads with a credential | without writes once it was over |\n|---|---|---|---|---|---|\n")
	for _, name := range slices.Sorted(maps.Keys(h.tallies)) {
		t := h.tallies[name]
		fmt.Fprintf(&b, "| %s | %d | %d | %s | %s | %s |\n", name, t.times, t.answers, spread(t.writes), spread(t.reads), spread(t.after))
	}
	return b.String()
}

// spread is the median and the longest of some times, in seconds.
func spread(times []time.Duration) string {
	slices.Sort(times)
	return fmt.Sprintf("%.1f, %.1f", times[len(times)/2].Seconds(), times[len(times)-1].Seconds())
}
