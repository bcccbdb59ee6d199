package bucket

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"quire/media"
	"quire/schema/settings"
)

// Limits of the connections between this program and the object store.
const (
	MostConnections = 4096 // as many as clients may have by default, so that slow clients keep nobody out
	MostPuts        = 16   // files that are sent at once
	partSize        = 16 << 20
	tries           = 3
	slowest         = 256 << 10 // bytes a second

	answerTime  = 10 * time.Second // for a request without a body
	idleTime    = 30 * time.Second // in which some byte must move
	AddressTime = 5 * time.Minute  // how long a signed address is valid
)

// Bucket is a bucket, or a prefix of one, as a media.Storage.
type Bucket struct {
	at     settings.Storage
	core   minio.Core
	sender *semaphore.Weighted
}

// New returns the bucket in the settings. It does not connect to it.
func New(at settings.Storage) (*Bucket, error) {
	endpoint, err := url.Parse(at.Endpoint)
	if err != nil {
		return nil, err
	}
	credentials, err := credentialsOf(at.Credentials)
	if err != nil {
		return nil, err
	}
	lookup := minio.BucketLookupDNS
	if at.PathStyle {
		lookup = minio.BucketLookupPath
	}
	client, err := minio.New(endpoint.Host, &minio.Options{
		Creds: credentials, Secure: endpoint.Scheme == "https", Transport: staying{transport()}, Region: at.Region, BucketLookup: lookup, MaxRetries: tries,
	})
	if err != nil {
		return nil, err
	}
	return &Bucket{at, minio.Core{Client: client}, semaphore.NewWeighted(MostPuts)}, nil
}

func (b *Bucket) String() string { return b.at.Bucket }

func (b *Bucket) key(name string) string { return b.at.Prefix() + name }

// Put sends files, each under a key that does not exist yet. If it fails, it removes those
// that were sent, and those that may have been sent when the caller went away. A file that
// already had the key belongs to somebody else, and stays.
func (b *Bucket) Put(ctx context.Context, files ...media.LocalFile) error {
	ours := make([]bool, len(files))
	var all errgroup.Group
	all.SetLimit(MostPuts / 4)
	for i, f := range files {
		all.Go(func() (err error) {
			ours[i], err = b.put(ctx, f)
			return err
		})
	}
	err := all.Wait()
	if err == nil {
		return nil
	}
	var sent []string
	for i, f := range files {
		if ours[i] {
			sent = append(sent, f.Name)
		}
	}
	return errors.Join(err, b.Delete(context.WithoutCancel(ctx), sent...))
}

// put sends a file. ours is set if it has arrived, or may have arrived when the caller went
// away.
func (b *Bucket) put(ctx context.Context, f media.LocalFile) (ours bool, err error) {
	if !media.SafeName(f.Name) {
		return false, fmt.Errorf("%q cannot be the name of a file", f.Name)
	}
	if err := b.sender.Acquire(ctx, 1); err != nil {
		return false, err
	}
	defer b.sender.Release(1)
	file, err := os.Open(f.Path)
	if err != nil {
		return false, err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || ctx.Err() != nil {
		return false, errors.Join(err, ctx.Err())
	}
	sending, cancel := context.WithTimeout(ctx, idleTime+time.Duration(info.Size())*time.Second/slowest)
	defer cancel()
	options := putOptions(f, info.Size())
	_, err = b.core.Client.PutObject(sending, b.at.Name(), b.key(f.Name), file, info.Size(), options)
	taken := minio.ToErrorResponse(err).StatusCode == http.StatusPreconditionFailed
	if taken && b.has(sending, f.Name, options.UserMetadata[markKey]) {
		return true, nil // by an attempt without a response
	}
	ours = err == nil || ctx.Err() != nil && !taken
	return ours, b.fault(ctx, f.Name, err)
}

// markKey is the key of an object's metadata that identifies the Put that has sent it: the
// client repeats requests without a response, and then finds its own object.
const markKey = "Quire-Put"

// has reports whether a file was sent with a mark.
func (b *Bucket) has(ctx context.Context, name, mark string) bool {
	info, err := b.core.Client.StatObject(ctx, b.at.Name(), b.key(name), minio.StatObjectOptions{})
	return err == nil && info.UserMetadata[markKey] == mark
}

// putOptions makes the store keep an existing object with the key, and sets the headers for
// browsers that get the file from there.
func putOptions(f media.LocalFile, size int64) minio.PutObjectOptions {
	kind := f.Mime
	if kind == "" {
		kind = mime.TypeByExtension(filepath.Ext(f.Name))
	}
	o := minio.PutObjectOptions{ContentType: kind, CacheControl: "public, max-age=60", PartSize: partSize, NumThreads: 2}
	o.SendContentMd5 = size <= partSize // for parts it would keep whole ones in memory
	if !media.IsInert(kind) {
		o.ContentDisposition = "attachment"
	}
	o.UserMetadata = map[string]string{markKey: rand.Text()}
	o.SetMatchETagExcept("*")
	return o
}

// Stat returns the size of a file.
func (b *Bucket) Stat(ctx context.Context, name string) (media.Object, error) {
	if !media.SafeName(name) {
		return media.Object{}, notThere(name)
	}
	asking, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	info, err := b.core.Client.StatObject(asking, b.at.Name(), b.key(name), minio.StatObjectOptions{})
	if err != nil {
		return media.Object{}, b.fault(ctx, name, err)
	}
	return media.Object{Name: name, Size: info.Size, Modified: info.LastModified}, nil
}

// Open checks that the file exists. Its content is requested when it is read.
func (b *Bucket) Open(ctx context.Context, name string) (io.ReadSeekCloser, media.Object, error) {
	about, err := b.Stat(ctx, name)
	if err != nil {
		return nil, media.Object{}, err
	}
	ask := func(at int64) (io.ReadCloser, error) { return b.from(ctx, name, at, about.Size) }
	return media.Remote(about.Size, ask, func(err error) error { return b.fault(ctx, name, err) }), about, nil
}

// from requests a file of that size from an offset to its end.
func (b *Bucket) from(ctx context.Context, name string, at, size int64) (io.ReadCloser, error) {
	var options minio.GetObjectOptions
	if err := options.SetRange(at, size-1); err != nil {
		return nil, err
	}
	body, about, _, err := b.core.GetObject(ctx, b.at.Name(), b.key(name), options)
	if err != nil {
		return nil, b.fault(ctx, name, err)
	}
	if about.Size != size-at {
		return nil, errors.Join(b.unreachable(fmt.Errorf("it has %d bytes of %s instead of %d", about.Size, name, size-at)), body.Close())
	}
	return body, nil
}

// List lists the files of the prefix, a page at a time. It ignores names that Quire does
// not use.
func (b *Bucket) List(ctx context.Context, fn func(media.Object) error) error {
	for info := range b.core.ListObjectsIter(ctx, b.at.Name(), minio.ListObjectsOptions{Prefix: b.at.Prefix()}) {
		if info.Err != nil {
			return b.fault(ctx, "", info.Err)
		}
		name := strings.TrimPrefix(info.Key, b.at.Prefix())
		if !media.SafeName(name) {
			continue
		}
		if err := fn(media.Object{Name: name, Size: info.Size, Modified: info.LastModified}); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// Delete removes files one after the other, including incomplete uploads of them.
func (b *Bucket) Delete(ctx context.Context, names ...string) error {
	for _, name := range names {
		if !media.SafeName(name) {
			continue // it cannot exist
		}
		if err := b.delete(ctx, name); err != nil {
			return err
		}
	}
	return nil
}

func (b *Bucket) delete(ctx context.Context, name string) error {
	asking, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	err := b.core.RemoveObject(asking, b.at.Name(), b.key(name), minio.RemoveObjectOptions{})
	if err = b.fault(ctx, name, err); errors.Is(err, os.ErrNotExist) {
		return nil
	}
	return err
}

// Address returns a signed address of a file, at which anybody may fetch it for
// AddressTime.
func (b *Bucket) Address(ctx context.Context, name, mime string) (string, error) {
	if !media.SafeName(name) {
		return "", notThere(name)
	}
	answer := url.Values{"response-content-type": {mime}, "response-content-disposition": {fmt.Sprintf(`inline; filename="%s"`, name)}}
	u, err := b.core.PresignedGetObject(ctx, b.at.Name(), b.key(name), AddressTime, answer)
	if err != nil {
		return "", b.fault(ctx, name, err)
	}
	return u.String(), nil
}
