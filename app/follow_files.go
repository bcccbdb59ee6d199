package app

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"quire/app/inspect"
	"quire/media"
	"quire/schema"
	"quire/store"
	"quire/store/follow"
)

// A follower has the files of the leader's library: they are fetched with their records, and
// removed when no record names them any more.

// mostWanted limits the changes of files that wait. If there are more, all records are read
// again.
const mostWanted = 10_000

// fileChange is a file of a record that a commit has written, or one that it has removed.
type fileChange struct {
	name string
	gone bool
}

// leaderFiles are the files of the leader. A file that is opened is fetched into the folder
// first. It implements [media.Storage] for reads.
type leaderFiles struct {
	media.Storage // of this server
	leader        *follow.Leader
	folder        string
	fetching      *sync.Mutex
}

// copied adds the files of the leader to where files are, if this server follows one and
// the site has no bucket, which both have.
func (a *App) copied(places media.Storages) media.Storages {
	if a.follows() && a.site.Settings.Upload.Storage.Bucket == "" {
		places.Other = &leaderFiles{a.files.Disk(), a.copy.journal.Leader(), a.files.Path(), new(sync.Mutex)}
	}
	return places
}

// Open implements [media.Storage].
func (f *leaderFiles) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	if err := f.fetch(ctx, name); err != nil {
		return nil, media.Object{}, err
	}
	return f.Storage.Open(ctx, name)
}

// fetch copies a file of the leader into the folder. It is complete when it has its name.
func (f *leaderFiles) fetch(ctx context.Context, name string) error {
	f.fetching.Lock()
	defer f.fetching.Unlock()
	if _, err := f.Storage.Stat(ctx, name); !errors.Is(err, fs.ErrNotExist) || !media.SafeName(name) {
		return err
	}
	from, err := f.leader.File(ctx, name)
	if missing := new(follow.RefusalError); errors.As(err, &missing) && missing.Status == http.StatusNotFound {
		return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	if err != nil {
		return &media.UnreachableError{Storage: "of the leader", Err: err}
	}
	defer from.Close()
	to, err := os.CreateTemp(f.folder, ".upload-follow-*")
	if err != nil {
		return &store.StorageError{Err: err}
	}
	_, err = io.Copy(to, from)
	err = errors.Join(err, to.Sync(), to.Close())
	if err == nil {
		err = os.Rename(to.Name(), filepath.Join(f.folder, name))
	}
	if err != nil {
		return errors.Join(&store.StorageError{Err: err}, os.Remove(to.Name()))
	}
	return store.SyncFolder(f.folder)
}

// Delete implements [media.Storage].
func (f *leaderFiles) Delete(ctx context.Context, names ...string) error {
	f.fetching.Lock()
	defer f.fetching.Unlock()
	return f.Storage.Delete(ctx, names...)
}

// fetchInterval is how often all records are compared with the files.
const fetchInterval = time.Hour

// fetchFiles fetches the files of all records, and of new ones, and removes those of records
// that are gone, until ctx is done.
func (a *App) fetchFiles(ctx context.Context) {
	files, ok := a.files.Places().Other.(*leaderFiles)
	if !a.follows() || !ok {
		return
	}
	all := make(chan struct{}, 1)
	again := func() {
		select {
		case all <- struct{}{}:
		default:
		}
	}
	again()
	defer a.db.Subscribe(func(c store.Commit) { a.noteFiles(c, again) })()
	ticks := time.NewTicker(fetchInterval)
	defer ticks.Stop()
	for {
		var err error
		select {
		case <-ctx.Done():
			return
		case one := <-a.copy.files:
			err = a.followFile(ctx, files, one)
		case <-all:
			err = a.followFiles(ctx, files)
		case <-ticks.C:
			err = a.followFiles(ctx, files)
		}
		if err != nil && ctx.Err() == nil {
			a.log.Error("the files of the leader could not be fetched, or removed here; tried again in a minute", "error", err)
			time.AfterFunc(time.Minute, again)
		}
	}
}

// followFile does what was done to a file at the leader. A file that is gone there is not needed.
func (a *App) followFile(ctx context.Context, files *leaderFiles, c fileChange) error {
	if c.gone {
		return a.files.Remove(ctx, c.name)
	}
	if err := files.fetch(ctx, c.name); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// noteFiles notes the files of the records that a commit has written or removed.
func (a *App) noteFiles(c store.Commit, again func()) {
	for _, change := range c.Changes {
		if change.Type != schema.FileUID {
			continue
		}
		named := namesIn(change.After)
		gone := slices.DeleteFunc(namesIn(change.Before), func(name string) bool { return slices.Contains(named, name) })
		for i, name := range slices.Concat(named, gone) {
			select {
			case a.copy.files <- fileChange{name, i >= len(named)}:
			default:
				again()
			}
		}
	}
}

// namesIn returns the names of the files of a record; none of nil.
func namesIn(record *store.Entry) []string {
	if record == nil {
		return nil
	}
	stored := inspect.StoredFile(record)
	return stored.Names()
}

// leftFor is how long a file without a record stays: its record may be on its way.
const leftFor = time.Hour

// followFiles fetches the files of all records, and removes older ones that no record names.
func (a *App) followFiles(ctx context.Context, files *leaderFiles) error {
	var here []string
	err := files.List(ctx, func(o media.Object) error {
		if time.Since(o.Modified) > leftFor {
			here = append(here, o.Name)
		}
		return nil
	})
	if err != nil {
		return err
	}
	named := map[string]bool{}
	err = a.db.View(func(tx *store.Tx) error {
		names, err := inspect.StoredFiles(tx)
		for _, name := range names {
			named[name] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for name := range named {
		if err := a.followFile(ctx, files, fileChange{name: name}); err != nil {
			return err
		}
	}
	return a.files.Remove(ctx, slices.DeleteFunc(here, func(name string) bool { return named[name] })...)
}
