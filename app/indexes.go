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

// The indexes are made from the data file in each run, when a query first needs them. What
// a run leaves for the next one is which of them were in use: those are built at the start,
// beside the requests that are answered already. Without the note, or with one that cannot
// be read, queries build them as ever.

const (
	// usesInterval is how often it is noted which indexes are in use.
	usesInterval = 5 * time.Minute

	// maxUses bounds the note, in bytes.
	maxUses = 1 << 20
)

func (l Location) usesFile() string { return filepath.Join(l.DataFolder(), "indexes.json") }

// keepIndexes builds the indexes that were in use, and those of content that is read
// again while the site is served, and notes which are in use, until ctx is done.
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
			a.log.Warn("which indexes are in use cannot be noted; the next start does not build them by itself", "error", err)
		}
	}
}

// prepareIndexes builds indexes one after another, those that were most in use first.
func (a *App) prepareIndexes(ctx context.Context, uses []index.Use) {
	began, n := time.Now(), 0
	for _, u := range uses {
		if ctx.Err() != nil {
			return
		}
		if a.currentIndex().Snapshot().Prepare(u) {
			n++
		}
	}
	if n > 0 {
		a.log.Info("the indexes that were in use are built", "indexes", n, "took", time.Since(began).Round(time.Millisecond).String())
	}
}

func (a *App) currentIndex() *index.Index {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.index
}

// keepUses has the indexes of content that is replaced built for what comes in its place.
// a.changing must be held.
func (a *App) keepUses() {
	select {
	case a.usesBefore <- a.index.Snapshot().Uses():
	default: // those of the content before are being built
	}
}

// formerUses is what the last run noted.
func (a *App) formerUses() (uses []index.Use) {
	text, err := readUpTo(a.at.usesFile(), maxUses)
	if err == nil {
		err = json.Unmarshal(text, &uses)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		a.log.Warn("the note of the indexes that were in use cannot be read", "file", a.at.usesFile(), "error", err)
		return nil
	}
	return uses
}

// noteUses writes the note anew.
func (a *App) noteUses() error {
	text, err := json.Marshal(a.currentIndex().Snapshot().Uses())
	if err != nil {
		return err
	}
	work := a.at.usesFile() + ".new"
	if err := os.WriteFile(work, append(text, '\n'), 0o600); err != nil {
		return err
	}
	return store.Replace(work, a.at.usesFile())
}

// readUpTo reads a file. What is beyond most bytes is left out.
func readUpTo(path string, most int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, most))
}
