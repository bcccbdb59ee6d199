package query

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// everything is a caller who may do anything.
type everything struct{ schema.Unlimited }

func (everything) Allows(*schema.Type, schema.Action) bool { return true }

func loadSite(t testing.TB) *schema.Site {
	t.Helper()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	check(t, err)
	return site
}

// emptyIndex is the index of a site without content.
func emptyIndex(t testing.TB, site *schema.Site) *index.Index {
	t.Helper()
	db, err := store.Open(filepath.Join(t.TempDir(), "quire.db"), store.Options{Hasty: true})
	check(t, err)
	t.Cleanup(func() { db.Close() })
	var x *index.Index
	check(t, db.View(func(tx *store.Tx) (err error) { x, err = index.Build(site, tx); return }))
	return x
}

func text(s string) store.Value      { return store.Value{Kind: store.Text, Text: s} }
func integer(n int64) store.Value    { return store.Value{Kind: store.Int, Num: n} }
func float(f float64) store.Value    { return store.Value{Kind: store.Float, Real: f} }
func jsonValue(s string) store.Value { return store.Value{Kind: store.JSON, Text: s} }

func edges(place *uint64, targets ...string) store.Value {
	v := store.Value{Kind: store.Edges}
	for _, target := range targets {
		*place++
		v.Edges = append(v.Edges, store.Edge{Target: target, Place: *place << 16})
	}
	return v
}

var guideWords = strings.Fields("amber basil cedar dune ember fig grove harbor iris juniper kelp lemon maple nectar olive pepper quince river saffron thyme umber vine willow yarrow zest")

// guide fills an index with a food guide like that of the benchmark: n
// restaurants, a chef for every hundred, 50 categories, 2 reviews for each
// restaurant up to 20,000.
func guide(t testing.TB, x *index.Index, n int) {
	t.Helper()
	g := &guideMaker{t: t, rng: rand.New(rand.NewPCG(7, 7)), edit: x.Edit()}
	for i := range 50 {
		g.put("category", "", store.Published, fmt.Sprintf("category%016d", i), store.Field{Name: "name", Value: text(fmt.Sprintf("Category %02d", i))}, store.Field{Name: "code", Value: integer(int64(i))})
	}
	chefs := max(1, n/100)
	for i := range chefs {
		g.both("chef", "", fmt.Sprintf("chef%020d", i), true, store.Field{Name: "name", Value: text(g.title())}, store.Field{Name: "bio", Value: text(g.words(20))})
	}
	for i := range n {
		g.restaurant(i, chefs)
	}
	for i := range min(2*n, 20000) {
		g.put("review", "", store.Published, fmt.Sprintf("review%018d", i), store.Field{Name: "content", Value: text(g.words(12))},
			store.Field{Name: "note", Value: integer(int64(g.rng.IntN(11)))}, store.Field{Name: "restaurant", Value: edges(&g.place, restaurantID(g.rng.IntN(n)))})
	}
	g.edit.Publish(store.CommitID{Revision: 1})
}

// translate gives one in so many restaurants a French version.
func translate(t testing.TB, x *index.Index, one int) {
	t.Helper()
	s := x.Snapshot()
	restaurants := s.Table(s.Site().Type("api::restaurant.restaurant"), store.Published)
	g := &guideMaker{t: t, rng: rand.New(rand.NewPCG(7, 7)), edit: x.Edit(), id: 1 << 20}
	restaurants.Live().Each(func(r index.Row) bool {
		if int(r)%one == 0 {
			g.put("restaurant", "fr", store.Published, restaurants.Entry(r).DocumentID, store.Field{Name: "name", Value: text(g.title())}, store.Field{Name: "price_tier", Value: text("p2")})
		}
		return true
	})
	g.edit.Publish(store.CommitID{Revision: 2})
}

func restaurantID(i int) string { return fmt.Sprintf("restaurant%014d", i) }

type guideMaker struct {
	t     testing.TB
	rng   *rand.Rand
	edit  *index.Edit
	id    uint64
	place uint64
}

func (g *guideMaker) words(n int) string {
	var words []string
	for range n {
		words = append(words, guideWords[g.rng.IntN(len(guideWords))])
	}
	return strings.Join(words, " ")
}

func (g *guideMaker) title() string {
	words := strings.Fields(g.words(2))
	return strings.ToUpper(words[0][:1]) + words[0][1:] + " " + strings.ToUpper(words[1][:1]) + words[1][1:]
}

func (g *guideMaker) put(model, locale string, status store.Status, documentID string, fields ...store.Field) {
	g.id++
	e := &store.Entry{ID: g.id, DocumentID: documentID, Locale: locale, Status: status, CreatedAt: 1.7e12, UpdatedAt: 1.7e12, Fields: fields}
	if status == store.Published {
		e.PublishedAt = 1.7e12
	}
	check(g.t, g.edit.Apply(store.Change{Type: "api::" + model + "." + model, After: e}))
}

func (g *guideMaker) both(model, locale, documentID string, published bool, fields ...store.Field) {
	g.put(model, locale, store.Draft, documentID, fields...)
	if published {
		g.put(model, locale, store.Published, documentID, fields...)
	}
}

func (g *guideMaker) restaurant(i, chefs int) {
	r := g.rng
	var categories []string
	for _, c := range r.Perm(50)[:1+r.IntN(3)] {
		categories = append(categories, fmt.Sprintf("category%016d", c))
	}
	fields := []store.Field{
		{Name: "name", Value: text(fmt.Sprintf("%s %d", g.title(), i))}, {Name: "slug", Value: text(fmt.Sprintf("r-%d", i))},
		{Name: "tagline", Value: text(g.words(8))}, {Name: "story", Value: text(g.words(60))},
		{Name: "price_tier", Value: text([]string{"p1", "p2", "p2", "p3", "p4"}[r.IntN(5)])},
		{Name: "rating", Value: float(float64(100+r.IntN(401)) / 100)}, {Name: "seats", Value: integer(int64(8 + r.IntN(392)))},
		{Name: "vegan", Value: store.Value{Kind: store.Bool, Num: int64(r.IntN(5) / 4)}}, {Name: "email", Value: text(fmt.Sprintf("r%d@example.org", i))},
		{Name: "founded", Value: text(fmt.Sprintf("%d-%02d-%02d", 1900+r.IntN(126), 1+r.IntN(12), 1+r.IntN(28)))}, {Name: "opens_at", Value: text(fmt.Sprintf("%02d:30:00", 6+r.IntN(15)))},
		{Name: "meta", Value: jsonValue(fmt.Sprintf(`{"rank":%d,"tags":["%s"]}`, i, g.words(1)))},
		{Name: "categories", Value: edges(&g.place, categories...)}, {Name: "chef", Value: edges(&g.place, fmt.Sprintf("chef%020d", r.IntN(chefs)))},
		{Name: "location", Value: store.Value{Kind: store.Instances, Instances: []store.Instance{{ID: uint64(i + 1), Component: "place.address", Fields: []store.Field{{Name: "street", Value: text(fmt.Sprintf("%d street", i))}, {Name: "city", Value: text([]string{"Paris", "Rome", "Lyon"}[r.IntN(3)])}}}}}},
	}
	if stars := r.IntN(8) - 1; stars >= 0 {
		fields = append(fields, store.Field{Name: "stars", Value: integer(int64(min(stars, 5)))})
	}
	var hours []store.Instance
	for d, day := range []string{"mon", "tue", "wed", "thu", "fri"}[:1+r.IntN(5)] {
		hours = append(hours, store.Instance{ID: uint64(i*5 + d + 1), Component: "place.hours", Fields: []store.Field{{Name: "day", Value: text(day)}, {Name: "opens", Value: text("10:00:00")}, {Name: "closes", Value: text("22:00:00")}}})
	}
	fields = append(fields, store.Field{Name: "opening_hours", Value: store.Value{Kind: store.Instances, Instances: hours}})
	g.both("restaurant", "en", restaurantID(i), i%10 != 9, fields...)
}

// ask runs a query on restaurants and returns the answer.
func ask(t testing.TB, c *Compiler, s *index.Snapshot, model, raw string) (string, error) {
	t.Helper()
	n, err := params.Parse(raw, params.Limits{})
	if err != nil {
		return "", err
	}
	q, err := c.Compile(s.Site().Type("api::"+model+"."+model), n, everything{}, Options{})
	if err != nil {
		return "", err
	}
	out, err := q.AppendList(context.Background(), s, nil)
	return string(out), err
}

// The reads of the benchmark, by the names it gives them.
var guideReads = []struct{ name, query string }{
	{"list", ""},
	{"page", "sort=name&pagination[page]=100&pagination[pageSize]=25"},
	{"filter", "filters[price_tier]=p2&filters[stars][$gte]=4&sort=rating:desc"},
	{"relation", "filters[chef][name][$startsWith]=A&filters[categories][code][$lt]=5&sort=name"},
	{"logic", "filters[$or][0][stars]=5&filters[$or][1][$and][0][vegan]=true&filters[$or][1][$and][1][rating][$gt]=4.5&filters[$not][price_tier]=p4&sort=founded:desc"},
	{"populate", "populate=*&pagination[pageSize]=10"},
	{"deep", "populate[chef][populate][restaurants][fields]=name&populate[categories]=true&fields=name&pagination[pageSize]=10"},
	{"contains", "filters[tagline][$containsi]=saffron&sort=name"},
	{"search", "_q=harbor&fields=name"},
	{"last", "sort=rating:desc&pagination[start]=80000&pagination[limit]=25"},
}

// guideSize is how many restaurants BenchmarkReads has:
//
//	go test ./query -run '^$' -bench Reads -restaurants 1000000
//
// With -site FOLDER they are measured on the guide that was imported into that site, which
// no server may have open, and with -memory BYTES on content that is in a file beyond these.
var (
	guideSize = flag.Int("restaurants", 100_000, "how many restaurants the reads are measured on")
	guideSite = flag.String("site", "", "the folder of a site with a guide to measure the reads on instead")
	guideHeld = flag.Int64("memory", 256<<20, "limits.memory of that site")
)

// benchGuide is the guide that reads are measured on.
func benchGuide(b testing.TB, site *schema.Site) *index.Index {
	if *guideSite == "" {
		x := emptyIndex(b, site)
		guide(b, x, *guideSize)
		return x
	}
	db, err := store.Open(filepath.Join(*guideSite, "data", "quire.db"), store.Options{ReadOnly: true})
	check(b, err)
	defer db.Close()
	site.Settings.Limits.Memory = *guideHeld
	var x *index.Index
	check(b, db.View(func(tx *store.Tx) (err error) { x, err = index.Build(site, tx); return }))
	return x
}

func BenchmarkReads(b *testing.B) {
	site := loadSite(b)
	x := benchGuide(b, site)
	c := NewCompiler(site)
	s := x.Snapshot()
	for _, read := range guideReads {
		if _, err := ask(b, c, s, "restaurant", read.query); err != nil { // builds the indexes
			b.Fatal(err)
		}
		b.Run(read.name, func(b *testing.B) {
			t := site.Type("api::restaurant.restaurant")
			var dst []byte
			b.ReportAllocs()
			for b.Loop() {
				n, err := params.Parse(read.query, params.Limits{})
				check(b, err)
				q, err := c.Compile(t, n, everything{}, Options{})
				check(b, err)
				if dst, err = q.AppendList(context.Background(), s, dst[:0]); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
