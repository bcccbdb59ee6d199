//go:build !noadmin

package app

import (
	"context"
	"errors"
	"fmt"

	"quire/admin"
	admins "quire/auth/people"
	"quire/content/audit"
	"quire/content/event"
	"quire/index"
	"quire/schema"
	"quire/store"
	"quire/transfer/backup"
)

// Look starts to read a backup, to find out what restoring it would do.
func (t *transfers) Look(ctx context.Context, name string) error {
	path, _, err := t.app.admin.operation.find(name)
	if err != nil {
		return err
	}
	return t.begin(ctx, admin.Looking, name, func(ctx context.Context) error {
		return t.prepared(ctx, path, func(p *backup.Prepared, then *admin.RestorePlan) error {
			t.note(func(job *admin.Transfer) { job.Plan = then })
			return nil
		})
	})
}

// Restore starts to restore a backup. The backup that is made before it counts as one that
// was made on request.
func (t *transfers) Restore(ctx context.Context, name string) error {
	path, _, err := t.app.admin.operation.find(name)
	if err == nil {
		err = t.app.admin.operation.takesOne()
	}
	if err != nil {
		return err
	}
	err = t.begin(ctx, admin.Restoring, name, func(ctx context.Context) error {
		return t.prepared(ctx, path, func(p *backup.Prepared, _ *admin.RestorePlan) error { return t.restore(ctx, p) })
	})
	if err == nil {
		t.app.noted(ctx, "data.restore-begin", map[string]string{"file": name})
	}
	return err
}

// prepared calls a function with an unpacked backup that fits the site.
func (t *transfers) prepared(ctx context.Context, path string, do func(*backup.Prepared, *admin.RestorePlan) error) (err error) {
	if err := t.app.takesRestore(); err != nil {
		return err
	}
	p, err := backup.Prepare(ctx, path, t.app.at.DataFolder())
	if link := new(backup.LinkError); errors.As(err, &link) {
		return &unfitError{errors.New("the data file or the folder of uploads is a link, and a restore replaces nothing behind one")}
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, p.Close()) }()
	plan, err := t.app.planRestore(p)
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		return err
	}
	return do(p, plan)
}

// takesRestore returns an *unfitError if the content is not only in this data folder.
func (a *App) takesRestore() error {
	err := a.at.standsAlone()
	if node := new(NodeError); errors.As(err, &node) {
		return &unfitError{fmt.Errorf("the site is a node of the cluster %s, whose content etcd has; restore into a new data folder with quire restore, and begin a site with that by quire cluster init", node.Cluster)}
	}
	return err
}

// planRestore finds out what would change. If the site could not serve the backup, the
// error is an *unfitError.
func (a *App) planRestore(p *backup.Prepared) (plan *admin.RestorePlan, err error) {
	serving := a.serving()
	site, now := serving.site, serving.index.Snapshot()
	db, err := store.Open(p.Data(), store.Options{Existing: true, ReadOnly: true})
	if err != nil {
		return nil, &unfitError{withoutPath(err)}
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	then, err := buildOf(db, site)
	if err != nil {
		return nil, &unfitError{err}
	}
	plan = &admin.RestorePlan{MadeAt: p.Made, Program: p.Program, SameSchemas: p.Schemas == fingerprintOf(site), Missing: len(p.Missing)}
	plan.Types = typesThen(site, now, then.Snapshot())
	err = errors.Join(
		db.View(func(tx *store.Tx) (err error) { plan.Accounts.Then, err = admins.Count(tx); return err }),
		a.db.View(func(tx *store.Tx) (err error) { plan.Accounts.Now, err = admins.Count(tx); return err }),
	)
	if err == nil {
		plan.Changes, err = a.changesSince(p.Revision)
	}
	return plan, err
}

// withoutPath returns the problem of a data file without its path.
func withoutPath(err error) error {
	if format := new(store.FormatError); errors.As(err, &format) {
		return errors.New("its data file " + format.Problem + "; restore it with the command line: quire restore")
	}
	return err
}

// typesThen counts the documents of each type in the backup and now.
func typesThen(site *schema.Site, now, then *index.Snapshot) []admin.TypeThen {
	list := []admin.TypeThen{}
	for _, t := range site.Types {
		if t.IsComponent() {
			continue
		}
		status := store.Published
		if t.DraftAndPublish {
			status = store.Draft // every document has a draft
		}
		n := admin.NowAndThen{Now: now.Table(t, status).Len(), Then: then.Table(t, status).Len()}
		if n != (admin.NowAndThen{}) {
			list = append(list, admin.TypeThen{UID: t.UID, Name: t.Display, NowAndThen: n})
		}
	}
	return list
}

// changesSince counts the changes of entries in the log since a revision. It returns nil if
// the log does not reach back to it.
func (a *App) changesSince(revision uint64) (*int, error) {
	n := 0
	err := a.db.View(func(tx *store.Tx) error {
		return event.Read(tx, event.Position{Revision: revision}, func(c event.Commit) bool {
			n += len(c.Events)
			return true
		})
	})
	if gone := new(event.GoneError); errors.As(err, &gone) {
		return nil, nil
	}
	return &n, err
}

// restore makes a backup of the current data and restores the other one. Meanwhile no
// content is written.
func (t *transfers) restore(ctx context.Context, p *backup.Prepared) error {
	to, err := t.app.admin.operation.target()
	if err != nil {
		return err
	}
	var made BackedUp
	err = t.app.withoutWriter(func() (err error) {
		if made, err = t.saveLocked(ctx, to); err != nil {
			return err
		}
		if err := t.beginSwitch(ctx); err != nil {
			return err
		}
		return t.app.installLocked(ctx, p)
	})
	if made.File != "" {
		err = errors.Join(err, t.app.requestReopenOn(putBackup(ctx, t.app.db, made)))
	}
	if t.app.db.Suspended() {
		t.app.requestReopen()
	}
	return err
}

// installLocked serves the prepared data instead of the current data. If it fails before
// the data file has changed, everything stays. If it fails afterwards, while reading the
// content, updates are refused until the data file has been reopened. The caller holds
// a.changing, and the writer is closed.
func (a *App) installLocked(ctx context.Context, p *backup.Prepared) error {
	release := a.files.Lock() // until the new records name the files
	defer release()
	err := a.guarded(func() error {
		return a.db.Exchange(func(string) error {
			if err := a.db.CopyTo(p.Spare()); err != nil {
				return err
			}
			return p.Install(p.Spare(), audit.Of(ctx), passing()...)
		})
	})
	if err != nil {
		return err
	}
	if err := a.suspendOn(a.rebuildLocked(a.site)); err != nil {
		return err
	}
	if err := a.suspendOn(a.endSessions()); err != nil {
		return err
	}
	if err := p.RemoveFormer(); err != nil {
		a.log.Warn("cannot remove files from before the restore; `quire check --repair` removes them", "error", err)
	}
	return nil
}

// endSessions removes sessions that began after the data file was exchanged and before the
// data about callers was read from it.
func (a *App) endSessions() error {
	return a.db.Update(func(tx *store.Tx) error {
		for _, bucket := range passing() {
			err := tx.Records(bucket, func(key string, _ []byte) error { return tx.DeleteRecord(bucket, key) })
			if err != nil {
				return err
			}
		}
		return nil
	})
}
