//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// history is what clients have asked and were answered, while something fails.
type history struct {
	site      *site
	store     *fileStore // nil for none
	hook      *receiver
	begun     time.Time
	round     int
	registers registers
	values    atomic.Int64 // that were written
	answers   atomic.Int64 // that came, and said that something was done
	reads     atomic.Int64 // without a credential

	mu         sync.Mutex
	operations []porcupine.Operation // of this round
	created    map[string]int        // acknowledged, by the name that only one may have
	files      map[string]string     // acknowledged, by URL: the content
	sessions   int                   // that began and ended as they should
	wrong      []string              // answers that may not come
	tallies    map[string]*tally     // by the name of the fault
}

func newHistory(s *site) *history {
	return &history{site: s, begun: time.Now(), created: map[string]int{}, files: map[string]string{}, tallies: map[string]*tally{}}
}

// during lets clients work at all nodes while something is done.
func (h *history) during(do func()) {
	h.round++
	h.registers = newRegisters(h.site, h.round, 3)
	stop := make(chan struct{})
	var clients sync.WaitGroup
	for id := range 9 {
		clients.Go(func() { h.client(id, h.site.nodes[id%3], stop) })
	}
	for i, n := range h.site.nodes {
		clients.Go(func() { h.passerBy(n, stop) })
		clients.Go(func() {
			h.probe(n, stop, &n.writes, "PUT", "/api/dishes/"+h.registers.probed, `{"data": {"price": 1}}`)
		})
		clients.Go(func() { h.probe(n, stop, &n.reads, "GET", "/api/dishes/"+h.registers.probed, "") })
		clients.Go(func() { h.signInRepeatedly(i, stop) })
	}
	if h.store != nil {
		clients.Go(func() { h.photographer(stop) })
	}
	do()
	close(stop)
	clients.Wait()
}

// client asks a node for reads and writes until stop is closed.
func (h *history) client(id int, n *node, stop <-chan struct{}) {
	r := &h.registers
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		which := i / 6 % len(r.dishes)
		switch i % 6 {
		case 0:
			h.price(id, n, r.dishes[which])
		case 1, 4:
			h.readPrice(id, n, r.dishes[which])
		case 2:
			h.belong(id, n, r.restaurants[which], (i/6+id)%len(r.chefs))
		case 3:
			h.create(n, fmt.Sprintf("Only one %d of %d", i/6, h.round))
		case 5:
			h.readChef(id, n, r.restaurants[which])
		}
	}
}

// outcome is what an answer says of a write.
type outcome int

const (
	done    outcome = iota
	refused         // surely not done
	unknown
)

// outcomeOf reads an answer. Where none came, or it says so, a write may have been done.
func (h *history) outcomeOf(status int, text []byte, err error) outcome {
	switch {
	case err != nil:
		time.Sleep(20 * time.Millisecond) // before a node that is gone is asked again
		return unknown
	case status == 503 && strings.Contains(string(text), "unknown"):
		return unknown
	case status == 503, status == 400 && strings.Contains(string(text), "unique"):
		return refused
	case status/100 == 2:
		h.answers.Add(1)
		return done
	}
	h.mayNotCome("%d %.300s", status, text)
	return unknown
}

func (h *history) mayNotCome(format string, values ...any) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf(format, values...))
}

func (h *history) now() int64 { return int64(time.Since(h.begun)) }

func (h *history) add(o porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, o)
}

// create makes a dish of a name that only one may have.
func (h *history) create(n *node, name string) {
	status, text, err := n.send(h.site, "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": %q}}`, name))
	if h.outcomeOf(status, text, err) == done {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.created[name]++
	}
}

// probe sends a request to a node again and again, whether those before have been answered
// or not, and notes when one was done.
func (h *history) probe(n *node, stop <-chan struct{}, to *acks, method, path, body string) {
	ticks := time.NewTicker(100 * time.Millisecond)
	defer ticks.Stop()
	var sent sync.WaitGroup
	defer sent.Wait()
	for {
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
		begun := time.Now()
		sent.Go(func() {
			if status, text, err := n.send(h.site, method, path, body); h.outcomeOf(status, text, err) == done {
				to.note(begun)
			}
		})
	}
}

// passerBy reads at a node without a credential, which goes on whatever fails but the node.
func (h *history) passerBy(n *node, stop <-chan struct{}) {
	ticks := time.NewTicker(10 * time.Millisecond)
	defer ticks.Stop()
	for {
		select {
		case <-stop:
			return
		case <-ticks.C:
		}
		was := n.downs.Load()
		status, text, err := n.sendAs("", "GET", "/api/dishes/"+h.registers.dishes[0], "application/json", "")
		h.reads.Add(1)
		if was%2 == 0 && n.downs.Load() == was && (err != nil || status != 200) {
			h.mayNotCome("a read at %s without a credential: %d %.300s, %v", n.name, status, text, err)
		}
	}
}

// judge demands that all that was answered fits together, and that what was acknowledged
// is there, once.
func (h *history) judge() {
	t := h.site.t
	t.Helper()
	for _, w := range h.wrong {
		t.Errorf("an answer that may not come: %s", w)
	}
	if len(h.wrong) > 0 {
		for _, n := range h.site.nodes {
			t.Logf("%s says\n%s", n.name, n.server.Log)
		}
	}
	h.wrong = nil
	if result := porcupine.CheckOperationsTimeout(model, h.operations, time.Minute); result != porcupine.Ok {
		t.Errorf("the history of %d operations is not linearizable: %v", len(h.operations), result)
	}
	there := map[string]int{}
	h.pages("/api/dishes?fields[0]=name", func(text []byte) int {
		var page struct{ Data []struct{ Name string } }
		check(t, json.Unmarshal(text, &page))
		for _, dish := range page.Data {
			there[dish.Name]++
		}
		return len(page.Data)
	})
	for name, times := range h.created {
		if times != 1 || there[name] != 1 {
			t.Errorf("%q was acknowledged %d times, and is there %d times", name, times, there[name])
		}
	}
	t.Logf("round %d: %d operations on registers; in all %d dishes of one name each, %d sessions, %d files, %d reads without a credential",
		h.round, len(h.operations), len(h.created), h.sessions, len(h.files), h.reads.Load())
	h.operations = nil
}

// pages shows all pages of a list at the first node. show returns how much a page has.
func (h *history) pages(path string, show func(text []byte) int) {
	for page := 1; ; page++ {
		status, text, err := h.site.nodes[0].send(h.site, "GET", fmt.Sprintf("%s&pagination[pageSize]=100&pagination[page]=%d", path, page), "")
		if err != nil || status != 200 {
			h.site.t.Fatalf("%s: %d %.300s, %v", path, status, text, err)
		}
		if show(text) < 100 {
			return
		}
	}
}
