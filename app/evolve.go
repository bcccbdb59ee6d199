package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"io/fs"
	"os"

	"quire/content/migrate"
	"quire/schema"
	edits "quire/schema/edit"
	"quire/store"
)

// Evolving is the argument of an evolution to the schemas of the site folder, as a command
// sends it to a running server.
type Evolving struct {
	migrate.Evolution
	Former string         // folder with the former schemas of the content; empty if unknown
	DryRun bool           // only report what would change
	Bounds migrate.Bounds // limits of the report

	settings []edits.File // site.json, if it changes
	mentions []edits.Mention
}

// Evolved is the effect of an evolution on the content and, if types are renamed, on
// site.json.
type Evolved struct {
	*migrate.Plan
	Mentions []edits.Mention `json:"mentions,omitempty"`
}

// Evolve adapts the content to the schemas of the site folder, and returns who did it: the
// running server or this process.
func (l Location) Evolve(ctx context.Context, m *Evolving) (done *Evolved, who string, err error) {
	return callAs(ctx, l, evolveCommand, m, func() (done *Evolved, err error) {
		err = l.withDataOf(m.folder, m.DryRun, func(db *store.DB, site *schema.Site) error {
			if done, err = m.run(ctx, db, site, l); err != nil || !m.changes(done.Plan) {
				return err
			}
			return noteSite(byCommand(ctx, evolveCommand), db, "data.evolve", m.details())
		})
		return done, err
	})
}

// changes reports whether the plan changes anything.
func (m *Evolving) changes(plan *migrate.Plan) bool {
	return !m.DryRun && (plan.Changes() || len(m.Types) > 0)
}

// details returns what the audit log records of an evolution: the names that it changes.
func (m *Evolving) details() map[string]string {
	what, err := json.Marshal(m.Evolution)
	if err != nil {
		return nil
	}
	return map[string]string{"evolution": string(what)}
}

// folder returns the site folder after the change: if types are renamed, its site.json has
// their new names. Changes of that file are kept in m.
func (m *Evolving) folder(l Location) (fs.FS, error) {
	folder := os.DirFS(l.Site)
	var names []edits.Rename
	for _, r := range m.Types {
		names = append(names, edits.Rename{Old: r.Old, New: r.New})
	}
	f, found, err := edits.RenameInSettings(folder, names)
	if err != nil || f == nil {
		return folder, err
	}
	m.settings, m.mentions = []edits.File{*f}, found
	return edits.Over(folder, m.settings), edits.CheckPaths(l.Site, m.settings)
}

// between sets the former and the new site of the evolution.
func (m *Evolving) between(site *schema.Site) (err error) {
	if m.To = site; m.Former != "" {
		m.From, err = schema.Load(os.DirFS(m.Former))
	}
	return err
}

// run does the evolution, or returns what it would do.
func (m *Evolving) run(ctx context.Context, db *store.DB, site *schema.Site, at Location) (done *Evolved, err error) {
	if err := m.between(site); err != nil {
		return nil, err
	}
	plan, err := m.plan(ctx, db)
	if err == nil && !m.DryRun {
		plan, err = evolveWith(ctx, m.Evolution, db, at, m.settings)
	}
	if err != nil {
		return nil, err
	}
	return &Evolved{plan, m.mentions}, nil
}

// plan returns the effects of the evolution, or an error if it is to be done and cannot be.
func (m *Evolving) plan(ctx context.Context, db *store.DB) (*migrate.Plan, error) {
	plan, err := m.Plan(ctx, db, m.Bounds)
	if err != nil || m.DryRun {
		return plan, err
	}
	if list := plan.Of(migrate.Relocated); len(list) > 0 && len(m.Types) == 0 {
		return nil, &migrate.MigrationError{Problem: list[0].Type + " " + list[0].Detail + ": run `quire migrate localization` first"}
	}
	return plan, plan.Refused()
}

// evolveLive adapts the served data to the current schemas, and then serves these.
// Meanwhile reads are answered, and writes return 503.
func (a *App) evolveLive(ctx context.Context, m Evolving) (done *Evolved, err error) {
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServableFrom(m.folder)
	if err != nil {
		return nil, err
	}
	if err := m.between(site); err != nil {
		return nil, err
	}
	// An evolution that will be refused must not close the writer.
	plan, err := m.plan(ctx, a.db)
	if err != nil {
		return nil, err
	}
	if !m.DryRun {
		err = a.switchAfter(site, func() error {
			plan, err = evolveWith(ctx, m.Evolution, a.db, a.at, m.settings)
			return err
		})
	}
	if err == nil && m.changes(plan) {
		a.noted(ctx, "data.evolve", m.details())
	}
	return &Evolved{plan, m.mentions}, err
}

// evolveWith migrates the content and writes files of the site folder: both or neither.
func evolveWith(ctx context.Context, e migrate.Evolution, db *store.DB, at Location, files []edits.File) (*migrate.Plan, error) {
	if len(files) == 0 {
		return e.Migrate(ctx, db, nil)
	}
	e.Mark = rand.Text()
	var installed *edits.Installation
	plan, err := e.MigrateInstalling(ctx, db, func() (undo func() error, err error) {
		if installed, err = edits.Install(at.Site, at.schemaJournal(), e.Mark, files); err != nil {
			return nil, err
		}
		return installed.Undo, nil
	})
	if err != nil || installed == nil {
		return plan, err
	}
	return plan, installed.Keep()
}

// PlanEvolution returns what adapting the served content to the schemas of e.To would do,
// and changes nothing. It sets e.From to the served site.
func (a *App) PlanEvolution(ctx context.Context, e migrate.Evolution, bounds migrate.Bounds) (*migrate.Plan, error) {
	e.From = a.serving().site
	return e.Plan(ctx, a.db, bounds)
}

// Evolve adapts the served content to the schemas of e.To, and then serves these. Meanwhile
// reads are answered, and writes return 503. install writes the schema files. It is called
// after everything else has succeeded, right before the migrated data replaces the former
// data, and returns a function that restores the former files, which is called if the
// replacement fails. If the error is a *migrate.MigrationError, nothing has changed and
// install was not called. If the data was replaced and cannot be read at that moment, the
// error says so, the files stay, and the new site is served as soon as possible. Evolve
// sets e.From to the served site.
func (a *App) Evolve(ctx context.Context, e migrate.Evolution, install func() (undo func() error, err error)) (*migrate.Plan, error) {
	// An evolution that will be refused must not close the writer.
	plan, err := a.PlanEvolution(ctx, e, migrate.Bounds{})
	if err == nil {
		err = plan.Refused()
	}
	if err != nil {
		return plan, err
	}
	err = a.switchAfter(e.To, func() (err error) {
		e.From = a.site
		plan, err = e.MigrateInstalling(ctx, a.db, install)
		return err
	})
	return plan, err
}
