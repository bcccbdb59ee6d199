package stream

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"quire/store"
)

// upload stores a record of a file, and the file.
func (s *site) upload(id uint64, name string) *store.Entry {
	s.t.Helper()
	check(s.t, os.WriteFile(filepath.Join(s.folder, "uploads", name), []byte("content of "+name), 0o600))
	e := textEntry(id, name, name)
	check(s.t, s.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: files, After: e}) }))
	s.note()
	return e
}

// An upload that was deleted stays in the target for as long as a moment that can be restored
// has it, and goes then. One that comes back is put again.
func TestUploadsThatNothingNamesGo(t *testing.T) {
	for _, passphrase := range []string{"", "a passphrase"} {
		s := newKeyedSite(t, passphrase)
		kept, gone := s.upload(1, "kept.txt"), s.upload(2, "gone.txt")
		s.send()
		check(t, s.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: files, Before: gone}) }))
		check(t, os.Rename(filepath.Join(s.folder, "uploads", "gone.txt"), filepath.Join(s.folder, "aside")))
		s.note()
		s.send()
		c := s.catalog()
		for hash := range c.Files { // put two days ago
			name := filepath.Join(s.target.(*folder).path, entry{letter: fileLetter, file: hash}.name(s.id))
			check(t, os.Chtimes(name, time.Time{}, time.Now().Add(-48*time.Hour)))
		}
		thin := func(at time.Time, want int) {
			t.Helper()
			check(t, s.sender.Thin(t.Context(), s.catalog(), at))
			if c := s.catalog(); len(c.Files) != want || len(c.names) != len(c.images) {
				t.Errorf("there are %d files, want %d, and %d lists for %d images", len(c.Files), want, len(c.names), len(c.images))
			}
		}
		s.sender.state.Image = 0
		check(t, s.sender.step(t.Context())) // an image without the file
		for _, p := range s.ledger {
			s.requireMoment(p)
		}
		first := s.catalog().images[0]
		check(t, s.target.Delete(t.Context(), first.name(s.id))) // as after a year
		thin(time.Now(), 1)
		if !s.sender.has(s.key.nameOf(kept.Value("name").Text)) || s.sender.has(s.key.nameOf("gone.txt")) {
			t.Error("the sender does not know which files are there")
		}
		check(t, os.Rename(filepath.Join(s.folder, "aside"), filepath.Join(s.folder, "uploads", "gone.txt")))
		gone.ID = 3
		check(t, s.db.Update(func(tx *store.Tx) error { return tx.Apply(store.Change{Type: files, After: gone}) }))
		s.note()
		s.send()
		thin(time.Now(), 2)
		s.requireMoment(s.ledger[len(s.ledger)-1])
		check(t, s.target.Delete(t.Context(), s.catalog().names[0].name(s.id)))
		c = s.catalog()
		c.files = map[string]time.Time{s.key.nameOf("gone.txt"): {}}
		if list, err := c.unused(t.Context()); err != nil || len(list) > 0 {
			t.Errorf("without a list of names, %+v would go, %v", list, err)
		}
	}
}
