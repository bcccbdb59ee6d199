package query

import (
	"context"
	"quire/query/params"
	"strings"
	"testing"
)

// TestCircles leads queries round and round through relations with a hundred
// targets each. The work has to stay in proportion to the rows that there are:
// the patience of the context is a few times that, and every further round
// would take a thousand times more.
func TestCircles(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 1000)
	c := NewCompiler(site)
	round := func(times int, way string) string { return strings.Repeat(way, times) }
	for name, raw := range map[string]string{
		"sort":               "sort=" + round(9, "chef.restaurants.") + "name",
		"sort descending":    "sort=" + round(5, "categories.restaurants.") + "name:desc",
		"filter":             "filters" + round(8, "[chef][restaurants]") + "[tagline]=zzz",
		"filter of few rows": "filters[stars]=4&filters[price_tier]=p1&filters[seats][$lt]=30&filters" + round(8, "[chef][restaurants]") + "[tagline][$containsi]=zzz",
		"either":             "filters[$or][0][id]=7&filters[$or][1]" + round(6, "[categories][restaurants]") + "[tagline][$endsWith]=zzz",
		"filter in populate": "pagination[pageSize]=1&populate[categories][filters]" + round(6, "[restaurants][chef]") + "[name]=zzz",
		"sort in populate":   "pagination[pageSize]=1&populate[nearby]=true&populate[categories][sort]=" + round(6, "restaurants.categories.") + "name",
	} {
		n, err := params.Parse(raw, params.Limits{})
		check(t, err)
		q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
		check(t, err)
		if _, err := q.AppendList(&patience{context.Background(), 300}, x.Snapshot(), nil); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}
