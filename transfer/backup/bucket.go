package backup

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"

	"quire/media"
)

// inBucket has the uploads of a Source that are in a bucket.
type inBucket struct {
	names   []string      // that are in records, and not in the folder
	from    media.Storage // from which Save fetches; nil if the backup leaves them out
	fetched []string      // names that exist in from, sorted
}

// UseBucket says that the uploads that are not in the folder are in a bucket. Without Fetch
// the backup lists them but does not contain them, and the bucket keeps them.
func (s *Source) UseBucket(bucket string) {
	s.bucket.names, s.About.Missing = s.About.Missing, nil
	s.About.Bucket, s.About.InBucket = bucket, len(s.bucket.names)
}

// readBucket reads the bucket that Stage has recorded.
func (s *Source) readBucket(folder string) error {
	bucket, err := os.ReadFile(filepath.Join(folder, bucketName))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	s.UseBucket(string(bucket))
	return err
}

// Fetch includes the uploads in the bucket in the backup. It lists the bucket: names that
// are not there are missing. Save then reads one file after the other while it writes, so
// the context must live as long. Errors: *OtherBucketError, and the bucket's.
func (s *Source) Fetch(ctx context.Context, bucket media.Storage) error {
	if bucket.String() != s.About.Bucket {
		return &OtherBucketError{Is: s.About.Bucket, Requested: bucket.String()}
	}
	wanted := make(map[string]bool, len(s.bucket.names))
	for _, name := range s.bucket.names {
		wanted[name] = true
	}
	s.bucket.from, s.bucket.fetched = bucket, nil
	err := bucket.List(ctx, func(o media.Object) error {
		if wanted[o.Name] {
			s.bucket.fetched = append(s.bucket.fetched, o.Name)
			delete(wanted, o.Name)
		}
		return nil
	})
	slices.Sort(s.bucket.fetched)
	s.About.Missing = slices.Sorted(maps.Keys(wanted))
	s.About.InBucket, s.About.FromBucket = 0, len(s.bucket.fetched)
	return err
}

// open opens an upload, in the folder or in the bucket. If it has been removed from the
// bucket, the error is a *goneError: its record was deleted since.
func (s *Source) open(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	if _, fetched := slices.BinarySearch(s.bucket.fetched, name); fetched {
		return s.fetch(ctx, name)
	}
	file, err := os.Open(filepath.Join(s.Uploads, name))
	if err != nil {
		return nil, 0, err
	}
	info, err := file.Stat()
	if err != nil {
		return nil, 0, errors.Join(err, file.Close())
	}
	return file, info.Size(), nil
}

type goneError struct{ error }

// fetch opens an upload in the bucket, and reads the first bytes, so that it exists.
func (s *Source) fetch(ctx context.Context, name string) (io.ReadCloser, int64, error) {
	file, about, err := s.bucket.from.Open(ctx, name)
	if err == nil {
		r := &fetched{file: file, left: mostBreaks}
		r.Reader = bufio.NewReaderSize(readerFunc(r.read), 64<<10)
		if _, err = r.Peek(1); err == nil || errors.Is(err, io.EOF) {
			return r, about.Size, nil
		}
		err = errors.Join(err, file.Close())
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = &goneError{err}
	}
	return nil, 0, err
}

// mostBreaks is how often reading one file may be interrupted: it continues where it was.
const mostBreaks = 5

// fetched is a file of a bucket that is being read.
type fetched struct {
	*bufio.Reader
	file io.ReadSeekCloser
	left int // of mostBreaks
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

func (f *fetched) read(p []byte) (int, error) {
	n, err := f.file.Read(p)
	for n == 0 && f.left > 0 && errors.As(err, new(*media.UnreachableError)) {
		f.left--
		n, err = f.file.Read(p)
	}
	if n > 0 && errors.As(err, new(*media.UnreachableError)) {
		err = nil // if the error persists, the next Read returns it
	}
	return n, err
}

func (f *fetched) Close() error { return f.file.Close() }

// OtherBucketError is a bucket that is not the one with the site's uploads.
type OtherBucketError struct{ Is, Requested string } // empty for none: the uploads are in the folder

func (e *OtherBucketError) Error() string {
	called := func(bucket string) string { return cmp.Or(bucket, "no bucket") }
	return fmt.Sprintf("site.json names %s for files, and the running server uses %s; restart it", called(e.Requested), called(e.Is))
}
