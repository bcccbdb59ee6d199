package inspect

import (
	"path/filepath"
	"slices"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// checkFiles compares the folder of uploads with the records of files.
func (r *Report) checkFiles(folder string, db *store.DB) error {
	found, err := filesFound(folder, db)
	if err != nil {
		return err
	}
	r.files(folder, found)
	return nil
}

// checkServedFiles is checkFiles while files come and go: one that is on its way
// has a passing name, or fits its record when looked at again. shown is how the
// report calls the folder.
func (r *Report) checkServedFiles(folder, shown string, db *store.DB) error {
	found, err := filesFound(folder, db)
	if err != nil || len(found.Strays)+len(found.Missing) == 0 {
		return err
	}
	again, err := filesFound(folder, db)
	if err != nil {
		return err
	}
	gone := func(list []string) func(string) bool {
		return func(name string) bool { return media.IsTemporary(name) || !slices.Contains(list, name) }
	}
	found.Strays = slices.DeleteFunc(found.Strays, gone(again.Strays))
	found.Missing = slices.DeleteFunc(found.Missing, gone(again.Missing))
	r.files(shown, found)
	return nil
}

func (r *Report) files(folder string, found media.Findings) {
	for _, name := range found.Missing {
		r.Problem(filepath.Join(folder, name), "", "is missing, and a record names it", "take it out of a backup (`tar --zstd -xf FILE uploads/"+name+"`), or delete the file through the API")
	}
	if found.Linked && len(found.Strays) > 0 {
		r.note("%s: is behind a link, and has %s that no record names, such as %s; they may belong to others and are never removed", folder, count(len(found.Strays), "file", "files"), found.Strays[0])
		return
	}
	for _, name := range found.Strays {
		r.Problem(filepath.Join(folder, name), "", "is a stray: no record names it", "run `quire check --repair`, which removes it")
	}
}

// filesFound compares a folder of files with their records.
func filesFound(folder string, db *store.DB) (found media.Findings, err error) {
	var named []string
	err = db.View(func(tx *store.Tx) error {
		named, err = StoredFiles(tx)
		return err
	})
	if err != nil {
		return found, err
	}
	return media.Check(folder, named)
}

// StoredFiles lists the names on disk of all files that have a record.
func StoredFiles(tx *store.Tx) ([]string, error) {
	var names []string
	err := tx.Scan(schema.FileUID, func(e *store.Entry) error {
		text := func(name string) string { return e.Value(name).Text }
		stored := media.Stored{Hash: text("hash"), Ext: text("ext"), Mime: text("mime"), URL: text("url"), Formats: text("formats"), ProviderMetadata: text("provider_metadata")}
		names = append(names, stored.Names()...)
		return nil
	})
	return names, err
}
