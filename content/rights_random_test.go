package content_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/content"
	"quire/content/contenttest"
	"quire/schema"
	"quire/store"
)

const restaurantUID = "api::restaurant.restaurant"

// bounded is a caller with limited sight of restaurants and a reach in some types.
type bounded struct {
	sight *schema.Sight
	reach *schema.Reach
}

func (*bounded) Allows(*schema.Type, schema.Action) bool { return true }

func (b *bounded) Sight(t *schema.Type) *schema.Sight {
	if t.UID == restaurantUID && b.sight != nil {
		return b.sight
	}
	return schema.WholeSight()
}

func (b *bounded) Reach(t *schema.Type) *schema.Reach { return b.reach }

func (b *bounded) Filter(*schema.Type) *schema.Filter { return nil }

// bet runs random writes, every other one by a bounded caller.
func bet(t *testing.T, b *bounded, moves int, check func(g *contenttest.Gambler, before, after entries)) {
	n := *seed
	if n == 0 {
		n = uint64(time.Now().UnixNano())
	}
	t.Logf("seed %d", n)
	g := &contenttest.Gambler{Fixture: contenttest.New(t, contenttest.Guide(t)), Rand: rand.New(rand.NewPCG(n, 9))}
	accepted := 0
	for i := range moves {
		g.Context = content.By(context.Background(), "admin:somebody else")
		before := entriesOf(g)
		if i%2 == 0 {
			g.Context = content.For(content.By(context.Background(), "admin:me"), b)
		}
		err := g.Move()
		if i%2 != 0 || err != nil {
			continue
		}
		accepted++
		if check(g, before, entriesOf(g)); t.Failed() {
			t.Fatalf("after %s", g.Last)
		}
	}
	if accepted < moves/20 {
		t.Errorf("%d of %d writes were accepted: nothing is tried", accepted, moves)
	}
}

// Random writes of a caller who may not set some attributes never change these in a draft
// that stays: in the type, and in each component.
func TestRandomWritesKeepWhatMayNotBeSet(t *testing.T) {
	restaurant := contenttest.Guide(t).Type(restaurantUID)
	sight, err := schema.NewSight(restaurant, []string{"stars", "location.street", "chef"}, []string{"opening_hours.day", "categories", "sections.links"})
	if err != nil {
		t.Fatal(err)
	}
	bet(t, &bounded{sight: sight}, 1500, func(g *contenttest.Gambler, before, after entries) {
		for name, was := range before {
			is := after[name]
			if name.Type != restaurantUID || is == nil || name.Key.Status != store.Draft {
				continue
			}
			if goesBack(g.Last) {
				if one, other := was.Fields.Value("stars").Num, is.Fields.Value("stars").Num; one != other {
					t.Errorf("%s %s: %d stars were %d", name.Key.DocumentID, name.Key.Locale, other, one)
				}
				continue
			}
			if one, other := unset(restaurant, sight, was.Fields), unset(restaurant, sight, is.Fields); one != other {
				t.Errorf("%s %s:\n%s\nwas\n%s", name.Key.DocumentID, name.Key.Locale, other, one)
			}
		}
	})
}

// goesBack reports whether a move restores the published state of a document: its
// components, and its links, which drafts of others have.
func goesBack(move string) bool {
	return strings.Contains(move, "discard ") || strings.Contains(move, "unpublish ")
}

// unset shows what the caller may not set: of restaurants, the attributes of that kind and,
// by id, those of their components. It leaves out components without any.
func unset(t *schema.Type, sight *schema.Sight, fields store.Fields) string {
	var lines []string
	for _, a := range t.Attributes {
		v := fields.Value(a.Name)
		if !sight.Sets(a) {
			lines = append(lines, fmt.Sprintf("%s: %d %q %v", a.Name, v.Num, v.Text, targets(v)))
			continue
		}
		for _, r := range v.Instances {
			for _, f := range r.Fields {
				if !sight.Within(a).Limited() || f.Value.IsEmpty() || settable[r.Component] != nil && slices.Contains(settable[r.Component], f.Name) {
					continue
				}
				lines = append(lines, fmt.Sprintf("%s %d %s: %q %d", a.Name, r.ID, f.Name, f.Value.Text, len(f.Value.Instances)))
			}
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n")
}

// settable are the attributes of components that the caller of the test may set.
var settable = map[string][]string{"section.related": {"heading", "restaurants"}}

func targets(v store.Value) (ids []string) {
	for _, e := range v.Edges {
		ids = append(ids, e.Target)
	}
	return ids
}

// plain returns the entry without links, which writes of others change too.
func plain(e *store.Entry) string {
	if e == nil {
		return "nothing"
	}
	var values []string
	for _, f := range e.Fields {
		if f.Value.Kind != store.Edges {
			values = append(values, fmt.Sprintf("%s %d %q %d", f.Name, f.Value.Num, f.Value.Text, len(f.Value.Instances)))
		}
	}
	return strings.Join(values, ", ")
}

// Random writes of a caller who may change only own documents never change those of others.
func TestRandomWritesOfOwnDocuments(t *testing.T) {
	bet(t, &bounded{reach: &schema.Reach{Own: true}}, 600, func(g *contenttest.Gambler, before, after entries) {
		mine := map[string]bool{}
		for name, e := range after {
			mine[name.Type+name.Key.DocumentID] = mine[name.Type+name.Key.DocumentID] || e.Stamp.CreatedBy == "admin:me"
		}
		for name, e := range before {
			mine[name.Type+name.Key.DocumentID] = mine[name.Type+name.Key.DocumentID] || e.Stamp.CreatedBy == "admin:me"
		}
		compare(t, before, after, func(name store.Name) bool { return !mine[name.Type+name.Key.DocumentID] })
	})
}

// Random writes of a caller who may change one locale never change the others.
func TestRandomWritesOfALocale(t *testing.T) {
	bet(t, &bounded{reach: &schema.Reach{Locales: []string{"fr"}}}, 600, func(g *contenttest.Gambler, before, after entries) {
		compare(t, before, after, func(name store.Name) bool { return name.Type == restaurantUID && name.Key.Locale != "fr" })
	})
}

// compare requires that the entries for which stays returns true have not changed.
func compare(t *testing.T, before, after entries, stays func(store.Name) bool) {
	t.Helper()
	for _, all := range []entries{before, after} {
		for name := range all {
			if was, is := plain(before[name]), plain(after[name]); was != is && stays(name) {
				t.Errorf("%v is %s and was %s", name, is, was)
			}
		}
	}
}

// Random writes of a caller with two roles do only what one of them allows: with its own documents
// everything, and with those of others updates of drafts in one locale, without some attributes.
func TestRandomWritesOfTwoRoles(t *testing.T) {
	every := []schema.Action{schema.Create, schema.Update, schema.Delete, schema.Publish, schema.Unpublish}
	reach := &schema.Reach{Ways: []schema.RoleReach{{Actions: every, Own: true}, {Actions: []schema.Action{schema.Update}, Locales: []string{"fr"}, Fixed: []string{"stars"}}}}
	bet(t, &bounded{reach: reach}, 1500, func(g *contenttest.Gambler, before, after entries) {
		mine := map[string]bool{}
		for _, all := range []entries{before, after} {
			for name, e := range all {
				mine[name.Type+name.Key.DocumentID] = mine[name.Type+name.Key.DocumentID] || e.Stamp.CreatedBy == "admin:me"
			}
		}
		others := func(name store.Name) bool {
			return name.Type == restaurantUID && !mine[name.Type+name.Key.DocumentID]
		}
		compare(t, before, after, func(name store.Name) bool {
			return others(name) && (name.Key.Locale != "fr" || name.Key.Status == store.Published)
		})
		for name, was := range before {
			is := after[name]
			switch {
			case !others(name) || name.Key.Locale != "fr" || name.Key.Status != store.Draft:
			case is == nil:
				t.Errorf("%v was deleted", name)
			case !is.Value("stars").Equal(was.Value("stars")):
				t.Errorf("%v is %s and was %s", name, plain(is), plain(was))
			}
		}
	})
}
