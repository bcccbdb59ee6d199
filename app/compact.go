package app

import (
	"context"
	"errors"
	"time"

	"quire/store"
)

// Compacted is what a compaction came to.
type Compacted struct {
	store.Compacted
	Took time.Duration // for so long writes had to wait
}

// Compact gives back the space in the data file that nothing uses. The running server
// does it, or this process. A data file that is not there is an error, and is not made.
func (l Location) Compact(ctx context.Context) (done Compacted, who string, err error) {
	if _, err := l.SchemaFingerprint(); err != nil { // there is no such site
		return done, "", err
	}
	return callAs(ctx, l, compactCommand, nil, func() (Compacted, error) { return l.compactHere(ctx) })
}

// compactHere compacts a data file that nobody else has open.
func (l Location) compactHere(ctx context.Context) (done Compacted, err error) {
	db, err := l.openAlone(store.Options{Existing: true})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	return compact(ctx, db)
}

func compact(ctx context.Context, db *store.DB) (done Compacted, err error) {
	begin := time.Now()
	done.Compacted, err = db.Compact(ctx)
	done.Took = time.Since(begin)
	return done, err
}

// compactLive compacts the data that is being served. What is in memory stays good:
// the content and its revision are the same.
func (a *App) compactLive(ctx context.Context) (any, error) {
	done, err := compact(ctx, a.db)
	return done, a.requestReopenOn(err)
}
