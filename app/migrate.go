package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"quire/content/migrate"
	"quire/schema"
	"quire/store"
)

// Migrating is the argument of a migration, as a command sends it to a running server.
type Migrating struct {
	migrate.Migration
	DryRun bool
}

// Migrate runs a migration, and returns who did it: the running server or this process.
// With DryRun it only reports what would be changed.
func (l Location) Migrate(ctx context.Context, m *Migrating) (done *migrate.Migrated, who string, err error) {
	return callAs(ctx, l, migrateCommand, m, func() (done *migrate.Migrated, err error) {
		err = l.withData(m.DryRun, func(db *store.DB, site *schema.Site) error {
			if done, err = m.run(ctx, db, site); err != nil || m.DryRun {
				return err
			}
			return noteSite(byCommand(ctx, migrateCommand), db, "data.migrate", m.details())
		})
		return done, err
	})
}

// details returns what the audit log records of a migration.
func (m *Migrating) details() map[string]string {
	what, err := json.Marshal(m.Migration)
	if err != nil {
		return nil
	}
	return map[string]string{"migration": string(what)}
}

// run runs the migration, or returns what it would do.
func (m *Migrating) run(ctx context.Context, db *store.DB, site *schema.Site) (*migrate.Migrated, error) {
	if m.DryRun {
		return m.Preview(ctx, db, site)
	}
	return m.Migrate(ctx, db, site)
}

// migrateLive migrates the served data to the current schemas, and then serves these.
// Meanwhile reads are answered, and writes return 503.
func (a *App) migrateLive(ctx context.Context, m Migrating) (done *migrate.Migrated, err error) {
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServable()
	if err != nil {
		return nil, err
	}
	// A migration that will be refused must not close the writer.
	if done, err = m.Preview(ctx, a.db, site); err != nil || m.DryRun {
		return done, err
	}
	err = a.switchAfter(site, func() error {
		done, err = m.Migrate(ctx, a.db, site)
		return err
	})
	if err == nil {
		a.noted(ctx, "data.migrate", m.details())
	}
	return done, err
}

// Localizing is the argument of a localization, as a command sends it to a running server.
type Localizing struct {
	migrate.Localization
	DryRun bool
}

// Localize runs a localization, and returns who did it: the running server or this process.
// With DryRun it only reports what would be changed.
func (l Location) Localize(ctx context.Context, m *Localizing) (done *migrate.Localized, who string, err error) {
	return callAs(ctx, l, localizeCommand, m, func() (done *migrate.Localized, err error) {
		err = l.withData(m.DryRun, func(db *store.DB, site *schema.Site) error {
			if done, err = m.run(ctx, db, site); err != nil || m.DryRun || len(done.Moves) == 0 {
				return err
			}
			return noteSite(byCommand(ctx, localizeCommand), db, "data.localize", nil)
		})
		return done, err
	})
}

// run runs the localization on a copy of the data file, or returns what it would do.
func (m *Localizing) run(ctx context.Context, db *store.DB, site *schema.Site) (done *migrate.Localized, err error) {
	if done, err = m.Preview(ctx, db, site); err != nil || m.DryRun || len(done.Moves) == 0 {
		return done, err
	}
	err = db.Rework(func(work *store.DB) error {
		done, err = m.Migrate(ctx, db, work, site)
		return err
	})
	return done, err
}

// localizeLive localizes the served data as migrateLive migrates it.
func (a *App) localizeLive(ctx context.Context, m Localizing) (done *migrate.Localized, err error) {
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServable()
	if err != nil {
		return nil, err
	}
	// A localization that will be refused must not close the writer.
	if done, err = m.Preview(ctx, a.db, site); err != nil || m.DryRun || len(done.Moves) == 0 {
		return done, err
	}
	err = a.switchAfter(site, func() error {
		done, err = m.run(ctx, a.db, site)
		return err
	})
	if err == nil {
		a.noted(ctx, "data.localize", nil)
	}
	return done, err
}

// withData calls fn with the site and with its data file, which no other process has open.
func (l Location) withData(readOnly bool, fn func(*store.DB, *schema.Site) error) (err error) {
	return l.withDataOf(Location.files, readOnly, fn)
}

func (l Location) files() (fs.FS, error) { return os.DirFS(l.Site), nil }

// withDataOf is withData for a folder that is derived from the site folder.
func (l Location) withDataOf(folder func(Location) (fs.FS, error), readOnly bool, fn func(*store.DB, *schema.Site) error) (err error) {
	if err := l.repairSchemas(); err != nil {
		return err
	}
	site, err := l.loadFrom(folder)
	if err != nil {
		return err
	}
	if _, err := os.Lstat(l.DataFile()); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("there is no data file %s", l.DataFile())
	}
	db, err := l.openAlone(store.Options{ReadOnly: readOnly})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return fn(db, site)
}
