package app

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"io/fs"
	"os"

	"quire/content/migrate"
	"quire/schema"
	edits "quire/schema/edit"
	"quire/store"
)

// Evolving is one call of an evolution to the schemas of the site folder, as a running
// server is asked for it.
type Evolving struct {
	migrate.Evolution
	Former string         // folder with the schemas that the content has been of; empty where nobody knows
	DryRun bool           // only say what would be done
	Bounds migrate.Bounds // of what is said

	settings []edits.File // site.json, where it changes
	mentions []edits.Mention
}

// Evolved is what an evolution does: to the content and, where types get other names, to
// site.json.
type Evolved struct {
	*migrate.Plan
	Mentions []edits.Mention `json:"mentions,omitempty"`
}

// Evolve takes the content to the schemas of the site folder, and says who did: the running
// server or this process.
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

// changes reports whether carrying the plan out changes something.
func (m *Evolving) changes(plan *migrate.Plan) bool {
	return !m.DryRun && (plan.Changes() || len(m.Types) > 0)
}

// details is what the audit log says of an evolution: the names that it is about.
func (m *Evolving) details() map[string]string {
	what, err := json.Marshal(m.Evolution)
	if err != nil {
		return nil
	}
	return map[string]string{"evolution": string(what)}
}

// folder is the site folder as it is to be: when types get other names, site.json names them
// as they are called now. What that changes stays in m.
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

// between sets the sites that the evolution is between.
func (m *Evolving) between(site *schema.Site) (err error) {
	if m.To = site; m.Former != "" {
		m.From, err = schema.Load(os.DirFS(m.Former))
	}
	return err
}

// run carries the evolution out, or says what it would do.
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

// plan says what the evolution does, unless it is to be carried out and cannot be.
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

// evolveLive evolves the data that is being served, by the schemas as they are now, and
// serves those from then on. Reads are answered meanwhile, writes with 503.
func (a *App) evolveLive(ctx context.Context, args json.RawMessage) (done *Evolved, err error) {
	var m Evolving
	if err := json.Unmarshal(args, &m); err != nil {
		return nil, err
	}
	a.folder.Lock()
	defer a.folder.Unlock()
	site, err := a.loadServableFrom(m.folder)
	if err != nil {
		return nil, err
	}
	if err := m.between(site); err != nil {
		return nil, err
	}
	// What is refused should not close the writer.
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

// evolveWith migrates, and writes files of the site folder with it, all or nothing.
func evolveWith(ctx context.Context, e migrate.Evolution, db *store.DB, at Location, files []edits.File) (*migrate.Plan, error) {
	if len(files) == 0 {
		return e.Migrate(ctx, db, nil)
	}
	e.Mark = rand.Text()
	var installed *edits.Installation
	plan, err := evolveInstalling(ctx, e, db, func() (undo func() error, err error) {
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

// PlanEvolution says what taking the content that is being served to the schemas of e.To
// does, and changes nothing. e.From is set to the site that is served.
func (a *App) PlanEvolution(ctx context.Context, e migrate.Evolution, bounds migrate.Bounds) (*migrate.Plan, error) {
	a.changing.Lock()
	e.From = a.site
	a.changing.Unlock()
	return e.Plan(ctx, a.db, bounds)
}

// Evolve takes the content that is being served to the schemas of e.To, and serves those
// from then on. Reads are answered meanwhile, writes with 503. install writes the schema
// files; it is called when all else has gone well, right before the migrated data takes
// the place of the former, and returns what puts the former files back, which is called
// when that fails. What is refused, which a *migrate.MigrationError says, has changed
// nothing, and install was not called. When the data has gone over and cannot be read just
// then, the error says so, the files stay, and the new site is served as soon as it can be.
// e.From is set to the site that is served.
func (a *App) Evolve(ctx context.Context, e migrate.Evolution, install func() (undo func() error, err error)) (*migrate.Plan, error) {
	// What is refused should not close the writer.
	plan, err := a.PlanEvolution(ctx, e, migrate.Bounds{})
	if err == nil {
		err = plan.Refused()
	}
	if err != nil {
		return plan, err
	}
	err = a.switchAfter(e.To, func() (err error) {
		e.From = a.site
		plan, err = evolveInstalling(ctx, e, a.db, install)
		return err
	})
	return plan, err
}

// evolveInstalling migrates, and puts the former schema files back when that fails and the
// former data is still there. Nobody else may be writing.
func evolveInstalling(ctx context.Context, e migrate.Evolution, db *store.DB, install func() (undo func() error, err error)) (*migrate.Plan, error) {
	var undo func() error
	plan, err := e.Migrate(ctx, db, func() (err error) {
		if undo, err = install(); err != nil {
			err = errors.Join(&migrate.MigrationError{Problem: "the schema files cannot be written"}, err)
		}
		return err
	})
	if err != nil && undo != nil && !db.Suspended() {
		err = errors.Join(err, undo())
	}
	return plan, err
}
