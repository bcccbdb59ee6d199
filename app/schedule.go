package app

import (
	"context"
	"time"

	"quire/schema/settings"
)

// scheduleInterval is how often the server checks whether a backup is due. The settings may
// have changed, and the clock may have been set.
const scheduleInterval = 20 * time.Second

// A failed backup is retried after one minute, then two, then four, and so on, but at least
// every hour.
const (
	firstRetry = time.Minute
	lastRetry  = time.Hour
)

// runSchedule makes the backups that site.json schedules until ctx is done.
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

// backUpIfDue makes a backup if one is due. It logs the result.
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
		a.log.Error("the scheduled backup failed", "error", err, "again", plan.next)
	}
}

func (a *App) backupSettings() (settings settings.Backup, schemas string) {
	site := a.server.Served() // a.site would wait for an import or a restore in progress
	return site.Settings.Backup, fingerprintOf(site)
}

// timetable is the time of the next backup. Settings may change.
type timetable struct {
	settings settings.Backup
	next     time.Time
	failures int // since the last successful backup
}

// due reports whether a backup is due. If a backup was missed because the machine was off,
// it is due at once. For new settings, the next backup is the first one after the last
// successful backup.
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
		if !made.IsZero() && !made.After(now) { // a backup from the future was made while the clock was wrong
			if t.next, err = s.Next(made.In(now.Location())); err != nil {
				return false, err
			}
		}
	}
	return !now.Before(t.next), t.noLater(now)
}

// noLater moves the next backup to the next scheduled time after now if that is earlier,
// because the clock may have been set back.
func (t *timetable) noLater(now time.Time) error {
	next, err := t.settings.Next(now)
	if err == nil && next.Before(t.next) {
		t.next = next
	}
	return err
}

// done records that the backup that was due at that time was made.
func (t *timetable) done(now time.Time) (err error) {
	t.failures = 0
	t.next, err = t.settings.Next(now)
	return err
}

// failed schedules a retry of the backup that was due at that time.
func (t *timetable) failed(now time.Time) {
	t.next = now.Add(min(firstRetry<<min(t.failures, 10), lastRetry))
	t.failures++
}
