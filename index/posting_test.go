package index

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// rowsOf is a posting as a list.
func rowsOf(p Posting) []Row {
	var rows []Row
	p.Each(func(r Row) bool { rows = append(rows, r); return true })
	return rows
}

func bitsOf(rows []Row, universe Row) *Bits {
	b := NewBits(universe)
	for _, r := range rows {
		b.Add(r)
	}
	return b
}

// A posting holds what a plain set holds after the same adds and removes, in
// every form, and older editions keep what they held.
func TestPostingIsASet(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for range 50 {
		universe := Row(1 + rng.IntN(9000))
		want := map[Row]bool{}
		var p Posting
		own := &edition{}
		var kept Posting
		var keptRows []Row
		for step := range 3000 {
			r := Row(rng.IntN(int(universe)))
			if rng.IntN(3) > 0 {
				p = p.add(r, universe, own)
				want[r] = true
			} else {
				p = p.remove(r, own)
				delete(want, r)
			}
			if step == 1500 {
				kept, keptRows, own = p, rowsOf(p), &edition{}
			}
		}
		rows := make([]Row, 0, len(want))
		for r := range want {
			rows = append(rows, r)
		}
		slices.Sort(rows)
		if got := rowsOf(p); !slices.Equal(got, rows) || p.Len() != len(rows) {
			t.Fatalf("universe %d: got %d rows counted as %d, want %d", universe, len(got), p.Len(), len(rows))
		}
		if got := rowsOf(kept); !slices.Equal(got, keptRows) {
			t.Fatalf("an older edition changed from %d to %d rows", len(keptRows), len(got))
		}
		checkPostingViews(t, p, rows, universe, rng)
	}
}

// checkPostingViews compares the ways to look at a posting with its rows.
func checkPostingViews(t *testing.T, p Posting, rows []Row, universe Row, rng *rand.Rand) {
	t.Helper()
	var others []Row
	for range rng.IntN(200) {
		others = append(others, Row(rng.IntN(int(universe))))
	}
	other := bitsOf(others, universe)
	common := 0
	for _, r := range rows {
		if !p.Has(r) {
			t.Fatalf("row %d is missing", r)
		}
		if other.Has(r) {
			common++
		}
	}
	if got := p.CountIn(other); got != common {
		t.Fatalf("%d rows in common, want %d", got, common)
	}
	below := Row(rng.IntN(int(universe) + 70))
	counted, inBoth := 0, 0
	for _, r := range rows {
		if r < below {
			counted++
			if other.Has(r) {
				inBoth++
			}
		}
	}
	if got, both := p.CountBelow(below, nil), p.CountBelow(below, other); got != counted || both != inBoth {
		t.Fatalf("below row %d: %d rows and %d in common, want %d and %d", below, got, both, counted, inBoth)
	}
	rest := bitsOf(others, universe)
	if p.TakeFrom(rest); rest.Count() != other.Count()-common || p.CountIn(rest) != 0 {
		t.Fatalf("%d rows are left of %d with %d in common", rest.Count(), other.Count(), common)
	}
	both := bitsOf(others, universe)
	if p.KeepIn(both); both.Count() != common || p.CountIn(both) != common {
		t.Fatalf("%d rows are kept with %d in common", both.Count(), common)
	}
	if got := p.Intersects(other); got != (common > 0) {
		t.Fatalf("intersects is %v with %d rows in common", got, common)
	}
	skip := rng.IntN(len(rows) + 2)
	var tail []Row
	p.Walk(false, nil, skip, func(r Row) bool { tail = append(tail, r); return true })
	if !slices.Equal(tail, rows[min(skip, len(rows)):]) {
		t.Fatalf("after the first %d rows: got %d, want %d", skip, len(tail), len(rows)-skip)
	}
	all := NewBits(universe)
	p.AddTo(all)
	if all.Count() != len(rows) {
		t.Fatalf("as bits: %d rows, want %d", all.Count(), len(rows))
	}
	if got := all.CountBelow(below); got != counted {
		t.Fatalf("as bits: %d rows below row %d, want %d", got, below, counted)
	}
	var back []Row
	all.Walk(true, 0, func(r Row) bool { back = append(back, r); return true })
	slices.Reverse(back)
	if !slices.Equal(back, rows) {
		t.Fatalf("backwards: %d rows, want %d", len(back), len(rows))
	}
}

// What is united is what each of the postings adds.
func TestUnitedPostingsAreAllAdded(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 4))
	for range 200 {
		universe := Row(1 + rng.IntN(20_000))
		got, want := bitsOf([]Row{universe - 1}, universe), bitsOf([]Row{universe - 1}, universe)
		united := got.Unite()
		for range rng.IntN(20) {
			var rows []Row
			size, every := 1+rng.IntN(int(universe)), 1+rng.IntN(60)
			for r := range Row(size) {
				if rng.IntN(every) == 0 {
					rows = append(rows, r)
				}
			}
			p := postingOf(rows, Row(size))
			united.Add(p)
			p.AddTo(want)
		}
		if united.Done(); !slices.Equal(got.words, want.words) {
			t.Fatalf("universe %d: %d rows, want %d", universe, got.Count(), want.Count())
		}
	}
}

// BenchmarkUnited adds bitmaps of a million rows together and, for comparison, in turn.
func BenchmarkUnited(b *testing.B) {
	const universe = 1_000_000
	var postings []Posting
	for i := range 5 {
		var rows []Row
		for r := Row(i); r < universe; r += 25 {
			rows = append(rows, r)
		}
		postings = append(postings, postingOf(rows, universe))
	}
	b.Run("together", func(b *testing.B) {
		for b.Loop() {
			out := NewBits(universe)
			united := out.Unite()
			for _, p := range postings {
				united.Add(p)
			}
			united.Done()
			out.Release()
		}
	})
	b.Run("in turn", func(b *testing.B) {
		for b.Loop() {
			out := NewBits(universe)
			for _, p := range postings {
				p.AddTo(out)
			}
			out.Release()
		}
	})
}

func TestPostingOfRows(t *testing.T) {
	for _, n := range []int{0, 1, 2, 16, 17, 400, 4000} {
		rows := make([]Row, n)
		for i := range rows {
			rows[i] = Row(i * 2)
		}
		p := postingOf(rows, 8000)
		if got := rowsOf(p); !slices.Equal(got, rows) || p.Len() != n {
			t.Errorf("%d rows come back as %d, counted as %d", n, len(got), p.Len())
		}
	}
}

// EachBatch visits the rows of Each, also if they are removed meanwhile, and ends when it is
// to.
func TestBatches(t *testing.T) {
	for _, n := range []int{0, 1, Batch - 1, Batch, Batch + 1, 5*Batch + 3} {
		b := NewBits(10_000)
		var want, got []Row
		for i := range n {
			want = append(want, Row(i*97))
			b.Add(Row(i * 97))
		}
		b.EachBatch(func(rows []Row) bool {
			got = append(got, rows...)
			b.Remove(rows[0])
			return len(got) < 3*Batch
		})
		visited := min(n, 3*Batch)
		if left := n - (visited+Batch-1)/Batch; !slices.Equal(got, want[:visited]) || b.Count() != left {
			t.Errorf("%d rows: %v, and %d left, want %d", n, got, b.Count(), left)
		}
	}
}
