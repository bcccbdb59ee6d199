package content

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"quire/index"
	"quire/store"
)

var seed = flag.Uint64("seed", 0, "of the random writes; 0 takes a new one")

// Whatever is written, refused or deleted, the live index equals one built from
// the file, and what must hold of every site's content holds.
func TestRandomWrites(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", n)
	g := &gambler{fixture: newFixture(t, guide(t)), rand: rand.New(rand.NewPCG(n, 1))}
	for i := range 400 {
		before := g.index.Snapshot()
		err := g.move()
		if err != nil && g.index.Snapshot() != before {
			t.Fatalf("move %d was refused (%v) and changed something", i, err)
		}
		if i%40 == 39 {
			g.check()
		}
		if t.Failed() {
			t.Fatalf("after move %d, %s", i, g.last)
		}
	}
	g.check()
}

// gambler writes at random.
type gambler struct {
	*fixture
	rand *rand.Rand
	ids  [4][]string // of kinds
	last string
}

var kinds = [...]string{"restaurant", "chef", "category", "review"}

func (g *gambler) one(choices ...string) string { return choices[g.rand.IntN(len(choices))] }

// some is a list of documents of a kind, now and then with a stranger in it.
func (g *gambler) some(kind, most int) string {
	var list []string
	for range g.rand.IntN(most + 1) {
		if len(g.ids[kind]) > 0 {
			list = append(list, fmt.Sprintf("%q", g.one(g.ids[kind]...)))
		}
	}
	if g.rand.IntN(40) == 0 {
		list = append(list, `"nobody"`)
	}
	return "[" + strings.Join(list, ", ") + "]"
}

// links is one of the forms in which a body writes links.
func (g *gambler) links(kind, most int) string {
	list := g.some(kind, most)
	switch g.rand.IntN(5) {
	case 0:
		return `{"connect": ` + list + `}`
	case 1:
		return `{"disconnect": ` + list + `}`
	case 2:
		return `{"set": ` + list + `}`
	case 3:
		if len(g.ids[kind]) > 1 {
			return fmt.Sprintf(`{"connect": [{"documentId": %q, "position": {"before": %q}}], "options": {"strict": false}}`, g.one(g.ids[kind]...), g.one(g.ids[kind]...))
		}
	}
	return list
}

func (g *gambler) body(kind int) string {
	members := []func() string{
		func() string { return fmt.Sprintf(`"name": "name %d"`, g.rand.IntN(30)) },
		func() string { return fmt.Sprintf(`"stars": %d`, g.rand.IntN(7)) },
		func() string { return fmt.Sprintf(`"slug": "s%d"`, g.rand.IntN(8)) },
		func() string { return `"categories": ` + g.links(2, 3) },
		func() string { return `"chef": ` + g.links(1, 1) },
		func() string { return `"reviews": ` + g.links(3, 3) },
		func() string { return `"nearby": ` + g.links(0, 3) },
		func() string { return fmt.Sprintf(`"location": {"street": "street %d"}`, g.rand.IntN(5)) },
		func() string { return g.one(`"location": null`, `"location": {}`) },
		func() string {
			return `"opening_hours": [{"day": "mon"}, {"day": "` + g.one("tue", "wed", "zzz") + `"}]`
		},
		func() string {
			return `"sections": [{"__component": "section.related", "restaurants": ` + g.some(0, 2) + `, "links": [{"label": "l"}]}]`
		},
	}
	switch kind {
	case 1:
		members = append(members[:1:1], func() string { return `"restaurants": ` + g.links(0, 3) })
	case 2:
		members = append(members[:1:1],
			func() string { return fmt.Sprintf(`"code": %d`, g.rand.IntN(10)) },
			func() string { return `"restaurants": ` + g.links(0, 3) },
			func() string { return `"parent": ` + g.links(2, 1) },
			func() string { return `"children": ` + g.links(2, 3) })
	case 3:
		members = []func() string{
			func() string { return fmt.Sprintf(`"note": %d`, g.rand.IntN(12)) },
			func() string { return `"restaurant": ` + g.links(0, 1) },
		}
	}
	said := []string{}
	for i, m := range members {
		if i == 0 && g.rand.IntN(3) > 0 || g.rand.IntN(3) == 0 {
			said = append(said, m())
		}
	}
	return "{" + strings.Join(said, ", ") + "}"
}

func (g *gambler) move() error {
	kind := g.rand.IntN(len(kinds))
	locale := in(g.one("", "", "", "fr", "it"))
	status := func(r *Request) { r.Status = store.Status(g.one("p", "p", "d")[0]) }
	body := g.body(kind)
	switch dice := g.rand.IntN(10); {
	case dice < 3 || len(g.ids[kind]) == 0:
		g.last = "create " + kinds[kind] + " " + body
		result, err := g.tryCreate(kinds[kind], body, locale, status)
		if err == nil {
			g.ids[kind] = append(g.ids[kind], result.DocumentID)
		}
		return g.expected(err)
	case dice < 9:
		id := g.one(g.ids[kind]...)
		g.last = "update " + kinds[kind] + " " + id + " " + body
		_, err := g.tryUpdate(kinds[kind], id, body, locale, status)
		return g.expected(err)
	}
	id := g.one(g.ids[kind]...)
	g.last = "delete " + kinds[kind] + " " + id
	g.delete(kinds[kind], id, g.one("", "fr", AllLocales))
	return nil
}

// expected lets a write be refused for what it says, but not fail.
func (g *gambler) expected(err error) error {
	if err != nil && !errors.As(err, new(*ValidationError)) && !errors.As(err, new(*NotFoundError)) {
		g.Errorf("%s: %v", g.last, err)
	}
	return err
}

func (g *gambler) check() {
	g.Helper()
	if d := index.Diff(g.index.Snapshot(), build(g.TB, g.site, g.db).Snapshot()); d != "" {
		g.Errorf("the index differs from the file: %s", d)
	}
	for _, kind := range kinds {
		g.checkKind(kind)
	}
}

// checkKind checks what holds among the entries of one type.
func (g *gambler) checkKind(kind string) {
	t := g.kind(kind)
	ids, places, taken := map[uint64]bool{}, map[string]bool{}, map[string]bool{}
	shared := map[string]*store.Entry{}
	g.each(kind, func(e *store.Entry) {
		once := func(seen map[string]bool, format string, args ...any) {
			key := fmt.Sprintf(format, args...)
			if seen[key] {
				g.Errorf("%s %s: %s twice", kind, e.Key(), key)
			}
			seen[key] = true
		}
		if ids[e.ID] {
			g.Errorf("%s has the id %d twice", kind, e.ID)
		}
		ids[e.ID] = true
		group := e.DocumentID + e.Status.String()
		if shared[group] == nil {
			shared[group] = e
		}
		for _, a := range t.Attributes {
			v := e.Value(a.Name)
			if isShared(a) && !sameValue(v, shared[group].Value(a.Name)) {
				g.Errorf("%s %s: %s differs from another locale's", kind, e.Key(), a.Name)
			}
			if a.Unique && e.Status == store.Published && !isEmpty(v) {
				once(taken, "%s %s %s", a.Name, e.Locale, asJSON(a, v))
			}
			if a.Relation == nil || !a.Relation.Owns {
				continue
			}
			if len(v.Edges) > 1 && !a.Relation.Many() {
				g.Errorf("%s %s: %s holds %d links", kind, e.Key(), a.Name, len(v.Edges))
			}
			for _, edge := range v.Edges {
				once(places, "%s of %s at place %d in %s %s %s", a.Name, edge.Target, edge.Place, edge.Locale, e.Locale, e.Status)
			}
		}
	})
}

func (g *gambler) each(kind string, fn func(*store.Entry)) {
	err := g.db.View(func(tx *store.Tx) error {
		return tx.Scan(g.kind(kind).UID, func(e *store.Entry) error {
			fn(e)
			return nil
		})
	})
	if err != nil {
		g.Error(err)
	}
}
