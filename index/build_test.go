package index

import (
	"fmt"
	"testing"

	"quire/store"
)

// The fields of a version may lie where those of an earlier one lay, in memory that is lent
// again: here after locales from which all was removed. Each version shows its own all the
// same.
func TestVersionsInMemoryThatIsLentAgain(t *testing.T) {
	site, db := emptySite(t)
	restaurant := site.Type("api::restaurant.restaurant")
	id := uint64(0)
	entry := func(locale string) *store.Entry {
		id++
		return &store.Entry{ID: id, DocumentID: "the-same-document", Locale: locale, Status: store.Draft,
			Fields: []store.Field{{Name: "name", Value: store.Value{Kind: store.Text, Text: "in " + locale}}}}
	}
	err := db.Update(func(tx *store.Tx) error {
		for i := range 12 {
			e := entry(fmt.Sprintf("l%02d", i))
			if err := tx.Apply(store.Change{Type: restaurant.UID, After: e}); err != nil {
				return err
			}
			if i%4 == 0 {
				continue // the next three locales are empty in the end
			}
			if err := tx.Apply(store.Change{Type: restaurant.UID, Before: e}); err != nil {
				return err
			}
		}
		return nil
	})
	check(t, err)
	var x *Index
	check(t, db.View(func(tx *store.Tx) (err error) { x, err = Build(site, tx); return }))
	s := x.Snapshot()
	tb, n := s.Table(restaurant, store.Draft), 0
	tb.Live().Each(func(r Row) bool {
		e := tb.Entry(r)
		want := "in " + s.LocaleCode(e.Locale)
		if got := string(SlotText(e.Body.Slot(restaurant.Attribute("name").Slot))); got != want {
			t.Errorf("the version %s has the name %q", want, got)
		}
		n++
		return true
	})
	if n != 3 {
		t.Errorf("%d versions are there", n)
	}
}
