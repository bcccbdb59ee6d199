package app

import (
	"context"
	"errors"
	"os"
	"time"

	"quire/transfer/stream"
)

// A site as it was at a moment is restored from its stream into a temporary folder, and
// served from there. It takes no writes and has no duties.

// Past is a site as it was at a moment.
type Past struct {
	Location                  // with the temporary data folder
	At       time.Time        // the last commit before the moment
	Restored *stream.Restored // what it was made of
}

// RestorePast restores the site as it was at a moment, from its stream. Remove removes it
// again.
func (l Location) RestorePast(ctx context.Context, at time.Time) (p *Past, err error) {
	own, err := l.id()
	if err != nil {
		return nil, err
	}
	folder, err := os.MkdirTemp("", "quire-past-*")
	if err != nil {
		return nil, err
	}
	p = &Past{Location: Location{Site: l.Site, Data: folder, Wait: l.Wait}}
	if _, p.Restored, err = p.RestoreStream(ctx, Streamed{Of: own}, at, false); err != nil {
		return nil, errors.Join(err, p.Remove())
	}
	p.At = p.Restored.At
	return p, nil
}

// Remove removes the temporary folder.
func (p *Past) Remove() error { return os.RemoveAll(p.Data) }

// writesNothing reports whether this server writes nothing by itself: it follows another one,
// or serves a past.
func (a *App) writesNothing() bool { return a.follows() || a.past != nil }
