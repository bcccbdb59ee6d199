package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"quire/auth"
	"quire/content"
	"quire/media"
	"quire/schema"
	"quire/store"
)

// repair mends what can be mended. What it did and could not do is in the
// report; the check that follows shows what is left.
func (r *report) repair(ctx context.Context, p place, site *schema.Site) {
	if _, err := os.Stat(p.dataFile()); errors.Is(err, fs.ErrNotExist) {
		return
	}
	if site == nil {
		r.note("%s: not repaired: see to the schemas first", p.dataFile())
		return
	}
	if err := r.repairData(ctx, p, site); err != nil {
		r.problem(p.dataFile(), "", "not repaired: "+err.Error(), "see to that, and repair again; nothing is lost")
	}
}

func (r *report) repairData(ctx context.Context, p place, site *schema.Site) error {
	damage, err := store.CheckFile(ctx, p.dataFile())
	if err != nil {
		return err
	}
	if damage != nil {
		return r.salvage(ctx, p.dataFile(), time.Now())
	}
	db, err := store.Open(p.dataFile(), store.Options{})
	if err != nil {
		return err
	}
	err = r.mend(ctx, p.dataFile(), site, db)
	if err == nil {
		err = errors.Join(r.removeRemains(p.dataFolder()), r.removeStrays(p.filesFolder(), db))
	}
	return errors.Join(err, db.Close())
}

// salvage copies what can be read of a damaged file to a new one.
func (r *report) salvage(ctx context.Context, file string, now time.Time) error {
	to := besides(file, "salvaged", now)
	found, err := store.Salvage(ctx, file, to)
	if err != nil {
		return fmt.Errorf("a damaged file is never written to, and nothing of it could be salvaged: %w", err)
	}
	r.note("%s: not changed, as it is damaged; what can still be read of it is in %s: %s and %s. "+
		"Restoring the latest backup with `quire restore --replace FILE SITE` is better; if there is none, give the new file the name of the damaged one, which you keep, and run `quire check --repair` again",
		file, to, count(found.Entries, "entry", "entries"), count(found.Others, "other record", "other records"))
	return nil
}

// besides is the path of a file that a repair makes beside the data file.
func besides(file, what string, now time.Time) string {
	return file + "." + what + "-" + now.UTC().Format("20060102-150405.000")
}

// mend repairs what the file holds, after copying it.
func (r *report) mend(ctx context.Context, file string, site *schema.Site, db *store.DB) error {
	var faults []content.Fault
	err := db.View(func(tx *store.Tx) (err error) {
		faults, err = faultsOf(ctx, site, tx)
		return err
	})
	if err != nil || !slices.ContainsFunc(faults, content.Fault.Mendable) {
		return err
	}
	copied, err := copyAside(ctx, db, file, time.Now())
	if err != nil {
		return fmt.Errorf("the data file could not be copied: %w", err)
	}
	r.note("%s: a copy of the data file as it was before the repair", copied)
	accounts, err := auth.Repair(db)
	if err != nil {
		return err
	}
	mended, err := content.Repair(ctx, db, site)
	for _, f := range append(mended, accounts...) {
		r.note("%s: mended: %s: %s", file, f.Place, f.Message)
	}
	return err
}

// removeStrays removes files that no record names.
func (r *report) removeStrays(folder string, db *store.DB) error {
	found, err := filesFound(folder, db)
	if err != nil {
		return err
	}
	for _, name := range found.Strays {
		r.note("%s: removed; no record named it", filepath.Join(folder, name))
	}
	return media.RemoveStrays(folder, found.Strays)
}

// copyAside copies the data file to a new one beside it and reads that back. It
// is on the disk when copyAside returns its path.
func copyAside(ctx context.Context, db *store.DB, file string, now time.Time) (path string, err error) {
	path = besides(file, "before-repair", now)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return "", err
	}
	_, err = db.Backup(f)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = verifyCopy(ctx, path)
	}
	if err == nil {
		err = store.SyncFolder(filepath.Dir(path))
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(path))
	}
	return path, nil
}

func verifyCopy(ctx context.Context, path string) error {
	damage, err := store.CheckFile(ctx, path)
	if err == nil && len(damage) > 0 {
		err = damage[0]
	}
	return err
}
