//go:build !noadmin

package app

import (
	"context"
	"errors"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"quire/admin"
	"quire/content/audit"
	"quire/store"
	"quire/transfer/archive"
	"quire/transfer/backup"
)

// transfers runs the operations of the admin on the data of the site as a whole, one at a
// time. An operation continues when the caller has left.
type transfers struct {
	app *App

	mu     sync.Mutex
	job    *admin.Transfer // the current or last operation; nil for none
	cancel func()          // stops the operation; nil if it can no longer be stopped
	meter  *archive.Meter  // measures the progress; nil for none
	made   string          // path of the file that the last operation made; empty for none
	came   *importFile     // the file of an import, nil for none
}

// Transfer returns the current or last operation.
func (t *transfers) Transfer() *admin.Transfer {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == nil {
		return nil
	}
	job := *t.job
	if t.meter != nil {
		job.Done = t.meter.Entries()
		job.Bytes, job.Size = t.meter.Bytes()
	}
	if t.came != nil {
		job.Form = t.came.form
	}
	return &job
}

// Cancel stops the current operation.
func (t *transfers) Cancel() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == nil || !t.job.Running || t.cancel == nil {
		return admin.ErrTooLate
	}
	t.cancel()
	return nil
}

// idle returns a *BusyError while an operation runs.
func (t *transfers) idle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.idleLocked()
}

// idleLocked is idle for callers that hold mu.
func (t *transfers) idleLocked() error {
	if t.job != nil && t.job.Running {
		return &admin.BusyError{Transfer: *t.job}
	}
	return nil
}

// begin runs work in the background, unless an operation runs.
func (t *transfers) begin(ctx context.Context, kind admin.TransferKind, file string, work func(context.Context) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.beginLocked(ctx, kind, file, work)
}

// beginLocked is begin for callers that hold mu.
func (t *transfers) beginLocked(ctx context.Context, kind admin.TransferKind, file string, work func(context.Context) error) error {
	ctx, stop, err := t.claimLocked(context.WithoutCancel(ctx), kind, file)
	if err != nil {
		return err
	}
	t.app.admin.jobs.Go(func() {
		defer stop()
		t.end(ctx, t.app.guarded(func() error { return work(ctx) }))
	})
	return nil
}

// claimLocked marks the start of an operation, unless one runs. The context is done when
// the operation is stopped, and stop releases the context. The caller holds mu.
func (t *transfers) claimLocked(ctx context.Context, kind admin.TransferKind, file string) (_ context.Context, stop func(), err error) {
	if err := t.idleLocked(); err != nil {
		return nil, nil, err
	}
	t.dropLocked()
	if kind != admin.Planning && kind != admin.Importing {
		t.discardLocked()
	}
	t.job = &admin.Transfer{Kind: kind, File: file, Running: true, Phase: admin.PhaseRead, StartedAt: time.Now().UTC()}
	if source := audit.Of(ctx); source != nil {
		t.job.By = source.Name
	}
	ctx, cancel := context.WithCancel(ctx)
	t.cancel = cancel
	alive := t.app.admin.operation.life()
	unhook := context.AfterFunc(alive, cancel)
	if alive.Err() != nil {
		cancel() // at once, not after a while
	}
	return ctx, func() { unhook(); cancel() }, nil
}

// note updates what is reported about the current operation.
func (t *transfers) note(change func(job *admin.Transfer)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t.job)
}

// enter records the start of a phase.
func (t *transfers) enter(phase string) {
	t.note(func(job *admin.Transfer) { job.Phase = phase })
}

// saveLocked makes a backup of the current data before other data takes its place. The caller
// holds App.changing.
func (t *transfers) saveLocked(ctx context.Context, to target) (made BackedUp, err error) {
	t.enter(admin.PhaseSave)
	staged, err := t.app.stageLocked(ctx)
	if err != nil {
		return made, err
	}
	if made, err = to.save(ctx, staged); err == nil {
		t.note(func(job *admin.Transfer) { job.Saved = to.name() })
	}
	return made, err
}

// beginSwitch starts the phase that cannot be stopped. If the operation was stopped before, it
// returns the error of the context.
func (t *transfers) beginSwitch(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	t.cancel, t.job.Phase = nil, admin.PhaseSwitch
	return nil
}

// end records the result.
func (t *transfers) end(ctx context.Context, err error) {
	problem, detail := "", ""
	if err != nil {
		problem, detail = describeProblem(ctx, err)
		t.app.log.Error("an operation started in the admin failed", "kind", t.Transfer().Kind, "file", t.Transfer().File, "error", err)
	}
	t.note(func(job *admin.Transfer) {
		now := time.Now().UTC()
		job.Running, job.EndedAt, job.Problem, job.Detail = false, &now, problem, detail
		if err == nil {
			job.Phase = admin.PhaseDone
		}
	})
}

// unfitError reports why a backup does not fit the current site.
type unfitError struct{ err error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// describeProblem describes an error without paths of the machine.
func describeProblem(ctx context.Context, err error) (problem, detail string) {
	file, unfit, format, problems := new(backup.FileError), new(unfitError), new(archive.FormatError), new(archive.Problems)
	switch {
	case errors.As(err, &format):
		return admin.ProblemDamaged, cut(format.Error())
	case errors.As(err, &problems):
		return admin.ProblemUnfit, cut(problems.List[0].Error())
	case errors.Is(err, archive.ErrNotEmpty):
		return admin.ProblemOccupied, ""
	case errors.As(err, &file):
		return admin.ProblemDamaged, filepath.Base(file.Path) + " " + file.Problem
	case errors.As(err, &unfit):
		return admin.ProblemUnfit, unfit.Error()
	case errors.Is(err, store.ErrFull), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return admin.ProblemFull, ""
	case ctx.Err() != nil && errors.Is(err, context.Canceled):
		return admin.ProblemCancelled, ""
	}
	return admin.ProblemOther, ""
}
