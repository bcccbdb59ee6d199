package query

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"quire/index"
	"quire/query/params"
	"quire/schema"
)

// restaurants compiles a read of restaurants.
func restaurants(t testing.TB, c *Compiler, raw string) *Query {
	t.Helper()
	n, err := params.Parse(raw, params.Limits{})
	check(t, err)
	return compileRestaurants(t, c, n)
}

func compileRestaurants(t testing.TB, c *Compiler, n *params.Node) *Query {
	t.Helper()
	q, err := c.Compile(c.site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
	check(t, err)
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
		{"_q=saffron&sort=_rank", false},
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
	t.Run("looks twice", func(t *testing.T) { requireLooksTwice(t, restaurants(t, c, "filters[slug]=r-7&sort=chef.name"), s) })
}

// requireLooksTwice asks for one restaurant: postings are looked at only where table
// sizes alone would make a query heavy.
func requireLooksTwice(t *testing.T, q *Query, s *index.Snapshot) {
	if cost := q.Cost(s, 1_000); cost > 100 {
		t.Errorf("one restaurant costs %d", cost)
	}
	if allocated := testing.AllocsPerRun(100, func() { q.Cost(s, 1_000_000) }); allocated > 0 {
		t.Errorf("%.0f allocations where sizes tell enough", allocated)
	}
}

// gate counts how often it is asked.
type gate struct {
	requested int
	err       error
}

func (g *gate) Enter(context.Context) error { g.requested++; return g.err }
func (g *gate) OnTime() error               { return nil }
func (g *gate) Reserve(int) error           { return nil }

// A run asks the gate once it has cost what it may, and not before.
func TestGuard(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 3000)
	c, s := NewCompiler(site), x.Snapshot()
	closed := errors.New("closed")
	for _, test := range []struct {
		cost, requested int
		err             error
	}{{2000, 1, nil}, {2000, 1, closed}, {4000, 0, closed}} {
		q, g := restaurants(t, c, "filters[documentId][$contains]=x"), &gate{err: test.err}
		q.Guard(g, test.cost)
		_, err := q.AppendList(t.Context(), s, nil)
		if g.requested != test.requested || test.requested > 0 && !errors.Is(err, test.err) || test.requested == 0 && err != nil {
			t.Errorf("at %d the gate was asked %d times, the run ended with %v", test.cost, g.requested, err)
		}
	}
}

// fickle is a context that is cancelled when it has been asked so often.
type fickle struct {
	context.Context
	requested, last int
}

func (c *fickle) Err() error {
	if c.requested++; c.last > 0 && c.requested >= c.last {
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
		{"populating level by level", "populate[*]=5"},
		{"populating what stands in", "locale=fr&fallbackLocale=en&pagination[pageSize]=6000&fields=name&populate[chef][populate]=restaurants"},
		{"crossing edges to what stands in", "locale=fr&fallbackLocale=en&filters[chef][restaurants][documentId][$contains]=x"},
		{"sorting the first page of many", "sort=chef.name&pagination[after]=&pagination[limit]=1"},
		{"populating what matches", "pagination[pageSize]=6000&fields=name&populate[categories][filters][documentId][$contains]=x"},
		{"looking for an instance", "filters[opening_hours][day]=mon&filters[opening_hours][opens][$containsi]=x"},
		{"sorting by components", "sort=opening_hours.day"},
		{"ranking what is found", "_q=r&sort=_rank&fields=name"},
		{"counting instances", "pagination[pageSize]=6000&fields=name&populate[opening_hours][count]=true"},
		{"many conditions", many(180, func(i int) string {
			return fmt.Sprintf("filters[$or][%d][$or][%d][tagline][$containsi]=zzz%d&", i/90, i%90, i)
		})},
		{"conditions on a few rows", "filters[price_tier]=p1&" + many(180, func(i int) string {
			return fmt.Sprintf("filters[$and][%d][$and][%d][documentId][$contains]=r&", i/90, i%90)
		})},
		{"counting what is related", "pagination[pageSize]=6000&fields=name&populate[categories][populate][restaurants][count]=true"},
	} {
		whole, stopped := &fickle{Context: t.Context()}, &fickle{Context: t.Context(), last: 2}
		steps, err := stepsOf(restaurants(t, c, test.query), whole, s)
		if err != nil && !errors.As(err, new(*params.ParamError)) || whole.requested < 3 || steps < rows/3 {
			t.Errorf("%s: %d steps, asked %d times, %v", test.what, steps, whole.requested, err)
		}
		steps, err = stepsOf(restaurants(t, c, test.query), stopped, s)
		if !errors.Is(err, context.Canceled) || stopped.requested > 2 || steps > 3*1024 {
			t.Errorf("%s, cancelled: %d steps, asked %d times, %v", test.what, steps, stopped.requested, err)
		}
	}
}

// many is a query string of so many parts.
func many(n int, part func(i int) string) string {
	var all strings.Builder
	for i := range n {
		all.WriteString(part(i))
	}
	return strings.TrimSuffix(all.String(), "&")
}

// stepsOf runs a list, and returns how much was examined.
func stepsOf(q *Query, ctx context.Context, s *index.Snapshot) (steps int, err error) {
	x := newRun(ctx, s, q)
	q.appendPage(x, q.selectRows(x), nil)
	return x.steps, x.err
}

// Looking a document up can be given up, too, before anything is appended.
func TestCancelledLookUpEnds(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 300)
	n, err := params.Parse("filters[$or][0][chef][restaurants][chef][restaurants][documentId][$contains]=x&filters[$or][1][id][$notNull]=true", params.Limits{})
	check(t, err)
	q, err := NewCompiler(site).Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{Bare: true, Extra: `,"extra":true`})
	check(t, err)
	for _, ctx := range []*fickle{{Context: t.Context()}, {Context: t.Context(), last: 1}} {
		out, _, err := q.AppendBareOne(ctx, x.Snapshot(), restaurantID(7), nil)
		if cancelled := ctx.last > 0; ctx.requested == 0 || errors.Is(err, context.Canceled) != cancelled || strings.HasSuffix(string(out), `,"extra":true}`) == cancelled {
			t.Errorf("asked %d times: %q, %v", ctx.requested, out, err)
		}
	}
}

// A sort under way ends with its context too.
func TestCancelledSortEnds(t *testing.T) {
	ctx := &fickle{Context: t.Context(), last: 1}
	x := &run{ctx: ctx}
	compared := 0
	compare := interruptible(x, func(a, b sortable) int { compared++; return int(a.row) - int(b.row) })
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
	var refused *params.ParamError
	for _, query := range []string{"", "fields=name&populate[chef][populate]=restaurants"} {
		if _, err := ask(t, c, x.Snapshot(), "restaurant", query); !errors.As(err, &refused) || refused.Message != "The answer would hold more than 2000 bytes; ask for a smaller page, fewer fields, or less in populate" {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// Everything on five levels of a type with many relations to itself is compiled and
// weighed once for each level, and not once for each way to get there.
func TestLevelsAreCompiledOnce(t *testing.T) {
	var relations []string
	for i := range 40 {
		relations = append(relations, fmt.Sprintf(`"r%d": {"type": "relation", "relation": "oneToMany", "target": "api::knot.knot"}`, i))
	}
	site, err := schema.Load(fstest.MapFS{"src/api/knot/content-types/knot/schema.json": {Data: []byte(`{"kind": "collectionType",
		"info": {"singularName": "knot", "pluralName": "knots", "displayName": "Knot"}, "attributes": {` + strings.Join(relations, ", ") + `}}`)}})
	check(t, err)
	x, c := emptyIndex(t, site), NewCompiler(site)
	n, err := params.Parse("populate[*]=5", params.Limits{})
	check(t, err)
	allocations := testing.AllocsPerRun(1, func() {
		q, err := c.Compile(site.Type("api::knot.knot"), n, everything{}, Options{})
		check(t, err)
		if cost := q.CostOfOne(x.Snapshot()); q.Large() || cost < 1e6 {
			t.Errorf("large: %v, cost: %d", q.Large(), cost)
		}
	})
	if allocations > 5000 {
		t.Errorf("%v allocations", allocations)
	}
}
