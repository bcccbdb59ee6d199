package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// An index grown by changes holds what one built at once holds, and a walk
// visits the rows in order from any number of rows passed over.
func TestValuesGrowLikeTheyAreBuilt(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	const universe = 4000
	v := newValues(Path{}, nil, nil, universe)
	own := &edition{}
	held := map[Row]string{} // "" is null
	for step := range 20000 {
		r := Row(rng.IntN(universe))
		if key, ok := held[r]; ok {
			v.remove(key, key == "", r, own)
			delete(held, r)
		}
		if rng.IntN(4) > 0 {
			key := ""
			if rng.IntN(10) > 0 {
				key = fmt.Sprint(rng.IntN(1 + rng.IntN(3000)))
			}
			v.add(key, key == "", r, universe, own)
			held[r] = key
		}
		if step%5000 == 0 {
			own = &edition{}
			v = v.clone(own).(*Values)
		}
	}
	var pairs []keyRow
	var nulls []Row
	for r, key := range held {
		if key == "" {
			nulls = append(nulls, r)
		} else {
			pairs = append(pairs, keyRow{key, r})
		}
	}
	slices.Sort(nulls)
	built := newValues(Path{}, pairs, nulls, universe)
	if got, want := v.describe(), built.describe(); !slices.Equal(got, want) {
		t.Fatalf("grown:\n%q\nbuilt:\n%q", got, want)
	}
	checkWalks(t, v, rng)
	checkRanges(t, v, pairs, rng)
}

// checkWalks compares walks that pass rows over with the whole walk.
func checkWalks(t *testing.T, v *Values, rng *rand.Rand) {
	t.Helper()
	for _, descending := range []bool{false, true} {
		var all []Row
		v.Walk(descending, nil, 0, func(g Group) bool { all = append(all, rowsOf(g.Rows)...); return true })
		for trial := range 50 {
			among, want := someRows(all, trial%2 == 0, rng)
			skip := rng.IntN(len(want) + 10)
			var got []Row
			v.Walk(descending, among, skip, func(g Group) bool {
				held := slices.DeleteFunc(rowsOf(g.Rows), func(r Row) bool { return among != nil && !among.Has(r) })
				if g.Skip >= len(held) {
					t.Fatalf("a group of which %d rows are wanted, with %d of them to be left out", len(held), g.Skip)
				}
				got = append(got, held[g.Skip:]...)
				return true
			})
			if want = want[min(skip, len(want)):]; !slices.Equal(got, want) {
				t.Fatalf("descending %v, skip %d: %d rows, want %d", descending, skip, len(got), len(want))
			}
		}
	}
}

// someRows picks rows to walk among, or none for all, and lists them in order.
func someRows(all []Row, every bool, rng *rand.Rand) (among *Bits, want []Row) {
	if every {
		return nil, all
	}
	among = NewBits(slices.Max(all) + 1)
	for _, r := range all {
		if rng.IntN(3) == 0 {
			among.Add(r)
			want = append(want, r)
		}
	}
	return among, want
}

func checkRanges(t *testing.T, v *Values, pairs []keyRow, rng *rand.Rand) {
	t.Helper()
	for range 200 {
		r := Range{From: fmt.Sprint(rng.IntN(3000)), To: fmt.Sprint(rng.IntN(3000)), HasFrom: rng.IntN(3) > 0, HasTo: rng.IntN(3) > 0, AfterFrom: rng.IntN(2) > 0, BeforeTo: rng.IntN(2) > 0}
		want := 0
		for _, p := range pairs {
			if r.Contains(p.key) {
				want++
			}
		}
		got := 0
		v.Each(r, func(_ string, rows Posting) bool { got += rows.Len(); return true })
		if got != want {
			t.Fatalf("%+v: %d rows, want %d", r, got, want)
		}
	}
}
