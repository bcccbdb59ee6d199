package inspect

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
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
	r.checkRemains(string(folder))
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
		if err := r.checkEntries(file, site, tx); err != nil {
			return err
		}
		if err := r.privateFolders(file, site, tx); err != nil {
			return err
		}
		if err := r.checkRules(ctx, file, site, tx); err != nil {
			return err
		}
		faults, err := faultsOf(ctx, site, tx)
		for _, f := range faults {
			r.fault(file, f)
		}
		if err != nil {
			return err
		}
		if err := r.checkHistory(ctx, file, tx); err != nil {
			return err
		}
		return r.checkLog(file, tx)
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

// checkLog reports parts of the log of changes that cannot be read.
func (r *Report) checkLog(file string, tx *store.Tx) error {
	damage, err := event.Check(tx)
	for _, d := range damage {
		r.Problem(file, "log", d.Error(), "run `quire check --repair`, after which the log begins anew; who follows the changes reads the content again")
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

func (r *Report) fault(file string, f verify.Fault) {
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
