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
	"quire/archive"
	"quire/audit"
	"quire/backup"
	"quire/store"
)

// transfers is what the admin does with the data of the site as a whole, one at a time.
// Each goes on when whoever has begun it has gone.
type transfers struct {
	app *App

	mu     sync.Mutex
	job    *admin.Transfer // the last one, nil for none
	cancel func()          // stops it; nil where it cannot be stopped any more
	meter  *archive.Meter  // of what can be measured, nil for none
	made   string          // path of the file that the last one has made; empty for none
	came   *arrival        // the file of an import, nil for none
}

// Transfer is the one that is under way or was the last.
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

// Cancel stops the one that is under way.
func (t *transfers) Cancel() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.job == nil || !t.job.Running || t.cancel == nil {
		return admin.ErrTooLate
	}
	t.cancel()
	return nil
}

// idle is a *BusyError while something is under way.
func (t *transfers) idle() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.idleLocked()
}

// idleLocked is idle. mu must be held.
func (t *transfers) idleLocked() error {
	if t.job != nil && t.job.Running {
		return &admin.BusyError{Transfer: *t.job}
	}
	return nil
}

// begin has work done in the background, unless something is under way.
func (t *transfers) begin(ctx context.Context, kind admin.TransferKind, file string, work func(context.Context) error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.beginLocked(ctx, kind, file, work)
}

// beginLocked is begin. mu must be held.
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

// claimLocked says that something begins, unless something is under way. The context is done
// when it is stopped, and stop releases that. mu must be held.
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
		cancel() // and not soon
	}
	return ctx, func() { unhook(); cancel() }, nil
}

// note changes what is said of the one that is under way.
func (t *transfers) note(change func(job *admin.Transfer)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	change(t.job)
}

// enter says which phase begins.
func (t *transfers) enter(phase string) {
	t.note(func(job *admin.Transfer) { job.Phase = phase })
}

// settle begins the phase that nobody stops. The error is the context's where somebody has
// stopped it before.
func (t *transfers) settle(ctx context.Context) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if err := ctx.Err(); err != nil {
		return err
	}
	t.cancel, t.job.Phase = nil, admin.PhaseSwitch
	return nil
}

// end says what came of it.
func (t *transfers) end(ctx context.Context, err error) {
	problem, detail := "", ""
	if err != nil {
		problem, detail = describeProblem(ctx, err)
		t.app.log.Error("what was begun in the admin has failed", "kind", t.Transfer().Kind, "file", t.Transfer().File, "error", err)
	}
	t.note(func(job *admin.Transfer) {
		now := time.Now().UTC()
		job.Running, job.EndedAt, job.Problem, job.Detail = false, &now, problem, detail
		if err == nil {
			job.Phase = admin.PhaseDone
		}
	})
}

// unfitError says why a backup does not go with the site as it is.
type unfitError struct{ err error }

func (e *unfitError) Error() string { return e.err.Error() }
func (e *unfitError) Unwrap() error { return e.err }

// describeProblem says an error in words in which no path of the machine is.
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
