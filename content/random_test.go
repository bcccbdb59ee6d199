package content_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"quire/content/body"
	"quire/content/contenttest"
	"quire/index/indextest"
	"quire/store"
)

var seed = flag.Uint64("seed", 0, "of the random writes; 0 takes a new one")

// After random writes, the live index equals an index that is built from the file, and
// the rules of all content hold.
func TestRandomWrites(t *testing.T) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", n)
	g := &contenttest.Gambler{Fixture: contenttest.New(t, contenttest.Guide(t)), Rand: rand.New(rand.NewPCG(n, 1))}
	for i := range 400 {
		before := g.Index.Snapshot()
		err := g.Move()
		if err != nil && g.Index.Snapshot() != before {
			t.Fatalf("move %d was refused (%v) and changed something", i, err)
		}
		if i%40 == 39 {
			check(g)
		}
		if t.Failed() {
			t.Fatalf("after move %d, %s", i, g.Last)
		}
	}
	check(g)
}

func check(g *contenttest.Gambler) {
	g.Helper()
	if d := indextest.Diff(g.Index.Snapshot(), contenttest.Build(g.TB, g.Site, g.DB).Snapshot()); d != "" {
		g.Errorf("the index differs from the file: %s", d)
	}
	for _, kind := range contenttest.Kinds {
		checkKind(g, kind)
	}
}

// checkKind checks the rules for the entries of one type.
func checkKind(g *contenttest.Gambler, kind string) {
	t := g.Kind(kind)
	ids, places, taken := map[uint64]bool{}, map[string]bool{}, map[string]bool{}
	shared := map[string]*store.Entry{}
	g.Each(kind, func(e *store.Entry) {
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
			if a.IsShared() && !v.Equal(shared[group].Value(a.Name)) {
				g.Errorf("%s %s: %s differs from another locale's", kind, e.Key(), a.Name)
			}
			if a.Unique && e.Status == store.Published && !v.IsEmpty() {
				once(taken, "%s %s %s", a.Name, e.Locale, body.AsJSON(a, v))
			}
			if a.Relation == nil || !a.Relation.Owns {
				continue
			}
			for _, edge := range v.Edges {
				if !a.Relation.Many() && !edge.SameDocument(v.Edges[0]) {
					g.Errorf("%s %s: %s links to several documents", kind, e.Key(), a.Name)
				}
				for _, only := range []store.Status{store.Draft, store.Published} {
					if edge.Only == 0 || edge.Only == only {
						once(places, "%s of %s at place %d in %s %s %s %s", a.Name, edge.Target, edge.Place, edge.Locale, only, e.Locale, e.Status)
					}
				}
			}
		}
	})
}
