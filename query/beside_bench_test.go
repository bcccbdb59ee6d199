package query

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/index"
)

// BenchmarkListsBeside measures a list from cursor to cursor beside the same page by
// offset, and one with fallback locales beside one without, in turn: of-plain is how
// many times as long it takes, by the medians. One restaurant in three has a French version.
func BenchmarkListsBeside(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		site := loadSite(b)
		x := emptyIndex(b, site)
		guide(b, x, n)
		translate(b, x, 3)
		s, c := x.Snapshot(), NewCompiler(site)
		for _, pair := range []struct{ name, plain, other string }{
			{"after", "pagination[start]=25&pagination[limit]=25", "pagination[after]="},
			{"after-name", "sort=name&pagination[start]=25&pagination[limit]=25", "sort=name&pagination[after]="},
			{"after-tier", "sort=price_tier,name:desc&pagination[start]=25&pagination[limit]=25", "sort=price_tier,name:desc&pagination[after]="},
			{"after-filter", "filters[price_tier]=p2&sort=rating:desc&pagination[start]=25&pagination[limit]=25", "filters[price_tier]=p2&sort=rating:desc&pagination[after]="},
			{"after-relation", "filters[price_tier]=p2&sort=chef.name&pagination[start]=25&pagination[limit]=25", "filters[price_tier]=p2&sort=chef.name&pagination[after]="},
			{"after-populate", "populate=*&pagination[start]=25&pagination[limit]=25", "populate=*&pagination[after]="},
			{"fallback", "locale=en", "locale=en&fallbackLocale=fr"},
			{"fallback-french", "locale[0]=fr&locale[1]=en", "locale=fr&fallbackLocale=en"},
			{"fallback-name", "locale=en&sort=name", "locale=fr&fallbackLocale=en&sort=name"},
			{"fallback-filter", "locale=en&filters[price_tier]=p2&sort=rating:desc", "locale=fr&fallbackLocale=en&filters[price_tier]=p2&sort=rating:desc"},
			{"fallback-populate", "locale=en&populate=*", "locale=fr&fallbackLocale=en&populate=*"},
		} {
			plain, other := compiledRead(b, c, pair.plain), pair.other
			if strings.HasSuffix(other, "after]=") {
				out, err := compiledRead(b, c, other).AppendList(context.Background(), s, nil)
				check(b, err)
				_, next, _ := strings.Cut(string(out), `"next":"`)
				other += next[:strings.IndexByte(next, '"')]
			}
			b.Run(fmt.Sprint(n, "/", pair.name), func(b *testing.B) { inTurn(b, s, plain, compiledRead(b, c, other)) })
		}
	}
}

func inTurn(b *testing.B, s *index.Snapshot, queries ...*Query) {
	var dst []byte
	var took [2][]time.Duration
	inTurn := func() {
		for i, q := range queries {
			begun := time.Now()
			var err error
			if dst, err = q.AppendList(context.Background(), s, dst[:0]); err != nil {
				b.Fatal(err)
			}
			took[i] = append(took[i], time.Since(begun))
		}
	}
	inTurn() // builds indexes
	inTurn()
	took = [2][]time.Duration{}
	for b.Loop() {
		inTurn()
	}
	var median [2]float64
	for i, all := range took {
		slices.Sort(all)
		median[i] = float64(all[len(all)/2])
	}
	b.ReportMetric(median[1]/median[0], "of-plain")
}
