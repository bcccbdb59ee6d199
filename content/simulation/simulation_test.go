package simulation

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"testing/cryptotest"
	"testing/synctest"
	"time"
)

var (
	seedFlag   = flag.Uint64("seed", 0, "seed of the first history; 0 takes one by chance")
	shrinkFlag = flag.Duration("shrink", 30*time.Second, "how long to look for a shorter history that fails too")
	opsFlag    = flag.Int("ops", 0, "operations of all histories; 0 for as many as fit a normal run")
)

// steps is the length of a history.
const steps = 5_000

// run is a history from one seed: the steps of the numbered steps that are not left out.
type run struct {
	seed   uint64
	nodes  int
	follow bool // the other nodes follow the first one
	steps  []int
	rate   int  // commits for each that fails
	leaves call // the sync that the disk forgets to do
}

// whole returns a history of n steps.
func (h run) whole(seed uint64, n int) run {
	h.seed, h.rate, h.steps = seed, 90, nil
	for i := range n {
		h.steps = append(h.steps, i)
	}
	return h
}

// run does a history, and returns the world that it leaves, and what was wrong.
func (h run) do(t *testing.T) (w *world, wrong *failure) {
	cryptotest.SetGlobalRandom(t, h.seed)
	synctest.Test(t, func(t *testing.T) {
		folder := filepath.Join(t.TempDir(), fmt.Sprint(time.Now().UnixNano()))
		must(os.Mkdir(folder, 0o700))
		defer os.RemoveAll(folder)
		defer func() {
			if r := recover(); r != nil {
				f, known := r.(failure)
				if !known {
					panic(r)
				}
				wrong = &f
			}
			w.close()
		}()
		w = newWorld(h.seed, folder, h.nodes, h.follow)
		for _, i := range h.steps {
			w.begin(i, h)
			switch n := w.nodes[w.random.IntN(len(w.nodes))]; {
			case h.follow:
				w.followStep()
			case n.journal != nil:
				n.nodeStep()
			default:
				n.step()
			}
		}
		w.begin(steps, h)
		for _, n := range w.nodes {
			if n.line != nil {
				n.catchUp()
			}
			n.fresh()
			n.check()
		}
	})
	return w, wrong
}

// begin begins a step. What it does, and which of its calls to the disk fail, depends on its
// number and on the content only, so a history can be repeated without some of its steps.
func (w *world) begin(number int, h run) {
	w.number, w.made = number, 0
	w.random = rand.New(rand.NewPCG(w.seed, uint64(number)))
	for _, n := range w.nodes {
		if n.disk != nil {
			n.disk.rate, n.disk.leaves = h.rate, h.leaves
			n.disk.plans, n.disk.chance = rand.New(rand.NewPCG(w.seed, ^uint64(number))), rand.New(rand.NewPCG(^w.seed, uint64(number)))
		}
	}
}

// close ends the writers, also after a failure.
func (w *world) close() {
	if w.former != nil {
		_ = w.former.db.Close()
	}
	for _, n := range w.nodes {
		if n.line != nil {
			n.line.hangUp()
		}
		if n.db != nil { // it was opened
			_ = n.writer.Close()
			_ = n.db.Close()
			if n.uploads != nil {
				_ = n.uploads.Close()
			}
		}
	}
	if w.leader != nil {
		time.Sleep(time.Minute) // messages on slow lines arrive
	}
}

// shrink returns a shorter history that fails too. It leaves out parts, then smaller ones, as
// long as there is time.
func (h run) shrink(t *testing.T, kind string, until time.Time) run {
	for part := len(h.steps) / 2; part > 0; part /= 2 {
		for from := 0; from+part <= len(h.steps); {
			shorter := h
			shorter.steps = append(append([]int{}, h.steps[:from]...), h.steps[from+part:]...)
			if time.Now().After(until) {
				return h
			}
			if w, wrong := shorter.do(t); wrong != nil && wrong.kind == kind {
				h = shorter.upTo(w.number)
			} else {
				from += part
			}
		}
	}
	return h
}

// upTo leaves out the steps after one.
func (h run) upTo(number int) run {
	for i, n := range h.steps {
		if n == number {
			h.steps = h.steps[:i+1]
		}
	}
	return h
}

// require fails the test if a history finds something wrong: with the shortest history that
// shows it.
func (h run) require(t *testing.T) *world {
	t.Helper()
	w, wrong := h.do(t)
	if wrong != nil {
		t.Errorf("step %d: %s\nagain: -seed %d", w.number, wrong.text, h.seed)
		if *shrinkFlag == 0 {
			t.FailNow()
		}
		short := h.upTo(w.number).shrink(t, wrong.kind, time.Now().Add(*shrinkFlag))
		w, wrong = short.do(t)
		t.Fatalf("%d steps are enough, %v:\n%s\n%v", len(short.steps), short.steps, strings.Join(w.latest, "\n"), wrong.text)
	}
	return w
}

// TestSimulation does random histories on a disk that fails.
//
//	go test ./content/simulation -run 'TestSimulation$' -ops 10000000 -timeout 24h -v
func TestSimulation(t *testing.T) { simulate(t, run{nodes: 1}, 85_000) }

// TestNodes does random histories on three nodes that share a journal.
func TestNodes(t *testing.T) { simulate(t, run{nodes: 3}, 10_000) }

// TestFollowers does random histories on a leader and two followers, of which each may become
// the leader.
func TestFollowers(t *testing.T) { simulate(t, run{nodes: 3, follow: true}, 5_000) }

func simulate(t *testing.T, h run, usual int) {
	seed, ops := chance(t, usual)
	defer debug.SetGCPercent(debug.SetGCPercent(2000))
	counts := map[string]int{}
	for done := 0; done < ops; done += steps {
		w := h.whole(seed, min(steps, ops-done)).require(t)
		for name, n := range w.counts {
			counts[name] += n
		}
		seed++
	}
	t.Logf("%d operations: %v", ops, counts)
}

// chance returns the first seed, and how many operations to do.
func chance(t *testing.T, usual int) (seed uint64, ops int) {
	seed, ops = *seedFlag, *opsFlag
	if seed == 0 {
		seed = rand.Uint64N(1e12)
	}
	if ops == 0 {
		if ops = usual; testing.Short() {
			ops /= 10
		}
	}
	t.Logf("-seed %d", seed)
	return seed, ops
}

// signature is the same for two histories that did the same: the steps and how they ended,
// and the calls of the disks, except how many pages each commit had.
func (w *world) signature() string {
	text := fmt.Sprint(w.trace, w.state.text(), w.counts)
	for _, n := range w.nodes {
		if n.disk != nil {
			text += fmt.Sprint(" ", n.disk.trace)
		}
	}
	return text
}

// The same seed does the same, down to the calls of the disk that fail. Another one does not.
func TestOneSeedRepeatsEverything(t *testing.T) {
	for _, h := range []run{{nodes: 1}, {nodes: 3}, {nodes: 3, follow: true}} {
		seed := rand.Uint64N(1e12)
		first := h.whole(seed, 1000).require(t).signature()
		if again := h.whole(seed, 1000).require(t).signature(); again != first {
			t.Errorf("%+v: -seed %d did another thing the second time", h, seed)
		}
		if other := h.whole(seed+1, 1000).require(t).signature(); other == first {
			t.Errorf("%+v: -seed %d and %d did the same", h, seed, seed+1)
		}
	}
}

// If a sync were left out, the simulation would find that, with a short history.
func TestSimulationFindsWhatIsNotSynced(t *testing.T) {
	for _, leaves := range []call{syncPages, syncHead} {
		h := run{nodes: 1}.whole(7, steps)
		h.leaves, h.rate = leaves, 10
		w, wrong := h.do(t)
		if wrong == nil {
			t.Errorf("without a %s, nothing is wrong after %d steps", leaves, steps)
			continue
		}
		t.Logf("without a %s: wrong after %d steps: %.100s", leaves, w.number, wrong.text)
	}
}
