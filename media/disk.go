package media

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"quire/store"
)

// disk is a folder as a Storage. Files with temporary names are not stored yet, and
// anything but a plain file does not belong to it: both are not found.
type disk struct{ path string }

// Disk returns the folder at path as a Storage. Files that are put into it must be on the
// same file system.
func Disk(path string) Storage { return &disk{path} }

func (d *disk) String() string { return "the folder " + d.path }

func (d *disk) at(name string) string { return filepath.Join(d.path, name) }

// Put renames files, and never replaces one. Names are random, so an existing name means a
// defect, and replacing the file would lose it.
func (d *disk) Put(ctx context.Context, files ...LocalFile) (err error) {
	var named []string
	for _, f := range files {
		if err = ctx.Err(); err == nil {
			err = d.rename(f.Path, f.Name)
		}
		if err != nil {
			break
		}
		named = append(named, f.Name)
	}
	if err == nil {
		err = storageError(store.SyncFolder(d.path))
	}
	if err != nil {
		err = errors.Join(err, d.Delete(context.WithoutCancel(ctx), named...))
	}
	return err
}

func (d *disk) rename(from, to string) error {
	if !SafeName(to) {
		return unnamable(to)
	}
	if _, err := os.Lstat(d.at(to)); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("a file %s already exists", to), err)
	}
	return storageError(os.Rename(from, d.at(to)))
}

func unnamable(name string) error { return fmt.Errorf("%q cannot be the name of a file", name) }

// Open opens a plain file: a link could lead anywhere, and a pipe would block.
func (d *disk) Open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error) {
	object, err := d.Stat(ctx, name)
	if err != nil {
		return nil, Object{}, err
	}
	file, err := os.Open(d.at(name))
	if err != nil {
		return nil, Object{}, err
	}
	return file, object, nil
}

func (d *disk) Stat(ctx context.Context, name string) (Object, error) {
	missing := &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	if !SafeName(name) {
		return Object{}, missing
	}
	info, err := os.Lstat(d.at(name))
	if err == nil && !info.Mode().IsRegular() {
		err = missing
	}
	if err != nil {
		return Object{}, err
	}
	return Object{Name: name, Size: info.Size(), Modified: info.ModTime()}, nil
}

func (d *disk) List(ctx context.Context, fn func(Object) error) error {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	for _, e := range entries {
		object, err := d.Stat(ctx, e.Name())
		if errors.Is(err, fs.ErrNotExist) {
			continue // not one of Quire's files, or removed meanwhile
		}
		if err = errors.Join(err, ctx.Err()); err == nil {
			err = fn(object)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (d *disk) Delete(ctx context.Context, names ...string) error {
	var errs []error
	for _, name := range names {
		if !SafeName(name) {
			continue // it cannot exist
		}
		errs = append(errs, ignoreMissing(os.Remove(d.at(name))))
	}
	return storageError(errors.Join(errs...))
}
