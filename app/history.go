package app

import (
	"context"
	"time"

	"quire/content"
	"quire/history"
	"quire/schema/settings"
	"quire/store"
)

// Writes remove what is too much of the history of the entries that they change. What is
// too old, and what nobody writes to, is seen to here.

const (
	pruneInterval = time.Hour // from the end of one walk over the history to the next
	prunedAtOnce  = 1024      // versions that a step looks at
)

// prune removes versions that have been kept long enough until ctx is done.
func (a *App) prune(ctx context.Context) {
	var at history.Place
	a.inSteps(ctx, pruneInterval, "old versions could not be removed", func(now time.Time) (more bool, err error) {
		from := at
		at = history.Place{} // where a walk that fails begins again
		next, err := a.pruneStep(ctx, from, now)
		if err == nil {
			at = next
		}
		return !at.IsZero(), err
	})
}

// stepBreak is between two steps of a round, so that writes need not wait.
const stepBreak = 200 * time.Millisecond

// inSteps removes what is old in rounds of small steps until ctx is done. A step reports
// whether there are more in its round. One that fails ends the round, and the log says
// that, with the error.
func (a *App) inSteps(ctx context.Context, interval time.Duration, failed string, step func(now time.Time) (more bool, err error)) {
	timer := time.NewTimer(stepBreak)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		more := false
		err := a.guarded(func() (err error) { more, err = step(time.Now()); return err })
		if err != nil && ctx.Err() == nil {
			a.log.Error(failed, "error", err)
		}
		pause := interval
		if more && err == nil {
			pause = stepBreak
		}
		timer.Reset(pause)
	}
}

// pruneStep removes some old versions from a place on. It returns where to go on, a zero
// Place at the end.
func (a *App) pruneStep(ctx context.Context, at history.Place, now time.Time) (next history.Place, err error) {
	limits, writer := a.historyLimits()
	var old []history.Place
	err = a.db.View(func(tx *store.Tx) error {
		old, next, err = history.Expired(tx, at, limits, now.UnixMilli(), prunedAtOnce)
		return err
	})
	if err == nil && len(old) > 0 {
		err = writer.Record(ctx, func(tx *store.Tx) error { return history.Remove(tx, old) })
	}
	return next, err
}

func (a *App) historyLimits() (settings.History, *content.Writer) {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.site.Settings.History, a.writer
}
