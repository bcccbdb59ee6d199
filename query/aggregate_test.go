package query

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// aggregated compiles an aggregate over restaurants.
func aggregated(t testing.TB, c *Compiler, raw string) *Aggregate {
	t.Helper()
	n, err := params.Parse(raw, params.Limits{})
	check(t, err)
	a, err := c.CompileAggregate(c.site.Type("api::restaurant.restaurant"), n, everything{})
	check(t, err)
	return a
}

// figuresPlanned are aggregates over 2,000 restaurants whose plans testdata/plans pins.
var figuresPlanned = []struct{ name, query string }{
	{"aggregate-count", ""},
	{"aggregate-all", "sum=seats,rating&max=name"},
	{"aggregate-ends", "min=founded&max=name,stars"},
	{"aggregate-group", "groupBy=price_tier"},
	{"aggregate-many-groups", "groupBy=name&pagination[page]=3"},
	{"aggregate-figures", "groupBy=price_tier&avg=rating&min=founded&sort=avg.rating:desc"},
	{"aggregate-filter", "groupBy=location.city&sum=seats&filters[stars]=5"},
	{"aggregate-few", "groupBy=slug&max=rating&filters[slug][$in][0]=r-1&filters[slug][$in][1]=r-2"},
	{"aggregate-two-keys", "groupBy=price_tier,stars&sort=count:desc"},
	{"aggregate-relation", "groupBy=chef.name&avg=rating"},
	{"aggregate-relations", "groupBy=chef.restaurants.price_tier"},
	{"aggregate-instances", "groupBy=opening_hours.day"},
	{"aggregate-ids", "groupBy=documentId&filters[price_tier]=p1"},
}

func TestAggregatePlans(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 2000)
	c := NewCompiler(site)
	for _, read := range figuresPlanned {
		t.Run(read.name, func(t *testing.T) {
			a, p := aggregated(t, c, read.query), &Plan{Explain: true}
			a.Query().Observe(p)
			if _, err := a.Append(t.Context(), x.Snapshot(), nil); err != nil {
				t.Fatal(err)
			}
			golden(t, read.name, fmt.Sprintf("%s\n\n%s", read.query, planText(p)))
		})
	}
}

// numbers is an index of restaurants with these values of an attribute.
func numbers(t testing.TB, attribute string, values ...store.Value) *index.Snapshot {
	t.Helper()
	x := emptyIndex(t, loadSite(t))
	edit := x.Edit()
	for i, v := range values {
		e := &store.Entry{ID: uint64(i + 1), DocumentID: restaurantID(i), Locale: "en", Status: store.Published, CreatedAt: 1.7e12, UpdatedAt: 1.7e12, PublishedAt: 1.7e12,
			Fields: []store.Field{{Name: attribute, Value: v}, {Name: "name", Value: text([]string{"even", "odd"}[i%2])}}}
		check(t, edit.Apply(store.Change{Type: "api::restaurant.restaurant", After: e}))
	}
	return edit.Publish(store.CommitID{Revision: 1})
}

func floats(values ...float64) (all []store.Value) {
	for _, v := range values {
		all = append(all, float(v))
	}
	return all
}

func integers(values ...int64) (all []store.Value) {
	for _, v := range values {
		all = append(all, integer(v))
	}
	return all
}

func TestSumsAreExact(t *testing.T) {
	const most, least = math.MaxInt64, math.MinInt64
	for _, test := range []struct {
		attribute string
		values    []store.Value
		want      string // sum and average
	}{
		{"stars", integers(1, 2), `3 1.5`},
		{"stars", integers(1, 1, 2), `4 1.3333333333333333`},
		{"stars", integers(-1, 1), `0 0`},
		{"stars", integers(most, most), `18446744073709551614 9223372036854776000`},
		{"seats", integers(most, most, most), `"27670116110564327421" "9223372036854775807"`},
		{"seats", integers(least, least, least), `"-27670116110564327424" "-9223372036854775808"`},
		{"seats", integers(most, least), `"-1" "-0.5"`},
		{"seats", integers(1, 0, 0), `"1" "0.3333333333333333"`},
		{"seats", integers(-2, 0, 0), `"-2" "-0.6666666666666667"`},
		{"rating", floats(.1, .2), `0.3 0.15`},
		{"rating", floats(.1, .2, .3, -.6), `0 0`},
		{"rating", floats(1e16, 1, -1e16), `1 0.3333333333333333`},
		{"rating", floats(1e21, 1e-7, -1e21), `1e-7 3.3333333333333334e-8`},
		{"rating", floats(1e300, 5e-324, -1e300), `5e-324 0`},
		{"rating", floats(math.MaxFloat64, -math.MaxFloat64, 1), `1 0.3333333333333333`},
		{"rating", floats(9007199254740993, 1), `9007199254740992 4503599627370496`},
		{"rating", floats(4.333333333333333, 4.333333333333333), `8.666666666666666 4.333333333333333`},
	} {
		s := numbers(t, test.attribute, test.values...)
		want := strings.Fields(test.want)
		out, err := aggregated(t, NewCompiler(s.Site()), "sum="+test.attribute+"&avg="+test.attribute).Append(t.Context(), s, nil)
		if text := fmt.Sprintf(`{"data":{"sum":{"%s":%s},"avg":{"%s":%s}},"meta":{}}`, test.attribute, want[0], test.attribute, want[1]); err != nil || string(out) != text {
			t.Errorf("%v: %s, %v; want %s", test.values, out, err, text)
		}
		grouped, err := aggregated(t, NewCompiler(s.Site()), "groupBy=locale&sum="+test.attribute).Append(t.Context(), s, nil)
		if err != nil || !bytes.Contains(grouped, []byte(`"sum":{"`+test.attribute+`":`+want[0]+`}`)) {
			t.Errorf("%v, in a group: %s, %v", test.values, grouped, err)
		}
	}
}

// A sum that no number holds is refused, an average never is.
func TestSumsPastAllNumbers(t *testing.T) {
	s := numbers(t, "rating", floats(math.MaxFloat64, 1, math.MaxFloat64)...)
	c := NewCompiler(s.Site())
	for query, want := range map[string]string{"sum=rating": "", "groupBy=name&sum=rating": "", "groupBy=name&avg=rating": `"avg":{"rating":1.7976931348623157e+308}`} {
		out, err := aggregated(t, c, query).Append(t.Context(), s, nil)
		var refused *params.ParamError
		if want == "" && (!errors.As(err, &refused) || refused.Message != "The sum of rating is larger than a number can be") || want != "" && !strings.Contains(string(out), want) {
			t.Errorf("%s: %s, %v", query, out, err)
		}
	}
}

// Random sums agree with those of big numbers, in whatever order they are made.
func TestTotalsAgreeWithBigNumbers(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	site := loadSite(t)
	rating, seats := site.Type("api::restaurant.restaurant").Attribute("rating"), site.Type("api::restaurant.restaurant").Attribute("seats")
	for range 500 {
		var fast [2]total
		want := [2]*big.Rat{new(big.Rat), new(big.Rat)}
		for range 1 + rng.IntN(40) {
			f, n, times := math.Float64frombits(rng.Uint64()), int64(rng.Uint64()), 1+rng.IntN(3)
			switch {
			case rng.IntN(2) == 0 || math.IsNaN(f) || math.IsInf(f, 0):
				f = math.Round((rng.Float64()-.5)*1e6) / 100
			}
			fast[0].add(amountOf(rating, index.FloatKey(f)), times)
			fast[1].add(amountOf(seats, index.IntKey(n)), times)
			for i, text := range []string{string(index.AppendNumber(nil, f)), fmt.Sprint(n)} {
				one, _ := new(big.Rat).SetString(text)
				want[i].Add(want[i], one.Mul(one, big.NewRat(int64(times), 1)))
			}
		}
		for i, a := range []*schema.Attribute{rating, seats} {
			if got := fast[i].exact(a); got.Cmp(want[i]) != 0 {
				t.Fatalf("got %s, want %s", got, want[i])
			}
		}
	}
}

// Values read off an index and values gathered from rows are the same shares.
func TestBothWaysToValuesAgree(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 500)
	s, rng := x.Snapshot(), rand.New(rand.NewPCG(1, 2))
	q := restaurants(t, NewCompiler(site), "")
	for _, in := range []int{1, 3, 100} {
		m := &matched{tb: q.versions.whole(s, q.t), rows: rowsIn(s, q, in, rng)}
		m.n = m.rows.Count()
		for _, name := range []string{"name", "stars", "rating", "vegan", "founded", "location.city", "opening_hours.day", "publishedAt", "meta"} {
			k, err := (&compilation{access: everything{}}).path(scope{t: q.t}, strings.Split(name, "."), true, "groupBy")
			check(t, err)
			run := newRun(t.Context(), s, q)
			var ways [2][]string
			note := func(way int) func(*share) bool {
				return func(one *share) bool {
					rows := 0
					line := fmt.Sprintf("%x %t %d:", one.key, one.null, one.first())
					one.each(func(r index.Row) bool { line += fmt.Sprint(" ", r); rows++; return true })
					if rows != one.n {
						t.Errorf("%s: %d rows and not %d", name, rows, one.n)
					}
					ways[way] = append(ways[way], line)
					return true
				}
			}
			run.walkShares(m, s.Values(m.tb, k.path), note(0))
			run.gatherShares(m, k.path, note(1))
			if !slices.Equal(ways[0], ways[1]) || len(ways[0]) == 0 {
				t.Errorf("%s of one in %d:\n%q\n%q", name, in, ways[0], ways[1])
			}
		}
	}
}

// There are at most so many groups, whichever way they come about.
func TestGroupsAreBounded(t *testing.T) {
	s := grouped(t, mostGroups+1, 1).Snapshot()
	c := NewCompiler(s.Site())
	for query, refused := range map[string]bool{
		"groupBy=updatedAt": true, "groupBy=documentId": true, "groupBy=updatedAt&max=name": true, "groupBy=updatedAt,stars": true, "groupBy=stars,updatedAt": true,
		"groupBy=updatedAt&filters[id][$gt]=1": false, "groupBy=stars": false, "min=name&max=updatedAt": false,
	} {
		_, err := aggregated(t, c, query).Append(t.Context(), s, nil)
		var param *params.ParamError
		if errors.As(err, &param) != refused || err != nil && !strings.Contains(err.Error(), "There are more than 100000 groups") {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// figuresOf runs an aggregate for a host and returns what was allocated.
func figuresOf(t *testing.T, a *Aggregate, s *index.Snapshot, p *purse) (allocated int, err error) {
	t.Helper()
	a.Query().Guard(p, Unlimited)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = a.Append(t.Context(), s, nil)
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc), err
}

// What groups take is held before it is taken, and a run for which it is not ends.
func TestMemoryOfGroupsIsHeld(t *testing.T) {
	const limit = 256 << 10
	s := grouped(t, 20_000, 1).Snapshot()
	c := NewCompiler(s.Site())
	for _, query := range []string{
		"groupBy=updatedAt", "groupBy=documentId", "groupBy=stars,name", "groupBy=updatedAt&sum=stars&sort=sum.stars", "groupBy=updatedAt&min=name&max=name", "groupBy=localizations.name,id",
		"groupBy=name&sort=count",
	} {
		a := aggregated(t, c, query)
		if _, err := figuresOf(t, a, s, &purse{limit: 1 << 30}); err != nil { // builds the indexes
			t.Fatal(err)
		}
		rich, poor := &purse{limit: 1 << 30}, &purse{limit: limit}
		whole, err := figuresOf(t, a, s, rich)
		if err != nil || rich.held < whole/3 {
			t.Errorf("%s: held %d, allocated %d, %v", query, rich.held, whole, err)
		}
		part, err := figuresOf(t, a, s, poor)
		if raceDetector {
			part = 0 // its pools drop what they are given, at random
		}
		if !errors.Is(err, errEmpty) || part > 4*limit || part > whole/2 {
			t.Errorf("%s, refused: %d allocated, of %d, %v", query, part, whole, err)
		}
	}
}

// Whatever an aggregate is at, it ends when it is cancelled.
func TestCancelledAggregatesEnd(t *testing.T) {
	const rows = 20_000
	s := grouped(t, rows, 1).Snapshot()
	c := NewCompiler(s.Site())
	for _, query := range []string{
		"groupBy=updatedAt", "groupBy=documentId", "groupBy=stars&max=name", "groupBy=stars,name", "groupBy=name&sort=count", "groupBy=localizations.name", "groupBy=updatedAt&sum=stars&sort=sum.stars",
	} {
		a := aggregated(t, c, query)
		whole := &fickle{Context: t.Context()}
		if _, err := a.Append(whole, s, nil); err != nil || whole.requested < 1 {
			t.Errorf("%s: asked %d times, %v", query, whole.requested, err)
		}
		for last := 1; last <= whole.requested; last += 1 + whole.requested/8 {
			stopped := &fickle{Context: t.Context(), last: last}
			if _, err := a.Append(stopped, s, nil); !errors.Is(err, context.Canceled) || stopped.requested > last {
				t.Errorf("%s, cancelled: asked %d times, %v", query, stopped.requested, err)
			}
		}
	}
}

// One row can have as many values behind relations as there are rows, and be in as
// many groups. Each counts: a run that has few rows and many values asks whether it
// may go on all the same.
func TestValuesOfOneRowCount(t *testing.T) {
	x := emptyIndex(t, loadSite(t))
	guide(t, x, 199) // of one chef
	c, s := NewCompiler(x.Snapshot().Site()), x.Snapshot()
	for query, least := range map[string]int{
		"groupBy=chef.restaurants.slug": 3, "groupBy=chef.restaurants.slug&sum=seats": 6, "groupBy=chef.restaurants.slug,vegan": 25,
	} {
		ctx := &fickle{Context: t.Context()}
		if _, err := aggregated(t, c, query).Append(ctx, s, nil); err != nil || ctx.requested < least {
			t.Errorf("%s: asked %d times, %v", query, ctx.requested, err)
		}
	}
}

// The cost of aggregates: nothing if the sizes of postings are enough.
func TestCostOfFigures(t *testing.T) {
	const much = 10_000
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20_000)
	c, s := NewCompiler(site), x.Snapshot()
	for query, heavy := range map[string]bool{
		"": false, "groupBy=price_tier": false, "sum=seats&max=name": false, "groupBy=price_tier&sum=seats": false, "filters[chef][name]=x&groupBy=chef.name": false,
		"filters[documentId][$contains]=x": true, "groupBy=chef.name": true, "groupBy=chef.restaurants.name": true,
		"groupBy=price_tier,stars,vegan&sum=seats,rating&min=name&max=slug": true, "filters[slug]=r-7&groupBy=chef.name": false,
	} {
		if cost := aggregated(t, c, query).Cost(s, much); cost > much != heavy {
			t.Errorf("%s costs %d", query, cost)
		}
	}
	if cost := restaurants(t, c, "sort=chef.name&populate[categories][populate]=restaurants").CostOfCount(s, much); cost > 0 {
		t.Errorf("counting costs %d", cost)
	}
}

// FuzzAggregate compiles and runs any aggregate, on any type, for a caller who may do
// everything or little. Whatever comes of it, nothing hidden decides about it.
func FuzzAggregate(f *testing.F) {
	for i, query := range []string{
		"", "groupBy=name&count=true&sum=seats&avg=rating&sort=count:desc", "groupBy=secret_note", "min=door_code&max=secret_note", "groupBy=opening_hours.note",
		"groupBy=chef.name,vegan&min[]=name&max[0]=createdAt&pagination[start]=1", "groupBy=restaurants.chef.restaurants.name&_q=5ecret", "groupBy=id&sort=sum.secret_note",
		"sum=location.geo.lat&groupBy=localizations.locale&locale=*&status=draft", "groupBy=restaurant.secret_note&sort[group][name]=desc",
	} {
		f.Add(query, uint16(i))
	}
	site := loadSite(f)
	one, other := secretContent(f, site, " one"), secretContent(f, site, " other")
	c, account := NewCompiler(site), newFuzzedAccount(f, site)
	f.Fuzz(func(t *testing.T, raw string, choice uint16) {
		n, err := params.Parse(raw, params.Limits{})
		var a *Aggregate
		if err == nil {
			a, err = c.CompileAggregate(fuzzedType(site, choice), n, fuzzedCaller(account, choice))
		}
		if err != nil {
			if !isRefusal(err) || reveals(err.Error(), raw) {
				t.Fatalf("%q: refused with %#v", raw, err)
			}
			return
		}
		x, xErr := a.Append(&patience{context.Background(), 40}, one, nil)
		y, yErr := a.Append(&patience{context.Background(), 40}, other, nil)
		switch {
		case xErr != nil || yErr != nil: // more work than was allowed
			if xErr != nil && !isRefusal(xErr) && !errors.Is(xErr, context.Canceled) {
				t.Errorf("%q: %v", raw, xErr)
			}
		case !json.Valid(x):
			t.Errorf("%q: not JSON: %s", raw, x)
		case !bytes.Equal(x, y) || reveals(string(x), raw):
			t.Errorf("%q: the figures reveal what is hidden:\n%s\n%s", raw, x, y)
		}
	})
}

// BenchmarkAggregates asks for figures about 100,000 restaurants.
func BenchmarkAggregates(b *testing.B) {
	site := loadSite(b)
	x := emptyIndex(b, site)
	guide(b, x, 100000)
	c, s := NewCompiler(site), x.Snapshot()
	for _, read := range []struct{ name, query string }{
		{"count", ""},
		{"group", "groupBy=price_tier"},
		{"group-filtered", "groupBy=price_tier&filters[stars][$gte]=3"},
		{"ends", "min=founded&max=name"},
		{"all", "sum=seats&avg=rating&max=name"},
		{"figures", "groupBy=price_tier&sum=seats&avg=rating&sort=avg.rating:desc"},
		{"many-groups", "groupBy=founded&pagination[page]=100"},
		{"two-keys", "groupBy=price_tier,stars&sort=count:desc"},
		{"relation", "groupBy=chef.name&avg=rating&sort=avg.rating"},
		{"few", "groupBy=name&max=rating&filters[chef][name][$startsWith]=Am"},
	} {
		a := aggregated(b, c, read.query)
		if _, err := a.Append(b.Context(), s, nil); err != nil { // builds the indexes
			b.Fatal(err)
		}
		b.Run(read.name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = a.Append(b.Context(), s, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
