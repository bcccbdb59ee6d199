package store

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"go.etcd.io/bbolt"
	bbolterrors "go.etcd.io/bbolt/errors"
)

// Options of a data file; the zero value is ready to use.
type Options struct {
	// Existing refuses to create a missing file.
	Existing bool

	// ReadOnly opens an existing file and never writes to it. Several processes may have a
	// file open like this, as long as none has it open for writing.
	ReadOnly bool

	// Timeout is how long to wait for another process to close the file. With 0 there is
	// one attempt.
	Timeout time.Duration

	// MaxSize is the maximum size of the file, in bytes; 0 for no limit except the disk.
	// Every commit, also one that deletes, needs space for what it writes in addition to
	// what it replaces.
	MaxSize int64

	// Hasty leaves it to the operating system when commits reach the disk; Close waits
	// until they have. It is for files that may be lost until then, because they are being
	// created.
	Hasty bool

	// Journal decides the commits of a site that several nodes share; the file is then a
	// replica of the journal. Without one, the file decides.
	Journal Journal

	// Apart opens a replica without asking the journal, which cannot be reached. The
	// replica shows its content, and follows the journal as soon as that is possible. A
	// file that is not a replica, or may lack commits, is refused with ErrNoReplica.
	Apart bool

	// LostTrack is called if the journal cannot be followed from the position of the file,
	// or if the file does not accept a commit, and Reopen must be called; nil for nothing.
	// It must not block.
	LostTrack func()
}

// DB is an open data file. It may be used by many goroutines.
type DB struct {
	path    string
	options Options
	feed    feed
	tail    *Tail // nil if nobody follows the file; guarded by writing

	// writing is held by the one Update at a time, until the end of its commit.
	writing   sync.Mutex
	suspended suspension // changed under writing
	refused   error      // see Refuse; nil if updates are accepted; guarded by writing
	recorder  Recorder   // nil for none; guarded by writing
	trusted   bool       // the file is a replica with everything that was committed to it; guarded by writing

	// mu guards bolt: transactions hold it shared, Close and Reopen exclusively.
	mu     sync.RWMutex
	bolt   *bbolt.DB // nil if closed, or if Reopen did not succeed
	closed bool
	leave  func() // the open files in the way of a replacement

	lineage uint64 // of the next commits; guarded by mu

	// With a journal: life ends with Close, and followed is closed when nothing follows the
	// journal any more.
	life     context.Context
	stop     context.CancelFunc
	followed chan struct{}
	latest   shared   // calls of Journal.Fresh
	reached  progress // of the file

	commit func(*bbolt.Tx) error // bbolt's; tests set a failing one
}

// Open opens the data file at path, or creates it, readable only by this user, if it does
// not exist; its folder must exist. It checks the shape of the whole file before it trusts
// the first byte, and does not write to a file that it refuses.
//
// If path is a link, the data file is its target. Copies that replace it are made next to
// the target, and the link stays. A link to nothing is refused: its disk may be missing.
//
// Errors are *LockedError, *AccessError, *FormatError, *CorruptError and, if the journal
// cannot be read, *JournalError.
func Open(path string, o Options) (*DB, error) {
	path, err := followLink(path)
	if err != nil {
		return nil, err
	}
	bolt, err := openFile(path, o)
	if o.Journal != nil && errors.As(err, new(*CorruptError)) {
		bolt, err = openAnew(path, o, err)
	}
	if err != nil {
		return nil, err
	}
	db := &DB{path: path, options: o, bolt: bolt, lineage: newLineage(), commit: (*bbolt.Tx).Commit}
	db.leave = inTheWay.add(path, db.giveWay)
	if o.Journal == nil {
		return db, nil
	}
	db.life, db.stop = context.WithCancel(context.Background())
	db.followed = make(chan struct{})
	start := db.join
	if o.Apart {
		start = db.standApart
	}
	if err := start(); err != nil {
		close(db.followed)
		return nil, errors.Join(err, db.Close())
	}
	go db.follow()
	return db, nil
}

// Path returns the path of the data file; it is not a link.
func (db *DB) Path() string { return db.path }

// Close waits for the transactions in progress and closes the file. Closing twice is not an
// error.
func (db *DB) Close() error {
	if db.stop != nil {
		db.stop()
		<-db.followed
	}
	db.writing.Lock()
	defer db.writing.Unlock()
	db.mu.Lock()
	defer db.mu.Unlock()
	db.closed = true
	db.leave()
	db.suspended.set(nil)
	return errors.Join(db.settle(), db.release())
}

// Reopen closes the file and opens it again. Call it after an UncertainError: it shows what
// is on the disk, not only in the system's cache. It waits for transactions in progress,
// and new ones wait for it. If it fails, the error is one of Open's, and views and updates
// are refused until another Reopen succeeds.
func (db *DB) Reopen() error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.reopen(newLineage()) // the revision of a failed commit is used again
}

// reopen is Reopen; db.writing must be held. The next commits have that lineage, or the
// journal's.
func (db *DB) reopen(lineage uint64) error {
	err := db.reopenFile(lineage)
	if err == nil && db.options.Journal != nil {
		err = db.join()
	}
	if err == nil {
		err = db.reopenTail()
	}
	if !errors.Is(err, ErrClosed) {
		db.suspended.set(err)
	}
	return err
}

func (db *DB) reopenFile(lineage uint64) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return ErrClosed
	}
	err := db.release()
	if err == nil && db.suspended.cause() != nil {
		err = syncAndDropCache(db.path)
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
	if err := guard(db.path, "", func() error { return db.closeBolt(bolt) }); err != nil {
		return &AccessError{Path: db.path, Err: err}
	}
	return nil
}

// closeBolt closes bbolt's file. A hasty DB forces it to the disk first.
func (db *DB) closeBolt(bolt *bbolt.DB) error {
	var err error
	if db.options.Hasty {
		err = bolt.Sync()
	}
	return errors.Join(err, bolt.Close())
}

// View calls fn with a read-only transaction: it shows the last commit while fn runs,
// whatever is written meanwhile. It returns fn's error.
//
// Keep views short. Pages that a view can see are not used again, and Close and Reopen wait
// for it: never write to a socket in one. A View or Update must not be started inside
// another one.
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

// Update calls fn with the one writing transaction and commits it: when Update returns nil,
// what fn wrote is on the disk. If fn returns an error or panics, nothing is written and
// the revision stays. If fn writes nothing there is no commit.
//
// An error of the commit is an *UncertainError, unless there was no space and the commit
// did not reach the file: that is ErrFull, and nothing was written.
//
// With a journal, fn is called again if another node was first, so it must have no effect
// except on its transaction. The errors are then also *UndecidedError, *TooLargeError and
// *JournalError.
func (db *DB) Update(fn func(*Tx) error) error {
	notify, err := db.update(fn)
	if err != nil {
		return err
	}
	notify()
	return nil
}

// update commits. If other nodes are faster, it retries after adopting their commits.
func (db *DB) update(fn func(*Tx) error) (notify func(), err error) {
	for try := 0; ; try++ {
		notify, err = db.updateOnce(fn)
		if !errors.Is(err, ErrBehind) || try == journalTries {
			return notify, err
		}
		if err := db.overtake(); err != nil {
			return nil, err
		}
	}
}

// updateOnce commits and takes the commit's turn in the feed before the next writer may
// begin.
func (db *DB) updateOnce(fn func(*Tx) error) (notify func(), err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if err := db.accepts(); err != nil {
		return nil, err
	}
	c, err := db.transact(fn)
	if err != nil {
		return nil, err
	}
	if c.Revision == 0 {
		return func() {}, nil
	}
	if db.options.Journal == nil {
		return db.feed.turn(c), nil
	}
	return db.turn(c, db.position()), nil
}

// transact runs one writing transaction. Its commit has revision 0 if there was nothing to
// write.
func (db *DB) transact(fn func(*Tx) error) (c Commit, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	tx, err := db.begin(true)
	if err != nil {
		return Commit{}, err
	}
	defer func() {
		tx.end()
		if tx.atEnd != nil {
			tx.atEnd(err == nil && c.Revision != 0)
		}
	}()
	if err := fn(tx); err != nil {
		return Commit{}, err
	}
	if tx.damage != nil || !tx.dirty {
		return Commit{}, tx.damage
	}
	if err := errors.Join(tx.recordChanged(), tx.raiseFloor()); err != nil {
		return Commit{}, err
	}
	next := tx.commit()
	position, err := db.propose(tx, next)
	if err != nil {
		return Commit{}, err
	}
	tx.passOn()
	if err := db.storeDecided(tx, next, position); err != nil {
		return next, err
	}
	switch {
	case db.tail == nil:
	case tx.partial:
		db.tail.begin(next.CommitID, CommitID{})
	default:
		db.tail.add(Batch{Position: next.Revision, Revision: next.Revision, Lineage: next.Lineage, Time: time.Now().UnixMilli(), Ops: tx.ops})
	}
	return next, nil
}

// commit returns the result of the transaction.
func (tx *Tx) commit() Commit {
	return Commit{CommitID: tx.CommitID(), Changes: tx.changes, Records: tx.records}
}

// store writes the commit to the file, with its position in the journal, 0 without a
// journal.
func (db *DB) store(tx *Tx, c Commit, position uint64) error {
	if err := tx.set(storedNumber(c.Revision), revisionKey, metaBucket); err != nil {
		return err
	}
	if position != 0 {
		err := errors.Join(
			tx.set(storedNumber(position), positionKey, metaBucket),
			tx.set(storedNumber(uint64(tx.time)), timeKey, metaBucket),
		)
		if err != nil {
			return err
		}
	}
	if err := tx.sign(); err != nil {
		return err
	}
	return db.finish(tx, c)
}

// finish commits, and suspends the DB if it is unknown whether that worked.
func (db *DB) finish(tx *Tx, c Commit) error {
	if tx.damage != nil {
		return tx.damage
	}
	err := guard(db.path, "", func() error { return db.commit(tx.bolt) })
	switch {
	case err == nil:
		return nil
	case errors.Is(err, bbolterrors.ErrMaxSizeReached):
		// bbolt finds this while it lays out pages, before it writes any.
		return fmt.Errorf("store: %s may not grow beyond %d bytes, the write was rolled back; raise the limit or delete content: %w", db.path, db.options.MaxSize, ErrFull)
	case noRoom(err) && db.lacks(tx, c):
		return fmt.Errorf("store: %s has no space to grow, the write was rolled back: %w; free space on the disk (%w)", db.path, err, ErrFull)
	}
	err = &UncertainError{Path: db.path, Err: err}
	db.suspended.set(err)
	return err
}

// lacks reports whether a failed commit is certainly not in the file: its head page comes
// last, and no readable one names the commit.
func (db *DB) lacks(failed *Tx, c Commit) bool {
	failed.end() // its own, if the commit did not get that far
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
		tx.encoder, tx.recording = newEncoder(), db.recorder != nil
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

// end rolls back what was not committed, also after a panic.
func (tx *Tx) end() {
	tx.ended = true
	_ = tx.bolt.Rollback() // after a commit it fails, and does nothing
}
