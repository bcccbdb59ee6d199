package bucket

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"slices"
	"syscall"

	"github.com/minio/minio-go/v7"

	"quire/media"
	"quire/store"
)

// full are the error codes of object stores that are full.
var full = []string{"QuotaExceeded", "XMinioStorageFull", "XMinioAdminBucketQuotaExceeded", "InsufficientStorage", "InsufficientCapacity", "NoSpaceLeft"}

func notThere(name string) error {
	return &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

// fault translates an error of the client into the errors of a media.Storage.
func (b *Bucket) fault(ctx context.Context, name string, err error) error {
	if err == nil {
		return nil
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	var answer minio.ErrorResponse
	if !errors.As(err, &answer) {
		return b.unreachable(err)
	}
	switch {
	case answer.Code == minio.NoSuchBucket:
	case answer.Code == minio.NoSuchKey || answer.StatusCode == http.StatusNotFound:
		return notThere(name)
	case answer.StatusCode == http.StatusPreconditionFailed:
		return fmt.Errorf("a file %s already exists", name)
	case slices.Contains(full, answer.Code) || answer.StatusCode == http.StatusInsufficientStorage:
		return &store.StorageError{Err: &fs.PathError{Op: "put", Path: name, Err: syscall.ENOSPC}}
	}
	return b.unreachable(fmt.Errorf("%s (%d %s)", answer.Message, answer.StatusCode, answer.Code))
}

func (b *Bucket) unreachable(err error) error {
	return &media.UnreachableError{Storage: b.String(), Err: err}
}
