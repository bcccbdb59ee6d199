//go:build cluster

package cluster

import (
	"flag"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/test/gateway"
	"quire/test/program"
)

// only is part of the names of faults that are to happen:
//
//	go test -tags cluster ./test/cluster -run Histories -rounds 20 -fault 'the leader' -v
var only = flag.String("fault", "", "part of the names of faults that are to happen; empty for all")

// faultsInRound is how many there are between two looks whether all nodes are alike.
const faultsInRound = 3

// What clients of all nodes are answered fits one history, and what was acknowledged is
// there, whatever fails meanwhile: nodes, members of etcd, the object store, or the lines
// between them. Who has no credential reads all the time.
func TestHistoriesAreLinearizable(t *testing.T) {
	t.Parallel()
	seed, rounds := program.Chance(t, 1, 100)
	random := rand.New(rand.NewPCG(seed, 1))
	h := startHistory(t)
	next := h.choice(random)
	for range rounds {
		h.during(func() {
			h.awaitAnswers(100)
			for range faultsInRound {
				h.undergo(next(), random)
			}
		})
		h.site.settled()
		h.judge()
		h.judgeDeliveries()
		if h.store != nil {
			h.judgeFiles()
		}
		h.site.endAlike()
		h.site.again()
	}
	t.Log(h.table())
}

// choice gives the faults in any order; each comes before one comes again.
func (h *history) choice(random *rand.Rand) (next func() fault) {
	var all []fault
	return func() fault {
		if len(all) == 0 {
			all = faults()
			if h.store != nil {
				all = append(all, fileFaults()...)
			}
			all = slices.DeleteFunc(all, func(f fault) bool { return !strings.Contains(f.name, *only) })
			random.Shuffle(len(all), func(a, b int) { all[a], all[b] = all[b], all[a] })
		}
		f := all[0]
		all = all[1:]
		return f
	}
}

// startHistory starts etcd, an object store if there is one, and three nodes, all of which
// reach each other by lines.
func startHistory(t *testing.T) *history {
	t.Helper()
	hook := newReceiver(t)
	from := layout{lines: true, reads: "{}", upload: "{}", settings: hook.settings("entry.create")}
	maps.Copy(from.settings, map[string]any{"auth": map[string]any{
		"rateLimit": map[string]any{"enabled": false}, "refresh": map[string]any{"enabled": true},
	}})
	var store *fileStore
	if files := startStore(t); files != nil {
		store = &fileStore{files, openLine(t, files.Address)}
		from.upload = uploadOf(&gateway.Store{Address: store.line.address}, "guide")
	}
	h := newHistory(begin(t, startMembersOnLines(t, 3), "guide", 3, from))
	h.store, h.hook = store, hook
	h.register()
	return h
}

// undergo has something fail until some requests have been answered without it, and every
// node that is there has taken writes.
func (h *history) undergo(f fault, random *rand.Rand) {
	t := h.site.t
	t.Helper()
	lasts := []int64{100, 300, 600, 3000}[random.IntN(4)]
	if f.isSlow() {
		lasts = 100
	}
	is := h.tallies[f.name]
	if is == nil {
		is = &tally{}
		h.tallies[f.name] = is
	}
	answered, begun := h.answers.Load(), h.beginAcks()
	t.Logf("%s", f.name)
	gone, end := f.begin(h, random)
	h.awaitWrites(f, begun, gone)
	h.awaitAnswers(lasts)
	is.times++
	is.answers += h.answers.Load() - answered
	writes, reads := h.waited(gone)
	is.writes, is.reads = append(is.writes, writes), append(is.reads, reads)
	ended := h.beginAcks()
	end()
	h.awaitWrites(f, time.Now(), nil)
	h.awaitAnswers(200)
	after, _ := h.waited(gone)
	is.after = append(is.after, after)
	t.Logf("%.1f: %s for %.1f s, without writes for %.1f s and reads for %.1f s, without writes for %.1f s afterwards", begun.Sub(h.begun).Seconds(),
		f.name, ended.Sub(begun).Seconds(), writes.Seconds(), reads.Seconds(), after.Seconds())
}

// beginAcks has nodes count anew how long nothing is done.
func (h *history) beginAcks() time.Time {
	for _, n := range h.site.nodes {
		n.writes.begin()
		n.reads.begin()
	}
	return time.Now()
}

// waited is the longest time that a node which is not gone has done no write, and no read.
func (h *history) waited(gone *node) (writes, reads time.Duration) {
	for _, n := range h.site.nodes {
		if n != gone {
			writes, reads = max(writes, n.writes.waited()), max(reads, n.reads.waited())
		}
	}
	return writes, reads
}

// awaitWrites waits until each node that is not gone has acknowledged a write that was sent
// since the fault began.
func (h *history) awaitWrites(f fault, begun time.Time, gone *node) {
	t := h.site.t
	t.Helper()
	for _, n := range h.site.nodes {
		for end := time.Now().Add(settleTime); n != gone && !n.writes.since(begun); time.Sleep(10 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: %s takes no writes", f.name, n.name)
			}
		}
	}
}

// awaitAnswers waits until so many more have come.
func (h *history) awaitAnswers(more int64) {
	h.site.t.Helper()
	want := h.answers.Load() + more
	for end := time.Now().Add(settleTime); h.answers.Load() < want; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			h.site.t.Fatalf("of %d answers %d have come", more, more-want+h.answers.Load())
		}
	}
}
