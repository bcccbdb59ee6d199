package content

import (
	"fmt"
	"strings"
	"testing"

	"quire/content/body"
	"quire/store"
)

// linkedByMany creates a chef and a category to which all of some restaurants link.
func linkedByMany(t *testing.T, n int) (f *fixture, chef, category string, restaurants []string) {
	f = newFixture(t, guide(t))
	chef, category = f.create("chef", `{"name": "C"}`), f.create("category", `{"name": "D"}`)
	for i := range n {
		body := fmt.Sprintf(`{"name": "rest %d", "chef": %q, "categories": [%q]}`, i, chef, category)
		restaurants = append(restaurants, f.create("restaurant", body))
	}
	return f, chef, category, restaurants
}

// Publishing a document with many links to it reads and writes only the entries whose
// links have changed.
func TestPublishingFollowsWhatChanges(t *testing.T) {
	f, chef, _, restaurants := linkedByMany(t, 60)
	plan := func(body string) *operation {
		t.Helper()
		r, err := f.ask("chef", body)
		must(t, err)
		r.DocumentID = chef
		var op *operation
		err = f.db.View(func(tx *store.Tx) (err error) {
			op = f.writer.operation(tx, f.index.Snapshot())
			_, err = op.save(r)
			return err
		})
		must(t, err)
		return op
	}
	if op := plan(`{"bio": "x"}`); len(op.changes) != 2 || len(op.read) > 2 {
		t.Errorf("a write that does not name the links reads %d entries and writes %d", len(op.read), len(op.changes))
	}
	f.update("chef", chef, fmt.Sprintf(`{"restaurants": {"disconnect": [%q]}}`, restaurants[7]), asDraft)
	if op := plan(`{}`); len(op.changes) != 3 || len(op.read) > 4 {
		t.Errorf("publishing one link that is gone reads %d entries and writes %d", len(op.read), len(op.changes))
	}
	if op := plan(fmt.Sprintf(`{"restaurants": {"connect": [%q]}}`, restaurants[9])); len(op.changes) > 5 || len(op.read) > 6 {
		t.Errorf("one link reads %d entries and writes %d", len(op.read), len(op.changes))
	}
}

// A write that would change more links than it may is refused, and the error has the
// path.
func TestLinksOfAWriteAreBounded(t *testing.T) {
	f, chef, category, restaurants := linkedByMany(t, 12)
	f.site.Settings.Limits.WriteLinks = 10
	all := `"` + strings.Join(restaurants, `", "`) + `"`
	for _, e := range []struct {
		kind, id, body string
		option         func(*Request)
	}{
		{"chef", chef, `{"restaurants": []}`, asDraft},
		{"chef", chef, `{"restaurants": {"connect": [` + all + `]}}`, asDraft},
		{"chef", chef, `{"restaurants": {"disconnect": [` + all + `]}}`, asDraft},
		{"category", category, `{"restaurants": ["` + strings.Join(restaurants[:6], `", "`) + `"]}`, asDraft}, // removes six, drafts and published
		{"category", category, `{"restaurants": null}`, asDraft},
		{"restaurant", restaurants[0], `{"nearby": [` + all + `]}`, asDraft},
		{"restaurant", restaurants[0], `{"sections": [{"__component": "section.related", "restaurants": [` + all + `]}]}`, asDraft},
	} {
		_, err := f.tryUpdate(e.kind, e.id, e.body, e.option)
		paths := pathsOf(t, err)
		if len(paths) != 1 || !strings.Contains(err.Error(), "more than 10 links") || !strings.HasPrefix(err.Error(), "restaurants") &&
			!strings.HasPrefix(err.Error(), "nearby") && !strings.HasPrefix(err.Error(), "sections[0].restaurants") {
			t.Errorf("%s %s: %v", e.kind, e.body, err)
		}
	}
	if got := strings.Fields(f.list("restaurant", "chef", "chef", chef, store.Draft)); len(got) != 12 {
		t.Errorf("refused writes have left %d links", len(got))
	}
	f.update("chef", chef, `{"restaurants": {"disconnect": ["`+strings.Join(restaurants[:6], `", "`)+`"]}}`, asDraft)
	f.update("chef", chef, `{"restaurants": {"disconnect": ["`+strings.Join(restaurants[6:], `", "`)+`"]}}`, asDraft)
	_, err := f.tryUpdate("chef", chef, `{}`)
	if paths := pathsOf(t, err); len(paths) != 1 || paths[0] != "restaurants" {
		t.Errorf("publishing twelve links: %v", err)
	}
}

// The time to change a list grows with its length, wherever links are moved. If each
// link were searched in the list, this test would not end.
func TestLongListsTakeTimeByTheirLength(t *testing.T) {
	f := newFixture(t, guide(t))
	l := &linker{attribute: f.kind("chef").Attribute("restaurants"), from: store.Key{}, fromType: f.kind("chef")}
	const n = 40_000
	name := func(i int) store.Edge { return store.Edge{Target: fmt.Sprint(i), Place: uint64(i+1) * PlaceGap} }
	current, found := make([]store.Edge, n), linkSet{}
	for i := range current {
		current[i] = name(i)
		where := []body.Where{body.AtStart, body.Before, body.After, body.AtEnd}[i%4]
		fresh := name(n + i)
		fresh.Place = 0
		found.connect = append(found.connect, connection{fresh, where, name((i * 7) % n)})
		if i%3 == 0 {
			found.disconnect = append(found.disconnect, name((i*11)%n))
		}
	}
	list, err := l.newList(current, found, true)
	must(t, err)
	err = f.db.View(func(tx *store.Tx) error {
		op := f.writer.operation(tx, f.index.Snapshot())
		op.sequences[PlaceSequence(f.kind("restaurant").UID)] = 2 * n
		op.spread(l.attribute.Relation.Inverse, list)
		return nil
	})
	must(t, err)
	for i := 1; i < len(list); i++ {
		if list[i].Place <= list[i-1].Place {
			t.Fatalf("place %d comes before place %d", list[i].Place, list[i-1].Place)
		}
	}
	if len(list) < n {
		t.Errorf("%d links are left", len(list))
	}
}
