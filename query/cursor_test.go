package query

import (
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"quire/index"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// pager reads a list from cursor to cursor.
type pager struct {
	t     *testing.T
	c     *Compiler
	of    *schema.Type
	query string
	as    schema.Access
	next  string
	ended bool
}

// compiled is the query of the next page, or why it is refused.
func (p *pager) compiled() (*Query, error) {
	p.t.Helper()
	n, err := params.Parse(strings.Trim(p.query+"&pagination[after]="+p.next, "&"), params.Limits{})
	check(p.t, err)
	return p.c.Compile(p.of, n, p.as, Options{})
}

// page is the ids of the next page.
func (p *pager) page(s *index.Snapshot) []uint64 {
	p.t.Helper()
	q, err := p.compiled()
	if err != nil {
		p.t.Fatalf("%s from %q: %v", p.query, p.next, err)
	}
	out, err := q.AppendList(p.t.Context(), s, nil)
	check(p.t, err)
	var list struct {
		Data []struct{ ID uint64 }
		Meta struct{ Pagination struct{ Next *string } }
	}
	check(p.t, json.Unmarshal(out, &list))
	ids := []uint64{}
	for _, one := range list.Data {
		ids = append(ids, one.ID)
	}
	if p.ended = list.Meta.Pagination.Next == nil; !p.ended {
		p.next = *list.Meta.Pagination.Next
	}
	return ids
}

// behind is what comes behind a place of the model: the sort values and the id of
// an entry, which may be gone.
func (a *answerer) behind(keys []any, id uint64) []row {
	var rows []row
	for _, r := range a.selected() {
		n := 0
		for i, c := range a.order {
			one := a.orderNulls(c, a.best(c, r, c.path), keys[i])
			if c.descending {
				one = -one
			}
			n = cmp.Or(n, one)
		}
		if cmp.Or(n, cmp.Compare(r.entry.ID, id)) > 0 {
			rows = append(rows, r)
		}
	}
	return rows
}

func (a *answerer) keys(r row) (keys []any) {
	for _, c := range a.order {
		keys = append(keys, a.best(c, r, c.path))
	}
	return keys
}

// Each page goes on behind the last entry of the one before, whatever has been made,
// changed and deleted since, that entry included. Values too long for a cursor are the
// exception: see whole.
func TestPagesGoOnUnderWrites(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = rand.Uint64N(1e9)
	}
	t.Logf("go test ./query -run TestPagesGoOnUnderWrites -seed %d", seed)
	site := modelSite(t)
	c := NewCompiler(site)
	pages := 0
	for i := range uint64(120) {
		d := newDice(site, seed+i)
		d.short = true
		pages += pageUnderWrites(t, c, d)
		if t.Failed() {
			t.Fatalf("again with -seed %d", seed+i)
		}
	}
	if pages < 120 {
		t.Errorf("only %d pages were read", pages)
	}
}

func pageUnderWrites(t *testing.T, c *Compiler, d *dice) (pages int) {
	w := d.world()
	x := emptyIndex(t, d.site)
	applyTo(t, x, w.changes())
	of := pick(d, d.site.Type("api::restaurant.restaurant"), d.site.Type("api::category.category"), d.site.Type("api::chef.chef"))
	p := &pager{t: t, c: c, of: of, query: d.pagedQuery(of), as: everything{}}
	size := 1 + d.IntN(4)
	query := p.query
	p.query += fmt.Sprintf("&pagination[limit]=%d", size)
	n, err := params.Parse(query, params.Limits{})
	check(t, err)
	if _, err := p.compiled(); err != nil {
		return 0
	}
	var want []row
	for !p.ended && pages < 40 {
		read, err := w.read(of, n, everything{})
		check(t, err)
		if pages == 0 {
			want = read.selected()
		}
		got := p.page(x.Snapshot())
		shown := want[:min(size, len(want))]
		if ids := idsOf(shown); !slices.Equal(got, ids) || p.ended != (len(want) <= size) {
			t.Errorf("%s %s: page %d is %v and should be %v of %v; ended: %v", of.UID, p.query, pages, got, ids, idsOf(want), p.ended)
			return pages
		}
		if pages++; p.ended {
			break
		}
		last := shown[len(shown)-1]
		keys := read.keys(last)
		var changes []store.Change
		if d.chance(3) { // the entry of the cursor is deleted
			changes = append(changes, store.Change{Type: of.UID, Before: last.entry})
			w.apply(changes[0])
		}
		applyTo(t, x, append(changes, d.edit(w, d.IntN(12))...))
		if read, err = w.read(of, n, everything{}); err != nil {
			t.Fatal(err)
		}
		want = read.behind(keys, last.entry.ID)
	}
	return pages
}

func applyTo(t *testing.T, x *index.Index, changes []store.Change) {
	t.Helper()
	edit := x.Edit()
	for _, c := range changes {
		check(t, edit.Apply(c))
	}
	edit.Publish(store.CommitID{Revision: x.Snapshot().Revision() + 1})
}

func idsOf(rows []row) []uint64 {
	ids := []uint64{}
	for _, r := range rows {
		ids = append(ids, r.entry.ID)
	}
	return ids
}

// pagedQuery selects and orders entries of a type.
func (d *dice) pagedQuery(t *schema.Type) string {
	q := &asker{dice: d}
	if q.chance(3) {
		q.group("filters", t, 2)
	}
	if q.IntN(5) > 0 {
		q.sort("sort", t)
	}
	q.version(t)
	return strings.Join(q.params, "&")
}

// longNames is an index of restaurants whose names have the same beginning, longer
// than what a cursor holds of it.
func longNames(t *testing.T, n int) *index.Index {
	x := emptyIndex(t, loadSite(t))
	var changes []store.Change
	for i := range n {
		changes = append(changes, store.Change{Type: "api::restaurant.restaurant", After: &store.Entry{
			ID: uint64(i + 1), DocumentID: restaurantID(i), Locale: "en", Status: store.Published, PublishedAt: 1.7e12,
			Fields: []store.Field{{Name: "name", Value: text(strings.Repeat("same ", 600) + fmt.Sprintf("%03d", (i*7)%n))}},
		}})
	}
	applyTo(t, x, changes)
	return x
}

// A cursor is as short for long values, and the pages meet all the same.
func TestCursorsOfLongValues(t *testing.T) {
	for _, sort := range []string{"name", "name:desc", "stars,name", "createdAt:desc,name:desc"} {
		x := longNames(t, 30)
		s := x.Snapshot()
		p := &pager{t: t, c: NewCompiler(s.Site()), of: s.Site().Type("api::restaurant.restaurant"), query: "sort=" + sort + "&pagination[limit]=4", as: everything{}}
		seen := map[uint64]int{}
		for first := true; first || !p.ended; first = false {
			for _, id := range p.page(s) {
				seen[id]++
			}
			if len(p.next) > mostCursor {
				t.Errorf("%s: a cursor of %d bytes", sort, len(p.next))
			}
		}
		for id, times := range seen {
			if times > 1 {
				t.Errorf("%s: entry %d is on %d pages", sort, id, times)
			}
		}
		if len(seen) != 30 {
			t.Errorf("%s: %d of 30 entries are shown", sort, len(seen))
		}

		// Once the entry is gone it can be that some are shown again, and none is left out.
		p.next, p.ended = "", false
		first := p.page(s)
		gone := *x.Snapshot().Table(p.of, store.Published).Entry(index.Row(first[3] - 1))
		applyTo(t, x, []store.Change{{Type: p.of.UID, Before: &store.Entry{ID: gone.ID, DocumentID: gone.DocumentID, Locale: "en", Status: store.Published}}})
		rest := map[uint64]bool{first[0]: true, first[1]: true, first[2]: true}
		for i := 0; !p.ended; i++ {
			for _, id := range p.page(x.Snapshot()) {
				rest[id] = true
			}
			if i > 30 {
				t.Fatalf("%s: the pages do not end", sort)
			}
		}
		if len(rest) != 29 {
			t.Errorf("%s: %d of 29 entries are shown", sort, len(rest))
		}
	}
}

// A cursor is taken for the query that it was given out for, and for no other.
func TestCursorsOfOtherQueries(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 60)
	c := NewCompiler(site)
	restaurant := site.Type("api::restaurant.restaurant")
	const query = "sort=chef.name,name:desc&filters[stars][$gte]=0&locale=en"
	p := &pager{t: t, c: c, of: restaurant, query: query + "&pagination[limit]=3", as: everything{}}
	p.page(x.Snapshot())
	good := p.next
	refused := func(about string, err error) {
		t.Helper()
		var refusal *params.ParamError
		if !errors.As(err, &refusal) || refusal.Key != "pagination[after]" || !strings.Contains(refusal.Message, "pagination[after]") {
			t.Errorf("%s: %v", about, err)
		}
	}
	ask := func(query, cursor string, of *schema.Type, as schema.Access) error {
		_, err := (&pager{t: t, c: c, of: of, query: query, as: as, next: cursor}).compiled()
		return err
	}
	for _, same := range []string{
		query, query + "&pagination[pageSize]=50", query + "&fields=name&populate=*", "filters[stars][$gte]=0&sort[0]=chef.name:asc&sort[1][name]=DESC", query + "&status=published&pagination[withCount]=false",
	} {
		if err := ask(same, good, restaurant, everything{}); err != nil {
			t.Errorf("%s: %v", same, err)
		}
	}
	for _, other := range []string{
		"", "sort=chef.name,name:desc&locale=en", strings.Replace(query, ":desc", "", 1), strings.Replace(query, "chef.name,", "", 1), query + "&_q=a", strings.Replace(query, "=0", "=1", 1),
		strings.Replace(query, "locale=en", "locale=fr", 1), query + "&fallbackLocale=fr", query + "&status=draft", query + "&publicationFilter=modified", strings.Replace(query, "chef.name,name", "name,chef.name", 1),
	} {
		refused(other, ask(other, good, restaurant, everything{}))
	}
	some := someTypes{"api::restaurant.restaurant readDraft": true, "api::chef.chef find": true}
	p = &pager{t: t, c: c, of: restaurant, query: "status=draft&sort=chef.name&pagination[limit]=3", as: everything{}}
	p.page(x.Snapshot())
	refused("by a caller who sees other drafts", ask("status=draft&sort=chef.name", p.next, restaurant, some))
	refused("of another type", ask("", good, site.Type("api::category.category"), everything{}))
	p.c, p.query, p.next = NewCompiler(site), query, good
	_, err := p.compiled()
	refused("sealed with another secret", err)
	for i := range len(good) {
		damaged := []byte(good)
		damaged[i] = map[bool]byte{true: 'A', false: 'B'}[damaged[i] != 'A']
		refused(fmt.Sprint("damaged at ", i), ask(query, string(damaged), restaurant, everything{}))
	}
	for _, text := range []string{"x", "=", "%F0%9F%98%80", good[:len(good)-1], good + "A", good + good, strings.Repeat("A", 1<<14), "null", "0", "-1", "eyJpZCI6MX0"} {
		refused(text, ask(query, text, restaurant, everything{}))
	}
}

// A cursor shows nothing of what it holds, and is the same as long as the content is.
func TestCursorsAreSealed(t *testing.T) {
	site := loadSite(t)
	x := emptyIndex(t, site)
	guide(t, x, 20)
	c := NewCompiler(site)
	var cursors []string
	for range 2 {
		p := &pager{t: t, c: c, of: site.Type("api::restaurant.restaurant"), query: "sort=name&pagination[limit]=1", as: everything{}}
		p.page(x.Snapshot())
		cursors = append(cursors, p.next)
	}
	plain, err := base64.RawURLEncoding.DecodeString(cursors[0])
	if err != nil || cursors[0] != cursors[1] {
		t.Errorf("%q and then %q: %v", cursors[0], cursors[1], err)
	}
	for _, word := range guideWords {
		if strings.Contains(strings.ToLower(string(plain)), word) {
			t.Errorf("a cursor shows %s", word)
		}
	}
}

func TestPagingThatIsNoCursors(t *testing.T) {
	site := loadSite(t)
	c := NewCompiler(site)
	for query, bare := range map[string]bool{
		"pagination[after]=&pagination[page]=1": false, "pagination[after]=&pagination[start]=0": false, "pagination[after]&pagination[page]=2": false,
		"pagination[after][x]=1": false, "pagination[after][]=": false, "pagination[after]=": true, "pagination[after]": true,
	} {
		n, err := params.Parse(query, params.Limits{})
		check(t, err)
		_, err = c.Compile(site.Type("api::restaurant.restaurant"), n, everything{}, Options{Bare: bare})
		var refusal *params.ParamError
		if !errors.As(err, &refusal) || refusal.Key != "pagination[after]" {
			t.Errorf("%s: %v", query, err)
		}
	}
}

// FuzzCursor reads any bytes as what a cursor holds, and any text as a sealed one.
func FuzzCursor(f *testing.F) {
	good := (&cursor{id: 7, keys: []cursorKey{{sortValue: sortValue{null: true}}, sortValue{key: strings.Repeat("k", 40)}.shorten(8)}}).append(nil)
	for _, seed := range [][]byte{nil, good, good[:len(good)-1], append(good, 0), {cursorForm}, []byte(newSealer(nil).seal(good))} {
		f.Add(seed, uint8(2))
	}
	sealer := newSealer(randomSecret())
	f.Fuzz(func(t *testing.T, b []byte, n uint8) {
		if plain, err := sealer.open(string(b)); err == nil {
			t.Errorf("%q is taken for %q", b, plain)
		}
		c, err := readCursor(b, int(n%mostSortKeys))
		if err != nil {
			return
		}
		again, err := readCursor(c.append(nil), len(c.keys))
		if err != nil || again.id != c.id || !slices.Equal(again.keys, c.keys) {
			t.Errorf("%q becomes %v, and that %v: %v", b, c, again, err)
		}
		if plain, err := sealer.open(sealer.seal(c.append(nil))); len(b) < cursorBytes && (err != nil || !slices.Equal(plain, c.append(nil))) {
			t.Errorf("%q is sealed, and opened as %q: %v", b, plain, err)
		}
	})
}
