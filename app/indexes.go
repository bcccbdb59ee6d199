package app

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
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
// while the site is served. It records which indexes are in use, and saves them, until ctx is
// done.
func (a *App) keepIndexes(ctx context.Context) {
	ticks := time.NewTicker(usesInterval)
	defer ticks.Stop()
	prepared := a.prepareIndexes(ctx, a.formerUses())
	a.server.Prepared()
	revision := uint64(0)
	for {
		select {
		case uses := <-a.usesBefore:
			prepared = a.prepareIndexes(ctx, uses)
		case <-ctx.Done():
			if prepared { // otherwise they are as the last run left them
				a.noteUses()
				a.saveAtStop(ctx)
			}
			return
		case <-ticks.C:
			a.noteUses()
			now := a.serving().index.Snapshot().Revision()
			if now == revision { // nothing was written meanwhile
				a.saveIndexes(ctx)
			}
			revision = now
		}
	}
}

// prepareIndexes reads indexes that are saved, and builds the others, most used first. It
// begins with the content as it is now, which saved ones fit whatever is written meanwhile. It
// reports whether it got to the end before ctx was done.
func (a *App) prepareIndexes(ctx context.Context, uses []index.Use) (done bool) {
	began, saved := time.Now(), a.savedNow()
	from, next, n := a.serving().index, atomic.Int64{}, atomic.Int64{}
	first := from.Snapshot()
	prepare := func(u index.Use) error {
		s := first
		if now := a.serving().index; now != from {
			s = now.Snapshot()
		}
		if s.Prepare(u, s.Site().Settings.Search.AllTogether(a.lexicon.Current())) {
			n.Add(1)
		}
		return nil
	}
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= len(uses) {
					return
				}
				if err := a.guarded(func() error { return prepare(uses[i]) }); err != nil {
					a.log.Error("an index that was in use cannot be built", "type", uses[i].Type, "error", err)
				}
			}
		})
	}
	all.Wait()
	if n.Load() > 0 {
		a.log.Info("the indexes that were in use are ready", "indexes", n.Load(), "saved", saved.Read(), "took", time.Since(began).Round(time.Millisecond).String())
	}
	return int(next.Load()) >= len(uses)
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
func (a *App) noteUses() {
	if err := a.replaceUses(); err != nil {
		a.log.Warn("cannot record which indexes are in use; the next start does not build them in advance", "error", err)
	}
}

func (a *App) replaceUses() error {
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
