package app

import (
	"context"
	"time"

	"quire/schema/settings"
)

// scheduleInterval is how often the server asks whether a backup is due. The
// settings may have changed, and the clock may have been set.
const scheduleInterval = 20 * time.Second

// A backup that failed is tried again after a minute, then after two, then four,
// and so on, but at least every hour.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// runSchedule makes the backups that site.json asks for until ctx is done.
func (a *App) runSchedule(ctx context.Context) {
	ticker := time.NewTicker(scheduleInterval)
	defer ticker.Stop()
	a.runScheduleOn(ctx, ticker.C)
}

// runScheduleOn is runSchedule with its clock.
func (a *App) runScheduleOn(ctx context.Context, ticks <-chan time.Time) {
	var plan timetable
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticks:
			a.backUpIfDue(ctx, &plan, now)
		}
	}
}

// backUpIfDue makes a backup if it is time for one. The log says how it went.
func (a *App) backUpIfDue(ctx context.Context, plan *timetable, now time.Time) {
	err := a.guarded(func() error {
		settings, schemas := a.backupSettings()
		due, err := plan.due(settings, now, func() (time.Time, error) { return a.lastScheduled(settings) })
		if err != nil || !due {
			return err
		}
		if err := a.backUpScheduled(ctx, settings, schemas); err != nil {
			return err
		}
		return plan.done(now)
	})
	if err != nil && ctx.Err() == nil {
		plan.failed(now)
		a.log.Error("there is no new backup", "error", err, "again", plan.next)
	}
}

func (a *App) backupSettings() (settings settings.Backup, schemas string) {
	site := a.server.Served() // and not a.site: an import or a restore under way is not waited for
	return site.Settings.Backup, fingerprintOf(site)
}

// timetable knows when the next backup is due, by settings that may change.
type timetable struct {
	settings settings.Backup
	next     time.Time
	failures int // since the last good backup
}

// due reports whether a backup is due. A run that was missed, because the machine
// was off, is made up for: by settings that are new here, the next run is the one
// after the last good backup.
func (t *timetable) due(s settings.Backup, now time.Time, last func() (time.Time, error)) (bool, error) {
	if s != t.settings {
		*t = timetable{settings: s}
	}
	if s.Schedule == "" {
		return false, nil
	}
	if t.next.IsZero() {
		made, err := last()
		if err != nil {
			return false, err
		}
		t.next = now
		if !made.IsZero() && !made.After(now) { // one of the future was made while the clock was wrong
			if t.next, err = s.Next(made.In(now.Location())); err != nil {
				return false, err
			}
		}
	}
	return !now.Before(t.next), t.noLater(now)
}

// noLater brings the next run forward to the one that the schedule names after now:
// the clock may have been set back.
func (t *timetable) noLater(now time.Time) error {
	next, err := t.settings.Next(now)
	if err == nil && next.Before(t.next) {
		t.next = next
	}
	return err
}

// done counts the backup that was due at that time as made.
func (t *timetable) done(now time.Time) (err error) {
	t.failures = 0
	t.next, err = t.settings.Next(now)
	return err
}

// failed has the backup that was due at that time tried again.
func (t *timetable) failed(now time.Time) {
	t.next = now.Add(min(firstRetry<<min(t.failures, 10), lastRetry))
	t.failures++
}
