package media

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Storage holds files under their names, permanently: a used name never gets other content.
// It is safe for use by many goroutines, and several programs may share one.
//
// Errors: fs.ErrNotExist for a file that does not exist, *UnreachableError if the storage
// does not respond or refuses the request, *store.StorageError of a disk, and the
// context's.
type Storage interface {
	// Put stores files that are complete on the disk: all of them or, if it fails, none.
	// They are durable when it returns, and may have been moved from their paths. An
	// existing name is an error.
	Put(ctx context.Context, files ...LocalFile) error

	// Open opens a file. The context must live as long as it is read.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error)

	// Stat returns the size and the time of a file.
	Stat(ctx context.Context, name string) (Object, error)

	// List calls fn for every file, in any order, until it fails.
	List(ctx context.Context, fn func(Object) error) error

	// Delete removes files. A missing one is not an error.
	Delete(ctx context.Context, names ...string) error

	// String returns the name of the storage for people, without secrets:
	// "s3://guide/files".
	String() string
}

// LocalFile is a file on the disk that will be put into a Storage.
type LocalFile struct {
	Path string
	Name string
	Mime string // may be empty
}

// Object is a file in a Storage.
type Object struct {
	Name     string
	Size     int64 // bytes
	Modified time.Time
}

// UnreachableError is a storage that does not respond, or refuses a request.
type UnreachableError struct {
	Storage string // its String
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the storage of files %s cannot be used: %v", e.Storage, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }
