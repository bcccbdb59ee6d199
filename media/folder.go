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

// Folder is the place of all files of a site: the flat folder in which they arrive, and
// the storage in which they get their names, which is the folder itself or another one. It is safe for use by
// many goroutines, and several processes may have it open.
type Folder struct {
	path string
	lock *os.File // the folder itself, locked as long as it is open
	work *workLimit

	places atomic.Pointer[Places] // where files have their names

	parts *parts // uploads that come in pieces

	pictures *studio // makes pictures when they are asked for

	// changes has one place. It is taken while a record is changed together with the
	// files that it names, so that two changes of one file cannot miss each other's
	// files.
	changes chan struct{}

	// flushed is called when files are on the disk and their record is not; tests
	// put a failing one here.
	flushed func() error
}

// temporary begins the names of files that have not arrived yet. No file that is
// kept has such a name.
const temporary = ".upload-"

// IsTemporary reports whether a name is that of a file that has not arrived yet.
func IsTemporary(name string) bool { return strings.HasPrefix(name, temporary) }

// Open opens the folder, which it makes when it is missing, and removes what
// uploads that never ended have left behind. It removes nothing while another Folder
// has it open, whose uploads those may be, nor where path is a link: somebody else may
// be using what it leads to.
func Open(path string) (*Folder, error) {
	f := &Folder{path: path, work: newWorkLimit(), changes: make(chan struct{}, 1), flushed: func() error { return nil }}
	f.places.Store(&Places{Use: Disk(path)})
	f.pictures = newStudio(f)
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

// Close ends the use of the folder. Uploads must have come to their end; pictures that
// are being made need not.
func (f *Folder) Close() error {
	f.pictures.close()
	return f.lock.Close()
}

// sweep finds the uploads that come in pieces and, where the folder is ours alone, removes
// what else has a temporary name.
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

// isLink reports whether a folder is a link to another one. Through a link, only
// what a record of this site names, or an upload of this process, is ever removed.
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

// Hold keeps every file where it is until release is called, once or more: changes
// that remove files wait. New files may come.
func (f *Folder) Hold() (release func()) {
	release, _ = f.hold(context.Background())
	return release
}

// hold is Hold for whoever waits no longer than a context.
func (f *Folder) hold(ctx context.Context) (release func(), err error) {
	select {
	case f.changes <- struct{}{}:
		return sync.OnceFunc(func() { <-f.changes }), nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// Path is the path of the folder.
func (f *Folder) Path() string { return f.path }

func (f *Folder) at(name string) string { return filepath.Join(f.path, name) }

// create begins a file under a temporary name.
func (f *Folder) create() (*os.File, error) {
	file, err := os.CreateTemp(f.path, temporary+"*")
	return file, storageError(err)
}

// finish flushes and closes a file that has been written.
func finish(file *os.File) error { return storageError(errors.Join(file.Sync(), file.Close())) }

// storageError is the operating system's error over a file, in the form in which the
// store distinguishes such errors.
func storageError(err error) error {
	if err == nil {
		return nil
	}
	return &store.StorageError{Err: err}
}

// remove removes what has a temporary name; that one is missing is no error.
func (f *Folder) remove(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(f.at(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return storageError(errors.Join(errs...))
}

// names lists what is in the folder.
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
