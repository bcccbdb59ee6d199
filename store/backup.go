package store

import (
	"errors"
	"fmt"
	"io"
	"os"
	"time"
)

// Backup writes the whole file, as of the last commit, to w and returns the number of
// bytes. Readers and writers continue, but the file grows by what is written meanwhile:
// copy to a local disk, and from there over a network.
func (db *DB) Backup(w io.Writer) (int64, error) {
	var n int64
	err := db.View(func(tx *Tx) (err error) {
		n, err = tx.WriteTo(w)
		return err
	})
	return n, err
}

// Size returns the number of bytes that WriteTo writes.
func (tx *Tx) Size() int64 { return tx.bolt.Size() }

// WriteTo is Backup as of this transaction, which must be a View's.
func (tx *Tx) WriteTo(w io.Writer) (int64, error) {
	n, err := tx.bolt.WriteTo(w)
	if err != nil {
		return n, fmt.Errorf("store: backing up %s stopped after %d bytes: %w", tx.db.path, n, err)
	}
	return n, nil
}

// CopyTo writes the data as of the last commit to a new file at path, which only its owner
// can access. The copy is a data file, which Open accepts. It is not forced to the disk.
func (db *DB) CopyTo(path string) error {
	return db.View(func(tx *Tx) error { return tx.CopyTo(path) })
}

// CopyTo is [DB.CopyTo] as of this transaction, which must be a View's.
func (tx *Tx) CopyTo(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = tx.WriteTo(f)
	return errors.Join(err, f.Close())
}

// Statistics of a data file.
type Statistics struct {
	Size     int64     // in bytes
	Free     int64     // part of Size that later writes can use before the file grows
	Changed  time.Time // when the file was last written to
	Revision uint64    // of the last commit
}

// Statistics returns the size and the age of the data.
func (db *DB) Statistics() (Statistics, error) {
	var s Statistics
	err := db.View(func(tx *Tx) error {
		info, err := os.Stat(db.path)
		if err != nil {
			return &AccessError{Path: db.path, Err: err}
		}
		pages := db.bolt.Stats()
		s.Size, s.Changed, s.Revision = info.Size(), info.ModTime(), tx.Revision()
		s.Free = int64(pages.FreePageN+pages.PendingPageN)*int64(db.bolt.Info().PageSize) + s.Size - tx.bolt.Size()
		return nil
	})
	return s, err
}
