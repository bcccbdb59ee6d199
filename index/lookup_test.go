package index

import (
	"testing"

	"quire/schema"
	"quire/store"
)

// A look-up finds what is stored, and nothing else.
func TestLookup(t *testing.T) {
	w := newWriter(t)
	for range 20 {
		w.batch(20)
		for _, status := range []store.Status{store.Draft, store.Published} {
			w.checkLookup(status)
		}
	}
}

// checkLookup compares what a look-up finds among restaurants with the entries that the
// writer knows.
func (w *writer) checkLookup(status store.Status) {
	w.t.Helper()
	restaurant := w.index.Snapshot().Site().Type("api::restaurant.restaurant")
	l := w.index.Snapshot().Lookup(restaurant, status)
	n, chefs, oldest := 0, map[string]int{}, map[string]*store.Entry{}
	for key, e := range w.entries {
		if e.Locale == "" || e.Status != status { // chefs have no locale
			continue
		}
		n++
		if f, ok := l.ByID(e.ID); !ok || !isFound(f, e) {
			w.t.Fatalf("%s is not found by its id", key)
		}
		if f, ok := l.ByDocument(e.DocumentID, e.Locale); !ok || !isFound(f, e) {
			w.t.Fatalf("%s is not found by its document", key)
		}
		chefs[e.Value("chef").Edges[0].Target]++
		if first := oldest[e.Value("name").Text]; first == nil || e.ID < first.ID {
			oldest[e.Value("name").Text] = e
		}
	}
	for name, e := range oldest {
		if f, ok := l.ByValue("name", store.TextValue(name)); !ok || !isFound(f, e) {
			w.t.Fatalf("%q is not found", name)
		}
	}
	for chef, want := range chefs {
		if got := l.CountLinked("chef", chef); got != want {
			w.t.Fatalf("%d restaurants link to %s, and %d are counted", want, chef, got)
		}
	}
	id := uint64(0)
	for f := range l.All() {
		if f.ID() <= id {
			w.t.Fatalf("%d comes after %d", f.ID(), id)
		}
		id = f.ID()
		n--
	}
	if n != 0 {
		w.t.Fatalf("%d entries too few are listed", n)
	}
}

// isFound reports whether what was found is the entry, with its values.
func isFound(f Found, e *store.Entry) bool {
	return f.ID() == e.ID && f.DocumentID() == e.DocumentID && f.Text("name") == e.Value("name").Text &&
		f.Link("chef") == e.Value("chef").Edges[0].Target
}

func TestLookupOfWhatIsNotThere(t *testing.T) {
	w := newWriter(t)
	w.batch(40)
	l := w.index.Snapshot().Lookup(w.index.Snapshot().Site().Type("api::restaurant.restaurant"), store.Published)
	if _, ok := l.ByID(w.nextID + 1); ok {
		t.Error("an id that was never given is found")
	}
	if _, ok := l.ByDocument("nobody", "en"); ok {
		t.Error("a document that is not there is found")
	}
	if _, ok := l.ByDocument("document1", "xx"); ok {
		t.Error("a locale that the site does not have is found")
	}
	for _, v := range []store.Value{{}, store.TextValue("Nobody"), {Kind: store.Int, Num: 1}} {
		if _, ok := l.ByValue("name", v); ok {
			t.Errorf("%+v is found", v)
		}
	}
	if n := l.CountLinked("chef", "nobody"); n != 0 {
		t.Errorf("%d restaurants link to nobody", n)
	}
}

func TestSnapshotLooksUpByKeyIDAndDocument(t *testing.T) {
	w := newWriter(t)
	w.batch(300)
	s := w.index.Snapshot()
	held := map[uint64]bool{}
	for _, e := range w.entries {
		held[e.ID] = true
		uid := "api::restaurant.restaurant"
		if e.Locale == "" {
			uid = "api::chef.chef"
		}
		typ := s.Site().Type(uid)
		if !s.Exists(typ, e.Key()) {
			t.Errorf("%v is not found by its key", e.Key())
		}
		if k, ok := s.ByID(typ, e.ID); !ok || k != e.Key() {
			t.Errorf("id %d finds %v %v, want %v", e.ID, k, ok, e.Key())
		}
		found := false
		for _, k := range s.Versions(typ, e.DocumentID) {
			found = found || k == e.Key()
		}
		if !found {
			t.Errorf("%v is not among the versions of its document", e.Key())
		}
		name := []*schema.Attribute{typ.Attribute("name")}
		if !s.Taken(name, e.Value("name"), e.Status, e.Locale, "other") {
			t.Errorf("the name of %v is not taken", e.Key())
		}
	}
	chefs := s.Site().Type("api::chef.chef")
	if _, ok := s.ByID(chefs, 1<<40); ok {
		t.Error("an id that was never given is found")
	}
	if s.Taken([]*schema.Attribute{chefs.Attribute("name")}, store.Value{Kind: store.Text, Text: "Nobody"}, store.Draft, "", "") {
		t.Error("a name that nobody has is taken")
	}
	for id := range w.nextID + 2 {
		for _, uid := range []string{"api::restaurant.restaurant", "api::chef.chef"} {
			if k, ok := s.ByID(s.Site().Type(uid), id); ok && !held[id] {
				t.Errorf("id %d finds %v of %s, which is not there", id, k, uid)
			}
		}
	}
}
