package store

import (
	"context"
	"errors"
	"io/fs"
	"os"

	"go.etcd.io/bbolt"
)

// compactTo writes the content of the file, as of the last commit, to a new file at path,
// without the space of deleted and rewritten pages: its pages are full and in order.
// Format, revision, lineage, sequences and records are the same. If it returns nil, the
// file is on the disk; otherwise it has been removed. Readers and writers continue. Errors:
// the context's, *WriteError, *CorruptError.
func (db *DB) compactTo(ctx context.Context, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return &WriteError{Path: path, Err: err}
	}
	err := db.View(func(tx *Tx) error {
		return guard(db.path, "", func() error { return copyCompact(ctx, path, tx.bolt) })
	})
	if err == nil {
		return nil
	}
	_ = os.Remove(path) // it may not exist
	if damage := new(CorruptError); errors.As(err, &damage) || ctx.Err() != nil {
		return err
	}
	return &WriteError{Path: path, Err: err}
}

func copyCompact(ctx context.Context, path string, from *bbolt.Tx) error {
	to, err := bbolt.Open(path, 0o600, &bbolt.Options{NoSync: true, NoGrowSync: true})
	if err != nil {
		return err
	}
	to.AllocSize = growth
	c := copier{ctx: ctx, from: from, to: to}
	if err = c.run(); err == nil {
		err = to.Sync()
	}
	return errors.Join(err, to.Close())
}

// Compacted is the result of Compact: sizes of the file in bytes.
type Compacted struct{ Before, After int64 }

// Compact replaces the file with a compact copy. Updates wait until it is done; views
// continue, except while the copy is opened. If the process dies meanwhile, the original
// stays, perhaps with an incomplete copy next to it, which the next Compact overwrites.
//
// If ctx is done before the copy is complete, the copy is removed. The other errors are
// *WriteError and those of Reopen.
func (db *DB) Compact(ctx context.Context) (c Compacted, err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.options.ReadOnly {
		return c, ErrReadOnly
	}
	if c.Before, err = sizeOf(db.path); err != nil {
		return c, err
	}
	err = db.exchange(db.lineage, func(path string) error {
		work := path + ".compact"
		if err := db.compactTo(ctx, work); err != nil {
			return err
		}
		return Replace(work, path)
	})
	if err != nil {
		return c, err
	}
	c.After, err = sizeOf(db.path)
	return c, err
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, accessError(path, err)
	}
	return info.Size(), nil
}
