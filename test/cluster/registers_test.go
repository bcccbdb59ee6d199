//go:build cluster

package cluster

import (
	"encoding/json"
	"fmt"
	"math"

	"github.com/anishathalye/porcupine"
)

// act is what a client asks of one register: to read it, or to write a value.
type act struct {
	register string // documentId
	write    bool
	value    int
}

// model says how registers behave: a read returns what was written last.
var model = porcupine.Model{
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

// registers are what one round of a history reads and writes: the prices of dishes, each
// value of which is written once, and to which of some chefs a restaurant belongs.
type registers struct {
	dishes, restaurants []string // documentIds
	chefs               []string // the same
	probed              string   // a dish of which nobody asks what it costs
}

// newRegisters makes so many registers of each kind. A price is 0, and the chef is the first.
func newRegisters(s *site, round, n int) (r registers) {
	made := func(path, format string, values ...any) string {
		return s.nodes[0].write(s, "POST", path, fmt.Sprintf(format, values...), 201)
	}
	for i := range 5 {
		r.chefs = append(r.chefs, made("/api/chefs", `{"data": {"name": "Chef %d of %d"}}`, i, round))
	}
	for i := range n {
		r.dishes = append(r.dishes, made("/api/dishes", `{"data": {"name": "Register %d of %d", "price": 0}}`, i, round))
		r.restaurants = append(r.restaurants, made("/api/restaurants", `{"data": {"name": "Register %d of %d", "chef": %q}}`, i, round, r.chefs[0]))
	}
	r.probed = made("/api/dishes", `{"data": {"name": "Probed in %d"}}`, round)
	return r
}

// price writes a number to a register that nobody else writes.
func (h *history) price(id int, n *node, register string) {
	value := int(h.values.Add(1))
	h.write(id, n, act{register, true, value}, "/api/dishes/"+register, fmt.Sprintf(`{"data": {"price": %d}}`, value))
}

// belong has a restaurant belong to a chef.
func (h *history) belong(id int, n *node, register string, chef int) {
	h.write(id, n, act{register, true, chef}, "/api/restaurants/"+register, fmt.Sprintf(`{"data": {"chef": %q}}`, h.registers.chefs[chef]))
}

// write writes a value. One of which nobody knows whether it was written may take effect at
// any time later, or never.
func (h *history) write(id int, n *node, a act, path, body string) {
	o := porcupine.Operation{ClientId: id, Input: a, Call: h.now()}
	status, text, err := n.send(h.site, "PUT", path, body)
	o.Return = h.now()
	switch h.outcomeOf(status, text, err) {
	case refused:
		return
	case unknown:
		o.Return = math.MaxInt64
	}
	h.add(o)
}

func (h *history) readPrice(id int, n *node, register string) {
	var dish struct{ Data struct{ Price int } }
	h.read(id, n, register, "/api/dishes/"+register, &dish, func() int { return dish.Data.Price })
}

func (h *history) readChef(id int, n *node, register string) {
	var restaurant struct {
		Data struct{ Chef struct{ DocumentID string } }
	}
	h.read(id, n, register, "/api/restaurants/"+register+"?populate=chef", &restaurant, func() int {
		for i, chef := range h.registers.chefs {
			if chef == restaurant.Data.Chef.DocumentID {
				return i
			}
		}
		return -1
	})
}

func (h *history) read(id int, n *node, register, path string, into any, value func() int) {
	o := porcupine.Operation{ClientId: id, Input: act{register: register}, Call: h.now()}
	status, text, err := n.send(h.site, "GET", path, "")
	o.Return = h.now()
	if h.outcomeOf(status, text, err) != done {
		return
	}
	if err := json.Unmarshal(text, into); err != nil {
		h.site.t.Errorf("%s: %v", text, err)
	}
	o.Output = value()
	h.add(o)
}
