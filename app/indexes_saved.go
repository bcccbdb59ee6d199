package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// The indexes of large tables are saved in a file, which the next start reads in place of
// building them. They are saved when the server stops, and while nothing is written. The file
// can be removed at any time: what it does not have is built.

const (
	// leastSaved is the number of entries from which the indexes of a table are saved. Those of
	// fewer entries are built in less than a second.
	leastSaved = 20_000

	// savingTime is how long a server that stops saves indexes.
	savingTime = 5 * time.Second
)

func (l Location) savedFile() string { return filepath.Join(l.DataFolder(), "indexes.bin") }

// savedNow returns what the file of indexes has.
func (a *App) savedNow() *index.SavedIndexes {
	a.changing.Lock()
	defer a.changing.Unlock()
	return a.saved
}

// openSavedLocked makes x, which nobody else has yet, read the saved indexes that fit it. The
// caller holds a.changing, or has not started.
func (a *App) openSavedLocked(x *index.Index) {
	_ = a.saved.Close()
	a.saved = nil
	f, err := os.Open(a.at.savedFile())
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	var saved *index.SavedIndexes
	if err == nil {
		saved, err = openSaved(f, a.warnOfDamaged)
	}
	switch {
	case err != nil:
		a.log.Warn("the saved indexes cannot be used; they are built", "file", a.at.savedFile(), "reason", err)
	case saved.Adopt(x) == 0:
		a.log.Info("the saved indexes are those of other content; they are built", "file", a.at.savedFile())
	default:
		a.saved = saved
		return
	}
	if f != nil {
		_ = f.Close()
	}
}

func openSaved(f *os.File, damaged func(error)) (*index.SavedIndexes, error) {
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	return index.OpenSaved(f, info.Size(), sources(), damaged)
}

func (a *App) warnOfDamaged(err error) {
	a.log.Warn("a saved index is damaged; it is built", "file", a.at.savedFile(), "error", err)
}

// saveIndexes saves the indexes that are worth it, unless they are saved, until ctx is done.
func (a *App) saveIndexes(ctx context.Context) {
	saved, s := a.savedNow(), a.serving().index.Snapshot()
	if a.past != nil || sources() == "" || saved.Has(s, a.leastSaved) {
		return
	}
	began := time.Now()
	_ = saved.Close() // the system may not replace an open file
	err := a.guarded(func() (err error) {
		saved, err = a.at.save(ctx, s, a.leastSaved)
		return err
	})
	if err != nil {
		a.log.Warn("cannot save the indexes; the next start builds them", "file", a.at.savedFile(), "error", err)
		return
	}
	a.changing.Lock()
	a.saved = saved
	a.changing.Unlock()
	a.log.Info("the indexes are saved for the next start", "file", a.at.savedFile(), "took", time.Since(began).Round(time.Millisecond).String())
}

// save writes the file of indexes.
func (l Location) save(ctx context.Context, s *index.Snapshot, least int) (saved *index.SavedIndexes, err error) {
	err = store.ReplaceLarge(ctx, l.savedFile(), func(w io.Writer) (err error) {
		saved, err = s.Save(w, sources(), least)
		return err
	})
	return saved, err
}

// saveSearched saves the indexes that the first search with _q needs, after an import into a
// site that has not been served: it has no record of what is in use.
func (l Location) saveSearched(ctx context.Context, db *store.DB, site *schema.Site, least int) error {
	if _, err := os.Stat(l.usesFile()); err == nil {
		return nil
	}
	x, err := buildOf(db, site)
	if err != nil {
		return err
	}
	s := x.Snapshot()
	uses := s.Searched(least)
	for _, u := range uses {
		s.Prepare(u, nil)
	}
	if len(uses) > 0 {
		_, err = l.save(ctx, s, least)
	}
	return err
}

// saveAtStop saves the indexes for savingTime at most.
func (a *App) saveAtStop(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), savingTime)
	defer cancel()
	a.saveIndexes(ctx)
}
