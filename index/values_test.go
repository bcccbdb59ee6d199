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
	checkStarts(t, v, rng)
	checkRanges(t, v, pairs, rng)
}

// checkWalks compares walks that pass rows over with the whole walk.
func checkWalks(t *testing.T, v *Values, rng *rand.Rand) {
	t.Helper()
	for _, descending := range []bool{false, true} {
		var all []Row
		v.Walk(Order{Descending: descending}, func(g Group) bool { all = append(all, rowsOf(g.Rows)...); return true })
		for trial := range 50 {
			among, want := someRows(all, trial%2 == 0, rng)
			skip := rng.IntN(len(want) + 10)
			var got []Row
			v.Walk(Order{Descending: descending, Among: among, Skip: skip}, func(g Group) bool {
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

// checkStarts compares walks that begin from a value, which rows have or not, with
// what the whole walk visits from there on.
func checkStarts(t *testing.T, v *Values, rng *rand.Rand) {
	t.Helper()
	for trial := range 200 {
		from := &Start{Key: fmt.Sprint(rng.IntN(3000)), Null: trial%20 == 0}
		if trial%7 == 0 {
			from.Key = []string{"", "zzz", fmt.Sprint(rng.IntN(3000), "x")}[rng.IntN(3)]
		}
		descending := rng.IntN(2) == 0
		var want []Row
		at := v.Rows(from.Key)
		if from.Null {
			at = v.Nulls()
		}
		add := func(_ string, rows Posting) bool { want = append(want, rowsOf(rows)...); return true }
		switch {
		case !descending && !from.Null:
			v.Each(Range{From: from.Key, HasFrom: true}, add)
			add("", v.Nulls())
		case !descending:
			add("", v.Nulls())
		case from.Null:
			v.Walk(Order{Descending: true}, func(g Group) bool { return add("", g.Rows) })
		default:
			v.Walk(Order{Descending: true}, func(g Group) bool { return add("", g.Rows) })
			behind := v.Nulls().Len()
			v.Each(Range{From: from.Key, HasFrom: true, AfterFrom: true}, func(_ string, rows Posting) bool { behind += rows.Len(); return true })
			want = want[behind:]
		}
		var got []Row
		begun := 0
		v.Walk(Order{Descending: descending, From: from}, func(g Group) bool {
			if g.At {
				begun++
				if !slices.Equal(rowsOf(g.Rows), rowsOf(at)) {
					t.Fatalf("%+v: the walk begins with other rows than have the value", from)
				}
			}
			got = append(got, rowsOf(g.Rows)...)
			return true
		})
		if !slices.Equal(got, want) || (begun > 0) != (at.Len() > 0) {
			t.Fatalf("from %+v, descending %v: %d rows, want %d; %d rows have the value, which was come by %d times", from, descending, len(got), len(want), at.Len(), begun)
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
		counted, limit := v.CountUpTo(r, len(pairs)), rng.IntN(len(pairs))
		if got != want || counted != want {
			t.Fatalf("%+v: %d rows, counted %d, want %d", r, got, counted, want)
		}
		if upTo := v.CountUpTo(r, limit); (upTo > limit) != (want > limit) || upTo > want {
			t.Fatalf("%+v: %d rows up to %d, of %d", r, upTo, limit, want)
		}
	}
}

// A walk that finds nothing ends with the block in which it is over.
func TestWalkIsOver(t *testing.T) {
	var pairs []keyRow
	for r := range Row(5000) {
		pairs = append(pairs, keyRow{fmt.Sprintf("%04d", r), r})
	}
	v := newValues(Path{}, pairs, []Row{5000}, 5001)
	for _, descending := range []bool{false, true} {
		found := func(Group) bool { t.Error("a group that nobody wants"); return true }
		if n, _ := v.Walk(Order{Descending: descending, Among: NewBits(5001)}, found); n < 5000 {
			t.Errorf("descending %v: a walk to the end looks at %d groups", descending, n)
		}
		over := func(groups int) bool { return groups > 0 }
		if n, _ := v.Walk(Order{Descending: descending, Among: NewBits(5001), Over: over}, found); n > blockSize {
			t.Errorf("descending %v: a walk that is over looks at %d groups", descending, n)
		}
	}
}
