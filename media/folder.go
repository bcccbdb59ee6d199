package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"quire/store"
)

// Folder is the flat folder that holds all files of a site. It is safe for use by
// many goroutines, and several processes may have it open.
type Folder struct {
	path string
	lock *os.File // the folder itself, locked as long as it is open
	work *workLimit

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
	return f.remove(slices.DeleteFunc(names, func(name string) bool { return !IsTemporary(name) || f.parts.names(name) })...)
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

// Put stores what r yields under a name of its own, as an import does. It
// replaces a file of that name. The file is whole and flushed when Put returns.
func (f *Folder) Put(name string, r io.Reader) error {
	if !SafeName(name) {
		return fmt.Errorf("%q cannot be the name of a file", name)
	}
	temp, err := f.create()
	if err != nil {
		return err
	}
	defer f.remove(filepath.Base(temp.Name()))
	_, err = io.Copy(temp, r)
	if err = errors.Join(err, finish(temp)); err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), f.at(name)); err != nil {
		return storageError(err)
	}
	return storageError(store.SyncFolder(f.path))
}

// Remove removes files by their names on disk, as an import does with those that
// no record names any more. That one is missing is no error.
func (f *Folder) Remove(names ...string) error {
	return f.remove(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !SafeName(name) })...)
}

// File opens a file by its name on disk. What is no plain file was not put there
// by a Folder and is not found: a link could lead anywhere, and a pipe would keep
// whoever opens it waiting.
func (f *Folder) File(name string) (*os.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if !SafeName(name) {
		return nil, missing
	}
	info, err := os.Lstat(f.at(name))
	if err == nil && !info.Mode().IsRegular() {
		err = missing
	}
	if err != nil {
		return nil, err
	}
	return os.Open(f.at(name))
}

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

// renameAll gives files their final names, from temporary ones. When it fails, none has
// one.
func (f *Folder) renameAll(names map[string]string) (err error) {
	var kept []string
	for from, to := range names {
		if err = f.rename(from, to); err != nil {
			break
		}
		kept = append(kept, to)
	}
	if err == nil {
		err = storageError(store.SyncFolder(f.path))
	}
	if err != nil {
		err = errors.Join(err, f.remove(kept...))
	}
	return err
}

// rename never replaces a file. Names are random, so a name that is taken means a
// fault, and replacing the file would lose it.
func (f *Folder) rename(from, to string) error {
	if _, err := os.Lstat(f.at(to)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("there is a file %s already", to), err)
	}
	return storageError(os.Rename(f.at(from), f.at(to)))
}

// remove removes files; that one is missing is no error.
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
