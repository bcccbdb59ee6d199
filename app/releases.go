package app

import (
	"context"
	"errors"
	"time"

	"quire/content/release"
	"quire/store"
)

// One goroutine begins schedules and releases. It checks the clock often, so that none
// is late when the clock is set. It reads the next moment from the data file when a record
// of a moment changes, here or on another node, and from time to time, because a restored
// or exchanged file causes no notification.
const (
	releaseTick  = 250 * time.Millisecond
	releaseCheck = 10 * time.Second
)

// forgetInterval is how often old schedules are removed.
const forgetInterval = time.Hour

// If nothing can be written, schedules are retried after a second, then after two, and so
// on, but at least every minute.
const (
	firstReleaseRetry = time.Second
	lastReleaseRetry  = time.Minute
)

// runReleases carries out schedules until ctx is done.
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

// runReleasesOn is runReleases with its clock, and with the channel that reports changed
// moments.
func (a *App) runReleasesOn(ctx context.Context, ticks <-chan time.Time, changed <-chan struct{}) {
	var agenda agenda
	var runs release.Runs
	defer runs.Wait()
	for {
		select {
		case <-ctx.Done():
			return
		case <-changed:
			agenda.read = time.Time{}
		case now := <-ticks:
			if agenda.isDue(now) {
				a.doReleases(ctx, &agenda, &runs, now)
			}
		}
	}
}

// agenda is the time of the next schedule.
type agenda struct {
	next     time.Time // the next moment; zero for none
	read     time.Time // when next was read from the data file; zero for never
	again    time.Time // when to retry; zero for at once
	failures int       // since the last success
	forgot   time.Time // when old schedules were last removed; zero for never
}

// isDue reports whether a schedule is due, or the data file has to be read. If the clock
// was set back, the file has to be read.
func (g *agenda) isDue(now time.Time) bool {
	if now.Before(g.again) && !g.again.After(now.Add(lastReleaseRetry)) {
		return false
	}
	since := now.Sub(g.read)
	return g.read.IsZero() || since < 0 || since >= releaseCheck || !g.next.IsZero() && !now.Before(g.next)
}

// doReleases carries out due schedules and reads the next moment. It logs the result. Those
// about which hooks are asked may last until later calls.
func (a *App) doReleases(ctx context.Context, g *agenda, runs *release.Runs, now time.Time) {
	err := a.guarded(func() (err error) {
		calendar := a.calendar()
		err = runs.Begin(ctx, calendar, now, a.reportRelease)
		next, failed := calendar.Next()
		g.next, g.read = next, now
		return errors.Join(err, failed, g.forget(ctx, calendar, now))
	})
	if err == nil {
		g.again = time.Time{}
		if runs.Idle() { // what is being carried out may fail as before
			g.failures = 0
		}
		return
	}
	g.again = now.Add(min(firstReleaseRetry<<min(g.failures, 10), lastReleaseRetry))
	g.failures++
	if ctx.Err() == nil {
		a.log.Warn("cannot carry out schedules now", "error", a.requestReopenOn(err), "again", g.again)
	}
}

// forget removes old schedules from time to time.
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

// calendar returns the schedules and releases of the site, with the current writer.
func (a *App) calendar() *release.Calendar {
	serving := a.serving()
	c := release.New(a.db, serving.site, serving.writer, nil)
	c.Names = a.auditName
	return c
}

// auditName returns the name of an actor in the audit log: the email of an account of the
// admin, and the name of an assistant. Others have none, because names of users of the site
// are private.
func (a *App) auditName(by store.Actor) string {
	switch by.Kind() {
	case store.ByAdmin:
		return a.adminEmail(by.ID())
	case store.ByAssistant:
		return a.adminName(by)
	}
	return ""
}

// reportRelease logs and counts a schedule that was carried out.
func (a *App) reportRelease(o release.Outcome) {
	var failed *release.FailedError
	var postponed *release.PostponedError
	if !errors.As(o.Err, &postponed) {
		a.metrics.CountRelease(o.Err)
	}
	if o.Release == nil {
		a.log.Error("cannot read the record of a schedule or release; it was not carried out", "record", o.Key, "error", o.Err)
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
	if postponed != nil {
		a.log.Warn("a schedule or release is tried again later; nothing was changed", append(about, "step", postponed.Failure.Step, "reason", postponed.Failure.Reason, "again", postponed.Until)...)
		return
	}
	if errors.As(o.Err, &failed) {
		about = append(about, "failed", len(failed.Failures), "step", failed.Failures[0].Step, "reason", failed.Failures[0].Reason)
		if cause := failed.Causes(); cause != nil {
			about = append(about, "error", cause)
		}
	}
	a.log.Error("a schedule or release failed; nothing was changed", about...)
}
