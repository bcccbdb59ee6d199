package media

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"quire/store"
)

// Folder is the flat folder that holds all files of a site. It is safe for use by
// many goroutines; one process at a time may have it open.
type Folder struct {
	path string
	gate *gate

	// changes is held while a record is changed together with the files that it
	// names, so that two changes of one file cannot miss each other's files.
	changes sync.Mutex

	// settled is called when files are on the disk and their record is not; tests
	// put a failing one here.
	settled func() error
}

// passing begins the names of files that have not arrived yet. No file that is
// kept has such a name.
const passing = ".upload-"

// IsPassing reports whether a name is that of a file that has not arrived yet.
func IsPassing(name string) bool { return strings.HasPrefix(name, passing) }

// Open opens the folder, which it makes when it is missing, and removes what
// uploads that never ended have left behind.
func Open(path string) (*Folder, error) {
	f := &Folder{path: path, gate: newGate(), settled: func() error { return nil }}
	if err := f.make(); err != nil {
		return nil, err
	}
	names, err := f.names()
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		if IsPassing(name) {
			if err := f.remove(name); err != nil {
				return nil, err
			}
		}
	}
	return f, nil
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
	f.changes.Lock()
	return sync.OnceFunc(f.changes.Unlock)
}

// Path is where the folder lies.
func (f *Folder) Path() string { return f.path }

// Put stores what r yields under a name of its own, as an import does. It
// replaces a file of that name. The file is whole and flushed when Put returns.
func (f *Folder) Put(name string, r io.Reader) error {
	if !safeName(name) {
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
		return err
	}
	return store.SyncFolder(f.path)
}

// Remove removes files by their names on disk, as an import does with those that
// no record names any more. That one is missing is no error.
func (f *Folder) Remove(names ...string) error {
	return f.remove(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !safeName(name) })...)
}

// File opens a file by its name on disk. What is no plain file was not put there
// by a Folder and is not found: a link could lead anywhere, and a pipe would keep
// whoever opens it waiting.
func (f *Folder) File(name string) (*os.File, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if !safeName(name) {
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

// create begins a file under a passing name.
func (f *Folder) create() (*os.File, error) { return os.CreateTemp(f.path, passing+"*") }

// finish flushes and closes a file that has been written.
func finish(file *os.File) error { return errors.Join(file.Sync(), file.Close()) }

// keep gives files their final names, from passing ones. When it fails, none has
// one.
func (f *Folder) keep(names map[string]string) (err error) {
	var kept []string
	for from, to := range names {
		if err = f.rename(from, to); err != nil {
			break
		}
		kept = append(kept, to)
	}
	if err == nil {
		err = store.SyncFolder(f.path)
	}
	if err != nil {
		err = errors.Join(err, f.remove(kept...))
	}
	return err
}

// rename never replaces a file: names are random, so one that is taken is a
// fault that must not cost somebody a file.
func (f *Folder) rename(from, to string) error {
	if _, err := os.Lstat(f.at(to)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("there is a file %s already", to), err)
	}
	return os.Rename(f.at(from), f.at(to))
}

// remove removes files; that one is missing is no error.
func (f *Folder) remove(names ...string) error {
	var errs []error
	for _, name := range names {
		if err := os.Remove(f.at(name)); !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
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
