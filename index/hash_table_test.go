package index

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// Numbers are found as a plain map finds them, in each of the versions that were cloned
// from one another, however many texts come and go.
func TestNumberingIsAMap(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	type version struct {
		n    *numbering
		want map[string]uint32
	}
	now := version{newNumbering(&edition{}), map[string]uint32{}}
	var kept []version
	verify := func(v version) {
		t.Helper()
		if v.n.len() != len(v.want) {
			t.Fatalf("%d texts, want %d", v.n.len(), len(v.want))
		}
		for i := range 3000 {
			text := fmt.Sprint("text ", i)
			number, ok := v.n.find(text)
			if want, known := v.want[text]; ok != known || number != want {
				t.Fatalf("%s: %d, %v; want %d, %v", text, number, ok, want, known)
			}
		}
	}
	for round := range 40 {
		shrinks := round%10 > 5
		for range 500 {
			text := fmt.Sprint("text ", r.IntN(3000))
			number, known := now.want[text]
			switch {
			case !known && !shrinks:
				now.want[text] = now.n.add(text)
			case known && (shrinks || r.IntN(4) == 0):
				now.n.remove(number)
				delete(now.want, text)
			}
		}
		verify(now)
		kept = append(kept, now)
		next := version{now.n.clone(&edition{}), map[string]uint32{}}
		for text, number := range now.want {
			next.want[text] = number
		}
		now = next
	}
	for _, v := range kept {
		verify(v)
	}
}

// A table gives back the memory of numbers that have gone.
func TestHashTableShrinks(t *testing.T) {
	n := newNumbering(&edition{})
	for i := range 10_000 {
		n.add(fmt.Sprint(i))
	}
	grown := n.found.size()
	for i := range 10_000 {
		n.remove(uint32(i))
	}
	if size := n.found.size(); grown < 10_000 || size != leastSlots || n.len() != 0 {
		t.Errorf("%d slots for 10,000 numbers, %d for %d", grown, size, n.len())
	}
}
