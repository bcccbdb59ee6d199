package query

import (
	"cmp"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/store"
)

// modelSite is the site with a relation between two sides of a localized type besides.
func modelSite(t testing.TB) *schema.Site {
	t.Helper()
	folder := fstest.MapFS{}
	check := func(err error) {
		if err != nil {
			t.Helper()
			t.Fatal(err)
		}
	}
	from := os.DirFS("../testdata/site")
	check(fs.WalkDir(from, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = fs.ReadFile(from, path)
			folder[path] = &fstest.MapFile{Data: data}
		}
		return err
	}))
	file := folder["src/api/restaurant/content-types/restaurant/schema.json"]
	file.Data = []byte(strings.Replace(string(file.Data), `"nearby": {`, `"follows": {"type": "relation", "relation": "manyToMany", "target": "api::restaurant.restaurant", "inversedBy": "followers"},
		"followers": {"type": "relation", "relation": "manyToMany", "target": "api::restaurant.restaurant", "mappedBy": "follows"}, "nearby": {`, 1))
	site, err := schema.Load(folder)
	check(err)
	return site
}

// dice makes random documents and random queries. It draws values from small
// pools, so that conditions match often and orders have ties.
type dice struct {
	*rand.Rand
	site  *schema.Site
	size  int                  // documents of a collection, about
	kinds int                  // different values of an attribute, at most
	first int                  // of them in their pool
	docs  map[*schema.Type]int // documents of each type
	ids   map[*schema.Type]uint64
	next  uint64 // id of the next component
	short bool   // leave out the long texts
}

func newDice(site *schema.Site, seed uint64) *dice {
	d := &dice{Rand: rand.New(rand.NewPCG(seed, 1)), site: site, docs: map[*schema.Type]int{}, ids: map[*schema.Type]uint64{}}
	d.kinds, d.first = pick(d, 2, 4, 100), d.IntN(100)
	d.size = 2 + d.IntN(12)
	if d.chance(8) {
		d.size = 150 + d.IntN(100) // enough for plans that look for the shorter way
	}
	for _, t := range site.Types {
		d.docs[t] = max(1, d.size/pick(d, 1, 1, 2, 4, 16))
		if d.size < 100 && d.chance(5) {
			d.docs[t] *= 4 // many that lead to few
		}
		if t.Kind == schema.Single {
			d.docs[t] = d.IntN(2)
		}
	}
	return d
}

// chance is true once in n times.
func (d *dice) chance(n int) bool { return d.IntN(n) == 0 }

func pick[T any](d *dice, from ...T) T { return from[d.IntN(len(from))] }

// oneOf draws from a pool, or from the few of it that this data set uses.
func oneOf[T any](d *dice, pool []T) T {
	return pool[(d.first+d.IntN(min(d.kinds, len(pool))))%len(pool)]
}

// How many values at the end of textPool and jsonPool are long.
const (
	longTexts = 7
	longJSON  = 2
)

// long is the beginning of texts whose keys in an index are cut, and begin alike.
var long = strings.Repeat("Long ago ", 150)

// The pools. Some strings collate alike, some differ in case only, some need
// escapes in JSON or stand for something in other query languages.
var (
	textPool = []string{"Ana", "ana", "Án", "an", "Étoile", "étoile", "e\u0301toile", "100% A_b", "100", "back\\slash", "Da Marco", "da marco", "say \"hi\"\n",
		"straße", "STRASSE", "", " ", "zz", "a\u200bna", "π€🍋", "null", "2",
		"one two three", "two  One\tthree two", "three two", "onetwo three",
		long + "b", long + "a", long + "B", long + "á", "Á" + long, long, long + " " + long}
	wholePool    = []int64{-1, 0, 1, 2, 2, 3, 4, 5}
	bigPool      = []int64{-1 << 63, -5, 0, 7, 10, 9007199254740993, 1<<63 - 1}
	floatPool    = []float64{-90, -1.5, 0, math.Copysign(0, -1), 0.5, 2, 2.25, 4.5, 1e21, 1e-7}
	datePool     = []string{"1970-05-01", "1998-01-01", "2001-03-04", "2020-02-29", "2024-12-31"}
	timePool     = []string{"00:00:00", "08:00:00", "08:00:00.5", "08:00:00.45", "19:30:00", "23:59:59.999"}
	datetimePool = []string{"1969-12-31T23:59:59.999Z", "2024-02-15T11:00:00.000Z", "2024-02-15T11:00:00.001Z", "2024-03-15T12:00:00.000Z", "2025-01-01T00:00:00.000Z"}
	jsonPool     = []string{`{"rank":1,"tags":["t0"]}`, `{"rank":2}`, `"t0"`, `1`, `true`, `["t0","t1"]`, `[]`, `{"A":"Ana"}`, `"` + long + `b"`, `"` + long + `a"`}
	momentPool   = []int64{1.6e12, 1.7e12, 1.7e12 + 1, 1.8e12}
)

// world fills a world with documents.
func (d *dice) world() *world {
	w := newWorld(d.site)
	for _, t := range d.site.Types {
		for i := range d.docs[t] {
			for _, locale := range d.locales(t) {
				for _, c := range d.versions(t, documentName(t, i), locale) {
					w.apply(c)
				}
			}
		}
	}
	return w
}

func documentName(t *schema.Type, i int) string {
	if t.Kind == schema.Single {
		return "single"
	}
	return t.Singular[:1] + strconv.Itoa(i)
}

func (d *dice) locales(t *schema.Type) []string {
	if !t.Localized {
		return []string{""}
	}
	var codes []string
	for _, l := range d.site.Settings.Locales {
		if d.IntN(3) > 0 {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// versions makes the draft, the published version, or both, of a new entry.
func (d *dice) versions(t *schema.Type, documentID, locale string) []store.Change {
	statuses := []store.Status{store.Published}
	if t.DraftAndPublish {
		statuses = pick(d, statuses, []store.Status{store.Draft}, []store.Status{store.Draft, store.Published}, []store.Status{store.Draft, store.Published})
	}
	var changes []store.Change
	fields := d.fields(t, locale)
	for _, status := range statuses {
		if d.chance(3) {
			fields = d.fields(t, locale)
		}
		d.ids[t]++
		changes = append(changes, store.Change{Type: t.UID, After: d.entry(d.ids[t], documentID, locale, status, fields)})
	}
	return changes
}

func (d *dice) entry(id uint64, documentID, locale string, status store.Status, fields []store.Field) *store.Entry {
	e := &store.Entry{ID: id, DocumentID: documentID, Locale: locale, Status: status, CreatedAt: oneOf(d, momentPool), UpdatedAt: oneOf(d, momentPool), Fields: fields}
	if status == store.Published {
		e.PublishedAt = oneOf(d, momentPool)
	}
	return e
}

// fields are random values for the attributes of a type; a third of them null.
func (d *dice) fields(t *schema.Type, locale string) []store.Field {
	var fields []store.Field
	for _, a := range t.Attributes {
		if v := d.stored(a, locale); v.Kind != store.Null && d.IntN(3) > 0 {
			fields = append(fields, store.Field{Name: a.Name, Value: v})
		}
	}
	return fields
}

func (d *dice) stored(a *schema.Attribute, locale string) store.Value {
	switch a.Kind {
	case schema.Boolean:
		return store.Value{Kind: store.Bool, Num: d.Int64N(2)}
	case schema.Integer:
		return integer(oneOf(d, wholePool))
	case schema.BigInteger:
		return integer(oneOf(d, bigPool))
	case schema.Float, schema.Decimal:
		return float(oneOf(d, floatPool))
	case schema.JSON, schema.Blocks:
		if d.short {
			return jsonValue(oneOf(d, jsonPool[:len(jsonPool)-longJSON]))
		}
		return jsonValue(oneOf(d, jsonPool))
	case schema.Component, schema.DynamicZone:
		return d.records(a, locale)
	case schema.RelationKind, schema.Media:
		return d.edges(a, locale)
	}
	return text(d.text(a))
}

// text is a value of an attribute whose values are stored as text.
func (d *dice) text(a *schema.Attribute) string {
	switch a.Kind {
	case schema.Enumeration:
		return oneOf(d, a.Enum)
	case schema.Date:
		return oneOf(d, datePool)
	case schema.Time:
		return oneOf(d, timePool)
	case schema.DateTime, schema.Timestamp:
		return oneOf(d, datetimePool)
	}
	if d.size > 100 && d.chance(2) {
		return fmt.Sprint("Name ", d.IntN(1000)) // more values than a block of an index takes
	}
	if d.short {
		return oneOf(d, textPool[:len(textPool)-longTexts])
	}
	return oneOf(d, textPool)
}

func (d *dice) records(a *schema.Attribute, locale string) store.Value {
	n := 1
	if a.Repeatable || a.Kind == schema.DynamicZone {
		n = d.IntN(4)
	}
	v := store.Value{Kind: store.Instances}
	for range n {
		component := a.ComponentType
		if a.Kind == schema.DynamicZone {
			component = pick(d, a.Zone...)
		}
		d.next++
		v.Instances = append(v.Instances, store.Instance{ID: d.next, Component: component.UID, Fields: d.fields(component, locale)})
	}
	return v
}

// edges lead to documents of the target, a few of which are not there.
func (d *dice) edges(a *schema.Attribute, locale string) store.Value {
	t := a.Relation.Target
	if !a.Relation.Owns || t == nil {
		return store.Value{}
	}
	n := 1
	if a.Relation.Many() {
		n = d.IntN(4)
	}
	v := store.Value{Kind: store.Edges}
	for _, i := range d.Perm(d.docs[t] + 1)[:min(n, d.docs[t]+1)] {
		edge := store.Edge{Target: documentName(t, i), Place: uint64(d.IntN(9)) << 16}
		if locale == "" && t.Localized {
			edge.Locale = pick(d, "", "en", "fr")
		}
		if !a.Owner.DraftAndPublish && t.DraftAndPublish && a.Relation.Inverse != nil {
			edge.Only = pick(d, 0, 0, store.Draft, store.Published)
		}
		v.Edges = append(v.Edges, edge)
	}
	return v
}

// edit makes n random changes to a world, which it applies to it, in an order
// in which an index takes them.
func (d *dice) edit(w *world, n int) []store.Change {
	var changes []store.Change
	for range n {
		t := pick(d, d.site.Types...)
		var some []store.Change
		if entries := w.ordered(t); len(entries) > 0 && d.IntN(4) > 0 {
			some = []store.Change{d.change(t, pick(d, entries...))}
		} else if locale := pick(d, append(d.locales(t), d.site.Settings.DefaultLocale)...); t.Kind == schema.Collection {
			if !t.Localized {
				locale = ""
			}
			some = d.versions(t, fmt.Sprint(documentName(t, d.IntN(d.docs[t]+1)), pick(d, "", "", "x")), locale)
			some = slices.DeleteFunc(some, func(c store.Change) bool { return w.entries[t][c.After.Key()] != nil })
		}
		for _, c := range some {
			w.apply(c)
		}
		changes = append(changes, some...)
	}
	return changes
}

func (d *dice) change(t *schema.Type, e *store.Entry) store.Change {
	if d.chance(3) {
		return store.Change{Type: t.UID, Before: e}
	}
	fields := d.fields(t, e.Locale)
	if d.chance(3) {
		fields = e.Fields
	}
	return store.Change{Type: t.UID, Before: e, After: d.entry(e.ID, e.DocumentID, e.Locale, e.Status, fields)}
}

// ordered is all entries of a type by id.
func (w *world) ordered(t *schema.Type) []*store.Entry {
	return slices.SortedFunc(maps.Values(w.entries[t]), func(a, b *store.Entry) int { return cmp.Compare(a.ID, b.ID) })
}

// changes are all entries of the world as new ones.
func (w *world) changes() []store.Change {
	var changes []store.Change
	for _, t := range w.site.Types {
		for _, e := range w.ordered(t) {
			changes = append(changes, store.Change{Type: t.UID, After: e})
		}
	}
	return changes
}
