package media

import (
	"context"
	"io"
	"io/fs"
	"time"
)

// FS returns the files as a file system of one folder, for reading them one after the
// other. Reading ends with the context.
func (p Storages) FS(ctx context.Context) fs.FS { return &placesFS{ctx, p} }

type placesFS struct {
	ctx context.Context
	of  Storages
}

// Open opens a file by its name; there are no folders.
func (f *placesFS) Open(name string) (fs.File, error) {
	file, object, err := f.of.open(f.ctx, name)
	if err != nil {
		return nil, err
	}
	return &placesFile{file, object}, nil
}

// placesFile is a file of a placesFS, with its description.
type placesFile struct {
	io.ReadSeekCloser
	object Object
}

func (f *placesFile) Stat() (fs.FileInfo, error) { return f, nil }

func (f *placesFile) Name() string       { return f.object.Name }
func (f *placesFile) Size() int64        { return f.object.Size }
func (f *placesFile) Mode() fs.FileMode  { return 0o600 }
func (f *placesFile) ModTime() time.Time { return f.object.Modified }
func (f *placesFile) IsDir() bool        { return false }
func (f *placesFile) Sys() any           { return nil }
