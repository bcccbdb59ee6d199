package store

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// Options of a data file; the zero value is a good one.
type Options struct {
	// ReadOnly opens an existing file without ever writing to it. Several
	// processes may have a file open so, as long as none has it open for writing.
	ReadOnly bool

	// Timeout is how long to wait for another process to let go of the file.
	// With 0 it is tried once.
	Timeout time.Duration

	// MaxSize bounds the file, in bytes; 0 is no bound but the disk's. A commit
	// needs room for what it writes beside what it replaces, deletes included.
	MaxSize int64

	// Hasty leaves it to the operating system when commits reach the disk, up to
	// Close, which waits for it. It is for files of which nobody minds the loss
	// until then: ones that are just being made.
	Hasty bool
}

// DB is an open data file. It may be used by many goroutines.
type DB struct {
	path    string
	options Options
	feed    feed

	// writing is held by the one Update at a time, to the end of its commit.
	writing   sync.Mutex
	suspended suspension // changed under writing

	// mu guards bolt: transactions hold it shared, Close and Reopen alone.
	mu     sync.RWMutex
	bolt   *bbolt.DB // nil when closed, or when Reopen did not succeed
	closed bool

	lineage uint64 // of the commits to come; guarded by mu

	commit func(*bbolt.Tx) error // bbolt's; tests put a failing one here
}

// Open opens the data file at path, or creates it, readable by this user alone,
// when there is none; its folder has to exist. The shape of the whole file is
// checked before the first byte is trusted, and a file that is refused has not
// been written to.
//
// Errors are *LockedError, *AccessError, *FormatError and *CorruptError.
func Open(path string, o Options) (*DB, error) {
	bolt, err := openFile(path, o)
	if err != nil {
		return nil, err
	}
	return &DB{path: path, options: o, bolt: bolt, lineage: newLineage(), commit: (*bbolt.Tx).Commit}, nil
}

// Close waits for the transactions under way and closes the file. Closing twice is no error.
func (db *DB) Close() error {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	db.suspended.set(nil)
	return db.release()
}

// Reopen closes the file and opens it again, which is the way back after an
// UncertainError: it shows what is really stored, on the disk and not only in
// the system's cache. Transactions under way are waited for, new ones wait. If
// it fails, the error is one of Open's, and views and updates are refused until
// another Reopen succeeds.
func (db *DB) Reopen() error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.reopen(newLineage()) // the revision of a commit that failed is used again
}

// Suspend has updates refused until Reopen, for one who could not follow what
// the file holds and must not write to it on a guess.
func (db *DB) Suspend(cause error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.suspended.cause() == nil {
		db.suspended.set(cause)
	}
}

// reopen is Reopen for one who holds writing. The commits to come are of that lineage.
func (db *DB) reopen(lineage uint64) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	err := db.release()
	if err == nil && db.suspended.cause() != nil {
		err = settleFile(db.path)
	}
	if err == nil {
		db.bolt, err = openFile(db.path, db.options)
	}
	db.lineage = lineage
	db.suspended.set(err)
	return err
}

// release closes bbolt's file, if it is open.
func (db *DB) release() error {
	if db.bolt == nil {
		return nil
	}
	bolt := db.bolt
	db.bolt = nil
	if err := guard(db.path, "", func() error { return db.finally(bolt) }); err != nil {
		return &AccessError{Path: db.path, Err: err}
	}
	return nil
}

// finally closes bbolt's file, which a hasty DB has to force to the disk first.
func (db *DB) finally(bolt *bbolt.DB) error {
	var err error
	if db.options.Hasty {
		err = bolt.Sync()
	}
	return errors.Join(err, bolt.Close())
}

// View calls fn with a read-only transaction: it shows the last commit as long
// as fn runs, whatever is written meanwhile. It returns fn's error.
//
// Keep views short. Pages that a view can see are not used again, and Close and
// Reopen wait for it: never write to a socket in one. A View or Update must not
// be started inside another one.
func (db *DB) View(fn func(*Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	tx, err := db.begin(false)
	if err != nil {
		return err
	}
	defer tx.end()
	if err := fn(tx); err != nil {
		return err
	}
	return tx.damage
}

// Update calls fn with the one writing transaction and commits it: when Update
// returns nil, what fn wrote is on the disk. If fn returns an error or panics,
// nothing was written and the revision stays. If fn wrote nothing there is no
// commit.
//
// An error of the commit is an *UncertainError, except where there was no room
// and the commit did not reach the file: that is ErrFull, and nothing was written.
func (db *DB) Update(fn func(*Tx) error) error {
	notify, err := db.update(fn)
	if err != nil {
		return err
	}
	notify()
	return nil
}

// update commits and takes the commit's turn in the feed before the next writer
// may begin.
func (db *DB) update(fn func(*Tx) error) (notify func(), err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if cause := db.suspended.cause(); cause != nil {
		return nil, &SuspendedError{Path: db.path, Cause: cause}
	}
	c, err := db.transact(fn)
	if err != nil {
		return nil, err
	}
	if c.Revision == 0 {
		return func() {}, nil
	}
	return db.feed.turn(c), nil
}

// transact runs one writing transaction. Its commit has revision 0 when there
// was nothing to write.
func (db *DB) transact(fn func(*Tx) error) (Commit, error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	tx, err := db.begin(true)
	if err != nil {
		return Commit{}, err
	}
	defer tx.end()
	if err := fn(tx); err != nil {
		return Commit{}, err
	}
	if tx.damage != nil || !tx.dirty {
		return Commit{}, tx.damage
	}
	c := Commit{Revision: tx.Revision(), Changes: tx.changes}
	if err := tx.set(storedNumber(c.Revision), revisionKey, metaBucket); err != nil {
		return Commit{}, err
	}
	if err := tx.sign(); err != nil {
		return Commit{}, err
	}
	return c, db.finish(tx, c)
}

// finish commits, and suspends the DB if it cannot tell whether that worked.
func (db *DB) finish(tx *Tx, c Commit) error {
	if tx.damage != nil {
		return tx.damage
	}
	err := guard(db.path, "", func() error { return db.commit(tx.bolt) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bbolterrors.ErrMaxSizeReached):
		// bbolt finds this out while it lays out pages, before it writes any.
		return fmt.Errorf("store: %s may not grow beyond %d bytes, the write was rolled back; raise the limit or delete content: %w", db.path, db.options.MaxSize, ErrFull)
	case noRoom(err) && db.lacks(tx, c):
		return fmt.Errorf("store: %s has no room to grow, the write was rolled back: %w; make room on the disk (%w)", db.path, err, ErrFull)
	}
	err = &UncertainError{Path: db.path, Err: err}
	db.suspended.set(err)
	return err
}

// lacks reports whether it is certain that a commit which failed is not in the
// file: its head page comes last, and none that can be read names the commit.
func (db *DB) lacks(failed *Tx, c Commit) bool {
	failed.end() // of itself, if the commit did not come to that
	tx, err := db.begin(false)
	if err != nil {
		return false
	}
	defer tx.end()
	return tx.Revision() < c.Revision && tx.damage == nil
}

func (db *DB) begin(writable bool) (*Tx, error) {
	switch {
	case db.closed:
		return nil, ErrClosed
	case db.bolt == nil:
		return nil, &SuspendedError{Path: db.path, Cause: db.suspended.cause()}
	case writable && db.options.ReadOnly:
		return nil, ErrReadOnly
	}
	tx := &Tx{db: db, writable: writable, decoder: newDecoder()}
	if writable {
		tx.encoder = newEncoder()
	}
	err := guard(db.path, "", func() (err error) {
		tx.bolt, err = db.bolt.Begin(writable)
		return err
	})
	if err != nil {
		return nil, err
	}
	return tx, nil
}

// end rolls back what was not committed, also on the way of a panic.
func (tx *Tx) end() {
	tx.ended = true
	_ = tx.bolt.Rollback() // of a committed transaction it fails, and does nothing
}
