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
// too old, and what nobody writes to, is seen to here, in small steps, so that writes need
// not wait.

const (
	pruneInterval = time.Hour              // from the end of one walk over the history to the next
	pruneBreak    = 200 * time.Millisecond // between two steps of a walk
	prunedAtOnce  = 1024                   // versions that a step looks at
)

// prune removes versions that have been kept long enough until ctx is done.
func (a *App) prune(ctx context.Context) {
	timer := time.NewTimer(pruneBreak)
	defer timer.Stop()
	var at history.Place
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		var err error
		if err = a.guarded(func() error { at, err = a.pruneStep(ctx, at, time.Now()); return err }); err != nil {
			if ctx.Err() == nil {
				a.log.Error("old versions could not be removed", "error", err)
			}
			at = history.Place{}
		}
		pause := pruneBreak
		if at.IsZero() {
			pause = pruneInterval
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
