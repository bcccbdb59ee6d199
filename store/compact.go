package store

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"go.etcd.io/bbolt"
)

// compactTo writes what the file holds, as of the last commit, to a new file at
// path, without the room that deleted and rewritten pages leave: its pages are
// full and in order. Format, revision, lineage, sequences and records are the
// same. The file is on the disk when nil is returned; otherwise it is gone.
// Readers and writers go on. Errors: the context's, *WriteError, *CorruptError.
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
	_ = os.Remove(path) // it may not have come to be
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

// Compacted is what Compact came to: sizes of the file in bytes.
type Compacted struct{ Before, After int64 }

// Compact puts a compact copy of the file into its place. Updates wait until
// then; views go on, but for the moment in which the copy is opened. A process
// that dies on the way leaves the original, and perhaps beside it a half-made
// copy, which the next Compact overwrites.
//
// When ctx is done before the copy has been made, it is thrown away. The other
// errors are *WriteError and those of Reopen.
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

// Replace puts the file at work, which is on the disk already, into the place of
// the one at path in the same folder. Whatever happens, path names one or the other.
func Replace(work, path string) error {
	if err := os.Rename(work, path); err != nil {
		return err
	}
	return SyncFolder(filepath.Dir(path))
}

func sizeOf(path string) (int64, error) {
	info, err := os.Stat(path)
	if err != nil {
		return 0, accessError(path, err)
	}
	return info.Size(), nil
}
