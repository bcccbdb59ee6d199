//go:build cluster

package cluster

import (
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"quire/test/program"
)

// What clients of all nodes are answered fits one history, and what was acknowledged is
// there, whatever fails meanwhile: nodes and members of etcd that are killed or stand
// still, the one that writes among them.
func TestHistoriesAreLinearizable(t *testing.T) {
	seed, rounds := program.Chance(t, 4, 100)
	random := rand.New(rand.NewPCG(seed, 1))
	s := start(t, 3, 3)
	h := newHistory(s, 4)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for id := range 9 {
		clients.Go(func() { h.client(id, s.nodes[id%3], stop) })
	}
	h.awaitAnswers(100)
	for range rounds {
		h.fail(random)
		h.awaitAnswers(200)
	}
	close(stop)
	clients.Wait()
	h.judge()
	s.endAlike()
}

// fail has one process fail until some requests have been answered without it.
func (h *history) fail(random *rand.Rand) {
	t := h.site.t
	failing := []*process{&h.site.nodes[random.IntN(3)].process, &h.site.members[random.IntN(3)].process}[random.IntN(2)]
	if random.IntN(3) == 0 {
		failing = &h.site.writer().process
	}
	if random.IntN(2) == 0 {
		t.Logf("%v standing still: %v", time.Since(h.begun), failing.args[:4])
		failing.pause()
		h.awaitAnswers(60)
		failing.resume()
		return
	}
	t.Logf("%v killed: %v", time.Since(h.begun), failing.args[:4])
	failing.kill()
	h.awaitAnswers(60)
	failing.restart(t)
}
