//go:build !noadmin

package app

import (
	"context"
	"errors"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"quire/admin"
	"quire/store"
	"quire/transfer/archive"
)

// existing maps the choices of the form to their meaning.
var existing = map[string]archive.Existing{"refuse": archive.Keep, "merge": archive.Merge, "replace": archive.Replace}

// PlanImport starts an import into a copy of the data, to find out what it would do.
func (t *transfers) PlanImport(ctx context.Context, how admin.ImportForm) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.idleLocked(); err != nil {
		return err
	}
	came := t.came
	switch {
	case came == nil:
		return admin.ErrNoFile
	case came.form == admin.FormSealed && how.Key == "":
		return admin.ErrKeyNeeded
	case came.form == admin.FormArchive && how.Key != "":
		return admin.ErrKeyUnused
	}
	came.planned = time.Time{}
	came.delivery = &Delivery{
		Files: []DeliveredFile{{came.name, came.path}}, Key: how.Key, // an encrypted archive can look like JSON lines
		Archive: came.form != admin.FormLines || how.Key != "", Existing: existing[how.Existing], SkipErrors: how.SkipErrors,
	}
	return t.beginLocked(ctx, admin.Planning, came.name, func(ctx context.Context) error {
		plan, err := t.planImport(ctx, came)
		if err != nil {
			return came.named(err)
		}
		plan.Existing, plan.SkipErrors = how.Existing, how.SkipErrors
		t.note(func(job *admin.Transfer) {
			if job.Import = plan; len(plan.Problems) == 0 {
				came.planned = job.StartedAt
			}
		})
		return nil
	})
}

// planImport imports into a copy, and removes the copy.
func (t *transfers) planImport(ctx context.Context, came *importFile) (plan *admin.ImportPlan, err error) {
	meter := new(archive.Meter)
	t.measure(meter)
	serving := t.app.serving()
	site, now := serving.site, serving.index.Snapshot()
	copied, err := t.app.copyData()
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.Remove(copied)) }()
	db, err := store.Open(copied, store.Options{Existing: true, Hasty: true})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	o := archive.Options{HashPassword: unhashed, Meter: meter, Trial: true}
	report, err := came.delivery.into(ctx, archive.Target{Site: site, DB: db, Files: t.app.files}, o)
	if problems := new(archive.Problems); errors.As(err, &problems) {
		return &admin.ImportPlan{Types: []admin.TypeThen{}, Taken: []admin.PlanCount{}, Left: []admin.PlanOmission{}, Skipped: []string{}, Problems: came.listed(problems), More: problems.Cut}, nil
	}
	if err != nil {
		return nil, err
	}
	then, err := buildOf(db, site)
	if err == nil {
		plan = came.described(report)
		plan.Types = typesThen(site, now, then.Snapshot())
		err = ctx.Err()
	}
	return plan, err
}

// unhashed replaces password hashes in a copy that will be removed.
func unhashed(context.Context, string) (string, error) { return "", nil }

// mostListed is the maximum number of items of each kind in a plan.
const mostListed = 100

// described returns the plan that follows from the report of an import into a copy.
func (f *importFile) described(r *archive.Report) *admin.ImportPlan {
	plan := &admin.ImportPlan{Taken: []admin.PlanCount{}, Left: []admin.PlanOmission{}, Skipped: []string{}, Problems: []string{}, Skips: len(r.Skipped)}
	for _, c := range r.Taken {
		plan.Taken = append(plan.Taken, admin.PlanCount{What: cut(c.What), N: c.N})
	}
	for _, o := range r.Left[:min(len(r.Left), mostListed)] {
		plan.Left = append(plan.Left, admin.PlanOmission{What: cut(o.What), N: o.N, Why: cut(o.Why)})
	}
	for _, text := range r.Skipped[:min(len(r.Skipped), mostListed)] {
		plan.Skipped = append(plan.Skipped, f.shown(text))
	}
	return plan
}

// listed returns the problems that prevent an import.
func (f *importFile) listed(p *archive.Problems) []string {
	list := make([]string, len(p.List))
	for i, err := range p.List {
		list[i] = f.shown(err.Error())
	}
	return list
}

// shown returns a text with the user's name of the file instead of its path.
func (f *importFile) shown(text string) string { return cut(strings.ReplaceAll(text, f.path, f.name)) }

// named returns an error with the user's name of the file instead of its path.
func (f *importFile) named(err error) error {
	format, problems := new(archive.FormatError), new(archive.Problems)
	switch {
	case errors.As(err, &format):
		return &archive.FormatError{File: f.name, Problem: strings.TrimPrefix(f.shown(format.Error()), f.name+" ")}
	case errors.As(err, &problems):
		return &archive.Problems{List: []error{errors.New(f.listed(problems)[0])}, Cut: true}
	}
	return err
}

// longestShown is the maximum number of bytes of a text from the file that are shown.
const longestShown = 500

// cut shortens a long text.
func cut(text string) string {
	if len(text) <= longestShown {
		return text
	}
	end := longestShown
	for !utf8.RuneStart(text[end]) {
		end--
	}
	return text[:end] + "…"
}

// Import starts the planned import. The backup that is made before it counts as one that
// was made on request.
func (t *transfers) Import(ctx context.Context, planned time.Time) error {
	if err := t.idle(); err != nil {
		return err
	}
	if err := t.app.admin.operation.takesOne(); err != nil {
		return err
	}
	came, err := t.beginImport(ctx, planned)
	if err == nil {
		t.app.noted(ctx, "data.import-begin", map[string]string{"file": came.name})
	}
	return err
}

// beginImport imports the file, and then removes it.
func (t *transfers) beginImport(ctx context.Context, planned time.Time) (*importFile, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := t.idleLocked(); err != nil {
		return nil, err
	}
	came := t.came
	if came == nil || came.planned.IsZero() || !came.planned.Equal(planned) {
		return nil, admin.ErrNoPlan
	}
	return came, t.beginLocked(ctx, admin.Importing, came.name, func(ctx context.Context) error {
		defer t.discard()
		return came.named(t.importNow(ctx, came.delivery))
	})
}

// importNow makes a backup of the current data, and imports. Meanwhile no content is
// written.
func (t *transfers) importNow(ctx context.Context, in *Delivery) error {
	to, err := t.app.admin.operation.target()
	if err != nil {
		return err
	}
	var made BackedUp
	steps := importSteps{meter: new(archive.Meter), ready: func() error { return t.beginSwitch(ctx) }}
	steps.before = func() (err error) {
		if made, err = t.saveLocked(ctx, to); err != nil {
			return err
		}
		t.enter(admin.PhaseWrite)
		t.measure(steps.meter)
		return nil
	}
	_, err = t.app.importWith(ctx, in, steps)
	if made.File != "" {
		err = errors.Join(err, t.app.requestReopenOn(putBackup(ctx, t.app.db, made)))
	}
	return err
}
