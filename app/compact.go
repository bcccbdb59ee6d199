package app

import (
	"context"
	"errors"
	"time"

	"quire/store"
)

// Compacted is the result of a compaction.
type Compacted struct {
	store.Compacted
	Took time.Duration // the time that writes had to wait
}

// Compact gives unused space in the data file back to the disk. The running server does it,
// or this process if no server runs. It returns an error if there is no data file, and does
// not create one.
func (l Location) Compact(ctx context.Context) (done Compacted, who string, err error) {
	if _, err := l.SchemaFingerprint(); err != nil { // fails if there is no such site
		return done, "", err
	}
	return callAs(ctx, l, compactCommand, nil, func() (Compacted, error) { return l.compactHere(ctx) })
}

// compactHere compacts a data file that no other process has open.
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

// compactLive compacts the data file of the running server. The content and its revision
// stay the same, so the content in memory stays valid.
func (a *App) compactLive(ctx context.Context) (any, error) {
	done, err := compact(ctx, a.db)
	return done, a.requestReopenOn(err)
}
