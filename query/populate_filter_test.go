package query

import (
	"testing"

	"quire/index"
)

// A condition in populate is asked of each row at most once: where the same rows
// are populated again and again, those that satisfy it are selected.
func TestPopulateAsksEachRowOnce(t *testing.T) {
	site := loadSite(t)
	site.Settings.Limits.ResponseEntries = 10_000_000
	x := emptyIndex(t, site)
	guide(t, x, 1000)
	c, s := NewCompiler(site), x.Snapshot()
	for _, operator := range []string{"$contains", "$containsi"} {
		p := &Plan{Explain: true}
		q := restaurants(t, c, "fields=name&pagination[pageSize]=100&populate[chef][populate][restaurants][filters][documentId]["+operator+"]=zzz")
		q.Observe(p)
		selected := 0
		if _, err := q.AppendList(t.Context(), s, nil); err != nil {
			t.Fatal(err)
		}
		for _, step := range p.Steps() {
			if step == "900 rows of api::restaurant.restaurant were asked, from now on selected" {
				selected++
			}
		}
		if selected != 1 {
			t.Errorf("%s: selected %d times: %q", operator, selected, p.Steps())
		}
	}
}

// A test that takes upper and lower case for the same allocates nothing more than
// one that does not.
func TestFoldingAllocatesNothing(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 200)
	c, s := NewCompiler(site), x.Snapshot()
	allocated := func(operator string) float64 {
		q := restaurants(t, c, "filters[story]["+operator+"]=zzz")
		run := newRun(t.Context(), s, q)
		defer run.close()
		tb := run.table(q.t)
		return testing.AllocsPerRun(10, func() {
			tb.Live().Each(func(r index.Row) bool { run.matches(q.where, entryRecord(tb, r)); return true })
		})
	}
	if plain, folding := allocated("$contains"), allocated("$containsi"); folding > plain {
		t.Errorf("%.0f allocations for 180 rows, without folding %.0f", folding, plain)
	}
}

func BenchmarkTextInPopulate(b *testing.B) {
	site := loadSite(b)
	x := emptyIndex(b, site)
	guide(b, x, 2000)
	c, s := NewCompiler(site), x.Snapshot()
	for _, operator := range []string{"$contains", "$containsi"} {
		b.Run(operator, func(b *testing.B) {
			q := restaurants(b, c, "fields=name&pagination[pageSize]=100&populate[chef][populate][restaurants][filters][story]["+operator+"]=zzz")
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = q.AppendList(b.Context(), s, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
