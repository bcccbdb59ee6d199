package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	admins "quire/auth/people"
	"quire/auth/users"
	"quire/content/changeset"
	"quire/content/event"
	"quire/content/history"
	"quire/content/release"
	"quire/content/verify"
	"quire/media"
	"quire/notify/webhook"
	"quire/schema"
	"quire/store"
)

// Repair fixes what can be fixed. The report lists what it did and could not do; the check
// that follows shows the remaining problems.
func (r *Report) Repair(ctx context.Context, folder Folder, site *schema.Site) {
	if _, err := os.Lstat(folder.File()); errors.Is(err, fs.ErrNotExist) {
		return
	}
	if site == nil {
		r.note("%s: not repaired: see to the schemas first", folder.File())
		return
	}
	if err := r.repairData(ctx, folder, site); err != nil {
		r.Problem(folder.File(), "", "not repaired: "+err.Error(), "see to that, and repair again; nothing is lost")
	}
}

func (r *Report) repairData(ctx context.Context, folder Folder, site *schema.Site) error {
	damage, err := store.CheckFile(ctx, folder.File())
	if err != nil {
		return err
	}
	if damage != nil {
		return r.salvage(ctx, folder.File(), time.Now())
	}
	db, err := store.Open(folder.File(), store.Options{})
	if err != nil {
		return err
	}
	err = r.repairFile(ctx, folder.File(), site, db)
	if err == nil {
		err = errors.Join(r.removeRemains(string(folder)), r.removeStrays(ctx, folder.Uploads(), db))
	}
	return errors.Join(err, db.Close())
}

// salvage copies the readable content of a damaged file to a new one, which uses none of
// its revisions again.
func (r *Report) salvage(ctx context.Context, file string, now time.Time) error {
	to := besides(file, "salvaged", now)
	found, err := store.Salvage(ctx, file, to)
	if err != nil {
		return fmt.Errorf("a damaged file is never written to, and nothing of it could be salvaged: %w", err)
	}
	if err := store.Succeed(to, file); err != nil {
		return err
	}
	r.Salvaged = true
	r.note("%s: not changed, as it is damaged; what can still be read of it is in %s: %s and %s. "+
		"Restoring the latest backup with `quire restore --replace FILE SITE` is better; if there is none, give the new file the name of the damaged one, which you keep, and run `quire check --repair` again",
		file, to, count(found.Entries, "entry", "entries"), count(found.Others, "other record", "other records"))
	return nil
}

// besides returns the path of a file that a repair creates next to the data file.
func besides(file, what string, now time.Time) string {
	return file + "." + what + "-" + now.UTC().Format("20060102-150405.000")
}

// repairFile repairs the content of the file, after copying the file.
func (r *Report) repairFile(ctx context.Context, file string, site *schema.Site, db *store.DB) error {
	var faults []verify.Fault
	var lost []history.Unreadable
	var unlogged []*event.DamageError
	err := db.View(func(tx *store.Tx) (err error) {
		if faults, err = faultsOf(ctx, site, tx); err != nil {
			return err
		}
		if lost, err = history.Check(ctx, tx); err != nil {
			return err
		}
		unlogged, err = event.Check(tx)
		return err
	})
	if err != nil || len(lost)+len(unlogged) == 0 && !slices.ContainsFunc(faults, verify.Fault.Repairable) {
		return err
	}
	copied, err := copyAside(ctx, db, file, time.Now())
	if err != nil {
		return fmt.Errorf("the data file could not be copied: %w", err)
	}
	r.note("%s: a copy of the data file as it was before the repair", copied)
	if err := r.removeHistory(file, db, lost); err != nil {
		return err
	}
	if unlogged, err = event.Repair(db); err != nil {
		return err
	}
	for _, d := range unlogged {
		r.note("%s: fixed: the log of changes begins anew: %v", file, d)
	}
	records, err := repairRecords(db)
	if err != nil {
		return err
	}
	repaired, err := verify.Repair(ctx, db, site)
	for _, f := range slices.Concat(repaired, records) {
		r.note("%s: fixed: %s: %s", file, f.Place, f.Message)
	}
	return err
}

// repairRecords repairs what is not content.
func repairRecords(db *store.DB) (repaired []verify.Fault, err error) {
	for _, repair := range []func(*store.Tx) ([]verify.Fault, error){users.Repair, admins.Repair, release.Repair, changeset.Repair, webhook.Repair} {
		var faults []verify.Fault
		err := db.Update(func(tx *store.Tx) (err error) { faults, err = repair(tx); return err })
		if err != nil {
			return nil, err
		}
		repaired = append(repaired, faults...)
	}
	return repaired, nil
}

// removeHistory removes former versions that cannot be read.
func (r *Report) removeHistory(file string, db *store.DB, lost []history.Unreadable) error {
	if len(lost) == 0 {
		return nil
	}
	places := make([]history.VersionKey, len(lost))
	for i, one := range lost {
		places[i] = one.VersionKey
	}
	r.note("%s: removed %s that could not be read", file, count(len(lost), "former version", "former versions"))
	return db.Update(func(tx *store.Tx) error { return history.Remove(tx, places) })
}

// removeStrays removes files that no record names.
func (r *Report) removeStrays(ctx context.Context, folder string, db *store.DB) error {
	found, err := r.filesFound(ctx, folder, nil, db)
	if err != nil || found.Linked {
		return err
	}
	for _, name := range found.Strays {
		r.note("%s: removed; no record named it", filepath.Join(folder, name))
	}
	return media.RemoveStrays(folder, found.Strays)
}

// copyAside copies the data file to a new one next to it and verifies the copy. It is on
// the disk when copyAside returns its path.
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
