package query

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/store"
)

// grouped is an index of n restaurants of which those made one after another share
// createdAt: so many at a time as sizes says, over and over. updatedAt is ascending,
// the name random, and stars one of few values or none.
func grouped(t testing.TB, n int, sizes ...int) *index.Index {
	x := emptyIndex(t, loadSite(t))
	rng := rand.New(rand.NewPCG(3, uint64(n)))
	edit := x.Edit()
	created, left := int64(1.7e12), 0
	for i := range n {
		if left--; left <= 0 {
			created++
			left, sizes = sizes[0], append(sizes[1:len(sizes):len(sizes)], sizes[0])
		}
		e := &store.Entry{
			ID: uint64(i + 1), DocumentID: restaurantID(i), Locale: "en", Status: store.Published, CreatedAt: created, UpdatedAt: 1.7e12 + int64(i), PublishedAt: 1.7e12,
			Fields: []store.Field{{Name: "name", Value: text(fmt.Sprintf("Name %06d", rng.IntN(n)))}},
		}
		if stars := rng.Int64N(7); stars < 6 {
			e.Fields = append(e.Fields, store.Field{Name: "stars", Value: integer(stars)})
		}
		check(t, edit.Apply(store.Change{Type: "api::restaurant.restaurant", After: e}))
	}
	edit.Publish(store.CommitID{Revision: 1})
	return x
}

// sorts are the orders that the tests ask for.
var sorts = []string{
	"createdAt", "createdAt:desc", "createdAt,id:desc", "createdAt:desc,name", "createdAt,name:desc", "createdAt,updatedAt", "createdAt:desc,stars:desc,name",
	"stars", "stars:desc,createdAt:desc", "stars,createdAt,updatedAt:desc", "publishedAt", "publishedAt,id:desc", "publishedAt:desc,name", "publishedAt,createdAt:desc,name", "id:desc",
}

// A page of an order holds the rows that sorting all of them gives, whatever the
// sizes of the groups, the filter beside it, and how far down it is.
func TestOrderOfGroups(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 1))
	for _, sizes := range [][]int{{1}, {2}, {1, 40, 3}, {500, 2}, {2500}} {
		s := grouped(t, 2500, sizes...).Snapshot()
		values := map[string][]string{}
		c := NewCompiler(s.Site())
		for _, sort := range sorts {
			q := compiledRead(t, c, "sort="+sort)
			for _, among := range []*index.Bits{nil, rowsIn(s, q, 2, rng), rowsIn(s, q, 300, rng)} {
				m := &matched{tb: q.versions.whole(s, q.t), rows: among}
				want := naiveOrder(s, m, sort, values)
				m.n = len(want)
				for range 6 {
					skip, limit := rng.IntN(m.n+10), 1+rng.IntN(60)
					if rng.IntN(6) == 0 {
						skip, limit = 0, m.n+1
					}
					x := newRun(context.Background(), s, q)
					got := x.page(m, q.order, stretch{skip: skip, limit: limit})
					if want := want[min(skip, m.n):min(skip+limit, m.n)]; !slices.Equal(got, want) {
						t.Fatalf("groups of %v, %s, %d of %d from %d: got\n%v\nwant\n%v", sizes, sort, limit, m.n, skip, got, want)
					}
				}
			}
		}
	}
}

func compiledRead(t testing.TB, c *Compiler, raw string) *Query {
	t.Helper()
	n, err := params.Parse(raw, params.Limits{})
	check(t, err)
	return compileRestaurants(t, c, n)
}

// rowsIn is one row in so many.
func rowsIn(s *index.Snapshot, q *Query, in int, rng *rand.Rand) *index.Bits {
	tb := q.versions.whole(s, q.t)
	set := index.NewBits(tb.Size())
	tb.Live().Each(func(r index.Row) bool {
		if rng.IntN(in) == 0 {
			set.Add(r)
		}
		return true
	})
	return set
}

// naiveOrder sorts rows by what their entries hold. It keeps the values of each
// attribute in known.
func naiveOrder(s *index.Snapshot, m *matched, sort string, known map[string][]string) []index.Row {
	var rows []index.Row
	m.tb.Live().Each(func(r index.Row) bool {
		if m.rows == nil || m.rows.Has(r) {
			rows = append(rows, r)
		}
		return true
	})
	if sort == "createdAt:desc" || strings.HasSuffix(sort, ",createdAt:desc") {
		sort += ",id:desc"
	}
	for key := range strings.SplitSeq(sort, ",") {
		if name, _ := strings.CutSuffix(key, ":desc"); known[name] == nil {
			known[name] = columnOf(s, m.tb, name)
		}
	}
	slices.SortFunc(rows, func(a, b index.Row) int {
		for key := range strings.SplitSeq(sort, ",") {
			name, descending := strings.CutSuffix(key, ":desc")
			if n := cmp.Compare(known[name][a], known[name][b]); n != 0 && descending {
				return -n
			} else if n != 0 {
				return n
			}
		}
		return cmp.Compare(m.tb.Entry(a).ID, m.tb.Entry(b).ID)
	})
	return rows
}

// columnOf is the values of an attribute by row, as strings that order like them.
func columnOf(s *index.Snapshot, tb *index.Table, name string) []string {
	column := make([]string, tb.Size())
	a := tb.Type.Attribute(name)
	for r := range column {
		e := tb.Entry(index.Row(r))
		if key, null := s.SystemKey(a, e); !null {
			column[r] = key
		} else if slot := e.Body.Slot(a.Slot); slot != nil {
			column[r] = "0" + index.SlotKey(a, slot)
		} else {
			column[r] = "1" // nulls are the highest
		}
	}
	return column
}

// What ordering makes for a group is no longer than the group, however long the
// table is.
func TestWorkOfAnOrderFollowsItsGroups(t *testing.T) {
	const n = 8000
	for _, c := range []struct {
		group, size, sets int
		sort              string
	}{
		{2, n, 0, "createdAt:desc"},
		{2, n, 0, "createdAt,name"},
		{100, n, 0, "createdAt,name"},
		{n, 25, 0, "createdAt:desc"},
		{1000, 25, 1, "createdAt,name"},
		{n, 25, 1, "createdAt,name"},
		{n, 25, 2, "createdAt,publishedAt,name"},
	} {
		s := grouped(t, n, c.group).Snapshot()
		q := compiledRead(t, NewCompiler(s.Site()), "sort="+c.sort)
		x := newRun(context.Background(), s, q)
		rows := x.page(&matched{tb: q.versions.whole(s, q.t), n: n}, q.order, stretch{limit: c.size})
		if len(rows) != c.size || x.plan.sets > c.sets || x.plan.Visited > 3*n {
			t.Errorf("groups of %d by %s: %d rows, %d sets as long as the table and %d visits", c.group, c.sort, len(rows), x.plan.sets, x.plan.Visited)
		}
	}
}

// An order whose rows all lie at the end of an index is found by sorting them
// instead, once the walk has taken longer than that.
func TestOrderGivesUpALongWalk(t *testing.T) {
	const n = 30_000
	s := grouped(t, n, 1).Snapshot()
	q := compiledRead(t, NewCompiler(s.Site()), "sort=updatedAt&pagination[pageSize]=3")
	last := index.NewBits(q.versions.whole(s, q.t).Size())
	for r := range index.Row(200) {
		last.Add(n - 1 - r)
	}
	x := newRun(context.Background(), s, q)
	rows := x.page(&matched{tb: q.versions.whole(s, q.t), rows: last, n: 200}, q.order, stretch{limit: 3})
	if want := []index.Row{n - 200, n - 199, n - 198}; !slices.Equal(rows, want) || x.plan.Visited > (givenUp+1)*200 {
		t.Errorf("%v, after %d visits, and not %v", rows, x.plan.Visited, want)
	}
}
