package index

import (
	"fmt"
	"maps"
	"slices"
	"sync"
	"testing"

	"quire/store"
)

// The numbers of what was deleted are used again, whatever is deleted first: tables,
// bitmaps and lists stay in proportion to what is there.
func TestNumbersAreUsedAgain(t *testing.T) {
	const n = 4000
	for _, kept := range []int{churnBatch, 1000, n} {
		c := newChurned(t)
		for first := 0; first < n+kept; first += churnBatch {
			if first < n {
				c.create(t, first)
			}
			if first >= kept {
				c.delete(t, first-kept)
			}
			c.requireInProportion(t, kept)
			if t.Failed() {
				t.Fatalf("%d are kept, at %d", kept, first)
			}
		}
		if d := diff(c.index.Snapshot(), c.index.Snapshot()); d != "" {
			t.Error(d)
		}
		for _, c := range c.index.Snapshot().collections {
			if c.documents.texts.n != 0 || len(c.documents.uses.pages) != 0 {
				t.Errorf("%s: %d numbers of documents, in %d pages, are left of none", c.Type.UID, c.documents.texts.n, len(c.documents.uses.pages))
			}
		}
	}
}

func (c *churned) requireInProportion(t *testing.T, kept int) {
	s := c.index.Snapshot()
	for _, uid := range []string{"api::chef.chef", "api::restaurant.restaurant"} {
		tb := s.Table(s.Site().Type(uid), store.Draft)
		if most := Row(2*kept + spareRows + 2*churnBatch); tb.Size() > most || Row(tb.heads.n) > most {
			t.Errorf("%s: %d rows and %d heads for %d entries", uid, tb.Size(), tb.heads.n, tb.Len())
		}
		if numbers := s.Collection(tb.Type).documents.texts.n; numbers > kept+churnBatch {
			t.Errorf("%s: %d numbers for %d documents", uid, numbers, tb.Len())
		}
		for _, one := range *tb.indexes.Load() {
			if w, ok := one.pathIndex.(*Words); ok && w.words.texts.n > 2*(kept+churnBatch+1)+deadWords {
				t.Errorf("%d words are held of %d", w.words.texts.n, w.alive)
			}
			if l, ok := one.pathIndex.(*Links); ok && l.targets.n > 2*kept+spareRows+2*churnBatch {
				t.Errorf("%d targets of links to %d documents", l.targets.n, tb.Len())
			}
		}
	}
}

// Words that texts no longer have are forgotten even where no entry is deleted.
func TestWordsAreForgotten(t *testing.T) {
	c := newChurned(t)
	c.create(t, 0)
	s := c.index.Snapshot()
	restaurants := s.Site().Type("api::restaurant.restaurant")
	path := NewPath(restaurants.Attribute("name"))
	for round := range 100 {
		s = c.rename(t, round)
	}
	w := s.Words(s.Table(restaurants, store.Draft), path)
	if w.alive != churnBatch+1 || w.words.texts.n > 2*w.alive+deadWords+churnBatch+1 {
		t.Errorf("%d words stand in texts, %d are held", w.alive, w.words.texts.n)
	}
	out := NewBits(churnBatch)
	if w.Candidates("word7", Anywhere, out, func(int) bool { return false }); out.Count() != 11 {
		t.Errorf("word7 is found %d times", out.Count())
	}
	if d := diff(s, s); d != "" {
		t.Error(d)
	}
}

// A version that is dropped leaves numbers as they were: those that it gave back are
// still taken, those that it gave out are not.
func TestDroppedVersionsReleaseNothing(t *testing.T) {
	c := newChurned(t)
	for first := 0; first < 10*churnBatch; first += churnBatch {
		c.create(t, first)
	}
	held := contents(c.index.Snapshot())
	for range 3 {
		edit := c.index.Edit()
		for i := range 10 * churnBatch {
			chef, restaurant := c.entries(i)
			for uid, e := range map[string]*store.Entry{"api::chef.chef": chef, "api::restaurant.restaurant": restaurant} {
				check(t, edit.Apply(store.Change{Type: uid, Before: e}))
			}
			other, _ := c.entries(1<<20 + i)
			check(t, edit.Apply(store.Change{Type: "api::chef.chef", After: other}))
		}
		edit.Discard()
		if s := c.index.Snapshot(); !slices.Equal(contents(s), held) {
			t.Fatal("the content has changed")
		}
	}
	c.create(t, 10*churnBatch)
	if d := diff(c.index.Snapshot(), c.index.Snapshot()); d != "" {
		t.Error(d)
	}
}

// contents is all that a snapshot shows, by names and not by numbers, and in the
// order of the rows.
func contents(s *Snapshot) []string {
	var all []string
	for _, c := range s.collections {
		for _, tb := range c.tables() {
			last := uint64(0)
			tb.live.Each(func(r Row) bool {
				all = append(all, fmt.Sprint(s.Key(tb, r), s.describe(tb, r)))
				if e := tb.Entry(r); e.ID <= last {
					all = append(all, "ids do not ascend")
				} else {
					last = e.ID
				}
				return true
			})
		}
	}
	return all
}

// churn makes and deletes documents at random, more of the one or the other as grow
// says. Documents come under new names, and link to each other.
func (w *writer) churn(n int, grow bool) {
	w.t.Helper()
	edit := w.index.Edit()
	err := w.db.Update(func(tx *store.Tx) error {
		for range n {
			c := w.comeOrGo(grow)
			if err := tx.Apply(c); err != nil {
				return err
			}
			if err := edit.Apply(c); err != nil {
				return err
			}
		}
		return nil
	})
	check(w.t, err)
	edit.Publish(store.CommitID{Revision: 1})
}

func (w *writer) comeOrGo(grow bool) store.Change {
	uid, locale := "api::restaurant.restaurant", "en"
	if w.rng.IntN(3) == 0 {
		uid, locale = "api::chef.chef", ""
	}
	if odds := 5; grow && w.rng.IntN(odds) == 0 || !grow && w.rng.IntN(odds) > 0 {
		for key, e := range w.entries { // any of them
			delete(w.entries, key)
			uid := "api::restaurant.restaurant"
			if e.Locale == "" {
				uid = "api::chef.chef"
			}
			return store.Change{Type: uid, Before: e}
		}
	}
	w.nextID++
	e := &store.Entry{ID: w.nextID, DocumentID: fmt.Sprintf("document%d", w.nextID%500), Locale: locale, Status: store.Draft, CreatedAt: int64(w.nextID / 50), UpdatedAt: w.rng.Int64N(1000), Fields: w.fields(uid)}
	if before := w.entries[fmt.Sprint(uid, e.Key())]; before != nil {
		e.ID = before.ID
		w.entries[fmt.Sprint(uid, e.Key())] = e
		return store.Change{Type: uid, Before: before, After: e}
	}
	w.entries[fmt.Sprint(uid, e.Key())] = e
	return store.Change{Type: uid, After: e}
}

// Content comes and goes in great number while snapshots of any age are read: each
// shows for ever what it showed at first, with indexes built early or late, and the
// live one holds what the file holds.
func TestSnapshotsOutliveTheirNumbers(t *testing.T) {
	w := newWriter(t)
	kept := map[*Snapshot][]string{}
	var readers sync.WaitGroup
	var before Row
	renumbered := 0
	for round := range 50 {
		w.churn(20+w.rng.IntN(120), round/10%2 == 0)
		s := w.index.Snapshot()
		size := s.Table(s.Site().Type("api::restaurant.restaurant"), store.Draft).Size()
		if size < before {
			renumbered++
		}
		before = size
		if w.rng.IntN(2) == 0 {
			w.look(s)
		}
		if len(kept) > 5 { // one of them goes
			for one := range maps.Keys(kept) {
				delete(kept, one)
				break
			}
		}
		kept[s] = contents(s)
		for one, was := range kept {
			if w.rng.IntN(4) > 0 {
				continue
			}
			late := w.rng.IntN(3) == 0
			readers.Go(func() {
				if late {
					w.look(one)
				}
				if !slices.Equal(contents(one), was) {
					t.Errorf("round %d: a snapshot has changed", round)
				}
				if d := diff(one, one); d != "" {
					t.Errorf("round %d: %s", round, d)
				}
			})
		}
		if round%3 == 0 {
			readers.Wait()
		}
		if round%10 == 9 {
			if d := diff(s, w.build(s.Site()).Snapshot()); d != "" {
				t.Fatalf("round %d: %s", round, d)
			}
		}
	}
	readers.Wait()
	if renumbered == 0 {
		t.Error("the table was never renumbered")
	}
}
