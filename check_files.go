package main

import (
	"fmt"
	"path/filepath"

	"quire/media"
	"quire/schema"
	"quire/store"
)

// filesFolder is where uploads lie.
func (p place) filesFolder() string { return filepath.Join(p.dataFolder(), "uploads") }

// checkFiles compares the folder of uploads with the records of files, and
// removes strays if the check is to repair.
func (r *report) checkFiles(folder string, tx *store.Tx) error {
	named, err := storedFiles(tx)
	if err != nil {
		return err
	}
	found, err := media.Check(folder, named)
	if err != nil {
		return err
	}
	for _, name := range found.Missing {
		r.problems = append(r.problems, schema.Problem{
			File: filepath.Join(folder, name), Message: "is missing, and a record names it", Fix: "restore it from a backup, or delete the file through the API",
		})
	}
	if r.repair {
		for _, name := range found.Strays {
			r.notes = append(r.notes, fmt.Sprintf("%s: removed; no record named it", filepath.Join(folder, name)))
		}
		return media.RemoveStrays(folder, found.Strays)
	}
	for _, name := range found.Strays {
		r.problems = append(r.problems, schema.Problem{
			File: filepath.Join(folder, name), Message: "is a stray: no record names it", Fix: "run `quire check --repair`, which removes it",
		})
	}
	return nil
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
