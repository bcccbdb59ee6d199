package app

import (
	"context"
	"time"

	"quire/content/history"
	"quire/store"
)

// A write removes surplus versions of the entries that it changes. The code below removes
// expired versions, and surplus versions of entries that nobody writes.

const (
	pruneInterval = time.Hour // between two walks over the history
	prunedAtOnce  = 1024      // versions that one step reads
)

// prune removes expired versions until ctx is done.
func (a *App) prune(ctx context.Context) {
	var at history.VersionKey
	a.inSteps(ctx, pruneInterval, "old versions could not be removed", func(ctx context.Context, now time.Time) (more bool, err error) {
		from := at
		at = history.VersionKey{} // a failed walk starts here again
		next, err := a.pruneStep(ctx, from, now)
		if err == nil {
			at = next
		}
		return !at.IsZero(), err
	})
}

// stepBreak is the pause between two steps of a round, so that writes need not wait.
const stepBreak = 200 * time.Millisecond

// inSteps removes old data in rounds of small steps until ctx is done. A step reports
// whether its round has more steps. A step that fails ends the round, and the error is
// logged.
func (a *App) inSteps(ctx context.Context, interval time.Duration, failed string, step func(ctx context.Context, now time.Time) (more bool, err error)) {
	timer := time.NewTimer(stepBreak)
	defer timer.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		more := false
		err := a.guarded(func() (err error) { more, err = step(ctx, time.Now()); return err })
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

// pruneStep removes some old versions from a place on. It returns the place to continue
// from, or a zero VersionKey at the end.
func (a *App) pruneStep(ctx context.Context, at history.VersionKey, now time.Time) (next history.VersionKey, err error) {
	serving := a.serving()
	var old []history.VersionKey
	err = a.db.View(func(tx *store.Tx) error {
		old, next, err = history.Expired(tx, at, serving.site.Settings.History, now.UnixMilli(), prunedAtOnce)
		return err
	})
	if err == nil && len(old) > 0 {
		err = serving.writer.Record(ctx, func(tx *store.Tx) error { return history.Remove(tx, old) })
	}
	return next, err
}
