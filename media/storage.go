package media

import (
	"context"
	"fmt"
	"io"
	"time"
)

// Storage holds files under their names, each for good: a name that was used never gets
// another content. It is safe for use by many goroutines, and several programs may share
// one.
//
// Errors: fs.ErrNotExist for a file that is not there, *UnreachableError where the storage
// does not answer or refuses to, *store.StorageError of a disk, and the context's.
type Storage interface {
	// Put stores files that are whole on the disk: all of them or, when it fails, none.
	// They are durable when it returns, and may have gone from their paths. That a name is
	// taken is an error.
	Put(ctx context.Context, files ...Arrived) error

	// Open opens a file. The context must live as long as it is read.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, Object, error)

	// Stat says how large a file is, and since when it is there.
	Stat(ctx context.Context, name string) (Object, error)

	// List calls fn for every file, in any order, until it fails.
	List(ctx context.Context, fn func(Object) error) error

	// Delete removes files. That one is missing is no error.
	Delete(ctx context.Context, names ...string) error

	// String is what people call the storage, without secrets: "s3://guide/files".
	String() string
}

// Arrived is a file on the disk that gets its name in a Storage.
type Arrived struct {
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

// UnreachableError is a storage that does not answer, or does not do what it is asked.
type UnreachableError struct {
	Storage string // as its String says
	Err     error
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("the storage of files %s cannot be used: %v", e.Storage, e.Err)
}

func (e *UnreachableError) Unwrap() error { return e.Err }
