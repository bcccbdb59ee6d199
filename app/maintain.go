package app

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"quire/content/migrate"
	"quire/schema"
	"quire/schema/source"
)

// watchInterval is how often the site folder is checked for changes. Reading a few small
// files costs little and, unlike notifications, works on every file system.
const watchInterval = time.Second

// reopenInterval is how often the server retries to reopen a data file that refuses
// updates. A proxy that checks /_ready sends no writes meanwhile, and writes would request
// it.
const reopenInterval = 10 * time.Second

// maintain does one thing at a time until ctx is done: it reloads the site when its files
// have changed, if they are watched, and it reopens a data file that refuses updates.
func (a *App) maintain(ctx context.Context, watch bool) {
	var ticks <-chan time.Time
	if watch {
		ticker := time.NewTicker(watchInterval)
		defer ticker.Stop()
		ticks = ticker.C
	}
	again := time.NewTicker(reopenInterval)
	defer again.Stop()
	a.maintainOn(ctx, ticks, again.C)
}

// maintainOn is maintain with its clocks: ticks triggers a check of the site folder, and
// again triggers retries.
func (a *App) maintainOn(ctx context.Context, ticks, again <-chan time.Time) {
	seen, missed := a.fingerprint(), false
	for {
		select {
		case <-ctx.Done():
			return
		case <-a.reopenRequests:
			a.reopen()
		case <-again:
			if a.db.Suspended() {
				a.reopen()
			}
			missed = missed && !a.reloadChanged(true)
		case <-ticks:
			if now := a.fingerprint(); now != seen {
				coded := now.code != seen.code
				seen, missed = now, !a.reloadChanged(coded)
			}
		}
	}
}

// reloadChanged reloads a changed site, of which coded says whether the code has changed, and
// logs the result. It reports whether this version
// of the folder is done: a version with problems will be corrected by another change, but a
// reload that failed for another reason, such as the disk, is retried.
func (a *App) reloadChanged(coded bool) (done bool) {
	former := a.serving().site
	switch same := a.serves(former); {
	case same && coded:
		if err := a.reloadCode(); err != nil {
			a.log.Error("the changed code cannot be served; the former code stays", "error", err)
			return errors.As(err, new(*siteError))
		}
		a.log.Info("the changed code is served")
		return true
	case same:
		return true // for example after a change in the admin
	}
	if err := a.reload(); err != nil {
		a.log.Error("the changed site cannot be served; the former one stays", "error", err)
		return errors.As(err, new(*siteError))
	}
	a.noteSettings()
	a.log.Info("the changed site is served", "what", a.summary().String())
	if err := a.warnOfUnfit(former); err != nil {
		a.log.Warn("cannot find out which stored values the changed site hides", "error", err)
	}
	return true
}

// serves reports whether the site folder is the one of a site.
func (a *App) serves(site *schema.Site) bool {
	a.folder.Lock()
	defer a.folder.Unlock()
	now, err := a.at.Load()
	return err == nil && now.Fingerprint == site.Fingerprint
}

// watchedPlan limits how much the server reads after a change of the site folder.
var watchedPlan = migrate.Bounds{Examples: -1, Time: 2 * time.Second}

// warnOfUnfit logs which stored values the served site hides or does not accept, if the
// former site did not hide them or accepted them.
func (a *App) warnOfUnfit(former *schema.Site) error {
	var plan *migrate.Plan
	err := a.guarded(func() (err error) {
		plan, err = migrate.Evolution{From: former, To: a.serving().site}.Plan(context.Background(), a.db, watchedPlan)
		return err
	})
	if err != nil {
		return err
	}
	for _, f := range plan.Of(migrate.Hidden, migrate.Converted, migrate.Unconvertible, migrate.Cut, migrate.Failing) {
		said := []any{"type", f.Type, "attribute", f.Path, "values", f.Values, "documents", f.Documents}
		switch f.Kind {
		case migrate.Hidden:
			a.log.Warn("the changed schemas hide stored values; `quire migrate rename` or rename-type gives them to another name", said...)
		case migrate.Failing:
			a.log.Warn("stored values break a rule of the changed schemas; they are served, and the next write must fulfil it", append(said, "rule", f.Detail)...)
		default:
			a.log.Warn("stored values do not have the type in the changed schemas, and are not served; `quire migrate convert` converts them", append(said, "kinds", f.Detail)...)
		}
	}
	if plan.Partial {
		a.log.Warn("the content was read in part to see what the changed schemas hide; `quire migrate plan` reads all of it", "entries", plan.Entries)
	}
	return nil
}

// fingerprint is a hash of all files that schema.Load may read, and of errors when reading
// them; and one of the files of the project's code.
type fingerprint struct{ site, code [sha256.Size]byte }

func (a *App) fingerprint() (sum fingerprint) {
	folder, h := os.DirFS(a.at.Site), sha256.New()
	add := func(name string) {
		text, err := source.ReadFile(folder, name)
		fmt.Fprintf(h, "%s %d %v\n%s\n", name, len(text), err, text)
	}
	add("site.json")
	fs.WalkDir(folder, "src", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path.Ext(name) == ".json" {
			add(name)
		}
		return nil
	})
	h.Sum(sum.site[:0])
	h.Reset()
	a.at.watchedCode(h)
	h.Sum(sum.code[:0])
	return sum
}
