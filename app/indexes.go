package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/index"
	"quire/store"
)

// Indexes are built in each run when a query first needs them. A run records which of them
// are in use, and the next run builds these at its start, while it answers requests. If
// there is no record, or it cannot be read, queries build indexes as usual.

const (
	// usesInterval is how often the indexes in use are recorded.
	usesInterval = 5 * time.Minute

	// maxUses is the maximum size of the record in bytes.
	maxUses = 1 << 20
)

func (l Location) usesFile() string { return filepath.Join(l.DataFolder(), "indexes.json") }

// keepIndexes builds the recorded indexes, and the indexes of content that is loaded again
// while the site is served. It records which indexes are in use, until ctx is done.
func (a *App) keepIndexes(ctx context.Context) {
	ticks := time.NewTicker(usesInterval)
	defer ticks.Stop()
	a.prepareIndexes(ctx, a.formerUses())
	a.server.Prepared()
	for ctx.Err() == nil {
		select {
		case uses := <-a.usesBefore:
			a.prepareIndexes(ctx, uses)
			continue
		case <-ctx.Done():
		case <-ticks.C:
		}
		if err := a.noteUses(); err != nil {
			a.log.Warn("cannot record which indexes are in use; the next start does not build them in advance", "error", err)
		}
	}
}

// prepareIndexes builds indexes one after another, most used first.
func (a *App) prepareIndexes(ctx context.Context, uses []index.Use) {
	began, n := time.Now(), 0
	for _, u := range uses {
		if ctx.Err() != nil {
			return
		}
		err := a.guarded(func() error {
			if s := a.serving().index.Snapshot(); s.Prepare(u, s.Site().Settings.Search.AllTogether(a.lexicon.Current())) {
				n++
			}
			return nil
		})
		if err != nil {
			a.log.Error("an index that was in use cannot be built", "type", u.Type, "error", err)
		}
	}
	if n > 0 {
		a.log.Info("the indexes that were in use are built", "indexes", n, "took", time.Since(began).Round(time.Millisecond).String())
	}
}

// formerUses returns what the last run recorded.
func (a *App) formerUses() (uses []index.Use) {
	text, err := readUpTo(a.at.usesFile(), maxUses)
	if err == nil {
		err = json.Unmarshal(text, &uses)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		a.log.Warn("cannot read the record of the indexes that were in use", "file", a.at.usesFile(), "error", err)
		return nil
	}
	return uses
}

// noteUses replaces the record.
func (a *App) noteUses() error {
	text, err := json.Marshal(a.serving().index.Snapshot().Uses())
	if err != nil {
		return err
	}
	work := a.at.usesFile() + ".new"
	if err := os.WriteFile(work, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return store.Replace(work, a.at.usesFile())
}

// readUpTo reads at most the given number of bytes of a file.
func readUpTo(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
