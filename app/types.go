package app

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"quire/content/migrate"
	"quire/schema"
	edits "quire/schema/edit"
	"quire/server"
	"quire/store"
)

// Types changes the content types and components of a served site, and adapts its content.
type Types struct{ app *App }

// Types returns what changes the content types of the served site.
func (a *App) Types() Types { return Types{a} }

// schemaJournal records the former schema files while they are changed.
func (l Location) schemaJournal() string { return filepath.Join(l.DataFolder(), "schema-change.json") }

// MayEdit reports whether site.json allows schema changes or, if it does not say, whether
// the site is served for development.
func (t Types) MayEdit(site *schema.Site) bool {
	if set := site.Settings.Admin.SchemaEditing; set != nil {
		return *set
	}
	return t.app.develops.Load()
}

// Definitions returns the definitions in the files of the site folder.
func (t Types) Definitions() ([]edits.Definition, error) {
	t.app.folder.Lock()
	defer t.app.folder.Unlock()
	return edits.Definitions(os.DirFS(t.app.at.Site))
}

// planBounds limits what a plan reports. It has no time limit, so that the same content
// gives the same plan.
var planBounds = migrate.Bounds{Examples: 5, Entries: 1 << 20}

// Plan returns what a change does to the files and to the content, and changes nothing. If
// the draft has problems, the plan is nil. Errors: *migrate.MigrationError, those of the
// context, the store and the file system.
func (t Types) Plan(ctx context.Context, c edits.Change) (*edits.Draft, *migrate.Plan, error) {
	t.app.folder.Lock()
	defer t.app.folder.Unlock()
	draft, e, err := t.draft(c)
	if err != nil || draft.Site == nil {
		return draft, nil, err
	}
	plan, err := t.app.PlanEvolution(ctx, e, planBounds)
	if err != nil {
		return nil, nil, err
	}
	seal(draft, plan)
	return draft, plan, nil
}

// draft is the result of a change on the files, and how the content is adapted.
func (t Types) draft(c edits.Change) (*edits.Draft, migrate.Evolution, error) {
	e := migrate.Evolution{Lossy: c.Lossy, KeepsAll: c.Locales != nil}
	draft, err := edits.Make(os.DirFS(t.app.at.Site), c, server.CheckSite)
	if err == nil && draft.Site != nil {
		err = edits.CheckPaths(t.app.at.Site, draft.Files)
	}
	if err != nil {
		return nil, e, err
	}
	e.To = draft.Site
	e.Localized.Keep = migrate.Kept(c.Keep)
	for _, r := range draft.Types {
		e.Types = append(e.Types, migrate.Rename{Old: r.Old, New: r.New})
	}
	for _, r := range draft.Attributes {
		e.Attributes = append(e.Attributes, migrate.Rename{Type: r.Type, Old: r.Old, New: r.New})
	}
	for _, r := range draft.Removed {
		e.Drop = append(e.Drop, migrate.Removed{Type: r.Type, Attribute: r.Attribute})
	}
	return draft, e, nil
}

// seal adds the effects on the content to the fingerprint of a draft. If the plan is
// incomplete, only the kinds of effects count, not their numbers.
func seal(draft *edits.Draft, plan *migrate.Plan) {
	effects := slices.Clone(plan.Effects)
	for i := range effects {
		effects[i].Examples = nil
		if plan.Partial {
			effects[i].Documents, effects[i].Entries, effects[i].Values = 0, 0, 0
		}
	}
	text, _ := json.Marshal(effects) // texts and numbers cannot fail
	sum := sha256.Sum256(append([]byte(draft.Fingerprint), text...))
	draft.Fingerprint = hex.EncodeToString(sum[:])
}

// Apply carries out the change whose plan has the fingerprint: it makes a backup, adapts
// the content to the changed schemas, writes their files and serves them, or leaves
// everything unchanged. It returns the path of the backup. Errors: migrate.ErrOutdated, and
// those of Plan and Evolve.
func (t Types) Apply(ctx context.Context, c edits.Change, fingerprint string) (saved string, err error) {
	a := t.app
	a.folder.Lock()
	defer a.folder.Unlock()
	draft, e, err := t.draft(c)
	if err != nil {
		return "", err
	} else if draft.Site == nil || draft.Unagreed {
		return "", migrate.ErrOutdated
	}
	// A change that will be refused must not make a backup.
	if err := outdated(ctx, a.PlanEvolution, e, *draft, fingerprint); err != nil {
		return "", err
	}
	ctx = context.WithoutCancel(ctx) // the caller may disconnect, but a change must be completed
	if saved, err = a.backUpBefore(ctx); err != nil {
		return "", fmt.Errorf("no backup could be made, and nothing has changed: %w", err)
	}
	err = a.switchAfter(draft.Site, func() error {
		e.From = a.site
		plan := func(ctx context.Context, e migrate.Evolution, b migrate.Bounds) (*migrate.Plan, error) {
			return e.Plan(ctx, a.db, b)
		}
		if err := outdated(ctx, plan, e, *draft, fingerprint); err != nil {
			return err
		}
		_, err := evolveWith(ctx, e, a.db, a.at, draft.Files)
		return err
	})
	if err != nil {
		a.log.Error("the files of the site were not changed", "error", err, "backup", saved)
		return "", err
	}
	action := "schema.change"
	if len(c.Types) == 0 {
		action = "locales.change"
	}
	a.noted(ctx, action, map[string]string{"backup": filepath.Base(saved), "files": paths(draft.Files)})
	a.log.Info("the files of the site were changed", "files", len(draft.Files), "backup", saved)
	return saved, nil
}

// outdated reports whether a new plan is refused or has another fingerprint.
func outdated(ctx context.Context, plan func(context.Context, migrate.Evolution, migrate.Bounds) (*migrate.Plan, error), e migrate.Evolution, draft edits.Draft, fingerprint string) error {
	now, err := plan(ctx, e, planBounds)
	if err != nil {
		return err
	}
	if seal(&draft, now); draft.Fingerprint != fingerprint || now.Refused() != nil {
		return migrate.ErrOutdated
	}
	return nil
}

// paths returns the paths of the first files of a draft, for the audit log.
func paths(files []edits.File) string {
	const most = 20
	var names []string
	for _, f := range files[:min(len(files), most)] {
		names = append(names, f.Path)
	}
	if len(files) > most {
		names = append(names, "…")
	}
	return strings.Join(names, " ")
}

// repairSchemas completes or reverts an interrupted change of schema files. The data file
// must not be open.
func (l Location) repairSchemas() (err error) {
	if !edits.Pending(l.schemaJournal()) {
		return nil
	}
	db, err := l.openAlone(store.Options{Timeout: l.Wait})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return edits.Repair(l.Site, l.schemaJournal(), func(id string) (bool, error) {
		mark, err := migrate.LastMark(db)
		return mark == id, err
	})
}

// The names of backups that are made before the content types change, after the site and
// the id of the data folder, and how many are kept.
const (
	beforeTypes     = "-before-types-"
	mostBeforeTypes = 10
)

// backUpBefore makes a backup before the content types change, in the folder of scheduled
// backups, and deletes the oldest of these backups.
func (a *App) backUpBefore(ctx context.Context) (path string, err error) {
	settings, schemas := a.backupSettings()
	to, err := a.newTarget(settings, schemas, beforeTypes)
	if err != nil {
		return "", err
	}
	staged, err := a.stage(ctx)
	if err != nil {
		return "", err
	}
	if _, err := to.save(ctx, staged); err != nil {
		return "", err
	}
	return to.file, retireBefore(filepath.Dir(to.file), to.begin)
}

// retireBefore deletes the oldest backups whose names begin with the prefix.
func retireBefore(folder, begin string) error {
	entries, err := os.ReadDir(folder) // sorted by name, and so by time
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e os.DirEntry) bool {
		rest, ok := strings.CutPrefix(e.Name(), begin)
		_, err := time.Parse(scheduledTime, strings.TrimSuffix(rest, scheduledEnd))
		return !ok || err != nil || !e.Type().IsRegular()
	})
	for len(entries) > mostBeforeTypes {
		if err := os.Remove(filepath.Join(folder, entries[0].Name())); err != nil {
			return err
		}
		entries = entries[1:]
	}
	return nil
}
