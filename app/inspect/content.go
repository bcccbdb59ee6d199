package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"

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
	"quire/schema/source"
	"quire/store"
)

// Unserved checks data that no server has open: first whether every page of the file is
// sound, then its content. Without a site, it does not check the content of entries. The
// error is that the file cannot be read. bucket is the bucket with files, or nil.
func Unserved(ctx context.Context, folder Folder, bucket media.Storage, site *schema.Site) (*Report, error) {
	r := &Report{}
	file := folder.File()
	if _, err := os.Lstat(file); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	damage, err := store.CheckFile(ctx, file)
	r.damage(file, damage)
	if err != nil || damage != nil {
		return r, err
	}
	for _, path := range remains(string(folder)) {
		r.Problem(path, "", "was left behind by a run that was cut off", "run `quire check --repair`, which removes it")
	}
	if site == nil {
		return r, nil
	}
	db, err := store.Open(file, store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	err = r.checkContent(ctx, file, site, db)
	if err == nil {
		err = r.checkFiles(ctx, folder.Uploads(), bucket, db)
	}
	return r, errors.Join(err, db.Close())
}

// damage reports pages and entries that cannot be read.
func (r *Report) damage(file string, damage []*store.CorruptError) {
	for _, d := range damage {
		r.Problem(file, strings.TrimSpace(d.Bucket+" "+d.Key), d.Err.Error(), "keep a copy of the file and restore the latest backup with `quire restore --replace FILE SITE`")
	}
}

// checkContent compares the stored content with the schemas and with the rules of writes.
// file is the name of the data file in the report.
func (r *Report) checkContent(ctx context.Context, file string, site *schema.Site, db *store.DB) error {
	return db.View(func(tx *store.Tx) error {
		// Read every entry and report differences from the schemas.
		c := &dataCheck{site, map[leftover]int{}, map[string]int{}}
		for _, uid := range tx.Types() {
			if err := tx.Lend(uid, func(e *store.Entry) error { c.entry(uid, e); return nil }); err != nil {
				return err
			}
		}
		for _, what := range slices.Sorted(maps.Keys(c.wrong)) {
			r.Problems = append(r.Problems, source.Problem{
				File:    file,
				Message: fmt.Sprintf("%s (%s)", what, count(c.wrong[what], "entry", "entries")),
				Fix:     "`quire migrate convert --dry-run` shows what becomes of them; or give the attribute its former type back",
			})
		}
		byText := func(a, b leftover) int { return strings.Compare(a.what, b.what) }
		for _, l := range slices.SortedFunc(maps.Keys(c.leftover), byText) {
			note := fmt.Sprintf("%s: %s (%s): kept, not served", file, l.what, count(c.leftover[l], "entry", "entries"))
			if l.remedy != "" {
				note += "; " + l.remedy
			}
			r.Notes = append(r.Notes, note)
		}
		if err := r.privateFolders(file, site, tx); err != nil {
			return err
		}
		if err := r.checkRules(ctx, file, site, tx); err != nil {
			return err
		}
		faults, err := faultsOf(ctx, site, tx)
		for _, f := range faults {
			message := f.Message
			if f.Count > 1 {
				message += fmt.Sprintf(" (%d times)", f.Count)
			}
			switch {
			case f.Note:
				r.note("%s: %s: %s", file, f.Place, message)
			case f.Repairable():
				r.Problem(file, f.Place, message, "run `quire check --repair`, which fixes it")
			default:
				r.Problem(file, f.Place, message, f.Fix)
			}
		}
		if err != nil {
			return err
		}
		if err := r.checkHistory(ctx, file, tx); err != nil {
			return err
		}
		// Report parts of the log of changes that cannot be read.
		damage, err := event.Check(tx)
		for _, d := range damage {
			r.Problem(file, "log", d.Error(), "run `quire check --repair`, after which the log begins anew; who follows the changes reads the content again")
		}
		return err
	})
}

// checkHistory reports former versions that cannot be read, grouped by type.
func (r *Report) checkHistory(ctx context.Context, file string, tx *store.Tx) error {
	lost, err := history.Check(ctx, tx)
	for len(lost) > 0 {
		first := lost[0].Err
		n := slices.IndexFunc(lost, func(one history.Unreadable) bool { return one.Err.Type != first.Type })
		if n < 0 {
			n = len(lost)
		}
		message := fmt.Sprintf("%s cannot be read, the first: %v", count(n, "former version", "former versions"), first)
		r.Problem(file, "history/"+first.Type, message, "run `quire check --repair`, which removes them; what is current is not affected")
		lost = lost[n:]
	}
	return err
}

// faultsOf returns all faults of the content and the accounts.
func faultsOf(ctx context.Context, site *schema.Site, tx *store.Tx) ([]verify.Fault, error) {
	faults, err := verify.Check(ctx, site, tx)
	if err != nil {
		return nil, err
	}
	accounts := func(tx *store.Tx) ([]verify.Fault, error) { return users.Check(site, tx) }
	for _, check := range []func(*store.Tx) ([]verify.Fault, error){accounts, admins.Check, release.Check, changeset.Check, webhook.Check} {
		found, err := check(tx)
		if err != nil {
			return nil, err
		}
		faults = append(faults, found...)
	}
	return faults, nil
}

// Served checks the data of a running server, while reads and writes continue; uploads is
// the folder of its files. Without a site, it checks only the pages of the data file. shown
// has the names of file and folder in the report.
func Served(ctx context.Context, db *store.DB, uploads string, bucket media.Storage, site *schema.Site, shown Folder) (*Report, error) {
	r := &Report{}
	damage, err := db.Check(ctx)
	r.damage(shown.File(), damage)
	if err != nil || damage != nil || site == nil {
		return r, err
	}
	if err := r.checkContent(ctx, shown.File(), site, db); err != nil {
		return nil, err
	}
	return r, r.checkServedFiles(ctx, uploads, shown.Uploads(), bucket, db)
}
