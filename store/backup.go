package store

import (
	"fmt"
	"io"
	"os"
	"time"
)

// Backup writes the whole file, as of the last commit, to w and returns how
// many bytes that were. Readers and writers go on, but the file grows by what
// is written meanwhile: copy to a local disk, and from there over a network.
func (db *DB) Backup(w io.Writer) (int64, error) {
	var n int64
	err := db.View(func(tx *Tx) (err error) {
		n, err = tx.WriteTo(w)
		return err
	})
	return n, err
}

// Size is how many bytes WriteTo writes.
func (tx *Tx) Size() int64 { return tx.bolt.Size() }

// WriteTo is Backup as of this transaction, which has to be a View's.
func (tx *Tx) WriteTo(w io.Writer) (int64, error) {
	n, err := tx.bolt.WriteTo(w)
	if err != nil {
		return n, fmt.Errorf("store: backing up %s stopped after %d bytes: %w", tx.db.path, n, err)
	}
	return n, nil
}

// Stats of a data file.
type Stats struct {
	Size     int64     // of the file, in bytes
	Free     int64     // of that, what the next writes can use before the file grows
	Changed  time.Time // when the file was last written to
	Revision uint64    // of the last commit
}

// Stats tells the size and the age of the file.
func (db *DB) Stats() (Stats, error) {
	var s Stats
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
