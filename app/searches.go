package app

import (
	"context"
	"time"

	"quire/content/search"
)

// Searches of visitors that find nothing are counted in memory, and stored a few seconds later,
// so that no search waits for the disk. A server that is killed loses the last ones.
const (
	missedInterval     = 10 * time.Second
	trimMissedInterval = time.Hour
)

// openSearches reads the words of searches that are set in the admin.
func (a *App) openSearches() (err error) {
	a.lexicon, err = search.Open(a.db)
	a.missed = search.NewMissed(a.db, nil)
	return err
}

// countMissed returns what counts a search; nil on a server that writes nothing by itself.
func (a *App) countMissed() func(text string) {
	if a.writesNothing() {
		return nil
	}
	return a.missed.Add
}

// storeMissed stores what was counted until ctx is done, and then the rest.
func (a *App) storeMissed(ctx context.Context) {
	a.inSteps(ctx, missedInterval, "searches that found nothing could not be counted", func(context.Context, time.Time) (more bool, err error) {
		return false, a.requestReopenOn(a.missed.Store())
	})
	if err := a.missed.Store(); err != nil {
		a.log.Warn("searches of the last seconds that found nothing were not counted", "error", err)
	}
}

// trimMissed removes counts that are too old.
func (a *App) trimMissed(ctx context.Context) {
	a.inSteps(ctx, trimMissedInterval, "counts of searches could not be removed", func(context.Context, time.Time) (more bool, err error) {
		more, err = a.missed.Trim()
		return more, a.requestReopenOn(err)
	})
}
