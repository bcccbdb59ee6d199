package store

import (
	"cmp"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
)

// model is the file as a plain map, which each step is compared with.
type model map[string]map[Key]*Entry

func (m model) clone() model {
	c := model{}
	for uid, entries := range m {
		c[uid] = maps.Clone(entries)
	}
	return c
}

// content is in the order of Scan.
func (m model) content() map[string][]*Entry {
	all := map[string][]*Entry{}
	for uid, entries := range m {
		if len(entries) == 0 {
			continue
		}
		all[uid] = slices.SortedFunc(maps.Values(entries), func(a, b *Entry) int {
			return cmp.Or(
				cmp.Compare(entryBucketOf(uid, a.Locale).path()[2], entryBucketOf(uid, b.Locale).path()[2]),
				cmp.Compare(a.DocumentID, b.DocumentID),
				cmp.Compare(a.Status, b.Status),
			)
		})
	}
	return all
}

// A file that is written to, rolled back and reopened at random always equals a map, is
// intact at the end, and its feed explains how it came about.
func TestAFileIsAMap(t *testing.T) {
	r := newRand(t)
	path := filepath.Join(t.TempDir(), "quire.db")
	db := open(t, path, Options{})
	acknowledged := model{}
	db.Subscribe(func(c Commit) {
		for _, change := range c.Changes {
			acknowledged.apply(change)
		}
	})
	m := model{}
	for range 40 {
		next := m.clone()
		fail := r.IntN(4) == 0
		err := db.Update(func(tx *Tx) error {
			for range r.IntN(40) {
				c := next.randomChange(r)
				noError(t, tx.Apply(c))
				next.apply(c)
			}
			if fail {
				return errTest
			}
			return nil
		})
		if fail != (err != nil) {
			t.Fatalf("update: %v", err)
		}
		if !fail {
			m = next
		}
		if r.IntN(10) == 0 {
			noError(t, db.Reopen())
		}
		requireContent(t, db, m.content())
		requireContent(t, db, acknowledged.content())
		requireShort(t, db)
		if problems, err := db.Check(t.Context()); err != nil || len(problems) > 0 {
			t.Fatalf("%v, %v", problems, err)
		}
		if t.Failed() {
			return
		}
	}
}

func (m model) apply(c Change) {
	if m[c.Type] == nil {
		m[c.Type] = map[Key]*Entry{}
	}
	if c.After == nil {
		delete(m[c.Type], c.Before.Key())
		return
	}
	m[c.Type][c.After.Key()] = c.After
}

// randomChange is one that the model's file has to take.
func (m model) randomChange(r *rand.Rand) Change {
	uid := []string{"api::a.a", "api::b.b", "place.c"}[r.IntN(3)]
	k := Key{
		DocumentID: "doc" + string(rune('a'+r.IntN(26))) + []string{"", "x", "yyyy"}[r.IntN(3)],
		Locale:     []string{"", "en", "pt-BR"}[r.IntN(3)],
		Status:     []Status{Draft, Published}[r.IntN(2)],
	}
	before := m[uid][k]
	if before != nil && r.IntN(3) == 0 {
		return Change{Type: uid, Before: before}
	}
	after := &Entry{ID: r.Uint64(), DocumentID: k.DocumentID, Locale: k.Locale, Status: k.Status, Fields: randomFields(r, 2)}
	if twin := m[uid][Key{k.DocumentID, k.Locale, Draft}]; twin != nil && r.IntN(2) == 0 {
		after.Fields = twin.Fields
	}
	return Change{Type: uid, Before: before, After: after}
}
