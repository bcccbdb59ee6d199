package query

import (
	"errors"
	"fmt"
	"quire/query/params"
	"strings"
	"testing"
)

// Each limit refuses what goes beyond it with an error that says so, and lets
// through what just reaches it.
func TestLimits(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 40)
	l := &site.Settings.Limits
	l.Conditions, l.PopulateEntries, l.PopulateDepth, l.ResponseEntries = 3, 2, 3, 60
	c := NewCompiler(site)
	deep := func(n int) string { return "populate=" + strings.TrimSuffix(strings.Repeat("nearby.", n), ".") }
	for _, test := range []struct{ within, beyond, word string }{
		{"filters[$or][0][stars]=1&filters[$or][1][stars]=2&filters[vegan]=true", "filters[$or][0][stars]=1&filters[$or][1][stars]=2&filters[vegan]=true&filters[slug]=x", "conditions"},
		{"filters[stars][$gt][0]=1&filters[stars][$gt][1]=2", "filters[stars][$gt][0]=1&filters[stars][$gt][1]=2&filters[stars][$gt][2]=3&filters[stars][$gt][3]=4", "conditions"},
		{"populate[chef]=true&populate[seo]=true", "populate[chef]=true&populate[seo]=true&populate[cover]=true", "populate entries"},
		{"populate[0]=chef&populate[1]=seo", "populate[0]=chef&populate[1]=seo&populate[2]=cover", "populate entries"},
		{"populate=chef,seo", "populate=chef,seo,cover", "populate entries"},
		{deep(3), deep(4), "deeper"},
		{"populate[nearby][populate][nearby][populate]=nearby", "populate[nearby][populate][nearby][populate][nearby][populate]=nearby", "deeper"},
		{"fields=name&pagination[pageSize]=20&populate=chef", "fields=name&populate[chef][populate]=restaurants", "entries"},
	} {
		if _, err := ask(t, c, x.Snapshot(), "restaurant", test.within); err != nil {
			t.Errorf("%s: %v", test.within, err)
		}
		_, err := ask(t, c, x.Snapshot(), "restaurant", test.beyond)
		var refused *params.ParamError
		if !errors.As(err, &refused) || !strings.Contains(refused.Message, test.word) {
			t.Errorf("%s: got %v, want a refusal that speaks of %s", test.beyond, err, test.word)
		}
	}
}

// The plan says how many rows were looked at: a filter on an indexed attribute
// must not look at all of them.
func TestPlanOfAnIndexedFilter(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 2000)
	c := NewCompiler(site)
	n, err := params.Parse("filters[stars]=5&sort=rating:desc", params.Limits{})
	check(t, err)
	q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
	check(t, err)
	plan := Plan{Explain: true}
	q.Observe(&plan)
	if _, err := q.AppendList(t.Context(), x.Snapshot(), nil); err != nil {
		t.Fatal(err)
	}
	if plan.Returned != 25 || plan.Matched < 300 || plan.Visited > 600 {
		t.Errorf("the plan is %s", &plan)
	}
	if want := "stars equals: index"; !strings.Contains(fmt.Sprint(plan.Steps()), want) {
		t.Errorf("the steps are %q, want one that says %q", plan.Steps(), want)
	}
}
