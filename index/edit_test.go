package index

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"quire/schema"
	"quire/store"
)

// writer makes random changes to restaurants and chefs, in the store and in the
// index, and knows every entry that there is.
type writer struct {
	t       *testing.T
	rng     *rand.Rand
	db      *store.DB
	index   *Index
	entries map[string]*store.Entry
	nextID  uint64
	place   uint64 // the highest so far
}

func newWriter(t *testing.T) *writer {
	t.Helper()
	site, db := emptySite(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	w := &writer{t: t, rng: rand.New(rand.NewPCG(seed, 3)), db: db, entries: map[string]*store.Entry{}}
	w.index = w.build(site)
	return w
}

func (w *writer) build(site *schema.Site) *Index {
	w.t.Helper()
	var x *Index
	check(w.t, w.db.View(func(tx *store.Tx) (err error) { x, err = Build(site, tx); return }))
	return x
}

// batch applies n random changes in one transaction and publishes them.
func (w *writer) batch(n int) {
	w.t.Helper()
	edit := w.index.Edit()
	var commit store.CommitID
	err := w.db.Update(func(tx *store.Tx) error {
		for range n {
			c := w.change()
			if err := tx.Apply(c); err != nil {
				return err
			}
			if err := edit.Apply(c); err != nil {
				return err
			}
		}
		commit = tx.CommitID()
		return nil
	})
	check(w.t, err)
	edit.Publish(commit)
}

func (w *writer) change() store.Change {
	uid, locales := "api::restaurant.restaurant", []string{"en", "fr"}
	if w.rng.IntN(4) == 0 {
		uid, locales = "api::chef.chef", []string{""}
	}
	e := &store.Entry{
		DocumentID: fmt.Sprintf("document%d", w.rng.IntN(60)), Locale: locales[w.rng.IntN(len(locales))],
		Status: []store.Status{store.Draft, store.Published}[w.rng.IntN(2)], CreatedAt: 1, UpdatedAt: w.rng.Int64N(1000), PublishedAt: 5,
	}
	key := fmt.Sprint(uid, e.Key())
	before := w.entries[key]
	if before != nil && w.rng.IntN(3) == 0 {
		delete(w.entries, key)
		return store.Change{Type: uid, Before: before}
	}
	if before != nil {
		e.ID = before.ID
	} else {
		w.nextID++
		e.ID = w.nextID
	}
	e.Fields = w.fields(uid)
	w.entries[key] = e
	return store.Change{Type: uid, Before: before, After: e}
}

func (w *writer) fields(uid string) []store.Field {
	fields := []store.Field{{Name: "name", Value: store.Value{Kind: store.Text, Text: fmt.Sprint([]string{"Name ", "Names, Küchen ", "Straßen-Name "}[w.rng.IntN(3)], w.rng.IntN(20))}}}
	if uid == "api::chef.chef" {
		return fields
	}
	if w.rng.IntN(2) == 0 {
		fields = append(fields, store.Field{Name: "stars", Value: store.Value{Kind: store.Int, Num: w.rng.Int64N(6)}})
	}
	w.place += 1 << 20
	chef := store.Edge{Target: fmt.Sprintf("document%d", w.rng.IntN(60)), Place: w.place}
	if w.rng.IntN(4) == 0 { // into the middle of a list
		chef.Place = w.rng.Uint64N(w.place)
	}
	fields = append(fields, store.Field{Name: "chef", Value: store.Value{Kind: store.Edges, Edges: []store.Edge{chef}}})
	var hours []store.Instance
	for i := range w.rng.IntN(4) {
		day := store.Field{Name: "day", Value: store.Value{Kind: store.Text, Text: []string{"mon", "tue", "wed"}[w.rng.IntN(3)]}}
		hours = append(hours, store.Instance{ID: uint64(i + 1), Component: "place.hours", Fields: []store.Field{day}})
	}
	return append(fields, store.Field{Name: "opening_hours", Value: store.Value{Kind: store.Instances, Instances: hours}})
}

// paths are the value and link paths that the tests ask for.
func (w *writer) paths() (values, links []Path) {
	t := w.index.Snapshot().Site().Type("api::restaurant.restaurant")
	hours := t.Attribute("opening_hours")
	values = []Path{NewPath(t.Attribute("name")), NewPath(t.Attribute("stars")), NewPath(t.Attribute("locale")), NewPath(t.Attribute("updatedAt")), NewPath(hours, hours.ComponentType.Attribute("day"))}
	return values, []Path{NewPath(t.Attribute("chef"))}
}

// look asks a snapshot for every index, in both versions.
func (w *writer) look(s *Snapshot) {
	values, links := w.paths()
	for _, status := range []store.Status{store.Draft, store.Published} {
		tb := s.Table(s.Site().Type("api::restaurant.restaurant"), status)
		for _, p := range values {
			s.Values(tb, p)
		}
		for _, p := range links {
			s.Links(tb, p)
		}
		for _, p := range []Path{values[0], values[4]} {
			s.Terms(tb, p)
		}
		s.Translations(tb)
		s.References(tb)
	}
}

// After any writes the live snapshot holds what one built from the file holds,
// and every index what one built from scratch holds, whenever it was built.
func TestLiveIndexEqualsRebuilt(t *testing.T) {
	w := newWriter(t)
	old := w.index.Snapshot()
	for round := range 40 {
		w.batch(1 + w.rng.IntN(40))
		switch round {
		case 5:
			w.look(w.index.Snapshot())
		case 20:
			old = w.index.Snapshot()
		case 30: // an old snapshot gets its indexes from a newer one
			w.look(old)
		}
		rebuilt := w.build(old.Site()).Snapshot()
		if d := diff(w.index.Snapshot(), rebuilt); d != "" {
			t.Fatalf("round %d: %s", round, d)
		}
		if d := diff(old, old); d != "" {
			t.Fatalf("round %d, an old snapshot: %s", round, d)
		}
	}
}

// Readers build and use indexes while a writer publishes.
func TestReadersDuringWrites(t *testing.T) {
	w := newWriter(t)
	w.batch(100)
	done := make(chan struct{})
	var readers sync.WaitGroup
	for range 3 {
		readers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
					s := w.index.Snapshot()
					w.look(s)
					if d := diff(s, s); d != "" {
						t.Error(d)
						return
					}
				}
			}
		})
	}
	for range 60 {
		w.batch(5)
	}
	close(done)
	readers.Wait()
}

// A snapshot taken while a table was short gets an index that was built when it had
// grown. What is left of the index beyond the end of the short table holds no rows,
// and every way of using it has to pass over that.
func TestIndexesOfALongerTableServeAShorterOne(t *testing.T) {
	w := newWriter(t)
	w.grow(100)
	short := w.index.Snapshot()
	w.grow(3 * chunkRows)
	restaurants := short.Site().Type("api::restaurant.restaurant")
	path := NewPath(restaurants.Attribute("locale"))
	long := w.index.Snapshot()
	long.Values(long.Table(restaurants, store.Draft), path)

	tb := short.Table(restaurants, store.Draft)
	if tb == long.Table(restaurants, store.Draft) {
		t.Fatal("the table has not grown")
	}
	rows := short.Values(tb, path).Rows("en")
	all := NewBits(tb.Size())
	rows.AddTo(all)
	if rows.Len() != 100 || all.Count() != 100 || rows.CountIn(all) != 100 || !rows.Intersects(all) {
		t.Errorf("%d rows, as bits %d, of which %d are in common", rows.Len(), all.Count(), rows.CountIn(all))
	}
	if got := len(rowsOf(rows)); got != 100 {
		t.Errorf("%d rows are visited", got)
	}
}

// grow makes n drafts of restaurants.
func (w *writer) grow(n int) {
	w.t.Helper()
	edit := w.index.Edit()
	for range n {
		w.nextID++
		e := &store.Entry{ID: w.nextID, DocumentID: fmt.Sprintf("grown%d", w.nextID), Locale: "en", Status: store.Draft, CreatedAt: 1, UpdatedAt: 1}
		check(w.t, edit.Apply(store.Change{Type: "api::restaurant.restaurant", After: e}))
	}
	edit.Publish(store.CommitID{Revision: 1})
}
