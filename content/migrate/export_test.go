package migrate

import (
	"context"

	"quire/schema"
	"quire/store"
)

// MigrateSome changes the first n entries of a migration, like an interrupted one. It
// returns the number of all entries to change.
func MigrateSome(ctx context.Context, m Migration, db *store.DB, site *schema.Site, n int) (all int, err error) {
	_, names, err := m.plan(ctx, db, site)
	if err != nil {
		return 0, err
	}
	return len(names), m.change(ctx, db, site, names[:n])
}

// RenameStored renames types in a data file, whatever the schemas say.
func RenameStored(ctx context.Context, db *store.DB, types []Rename) error {
	return db.Rework(func(work *store.DB) error { return Evolution{Types: types}.renameTypes(ctx, db, work) })
}
