package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A range read by unions holds the rows that its values have one by one, while rows get
// and lose values, several of them at a time; and older editions keep what they held.
func TestUnionsHoldTheRowsOfTheirValues(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 3))
	universe, values := Row(20_000), 20+rng.IntN(400)
	v := newValues(Path{}, manyPairs(rng, universe, values), nil, universe)
	own, made := &edition{}, 0
	for step := range 40_000 {
		key, r := fmt.Sprintf("%03d", rng.IntN(values)), Row(rng.IntN(int(universe)))
		if rng.IntN(2) == 0 {
			v.add(key, false, r, universe, own)
		} else {
			v.remove(key, false, r, own)
		}
		if step%2000 == 0 {
			before, held := v, rowsInRange(t, v, Range{}, universe)
			own = &edition{}
			v = v.clone(own).(*Values)
			v.add("050", false, r, universe, own)
			v.remove(key, false, r+1, own)
			if again := rowsInRange(t, before, Range{}, universe); !slices.Equal(held.words, again.words) {
				t.Fatal("an older edition changed")
			}
			made += checkUnions(t, v, universe, values, rng)
		}
	}
	if made == 0 {
		t.Error("no union was made")
	}
}

// manyPairs gives each row one or two of so many values.
func manyPairs(rng *rand.Rand, universe Row, values int) (pairs []keyRow) {
	for r := range universe {
		for range 1 + rng.IntN(2) {
			pairs = append(pairs, keyRow{fmt.Sprintf("%03d", rng.IntN(values)), r})
		}
	}
	return pairs
}

// checkUnions compares some ranges, and returns how many blocks have a union.
func checkUnions(t *testing.T, v *Values, universe Row, values int, rng *rand.Rand) (made int) {
	t.Helper()
	for range 10 {
		from := rng.IntN(values)
		r := Range{From: fmt.Sprintf("%03d", from), To: fmt.Sprintf("%03d", from+rng.IntN(values)), HasFrom: rng.IntN(4) > 0, HasTo: rng.IntN(4) > 0, AfterFrom: rng.IntN(2) > 0, BeforeTo: rng.IntN(2) > 0}
		want := NewBits(universe)
		v.Each(r, func(_ string, rows Posting) bool { rows.AddTo(want); return true })
		if got := rowsInRange(t, v, r, universe); !slices.Equal(got.words, want.words) {
			t.Fatalf("%+v: %d rows, want %d", r, got.Count(), want.Count())
		}
	}
	v.blocks.Ascend(func(b *block) bool {
		if b.all.Load() != nil {
			made++
		}
		return true
	})
	return made
}

func rowsInRange(t *testing.T, v *Values, r Range, universe Row) *Bits {
	t.Helper()
	found := NewBits(universe)
	v.EachUnion(r, universe, func(rows Posting) bool { rows.AddTo(found); return true })
	return found
}
