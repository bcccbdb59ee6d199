package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"go.etcd.io/bbolt"
)

// inspectFile checks an existing file without writing to it: whether it is a complete bbolt
// file of Quire with sound pages, in a format that this program knows.
func inspectFile(path string, timeout time.Duration) error {
	f, done, err := openToRead(path, timeout)
	if err != nil {
		return err
	}
	defer done()
	id, err := identifyFile(context.Background(), path, f)
	if err != nil {
		return err
	}
	return id.judge(path, FileFormat)
}

// identifyFile walks the pages of a file, which must be sound, and returns its identity.
func identifyFile(ctx context.Context, path string, f *os.File) (*identity, error) {
	var damage *CorruptError
	id := new(identity)
	w := fileWalk{
		bucket: id.bucket,
		problem: func(e *CorruptError) bool {
			damage = e
			return false
		},
	}
	names := bucketNames{walk: &w}
	w.item = func(path []string, key, value []byte) {
		id.item(path, key, value)
		names.item(path, key, value)
	}
	if err := w.open(ctx, path, f); err != nil {
		return nil, err
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	if damage != nil {
		return nil, damage
	}
	return id, nil
}

// bucketNames reads the first entry of each bucket: its checksum covers the names of its
// type and locale. Content under a changed name would look like that of a type which the
// site does not have, and nobody would miss it.
type bucketNames struct {
	walk        *fileWalk
	uid, locale string // of the last bucket
}

func (n *bucketNames) item(path []string, key, value []byte) {
	if len(path) != 3 || path[0] != contentBucket || path[1] == n.uid && path[2] == n.locale {
		return
	}
	n.uid, n.locale = path[1], path[2]
	p := entryBucketAt(n.uid, n.locale)
	if err := checkValue(p, key, value, nil); err != nil {
		n.walk.damage(p.String(), p.readableKey(key), err)
	}
}

// openToRead opens any file. Until done is called, nobody writes to it.
func openToRead(path string, timeout time.Duration) (f *os.File, done func(), err error) {
	if err := looksLikeFile(path); err != nil {
		return nil, nil, err
	}
	if f, err = os.Open(path); err != nil {
		return nil, nil, accessError(path, err)
	}
	unlock, err := lockShared(path, timeout)
	if err != nil {
		_ = f.Close()
		return nil, nil, err
	}
	return f, inTheWay.addShared(path, func() {
		unlock()
		_ = f.Close()
	}), nil
}

func looksLikeFile(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return accessError(path, err)
	case !info.Mode().IsRegular():
		return &FormatError{Path: path, Problem: "is not a regular file", Remedy: "name the data file itself"}
	case info.Size() == 0:
		return &FormatError{Path: path, Problem: "is empty, which a data file never is", Remedy: "restore a backup with `quire restore --replace FILE SITE`, or remove it to start without content"}
	}
	return nil
}

// lockShared keeps writers out with bbolt's own lock. bbolt reads only the two head pages
// for it.
func lockShared(path string, timeout time.Duration) (unlock func(), err error) {
	var bolt *bbolt.DB
	err = guard(path, "", func() (err error) {
		bolt, err = bbolt.Open(path, 0, &bbolt.Options{ReadOnly: true, Timeout: lockTimeout(timeout)})
		return err
	})
	if err != nil {
		return nil, openError(path, err)
	}
	return func() { _ = bolt.Close() }, nil
}

// LockFile prevents other processes from opening a data file for writing until release is
// called. A file that nobody can open, because it is damaged or missing, needs no lock. The
// only error is a *LockedError: another process has the file open.
func LockFile(path string) (release func(), err error) {
	if looksLikeFile(path) != nil {
		return func() {}, nil
	}
	release, err = lockShared(path, 0)
	switch {
	case errors.Is(err, ErrInUse):
		return nil, err
	case err != nil:
		return func() {}, nil
	}
	return inTheWay.addShared(path, release), nil
}

// identity distinguishes a data file of Quire from other bbolt files.
type identity struct {
	format  uint64
	buckets []string // at the top
	stray   []string // the path of a key in place of a bucket
}

func (id *identity) bucket(names []string) {
	if len(names) == 1 {
		id.buckets = append(id.buckets, names[0])
	}
}

func (id *identity) item(names []string, key, value []byte) {
	if len(names) == 1 && names[0] == metaBucket && string(key) == formatKey {
		id.format, _ = parseNumber(value) // a number of another size is not a format either
	}
	if id.stray == nil && !hasValues(names) {
		id.stray = append(slices.Clone(names), string(key))
	}
}

// judge returns why a program with the current format cannot use the file.
func (id *identity) judge(path string, current uint64) error {
	switch {
	case id.format == 0:
		return &FormatError{Path: path, Problem: "is a bbolt file of another program", Remedy: "name Quire's data file"}
	case id.format > current:
		return &FormatError{
			Path:    path,
			Problem: fmt.Sprintf("is in format %d, and this program knows formats up to %d", id.format, current),
			Remedy:  "use the newer program that wrote it",
		}
	case id.format < current:
		return &FormatError{
			Path:    path,
			Problem: fmt.Sprintf("is in format %d, and this program works with format %d", id.format, current),
			Remedy:  "run `quire backup FILE SITE` with the program that wrote it, then `quire migrate format SITE` with this one",
			Older:   true,
		}
	}
	if len(id.stray) > 0 {
		return &CorruptError{Path: path, Bucket: strings.Join(id.stray, "/"), Err: errors.New("it is a value and not a bucket")}
	}
	for _, name := range [...]string{contentBucket, sequenceBucket, recordsBucket} {
		if !slices.Contains(id.buckets, name) {
			return &CorruptError{Path: path, Bucket: name, Err: errors.New("it is missing")}
		}
	}
	return nil
}

// invalidError distinguishes a damaged file from one that never was a data file.
func invalidError(path string) error {
	if f, err := os.Open(path); err == nil {
		defer func() { _ = f.Close() }()
		head := make([]byte, pageHead+4)
		if _, err := io.ReadFull(f, head); err == nil && bytes.Equal(head[pageHead:], boltMagic()) {
			return &CorruptError{Path: path, Err: errors.New("its head pages are not whole")}
		}
	}
	return &FormatError{Path: path, Problem: "is not a bbolt file, or its head was overwritten", Remedy: "name Quire's data file, or restore a backup with `quire restore --replace FILE SITE`"}
}
