package media

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"quire/store"
)

// Folder has all files of a site: the flat folder in which they arrive, and the storage in
// which they get their names, which is the folder itself or another one. It is safe for use
// by many goroutines, and several processes may have it open.
type Folder struct {
	path string
	lock *os.File // the folder itself, locked while it is open
	work *workLimit

	places atomic.Pointer[Storages] // where files have their names

	parts *parts // uploads in pieces

	pictures *pictureMaker // makes derived pictures on request

	// changes has one slot. It is held while a record is changed together with its files,
	// so that two changes of one file cannot miss each other's files.
	changes chan struct{}

	// flushed is called when files are on the disk and their record is not; tests set a
	// failing one.
	flushed func() error
}

// temporary begins the names of files that have not arrived yet. No stored file has such a
// name.
const temporary = ".upload-"

// IsTemporary reports whether a name is that of a file that has not arrived yet.
func IsTemporary(name string) bool { return strings.HasPrefix(name, temporary) }

// Open opens the folder, which it creates if it is missing, and removes the remains of
// interrupted uploads. It removes nothing while another Folder has it open, whose uploads
// they may be, or if path is a link: somebody else may be using its target.
func Open(path string) (*Folder, error) {
	f := &Folder{path: path, work: newWorkLimit(), changes: make(chan struct{}, 1), flushed: func() error { return nil }}
	f.places.Store(&Storages{Use: Disk(path)})
	f.pictures = newPictureMaker(f)
	err := f.make()
	if err != nil {
		return nil, err
	}
	if f.lock, err = os.Open(path); err != nil {
		return nil, err
	}
	err = f.sweep(lockAlone(f.lock) && !isLink(path))
	lockShared(f.lock)
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// Close ends the use of the folder. Uploads must have ended; pictures in progress need not.
func (f *Folder) Close() error {
	f.pictures.close()
	return f.lock.Close()
}

// sweep finds the uploads in pieces and, if no other process has the folder open, removes
// all other temporary files.
func (f *Folder) sweep(alone bool) error {
	names, err := f.names()
	if err != nil {
		return err
	}
	f.parts = &parts{all: map[string]*heldPart{}, now: time.Now, path: f.path}
	f.parts.readParts(names)
	if !alone {
		return nil
	}
	return f.remove(slices.DeleteFunc(names, func(name string) bool { return !IsTemporary(name) || isClaim(name) || f.parts.names(name) })...)
}

// isLink reports whether a folder is a link to another one. Behind a link, Quire removes
// only files that a record of this site names, or that an upload of this process has
// created.
func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}

func (f *Folder) make() error {
	err := os.Mkdir(f.path, 0o700)
	switch {
	case err == nil:
		return store.SyncFolder(filepath.Dir(f.path))
	case !errors.Is(err, fs.ErrExist):
		return err
	}
	return nil
}

// Lock keeps every file in place until release is called, once or more: changes that remove
// files wait. New files may arrive.
func (f *Folder) Lock() (release func()) {
	release, _ = f.lockChanges(context.Background())
	return release
}

// lockChanges is Lock, but waits only until the context ends.
func (f *Folder) lockChanges(ctx context.Context) (release func(), err error) {
	select {
	case f.changes <- struct{}{}:
		return sync.OnceFunc(func() { <-f.changes }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Path returns the path of the folder.
func (f *Folder) Path() string { return f.path }

func (f *Folder) at(name string) string { return filepath.Join(f.path, name) }

// create begins a file under a temporary name.
func (f *Folder) create() (*os.File, error) {
	file, err := os.CreateTemp(f.path, temporary+"*")
	return file, storageError(err)
}

// finish flushes and closes a file that has been written.
func finish(file *os.File) error { return storageError(errors.Join(file.Sync(), file.Close())) }

// storageError converts an operating system's error about a file into the form in which the
// store distinguishes such errors.
func storageError(err error) error {
	if err == nil {
		return nil
	}
	return &store.StorageError{Err: err}
}

// remove removes temporary files; a missing one is not an error.
func (f *Folder) remove(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(f.at(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return storageError(errors.Join(errs...))
}

// names lists the names in the folder.
func (f *Folder) names() ([]string, error) {
	entries, err := os.ReadDir(f.path)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, nil
}
