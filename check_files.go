package main

import (
	"path/filepath"
	"slices"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// filesFolder is where uploads lie.
func (p place) filesFolder() string { return filepath.Join(p.dataFolder(), "uploads") }

// checkFiles compares the folder of uploads with the records of files.
func (r *report) checkFiles(folder string, db *store.DB) error {
	found, err := filesFound(folder, db)
	if err != nil {
		return err
	}
	r.files(folder, found)
	return nil
}

// checkLiveFiles is checkFiles while files come and go: one that is on its way
// has a passing name, or fits its record when looked at again. shown is how the
// report calls the folder.
func (r *report) checkLiveFiles(folder, shown string, db *store.DB) error {
	found, err := filesFound(folder, db)
	if err != nil || len(found.Strays)+len(found.Missing) == 0 {
		return err
	}
	again, err := filesFound(folder, db)
	if err != nil {
		return err
	}
	gone := func(list []string) func(string) bool {
		return func(name string) bool { return media.IsPassing(name) || !slices.Contains(list, name) }
	}
	found.Strays = slices.DeleteFunc(found.Strays, gone(again.Strays))
	found.Missing = slices.DeleteFunc(found.Missing, gone(again.Missing))
	r.files(shown, found)
	return nil
}

func (r *report) files(folder string, found media.Findings) {
	for _, name := range found.Missing {
		r.problem(filepath.Join(folder, name), "", "is missing, and a record names it", "take it out of a backup (`tar --zstd -xf FILE uploads/"+name+"`), or delete the file through the API")
	}
	for _, name := range found.Strays {
		r.problem(filepath.Join(folder, name), "", "is a stray: no record names it", "run `quire check --repair`, which removes it")
	}
}

// filesFound compares a folder of files with their records.
func filesFound(folder string, db *store.DB) (found media.Findings, err error) {
	var named []string
	err = db.View(func(tx *store.Tx) error {
		named, err = storedFiles(tx)
		return err
	})
	if err != nil {
		return found, err
	}
	return media.Check(folder, named)
}

// storedFiles lists the names on disk of all files that have a record.
func storedFiles(tx *store.Tx) ([]string, error) {
	var names []string
	err := tx.Scan(schema.FileUID, func(e *store.Entry) error {
		text := func(name string) string { return e.Value(name).Text }
		stored := media.Stored{Hash: text("hash"), Ext: text("ext"), Mime: text("mime"), URL: text("url"), Formats: text("formats")}
		names = append(names, stored.Names()...)
		return nil
	})
	return names, err
}
