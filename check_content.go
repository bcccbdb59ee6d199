package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"quire/auth"
	"quire/content"
	"quire/schema"
	"quire/store"
)

// checkHere looks at the data that no server has: first whether every page of
// the file is sound, then what it holds. The error is that it cannot be read.
func (p place) checkHere(ctx context.Context, site *schema.Site) (*report, error) {
	r := &report{}
	file := p.dataFile()
	if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
		return r, nil
	}
	damage, err := store.CheckFile(ctx, file)
	r.damage(file, damage)
	if err != nil || damage != nil {
		return r, err
	}
	r.checkRemains(p.dataFolder())
	if site == nil {
		return r, nil
	}
	db, err := store.Open(file, store.Options{ReadOnly: true})
	if err != nil {
		return nil, err
	}
	err = r.checkContent(ctx, p, site, db)
	if err == nil {
		err = r.checkFiles(p.filesFolder(), db)
	}
	return r, errors.Join(err, db.Close())
}

// damage reports pages and entries that cannot be read.
func (r *report) damage(file string, damage []*store.CorruptError) {
	for _, d := range damage {
		r.problem(file, strings.TrimSpace(d.Bucket+" "+d.Key), d.Err.Error(), "keep a copy of the file and restore the latest backup with `quire restore --replace FILE SITE`")
	}
}

// checkContent compares what is stored with the schemas and with the rules that
// writes follow. p tells how the file is called in the report.
func (r *report) checkContent(ctx context.Context, p place, site *schema.Site, db *store.DB) error {
	file := p.dataFile()
	return db.View(func(tx *store.Tx) error {
		if err := r.checkEntries(file, site, tx); err != nil {
			return err
		}
		faults, err := faultsOf(ctx, site, tx)
		for _, f := range faults {
			r.fault(file, f)
		}
		return err
	})
}

// faultsOf is all that is wrong with the content and the accounts.
func faultsOf(ctx context.Context, site *schema.Site, tx *store.Tx) ([]content.Fault, error) {
	faults, err := content.Audit(ctx, site, tx)
	if err != nil {
		return nil, err
	}
	accounts, err := auth.Check(site, tx)
	return append(faults, accounts...), err
}

func (r *report) fault(file string, f content.Fault) {
	message := f.Message
	if f.Count > 1 {
		message += fmt.Sprintf(" (%d times)", f.Count)
	}
	switch {
	case f.Note:
		r.note("%s: %s: %s", file, f.Place, message)
	case f.Mendable():
		r.problem(file, f.Place, message, "run `quire check --repair`, which mends it")
	default:
		r.problem(file, f.Place, message, f.Fix)
	}
}

// checkRequest asks a running server to check its data. The site is that of the
// caller, and so is the name of the data folder in the report.
type checkRequest struct{ Site, Data string }

func (p place) checkRequest() checkRequest {
	site, err := filepath.Abs(p.site)
	if err != nil {
		site = p.site
	}
	return checkRequest{Site: site, Data: p.dataFolder()}
}

// checkLive looks at the data that is being served. Reads and writes go on.
func (a *app) checkLive(ctx context.Context, args json.RawMessage) (*report, error) {
	var in checkRequest
	if err := json.Unmarshal(args, &in); err != nil {
		return nil, err
	}
	r, p := &report{}, place{site: in.Site, data: in.Data}
	damage, err := a.db.Check(ctx)
	r.damage(p.dataFile(), damage)
	if err != nil || damage != nil {
		return r, err
	}
	site, err := p.load()
	if err != nil {
		return r, nil // whoever asked reports the site
	}
	if err := r.checkContent(ctx, p, site, a.db); err != nil {
		return nil, err
	}
	return r, r.checkLiveFiles(a.filesFolder(), p.filesFolder(), a.db)
}
