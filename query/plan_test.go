package query

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
)

var update = flag.Bool("update", false, "write the plans as they are into testdata/plans")

// planned are reads of 2,000 restaurants whose plans testdata/plans pins.
var planned = []struct{ name, query string }{
	{"list", ""},
	{"page", "sort=name&pagination[page]=50"},
	{"last", "sort=rating:desc&pagination[start]=1600&pagination[limit]=25"},
	{"newest", "sort=id:desc"},
	{"sort-two-keys", "sort[0]=price_tier&sort[1]=name"},
	{"sort-relation", "sort=chef.name"},
	{"filter", "filters[price_tier]=p2&filters[stars][$gte]=4&sort=rating:desc"},
	{"filter-document", "filters[documentId]=restaurant00000000000007"},
	{"filter-range", "filters[seats][$between][0]=100&filters[seats][$between][1]=104"},
	{"filter-in", "filters[slug][$in][0]=r-1&filters[slug][$in][1]=r-2&filters[vegan]=false"},
	{"filter-null", "filters[stars][$null]=true&filters[price_tier][$ne]=p1"},
	{"filter-component", "filters[location][city]=Rome"},
	{"filter-same-instance", "filters[opening_hours][day]=tue&filters[opening_hours][opens]=10:00:00"},
	{"relation", "filters[chef][name][$startsWith]=C&filters[categories][code][$lt]=5&sort=name"},
	{"relation-inverse", "filters[reviews][note][$gte]=9&filters[price_tier]=p1"},
	{"relation-none", "filters[chef][id][$null]=true"},
	{"logic", guideReads[4].query},
	{"contains", "filters[tagline][$containsi]=saffron&sort=name"},
	{"contains-case", "filters[tagline][$contains]=saffron&filters[rating][$gt]=4.5"},
	{"search", "_q=harbor&fields=name"},
	{"search-rank", "_q=harbor&fields=name&sort=_rank"},
	{"populate", "populate=*&pagination[pageSize]=10"},
	{"drafts-only", "status=draft&publicationFilter=never-published"},
	{"deep", "populate[*]=3&pagination[pageSize]=2"},
}

// plannedTranslated are reads where every third restaurant has a French version too.
var plannedTranslated = []struct{ name, query string }{
	{"locales", "locale[0]=en&locale[1]=fr&sort=name"},
	{"fallback", "locale=fr&fallbackLocale=en"},
	{"fallback-sort", "locale=fr&fallbackLocale=it,en&sort=name"},
	{"fallback-filter", "locale=fr&fallbackLocale=en&filters[price_tier]=p2&filters[chef][name][$startsWith]=C"},
	{"after", "pagination[after]="},
	{"after-sort", "sort=name&pagination[after]="},
	{"after-groups", "sort=price_tier,name:desc&filters[stars][$gte]=2&pagination[after]="},
	{"after-relation", "sort=chef.name&pagination[after]="},
}

func TestPlans(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 2000)
	c := NewCompiler(site)
	for _, read := range planned {
		t.Run(read.name, func(t *testing.T) {
			p := &Plan{Explain: true}
			observe(t, c, x.Snapshot(), read.query, p)
			golden(t, read.name, fmt.Sprintf("%s\n\n%s", read.query, planText(p)))
		})
	}
}

func TestPlansOfTranslations(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 2000)
	translate(t, x, 3)
	c := NewCompiler(site)
	for _, read := range plannedTranslated {
		t.Run(read.name, func(t *testing.T) {
			query := read.query
			if strings.HasSuffix(query, "after]=") {
				p := &pager{t: t, c: c, of: site.Type("api::restaurant.restaurant"), query: strings.TrimSuffix(query, "pagination[after]="), as: everything{}}
				p.page(x.Snapshot())
				query += p.next
			}
			p := &Plan{Explain: true}
			observe(t, c, x.Snapshot(), query, p)
			golden(t, read.name, fmt.Sprintf("%s\n\n%s", read.query, planText(p)))
		})
	}
}

// observe runs a read of restaurants.
func observe(t testing.TB, c *Compiler, s *index.Snapshot, query string, p *Plan) {
	t.Helper()
	n, err := params.Parse(query, params.Limits{})
	check(t, err)
	q, err := c.Compile(s.Site().Type("api::restaurant.restaurant"), n, everything{}, Options{})
	check(t, err)
	q.Observe(p)
	if _, err := q.AppendList(context.Background(), s, nil); err != nil {
		t.Fatal(err)
	}
}

// planText is all of a plan but the times.
func planText(p *Plan) string {
	text := ""
	for _, step := range p.Steps() {
		text += step + "\n"
	}
	return fmt.Sprintf("%svisited %d, matched %d, returned %d\n", text, p.Visited, p.Matched, p.Returned)
}

func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata/plans", name+".txt")
	if *update {
		check(t, os.WriteFile(file, []byte(got), 0o644))
		return
	}
	want, err := os.ReadFile(file)
	check(t, err)
	if got != string(want) {
		t.Errorf("the plan has changed; if that is meant, run go test ./query -run TestPlans -update\ngot:\n%s\nwant:\n%s", got, want)
	}
}

func TestPlanOfOneDocument(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20)
	q, err := NewCompiler(site).Compile(site.Type("api::restaurant.restaurant"), nil, everything{}, Options{})
	check(t, err)
	p := &Plan{Explain: true}
	q.Observe(p)
	for range 2 { // a plan can be used again
		p.Reset()
		if _, found, err := q.AppendOne(context.Background(), x.Snapshot(), restaurantID(3), nil); !found || err != nil {
			t.Fatal(found, err)
		}
		if got := planText(p); got != "look-up of the document\nvisited 1, matched 1, returned 1\n" {
			t.Error(got)
		}
	}
	if p.Encode <= 0 || !strings.HasPrefix(p.String(), "look-up of the document; visited 1, matched 1, returned 1; select ") {
		t.Error(p)
	}
}

// A plan stays short whatever is asked.
func TestPlanIsBounded(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 200)
	var conditions []string
	for i := range 100 {
		conditions = append(conditions, fmt.Sprintf("filters[$or][%d][stars]=%d", i, i))
	}
	p := &Plan{Explain: true}
	observe(t, NewCompiler(site), x.Snapshot(), strings.Join(conditions, "&"), p)
	if len(p.Steps()) != maxSteps {
		t.Errorf("%d steps", len(p.Steps()))
	}
	p.Reset()
	observe(t, NewCompiler(site), x.Snapshot(), "sort[0]=vegan&sort[1]=price_tier&sort[2]=rating", p)
	if len(p.Steps()) != 2 {
		t.Errorf("a sort has the steps %q", p.Steps())
	}
}

// A plan names attributes and never what they are compared with.
func TestPlanHasNoValues(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 200)
	c := NewCompiler(site)
	for _, query := range []string{
		"filters[secret_note]=hush", "filters[secret_note][$contains]=hush", "filters[secret_note][$in][0]=hush", "filters[secret_note][$gt]=hush",
		"filters[documentId]=hush", "filters[chef][name][$startsWithi]=hush", "filters[location][city][$ne]=hush", "_q=hush", "locale=hush", "filters[name][$not][$eqi]=hush",
	} {
		n, err := params.Parse(query, params.Limits{})
		check(t, err)
		q, err := c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{})
		if err != nil {
			continue // nobody may filter by what is private
		}
		p := &Plan{Explain: true}
		q.Observe(p)
		if _, err := q.AppendList(context.Background(), x.Snapshot(), nil); err != nil {
			t.Fatal(err)
		}
		if strings.Contains(p.String(), "hush") {
			t.Errorf("%s: %s", query, p)
		}
	}
}
