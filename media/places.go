package media

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Storages are the storages in which the files of a site have their names.
type Storages struct {
	Use   Storage // takes new files
	Other Storage // may still have some of the files; nil if there is no other
}

// Places returns where the files are.
func (f *Folder) Places() Storages { return *f.places.Load() }

// Disk returns the folder itself as a Storage.
func (f *Folder) Disk() Storage { return Disk(f.path) }

// Bucket returns the storage other than the folder that takes files, or may have some; nil
// if there is none.
func (f *Folder) Bucket() Storage {
	if f.IsLocal() {
		return f.Places().Other
	}
	return f.Places().Use
}

// SetPlaces sets where files are from now on. Work in progress ends where it began.
func (f *Folder) SetPlaces(p Storages) { f.places.Store(&p) }

// IsLocal reports whether the folder itself takes new files.
func (f *Folder) IsLocal() bool {
	_, local := f.Places().Use.(*disk)
	return local
}

// Open opens a file by its name in any storage. The error is fs.ErrNotExist, or that of the
// Storage. The context must live as long as the file is read.
func (f *Folder) Open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error) {
	if !SafeName(name) {
		return nil, Object{}, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f.Places().open(ctx, name)
}

func (p Storages) open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error) {
	file, object, err := p.Use.Open(ctx, name)
	if p.Other != nil && err != nil {
		if other, there, otherErr := p.Other.Open(ctx, name); otherErr == nil {
			return other, there, nil
		} else if errors.Is(err, fs.ErrNotExist) {
			err = otherErr
		}
	}
	return file, object, err
}

// original opens a file that is read more than once, and not from its beginning to its end:
// on the disk, to which it is copied if it is elsewhere.
func (f *Folder) original(ctx context.Context, name string) (*os.File, error) {
	from, _, err := f.Open(ctx, name)
	if err != nil {
		return nil, err
	}
	if file, ok := from.(*os.File); ok {
		return file, nil
	}
	defer from.Close()
	to, err := f.create()
	if err != nil {
		return nil, err
	}
	_ = os.Remove(to.Name()) // if an open file cannot be removed, the next start removes it
	if _, err = io.Copy(to, from); err == nil {
		err = seekTo(to, 0)
	}
	if err != nil {
		return nil, errors.Join(storageIfFile(err), to.Close())
	}
	return to, nil
}

// put gives files their names. Files that go to another storage stay claimed.
func (f *Folder) put(ctx context.Context, files []LocalFile) error {
	use := f.Places().Use
	if _, local := use.(*disk); local {
		return use.Put(ctx, files...)
	}
	if err := f.claim(namesOf(files)...); err != nil {
		return err
	}
	if err := use.Put(ctx, files...); err != nil {
		return err // the claims stay: some files may be there, whatever the store says
	}
	var temps []string
	for _, file := range files {
		temps = append(temps, filepath.Base(file.Path))
	}
	_ = f.remove(temps...) // or the next start removes them
	return nil
}

func namesOf(files []LocalFile) (names []string) {
	for _, f := range files {
		names = append(names, f.Name)
	}
	return names
}

// Put stores what r yields under a given name, as an import does. It replaces a file with
// that name. The file is complete and durable when Put returns.
func (f *Folder) Put(ctx context.Context, name, mime string, r io.Reader) error {
	if !SafeName(name) {
		return unnamable(name)
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
	if err := f.Places().Use.Delete(ctx, name); err != nil {
		return err
	}
	if err := f.put(ctx, []LocalFile{{temp.Name(), name, mime}}); err != nil {
		return err
	}
	f.unclaim(name) // an import removes what it has put, if it fails
	return nil
}

// Remove removes files by their names from any storage, and the pictures that were made of them.
// A missing one is not an error.
// Files in a bucket that does not respond are claimed, so that they are removed later.
func (f *Folder) Remove(ctx context.Context, names ...string) error {
	err := f.removeAll(ctx, names)
	f.pictures.cache.forget(names...)
	if errors.As(err, new(*UnreachableError)) {
		err = errors.Join(err, f.claim(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !SafeName(name) })...))
	}
	return err
}

func (f *Folder) removeAll(ctx context.Context, names []string) error {
	p := f.Places()
	err := p.Use.Delete(ctx, names...)
	if p.Other != nil {
		err = errors.Join(err, p.Other.Delete(ctx, names...))
	}
	return err
}
