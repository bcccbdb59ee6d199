package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

const (
	// growth is the amount by which the file grows when necessary: each time costs an
	// fsync, and what is not used yet is a hole in the file.
	growth = 4 << 20

	// mapped is the address space that is reserved. While the file fits, a commit never has
	// to wait for readers in order to map it again.
	mapped = 1 << 30
)

// openFile opens an existing file after inspecting it, or a new one.
func openFile(path string, o Options) (*bbolt.DB, error) {
	_, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) && !o.ReadOnly && !o.Existing {
		err = createFile(path)
	}
	if err != nil {
		return nil, accessError(path, err)
	}
	if err := inspectFile(path, o.Timeout); err != nil {
		return nil, err
	}
	bolt, err := openBolt(path, o)
	if err != nil || o.ReadOnly || bolt.NoSync {
		return bolt, err
	}
	if err := syncLeft(path, bolt); err != nil {
		return nil, err
	}
	return bolt, nil
}

// syncLeft forces to the disk what a killed process has left in the system's cache: perhaps a
// whole commit that nobody has acknowledged. It is shown from now on, and a write that finds
// nothing left to do is acknowledged without a commit.
func syncLeft(path string, bolt *bbolt.DB) error {
	if err := bolt.Sync(); err != nil {
		return errors.Join(accessError(path, err), bolt.Close())
	}
	return nil
}

// openAnew moves a damaged replica away, and opens an empty file: the journal has the
// content.
func openAnew(path string, o Options, damage error) (*bbolt.DB, error) {
	if err := os.Rename(path, path+".damaged"); err != nil {
		return nil, errors.Join(damage, accessError(path, err))
	}
	return openFile(path, o)
}

// followLink returns the target of a link, and any other path unchanged.
func followLink(path string) (string, error) {
	info, err := os.Lstat(path)
	if err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return path, nil
	}
	target, err := filepath.EvalSymlinks(path)
	if err != nil {
		return "", accessError(path, fmt.Errorf("it is a link that leads nowhere: %w", err))
	}
	return target, nil
}

// openBolt opens an inspected file.
//
// The list of free pages is written with each commit (bbolt's default): without it bbolt
// walks all pages at every start, on a goroutine whose panics over a damaged page nobody
// can recover, and a lost page is not noticed. The array type keeps it in the order in
// which it is written; the map type sorts it for each commit, which after an import takes
// longer than everything else.
func openBolt(path string, o Options) (bolt *bbolt.DB, err error) {
	options := &bbolt.Options{
		ReadOnly:        o.ReadOnly,
		Timeout:         lockTimeout(o.Timeout),
		MaxSize:         int(o.MaxSize),
		FreelistType:    bbolt.FreelistArrayType,
		InitialMmapSize: mapAhead(path),
		PreLoadFreelist: true,
		NoSync:          o.Hasty || o.Journal != nil,
		NoGrowSync:      o.Hasty || o.Journal != nil,
	}
	err = guard(path, "", func() (err error) {
		bolt, err = bbolt.Open(path, 0o600, options)
		return err
	})
	if err != nil {
		return nil, openError(path, err)
	}
	bolt.AllocSize = growth
	if o.MaxSize > 0 {
		bolt.AllocSize = int(min(growth, o.MaxSize/16))
	}
	return bolt, nil
}

// mapAhead returns how much address space to reserve for the file.
func mapAhead(path string) int {
	if runtime.GOOS == "windows" || strconv.IntSize < 64 {
		return 0 // on Windows the file would grow to that size, with 32 bits it would not fit
	}
	size := int64(0)
	if info, err := os.Stat(path); err == nil {
		size = info.Size()
	}
	return int(max(mapped, 2*size))
}

// lockTimeout is never 0, which bbolt takes as no limit.
func lockTimeout(d time.Duration) time.Duration { return max(d, time.Nanosecond) }

// createFile creates a new, empty file. It is complete before it gets its name, so a crash
// never leaves an incomplete file at path.
func createFile(path string) error {
	folder := filepath.Dir(path)
	f, err := os.CreateTemp(folder, "."+filepath.Base(path)+".new-*") // mode 0600
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // after it has its name at path, or on failure
	if err := f.Close(); err != nil {
		return err
	}
	if err := writeEmptyFile(f.Name()); err != nil {
		return err
	}
	if err := giveName(f.Name(), path); err != nil {
		return err
	}
	return SyncFolder(folder)
}

// writeEmptyFile writes the buckets of an empty data file.
func writeEmptyFile(path string) error {
	bolt, err := bbolt.Open(path, 0o600, nil)
	if err != nil {
		return err
	}
	err = bolt.Update(func(tx *bbolt.Tx) error {
		for _, name := range [...]string{contentBucket, sequenceBucket, recordsBucket, metaBucket} {
			if _, err := tx.CreateBucket([]byte(name)); err != nil {
				return err
			}
		}
		meta := tx.Bucket([]byte(metaBucket))
		return errors.Join(
			meta.Put([]byte(formatKey), storedNumber(FileFormat)),
			meta.Put([]byte(revisionKey), storedNumber(0)),
			meta.Put([]byte(createdKey), storedNumber(uint64(time.Now().UnixMilli()))),
		)
	})
	return errors.Join(err, bolt.Close())
}

// giveName gives the finished file its name. If another process was faster, its file stays
// and is the one to open.
func giveName(made, path string) error {
	err := os.Link(made, path)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case err != nil:
		return os.Rename(made, path) // a file system without hard links
	}
	return nil
}

// openError turns an error of bbolt's Open into one of this package's.
func openError(path string, err error) error {
	var corrupt *CorruptError
	switch {
	case errors.As(err, &corrupt):
		return err
	case errors.Is(err, bbolterrors.ErrTimeout):
		return &LockedError{Path: path}
	case errors.Is(err, bbolterrors.ErrChecksum):
		return &CorruptError{Path: path, Err: errors.New("both of its head pages have wrong checksums")}
	case errors.Is(err, bbolterrors.ErrInvalid):
		return invalidError(path)
	case errors.Is(err, bbolterrors.ErrVersionMismatch):
		return &FormatError{Path: path, Problem: "is a bbolt file of another version", Remedy: "open it with the program that wrote it"}
	case errors.As(err, new(*fs.PathError)), errors.As(err, new(syscall.Errno)):
		return accessError(path, err)
	}
	return &CorruptError{Path: path, Err: err}
}

func accessError(path string, err error) error {
	if pathError, ok := errors.AsType[*fs.PathError](err); ok {
		err = fmt.Errorf("%s %s: %w", pathError.Op, pathError.Path, pathError.Err)
	}
	return &AccessError{Path: path, Err: err}
}
