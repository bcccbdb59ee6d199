//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/anishathalye/porcupine"
)

// act is what a client asks of one register, the price of a dish: to read it, or to write
// a number that nobody else writes.
type act struct {
	register string // documentId
	write    bool
	value    int
}

// registers says how prices behave: a read returns what was written last.
var registers = porcupine.Model{
	Partition: func(history []porcupine.Operation) [][]porcupine.Operation {
		parts := map[string][]porcupine.Operation{}
		for _, o := range history {
			key := o.Input.(act).register
			parts[key] = append(parts[key], o)
		}
		var all [][]porcupine.Operation
		for _, part := range parts {
			all = append(all, part)
		}
		return all
	},
	Init: func() any { return 0 },
	Step: func(state, input, output any) (bool, any) {
		if a := input.(act); a.write {
			return true, a.value
		}
		return output == state, state
	},
	DescribeOperation: func(input, output any) string { return fmt.Sprintf("%+v: %v", input, output) },
}

// history is what clients have asked and were answered, while nodes and members fail.
type history struct {
	site    *site
	dishes  []string // documentIds
	begun   time.Time
	values  atomic.Int64 // that were written
	answers atomic.Int64 // that came, and said that something was done

	mu         sync.Mutex
	operations []porcupine.Operation
	created    map[string]int // acknowledged, by the name that only one may have
	wrong      []string       // answers that may not come
}

// newHistory makes the registers.
func newHistory(s *site, registers int) *history {
	h := &history{site: s, begun: time.Now(), created: map[string]int{}}
	for i := range registers {
		body := fmt.Sprintf(`{"data": {"name": "Register %d", "price": 0}}`, i)
		h.dishes = append(h.dishes, s.nodes[0].write(s, "POST", "/api/dishes", body, 201))
	}
	return h
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
	h.mu.Lock()
	defer h.mu.Unlock()
	h.wrong = append(h.wrong, fmt.Sprintf("%d %.300s", status, text))
	return unknown
}

// client asks a node for reads and writes until stop is closed.
func (h *history) client(id int, n *node, stop <-chan struct{}) {
	for i := 0; ; i++ {
		select {
		case <-stop:
			return
		default:
		}
		switch i % 4 {
		case 0:
			h.write(id, n, h.dishes[(i/4)%len(h.dishes)])
		case 3:
			h.create(n, fmt.Sprintf("Only one %d", i/4))
		default:
			h.read(id, n, h.dishes[(i/2)%len(h.dishes)])
		}
	}
}

func (h *history) now() int64 { return int64(time.Since(h.begun)) }

func (h *history) add(o porcupine.Operation) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.operations = append(h.operations, o)
}

// write writes a number to a register. One of which nobody knows whether it was written
// may take effect at any time later, or never.
func (h *history) write(id int, n *node, register string) {
	a := act{register: register, write: true, value: int(h.values.Add(1))}
	o := porcupine.Operation{ClientId: id, Input: a, Call: h.now()}
	status, text, err := n.send(h.site, "PUT", "/api/dishes/"+register, fmt.Sprintf(`{"data": {"price": %d}}`, a.value))
	o.Return = h.now()
	switch h.outcomeOf(status, text, err) {
	case refused:
		return
	case unknown:
		o.Return = math.MaxInt64
	}
	h.add(o)
}

func (h *history) read(id int, n *node, register string) {
	o := porcupine.Operation{ClientId: id, Input: act{register: register}, Call: h.now()}
	status, text, err := n.send(h.site, "GET", "/api/dishes/"+register, "")
	o.Return = h.now()
	if h.outcomeOf(status, text, err) != done {
		return
	}
	var dish struct{ Data struct{ Price int } }
	if err := json.Unmarshal(text, &dish); err != nil {
		h.site.t.Errorf("%s: %v", text, err)
	}
	o.Output = dish.Data.Price
	h.add(o)
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

// judge demands that all that was answered fits together, and that what was acknowledged
// is there, once.
func (h *history) judge() {
	t := h.site.t
	t.Helper()
	for _, w := range h.wrong {
		t.Errorf("an answer that may not come: %s", w)
	}
	if result := porcupine.CheckOperationsTimeout(registers, h.operations, time.Minute); result != porcupine.Ok {
		t.Errorf("the history of %d operations is not linearizable: %v", len(h.operations), result)
	}
	for name, times := range h.created {
		if times != 1 {
			t.Errorf("%q was made %d times", name, times)
		}
		status, found, err := h.site.nodes[0].send(h.site, "GET", "/api/dishes?filters[name][$eq]="+strings.ReplaceAll(name, " ", "%20"), "")
		if err != nil || status != 200 || strings.Count(string(found), `"documentId"`) != 1 {
			t.Errorf("%q was acknowledged, and is not there once: %d %.300s, %v", name, status, found, err)
		}
	}
	t.Logf("%d operations on registers, %d dishes of one name each", len(h.operations), len(h.created))
}
