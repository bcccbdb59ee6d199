package store

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"go.etcd.io/bbolt"
)

// Salvaged is what Salvage could read of a damaged file.
type Salvaged struct {
	Entries int
	Others  int             // sequences and small records
	Lost    []*CorruptError // pages and entries that could not be read
}

// Salvage copies what can still be read of a damaged file to a new one. An entry is copied
// completely or not at all; related entries may be missing. The damaged file is only read.
// Errors are *LockedError, *AccessError, *FormatError, a *CorruptError if nothing can be
// read, and the context's; then there is no new file.
func Salvage(ctx context.Context, from, to string) (*Salvaged, error) {
	f, done, err := openToRead(from, 0)
	if err != nil {
		return nil, err
	}
	defer done()
	if _, err := os.Lstat(to); err == nil {
		return nil, accessError(to, fs.ErrExist)
	}
	if err := createFile(to); err != nil {
		return nil, accessError(to, err)
	}
	s := &salvage{decoder: newDecoder()}
	if err = s.copy(ctx, f, from, to); err == nil {
		err = SyncFolder(filepath.Dir(to))
	}
	if err != nil {
		return nil, errors.Join(err, os.Remove(to))
	}
	return &s.found, nil
}

// salvage collects what a walk finds, and stores it from time to time.
type salvage struct {
	decoder  *decoder
	identity identity
	found    Salvaged

	to     *bbolt.DB
	gather []salvagedItem
	err    error // of the new file
}

// salvagedItem is a value with its key and its buckets.
type salvagedItem struct {
	path       []string
	key, value []byte
}

// salvagedAtOnce is how many values make a transaction.
const salvagedAtOnce = 10_000

func (s *salvage) copy(ctx context.Context, f *os.File, from, to string) (err error) {
	if s.to, err = openBolt(to, Options{Hasty: true}); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, s.to.Sync(), s.to.Close()) }()
	w := fileWalk{partial: true, bucket: s.identity.bucket, problem: s.lost}
	w.item = func(path []string, key, value []byte) {
		s.item(path, key, value)
		w.stopped = w.stopped || s.err != nil
	}
	if err := w.open(ctx, from, f); err != nil {
		return err
	}
	if err := w.run(); err != nil {
		return err
	}
	s.flush()
	switch {
	case s.err != nil:
		return accessError(to, s.err)
	case s.identity.format > FileFormat:
		return s.identity.judge(from, FileFormat)
	case s.found.Entries+s.found.Others == 0:
		return &CorruptError{Path: from, Err: errors.New("nothing of it can be read")}
	}
	return nil
}

func (s *salvage) lost(e *CorruptError) bool {
	s.found.Lost = append(s.found.Lost, e)
	return true
}

func (s *salvage) item(path []string, key, value []byte) {
	s.identity.item(path, key, value)
	if !hasValues(path) {
		return
	}
	switch path[0] {
	case contentBucket:
		p := entryBucketAt(path[1], path[2])
		if _, err := s.decoder.entry(p, key, value); err != nil {
			s.lost(&CorruptError{Bucket: p.String(), Key: p.readableKey(key), Err: err})
			return
		}
		s.decoder.keep() // the walk reuses the memory
		s.found.Entries++
	case sequenceBucket:
		if _, err := parseNumber(value); err != nil {
			return // the entries give its position
		}
		s.found.Others++
	case recordsBucket, replacedBucket, removedBucket:
		if path[0] == recordsBucket && path[1] == logBucket {
			return // it belongs to commits that the new file does not have yet
		}
		s.found.Others++
	default:
		return // the new file has its own head
	}
	s.gather = append(s.gather, salvagedItem{slices.Clone(path), bytes.Clone(key), bytes.Clone(value)})
	if len(s.gather) == salvagedAtOnce {
		s.flush()
	}
}

// flush stores what was collected.
func (s *salvage) flush() {
	if s.err == nil {
		s.err = s.to.Update(func(tx *bbolt.Tx) error {
			for _, one := range s.gather {
				b, err := (&Tx{bolt: tx}).makeBucket(one.path...)
				if err != nil {
					return err
				}
				if err := b.Put(one.key, one.value); err != nil {
					return err
				}
			}
			return nil
		})
	}
	s.gather = s.gather[:0]
}
