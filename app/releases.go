package app

import (
	"context"
	"errors"
	"time"

	"quire/release"
	"quire/store"
)

// Schedules and releases are done on one goroutine. It looks at the clock so often that
// none is late when the clock is set, and reads the next moment from the data file anew
// when a record of a moment changes, here or on another node, and now and then, since a
// file that was restored or exchanged says nothing.
const (
	releaseTick  = 250 * time.Millisecond
	releaseCheck = 10 * time.Second
)

// forgetInterval is how often schedules are looked for that are long over.
const forgetInterval = time.Hour

// What could not be done because nothing can be written is tried again after a second, then
// after two, and so on, but at least every minute.
const (
	firstReleaseRetry = time.Second
	lastReleaseRetry  = time.Minute
)

// runReleases does what is scheduled until ctx is done.
func (a *App) runReleases(ctx context.Context) {
	ticker := time.NewTicker(releaseTick)
	defer ticker.Stop()
	changed := make(chan struct{}, 1)
	defer a.db.Subscribe(func(c store.Commit) {
		if len(c.RecordsOf(release.Moments)) == 0 {
			return
		}
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	a.runReleasesOn(ctx, ticker.C, changed)
}

// runReleasesOn is runReleases with its clock, and with what says that moments have
// changed.
func (a *App) runReleasesOn(ctx context.Context, ticks <-chan time.Time, changed <-chan struct{}) {
	var agenda agenda
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			agenda.read = time.Time{}
		case now := <-ticks:
			if agenda.isDue(now) {
				a.doReleases(ctx, &agenda, now)
			}
		}
	}
}

// agenda knows when there is something to do next.
type agenda struct {
	next     time.Time // the next moment; zero for none
	read     time.Time // when that was read from the data file; zero for never
	again    time.Time // not before then; zero for at once
	failures int       // since something could be done
	forgot   time.Time // when what is long over was last removed; zero for never
}

// isDue reports whether something is to be done, or the data file to be read. A clock that
// was set back makes the file be read.
func (g *agenda) isDue(now time.Time) bool {
	if now.Before(g.again) && !g.again.After(now.Add(lastReleaseRetry)) {
		return false
	}
	since := now.Sub(g.read)
	return g.read.IsZero() || since < 0 || since >= releaseCheck || !g.next.IsZero() && !now.Before(g.next)
}

// doReleases does what is due and reads the next moment. The log says how it went.
func (a *App) doReleases(ctx context.Context, g *agenda, now time.Time) {
	err := a.guarded(func() (err error) {
		calendar := a.calendar()
		err = calendar.Run(ctx, now, a.reportRelease)
		next, failed := calendar.Next()
		g.next, g.read = next, now
		return errors.Join(err, failed, g.forget(ctx, calendar, now))
	})
	if err == nil {
		g.again, g.failures = time.Time{}, 0
		return
	}
	g.again = now.Add(min(firstReleaseRetry<<min(g.failures, 10), lastReleaseRetry))
	g.failures++
	if ctx.Err() == nil {
		a.log.Warn("what is scheduled cannot be done now", "error", a.requestReopenOn(err), "again", g.again)
	}
}

// forget removes schedules that are long over, now and then.
func (g *agenda) forget(ctx context.Context, c *release.Calendar, now time.Time) error {
	if since := now.Sub(g.forgot); !g.forgot.IsZero() && since >= 0 && since < forgetInterval {
		return nil
	}
	err := c.Forget(ctx)
	if err == nil {
		g.forgot = now
	}
	return err
}

// calendar is what the site has planned, with the writer as it is now.
func (a *App) calendar() *release.Calendar {
	a.changing.Lock()
	defer a.changing.Unlock()
	return release.New(a.db, a.site, a.writer, nil)
}

// reportRelease logs and counts what was due.
func (a *App) reportRelease(o release.Outcome) {
	var failed *release.FailedError
	a.metrics.CountRelease(o.Err)
	if o.Release == nil {
		a.log.Error("the record of something scheduled cannot be read; it was not done", "record", o.Key, "error", o.Err)
		return
	}
	r := o.Release
	about := []any{"id", r.ID, "name", r.Name, "at", r.At, "by", string(r.By), "steps", len(r.Steps)}
	if r.Name == "" {
		about = []any{"id", r.ID, "action", r.Steps[0].Action, "type", r.Steps[0].Type, "document", r.Steps[0].DocumentID, "at", r.At, "by", string(r.By)}
	}
	if o.Err == nil {
		a.log.Info("done as scheduled", about...)
		return
	}
	if errors.As(o.Err, &failed) {
		about = append(about, "failed", len(failed.Failures), "step", failed.Failures[0].Step, "reason", failed.Failures[0].Reason)
		if cause := failed.Causes(); cause != nil {
			about = append(about, "error", cause)
		}
	}
	a.log.Error("what was scheduled could not be done; nothing of it was", about...)
}
