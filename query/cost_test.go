package query

import (
	"context"
	"errors"
	"testing"

	"quire/index"
)

// restaurants compiles a read of restaurants.
func restaurants(t testing.TB, c *Compiler, raw string) *Query {
	t.Helper()
	n, err := Parse(raw, Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return compileRestaurants(t, c, n)
}

func compileRestaurants(t testing.TB, c *Compiler, n *Node) *Query {
	t.Helper()
	q, err := c.Compile(c.site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return q
}

// What is heavy on a guide of 20,000 restaurants, where 10,000 rows or entries
// are much, and what is not.
func TestCost(t *testing.T) {
	const much = 10_000
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20_000)
	c, s := NewCompiler(site), x.Snapshot()
	for _, read := range guideReads {
		if cost := restaurants(t, c, read.query).Cost(s, much); cost > much {
			t.Errorf("%s costs %d", read.name, cost)
		}
	}
	for _, test := range []struct {
		query string
		heavy bool
	}{
		{"filters[documentId][$contains]=x", true},
		{"filters[documentId][$contains]=x", true},
		{"filters[$and][0][documentId]=restaurant00000000000007&filters[$and][1][documentId][$contains]=x", false},
		{"filters[slug]=r-7&filters[documentId][$contains]=x", false},
		{"filters[slug]=r-7&sort=chef.name", false},
		{"filters[rating][$gte]=0&sort=chef.name", true},
		{"sort=chef.name", true},
		{"sort=chef.restaurants.name", true},
		{"sort=seats", false},
		{"filters[chef][restaurants][documentId][$contains]=x", true},
		{"filters[opening_hours][id]=5", true},
		{"filters[opening_hours][opens]=10:00:00&filters[opening_hours][day]=tue", false},
		{"filters[opening_hours][opens]=10:00:00&filters[opening_hours][closes][$ne]=11:00:00", false},
		{"status=draft&publicationFilter=never-published", true},
		{"_q=5", true},
		{"_q=saffron", false},
		{"populate[chef][populate]=restaurants", false},
		{"populate[chef][populate][restaurants][populate][chef][populate]=restaurants", true},
		{"populate[categories][populate]=restaurants", true},
		{"populate[categories][populate][restaurants][count]=true", true},
		{"populate=*&pagination[pageSize]=100", false},
		{"pagination[start]=1000000&populate[categories][populate]=restaurants", false},
		{"filters[chef][id][$null]=true", false},
	} {
		if cost := restaurants(t, c, test.query).Cost(s, much); cost > much != test.heavy {
			t.Errorf("%s costs %d", test.query, cost)
		}
	}
	deep := restaurants(t, c, "populate[chef][populate][restaurants][populate][chef][populate]=restaurants")
	if one := deep.CostOfOne(s); one <= much/2 || restaurants(t, c, "populate=*").CostOfOne(s) > 100 {
		t.Errorf("one document, populated deeply, costs %d", one)
	}
}

// Postings are looked at only where table sizes alone would make a query heavy.
func TestCostLooksTwice(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20_000)
	q := restaurants(t, NewCompiler(site), "filters[slug]=r-7&sort=chef.name")
	if cost := q.Cost(x.Snapshot(), 1_000); cost > 100 {
		t.Errorf("one restaurant costs %d", cost)
	}
	if allocated := testing.AllocsPerRun(100, func() { q.Cost(x.Snapshot(), 1_000_000) }); allocated > 0 {
		t.Errorf("%.0f allocations where sizes tell enough", allocated)
	}
}

// gate counts how often it is asked.
type gate struct {
	asked int
	err   error
}

func (g *gate) Enter(context.Context) error { g.asked++; return g.err }

// A run asks the gate once it has cost what it may, and not before.
func TestGuard(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 3000)
	c, s := NewCompiler(site), x.Snapshot()
	closed := errors.New("closed")
	for _, test := range []struct {
		cost, asked int
		err         error
	}{{2000, 1, nil}, {2000, 1, closed}, {4000, 0, closed}} {
		q, g := restaurants(t, c, "filters[documentId][$contains]=x"), &gate{err: test.err}
		q.Guard(g, test.cost)
		_, err := q.AppendList(t.Context(), s, nil)
		if g.asked != test.asked || test.asked > 0 && !errors.Is(err, test.err) || test.asked == 0 && err != nil {
			t.Errorf("at %d the gate was asked %d times, the run ended with %v", test.cost, g.asked, err)
		}
	}
}

// fickle is a context that is cancelled when it has been asked so often.
type fickle struct {
	context.Context
	asked, last int
}

func (c *fickle) Err() error {
	if c.asked++; c.last > 0 && c.asked >= c.last {
		return context.Canceled
	}
	return nil
}

// Whatever a run is at, it asks whether it was cancelled at least every few
// thousand rows, and when it was, it ends before it has asked as often again.
func TestCancelledRunsEnd(t *testing.T) {
	const rows = 6_000
	site := loadSite(t)
	site.Settings.MaxLimit = rows
	x := emptyIndex(t, site)
	guide(t, x, rows)
	c, s := NewCompiler(site), x.Snapshot()
	for _, test := range []struct{ what, query string }{
		{"asking each row", "filters[documentId][$contains]=x"},
		{"asking each row of a group", "filters[$or][0][documentId][$contains]=x&filters[$or][1][slug]=y"},
		{"asking for the other version", "status=draft&publicationFilter=modified"},
		{"a range of many values", "filters[slug][$gte]=r-1"},
		{"crossing edges", "filters[chef][restaurants][documentId][$contains]=x"},
		{"sorting by a relation", "sort=chef.name"},
		{"a page of all", "pagination[pageSize]=6000&fields=name"},
		{"populating", "pagination[pageSize]=6000&fields=name&populate=*"},
		{"populating deeply", "populate[chef][populate][restaurants][populate][chef][populate]=restaurants"},
		{"counting what is related", "pagination[pageSize]=6000&fields=name&populate[categories][populate][restaurants][count]=true"},
	} {
		whole, stopped := &fickle{Context: t.Context()}, &fickle{Context: t.Context(), last: 2}
		steps, err := stepsOf(restaurants(t, c, test.query), whole, s)
		if err != nil && !errors.As(err, new(*ParamError)) || whole.asked < 3 || steps < rows/3 {
			t.Errorf("%s: %d steps, asked %d times, %v", test.what, steps, whole.asked, err)
		}
		steps, err = stepsOf(restaurants(t, c, test.query), stopped, s)
		if !errors.Is(err, context.Canceled) || stopped.asked > 2 || steps > 3*1024 {
			t.Errorf("%s, cancelled: %d steps, asked %d times, %v", test.what, steps, stopped.asked, err)
		}
	}
}

// stepsOf runs a list and tells how much was looked at.
func stepsOf(q *Query, ctx context.Context, s *index.Snapshot) (steps int, err error) {
	x := newReader(ctx, s, q)
	q.appendPage(x, q.matched(x), nil)
	return x.steps, x.err
}

// A sort under way ends with its context too.
func TestCancelledSortEnds(t *testing.T) {
	ctx := &fickle{Context: t.Context(), last: 1}
	x := &reader{ctx: ctx}
	compared := 0
	compare := x.interruptible(func(a, b sortable) int { compared++; return int(a.row) - int(b.row) })
	for i := range 100_000 {
		compare(sortable{row: index.Row(i)}, sortable{})
	}
	if compared > 1024 || !errors.Is(x.err, context.Canceled) {
		t.Errorf("%d comparisons, %v", compared, x.err)
	}
}

// The bytes of an answer are bounded like its entries.
func TestResponseBytes(t *testing.T) {
	site := loadSite(t)
	site.Settings.Limits.ResponseBytes = 2000
	x := emptyIndex(t, site)
	guide(t, x, 40)
	c := NewCompiler(site)
	if _, err := ask(t, c, x.Snapshot(), "restaurant", "fields=name&pagination[pageSize]=10"); err != nil {
		t.Error(err)
	}
	var refused *ParamError
	for _, query := range []string{"", "fields=name&populate[chef][populate]=restaurants"} {
		if _, err := ask(t, c, x.Snapshot(), "restaurant", query); !errors.As(err, &refused) || refused.Message != "The answer would hold more than 2000 bytes; ask for a smaller page, fewer fields, or less in populate" {
			t.Errorf("%s: %v", query, err)
		}
	}
}
