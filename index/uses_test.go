package index

import (
	"encoding/json"
	"slices"
	"testing"

	"quire/store"
)

// used are the names of indexes, without how often they were asked for.
func used(uses []Use) (names []string) {
	for _, u := range uses {
		names = append(names, u.name())
	}
	return names
}

// askAll asks for an index of each kind, for the first of them three times.
func askAll(s *Snapshot) {
	restaurant := s.Site().Type("api::restaurant.restaurant")
	draft, published := s.Table(restaurant, store.Draft), s.Table(restaurant, store.Published)
	zone := restaurant.Attribute("sections")
	for range 3 {
		s.Values(published, NewPath(restaurant.Attribute("rating")))
	}
	s.Values(published, NewPath(restaurant.Attribute("createdAt")))
	s.Values(draft, NewPath(restaurant.Attribute("opening_hours"), restaurant.Attribute("opening_hours").ComponentType.Attribute("day")))
	s.Values(published, NewPath(zone, zone.Zone[0].Attributes[1]))
	s.Words(published, NewPath(restaurant.Attribute("name")))
	s.Links(published, NewPath(restaurant.Attribute("chef")))
	s.Translations(published)
	s.References(draft)
}

// What one process had in use, another one prepares, and no query builds it again.
func TestIndexesInUseArePrepared(t *testing.T) {
	former := newWriter(t).index.Snapshot()
	askAll(former)
	text, err := json.Marshal(former.Uses())
	check(t, err)
	var uses []Use
	check(t, json.Unmarshal(text, &uses))
	if len(uses) != 8 || uses[0].Count != firstUse+3 || uses[0].Path[0] != "rating" {
		t.Fatalf("in use were %+v", uses)
	}
	next := newWriter(t).index.Snapshot()
	for _, u := range uses {
		if !next.Prepare(u, nil) {
			t.Errorf("%s is not prepared", u.name())
		}
	}
	for _, c := range next.collections {
		for _, tb := range c.tables() {
			tb.building.byKey = nil
		}
	}
	askAll(next)
	for _, c := range next.collections {
		for _, tb := range c.tables() {
			for key := range tb.building.byKey {
				t.Errorf("a query has built %v of %s", key, tb.Type.UID)
			}
		}
	}
	if got := used(next.Uses()); !slices.Equal(got, used(uses)) {
		t.Errorf("in use are\n%q\nand were\n%q", got, used(uses))
	}
}

// An index that nobody asks for any more is forgotten after some starts.
func TestIndexesOutOfUseAreForgotten(t *testing.T) {
	u := Use{Type: "api::restaurant.restaurant", Kind: "values", Path: []string{"rating"}, Count: 5}
	for _, want := range []uint64{2, 1, 0} {
		s := newWriter(t).index.Snapshot()
		if !s.Prepare(u, nil) {
			t.Fatal("not prepared")
		}
		uses := s.Uses()
		switch {
		case want == 0 && len(uses) == 0:
			return
		case want == 0 || len(uses) != 1 || uses[0].Count != want:
			t.Fatalf("in use are %+v in place of %d", uses, want)
		}
		u = uses[0]
	}
}

// What a site does not have, or what no query would build, is not prepared.
func TestPrepareOfWhatIsNotThere(t *testing.T) {
	s := newWriter(t).index.Snapshot()
	const restaurant = "api::restaurant.restaurant"
	for _, u := range []Use{
		{},
		{Type: "api::nothing.nothing", Kind: "values", Path: []string{"name"}},
		{Type: "place.address", Kind: "values", Path: []string{"city"}},
		{Type: "api::category.category", Draft: true, Kind: "values", Path: []string{"name"}},
		{Type: restaurant, Kind: "guesses", Path: []string{"name"}},
		{Type: restaurant, Kind: "values"},
		{Type: restaurant, Kind: "values", Path: []string{"nothing"}},
		{Type: restaurant, Kind: "values", Path: []string{"name", "name"}},
		{Type: restaurant, Kind: "values", Path: []string{"location"}},
		{Type: restaurant, Kind: "values", Path: []string{"sections", "name"}},
		{Type: restaurant, Kind: "values", Path: []string{"sections", "place.address:city"}},
		{Type: restaurant, Kind: "words", Path: []string{"rating"}},
		{Type: restaurant, Kind: "words", Path: []string{"documentId"}},
		{Type: restaurant, Kind: "links", Path: []string{"name"}},
		{Type: "api::category.category", Kind: "translations"},
		{Type: restaurant, Kind: "references", Path: []string{"name"}},
	} {
		if s.Prepare(u, nil) {
			t.Errorf("%+v is prepared", u)
		}
	}
	if uses := s.Uses(); len(uses) != 0 {
		t.Errorf("in use are %+v", uses)
	}
}

// Who needs an index does not wait for another one that is being built.
func TestIndexesAreBuiltBesideEachOther(t *testing.T) {
	s := newWriter(t).index.Snapshot()
	restaurant := s.Site().Type("api::restaurant.restaurant")
	tb := s.Table(restaurant, store.Published)
	begun, end, done := make(chan struct{}), make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		path := NewPath(restaurant.Attribute("name"))
		s.index(nil, tb, indexKey{kind: valuesKind, path: path.key}, func(b *indexBuild) pathIndex {
			close(begun)
			<-end
			return s.buildValues(tb, path, b)
		})
	}()
	<-begun
	s.Values(tb, NewPath(restaurant.Attribute("rating")))
	close(end)
	<-done
	if n := len(*tb.indexes.Load()); n != 2 {
		t.Errorf("the table has %d indexes", n)
	}
}

// What was prepared and is hardly in use is dropped for what a read needs.
func TestPreparedIndexesAreDropped(t *testing.T) {
	s, _ := longTexts(t, reservedStep+1)
	for _, name := range []string{"name", "description", "name"} {
		if !s.Prepare(Use{Type: "api::restaurant.restaurant", Kind: "values", Path: []string{name}, Count: 2}, nil) {
			t.Errorf("there is no memory for the index of %s", name)
		}
	}
}
