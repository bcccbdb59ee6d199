package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/content/audit"
	"quire/store"
)

// This file records changes of the site as a whole in the audit log. The packages that
// change content and access record those changes.

// byCommand returns a context whose changes are recorded as those of a command.
func byCommand(ctx context.Context, name string) context.Context {
	return audit.With(ctx, &audit.Source{By: store.ActorOf(store.ByCommand, name), Way: audit.ByCommand})
}

// siteEvent returns an event about the site as a whole.
func siteEvent(action string, details map[string]string) audit.Event {
	return audit.Event{Action: action, Target: audit.Target{Type: "site"}, Details: details}
}

// noteSite records in a data file what was done to the site as a whole, and by whom,
// according to the context.
func noteSite(ctx context.Context, db *store.DB, action string, details map[string]string) error {
	return audit.NewLog(db).Note(audit.Of(ctx), siteEvent(action, details))
}

// noted calls noteSite for a change that cannot be undone if recording it fails. It logs
// such a failure.
func (a *App) noted(ctx context.Context, action string, details map[string]string) {
	if err := a.requestReopenOn(noteSite(ctx, a.db, action, details)); err != nil {
		a.log.Error("cannot record an action in the audit log", "action", action, "error", err)
	}
}

// seenBucket holds the checksum of the site.json that was served last.
const (
	seenBucket = "audit.seen"
	seenSite   = "site.json"
)

// noteSettings records that site.json has changed since it was served last, because it sets
// what roles may do.
func (a *App) noteSettings() {
	if a.writesNothing() {
		return
	}
	text, err := os.ReadFile(filepath.Join(a.at.Site, seenSite))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.log.Error("cannot record in the audit log whether site.json has changed", "error", err)
		return
	}
	sum := sha256.Sum256(text)
	name := hex.EncodeToString(sum[:])
	err = a.db.Update(func(tx *store.Tx) error {
		former, err := tx.Record(seenBucket, seenSite)
		if err != nil || string(former) == name {
			return err
		}
		if err := tx.PutRecord(seenBucket, seenSite, []byte(name)); err != nil || former == nil {
			return err
		}
		return audit.Note(tx, nil, siteEvent("settings.change", map[string]string{"file": seenSite, "sha256": name}))
	})
	if a.requestReopenOn(err) != nil {
		a.log.Error("cannot record in the audit log whether site.json has changed", "error", err)
	}
}

// AuditLines calls fn with the selected lines of the audit log as JSON, oldest first. The
// running server reads them, or this process if no server runs.
func (l Location) AuditLines(ctx context.Context, q audit.Query, fn func(line []byte) error) (who string, err error) {
	if _, err := l.Load(); err != nil {
		return "", err
	}
	read := func(from uint64) (some audit.Lines, err error) {
		some, who, err = callAs(ctx, l, auditCommand, auditRead{q, from}, func() (audit.Lines, error) { return l.auditHere(q, from) })
		return some, err
	}
	return who, audit.Export(read, fn)
}

// auditRead requests lines of the audit log from a running server.
type auditRead struct {
	Query audit.Query
	From  uint64
}

func (l Location) auditHere(q audit.Query, from uint64) (some audit.Lines, err error) {
	db, err := store.Open(l.DataFile(), store.Options{Existing: true, ReadOnly: true})
	if errors.Is(err, fs.ErrNotExist) {
		return some, nil // nothing was recorded yet
	}
	if err != nil {
		return some, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return audit.NewLog(db).Read(q, from)
}

// trimAuditStep removes some expired lines of the audit log, and reports whether there may
// be more.
func (a *App) trimAuditStep(ctx context.Context, now time.Time) (more bool, err error) {
	serving := a.serving()
	before := now.Add(-serving.site.Settings.Audit.Retention)
	expired := false
	err = a.db.View(func(tx *store.Tx) error {
		expired, err = audit.Expired(tx, before)
		return err
	})
	if err != nil || !expired {
		return false, err
	}
	err = serving.writer.Record(ctx, func(tx *store.Tx) error {
		more, err = audit.Trim(tx, before, trimmedAtOnce)
		return err
	})
	return more, err
}
