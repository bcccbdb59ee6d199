package app

import (
	"context"
	"errors"

	"quire/content/migrate"
)

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
// nothing, and install was not called. e.From is set to the site that is served.
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
		plan, err = a.evolveLocked(ctx, e, install)
		return err
	})
	return plan, err
}

// evolveLocked migrates, and puts the former schema files back when that fails and the
// former data is still there. a.changing must be held.
func (a *App) evolveLocked(ctx context.Context, e migrate.Evolution, install func() (undo func() error, err error)) (*migrate.Plan, error) {
	var undo func() error
	plan, err := e.Migrate(ctx, a.db, func() (err error) {
		if undo, err = install(); err != nil {
			err = errors.Join(&migrate.MigrationError{Problem: "the schema files cannot be written"}, err)
		}
		return err
	})
	if err != nil && undo != nil && !a.db.Suspended() {
		err = errors.Join(err, undo())
	}
	return plan, err
}
