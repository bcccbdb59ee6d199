package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// A DB with a Journal is a replica. Its file holds the result of the batches up to some
// position, and that position:
//
//	          Open, Reopen
//	               │ lineage or position unknown to the journal: load
//	               ▼
//	  ┌──────── following ◀──── catch up, plan again ──┐
//	  │            │ Update                            │
//	  │            ▼                                   │
//	  │         proposing ──── ErrBehind ──────────────┘
//	  │            │ decided
//	  │            ▼
//	  │         committed to the file, passed to the feed
//	  │
//	  └─ ErrCompacted, or a batch that does not fit: suspended, until Reopen loads
//
// All of this happens under DB.writing, so memory changes in the order of the journal,
// whichever node has written.

// positionKey is the key in meta of the position in the journal.
const positionKey = "position"

const (
	journalTries = 100             // to commit if others are always faster
	journalPause = time.Second / 4 // before the journal is asked again
)

// join updates the file from the journal: it follows from the position of the file, or
// loads everything if that is not possible. db.writing must be held.
func (db *DB) join() error {
	lineage, err := db.options.Journal.Lineage(db.life)
	if err != nil {
		return &JournalError{Path: db.path, Err: err}
	}
	db.setLineage(lineage)
	replicated, err := db.replicated()
	if err != nil {
		return err
	}
	trusted, err := db.trust()
	if err != nil {
		return err
	}
	same := replicated == lineage
	switch {
	case same && trusted:
		err = db.catchUp(db.life)
	case same:
		_, err = db.ahead(db.life)
	}
	if errors.Is(err, ErrWentBack) {
		if err := db.options.Journal.Renew(db.life, lineage); err != nil {
			return &JournalError{Path: db.path, Err: err}
		}
	}
	if !same || !trusted || errors.Is(err, ErrCompacted) {
		err = db.loadLineage()
	}
	if err == nil {
		err = db.noteProgress()
	}
	return err
}

// loadLineage loads the content of the journal, and repeats that if it was replaced
// meanwhile: no lineage comes twice.
func (db *DB) loadLineage() error {
	for {
		lineage, err := db.options.Journal.Lineage(db.life)
		if err != nil {
			return &JournalError{Path: db.path, Err: err}
		}
		if err := db.load(lineage); err != nil {
			return err
		}
		now, err := db.options.Journal.Lineage(db.life)
		switch {
		case err != nil:
			return &JournalError{Path: db.path, Err: err}
		case now == lineage:
			return nil
		}
	}
}

// noteProgress records the position of the file, for waiting callers.
func (db *DB) noteProgress() error {
	return db.View(func(tx *Tx) error {
		db.reached.move(tx.number(metaBucket, positionKey), tx.Revision())
		return nil
	})
}

func (db *DB) setLineage(lineage uint64) {
	db.mu.Lock()
	defer db.mu.Unlock()
	db.lineage = lineage
}

// standApart continues with the content of the file, without the journal.
func (db *DB) standApart() error {
	lineage, err := db.replicated()
	if err != nil {
		return err
	}
	trusted, err := db.trust()
	switch {
	case err != nil:
		return err
	case lineage == 0 || !trusted:
		return &JournalError{Path: db.path, Err: ErrNoReplica}
	}
	db.setLineage(lineage)
	return db.noteProgress()
}

// ErrNoReplica: the file was never loaded, or may lack what was committed to it, for
// example after a power failure.
var ErrNoReplica = errors.New("store: the file is not a complete copy of the journal")

// replicated returns the lineage of which the file is a replica, 0 for none.
func (db *DB) replicated() (lineage uint64, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	err = guard(db.path, metaBucket, func() error {
		return db.bolt.View(func(tx *bbolt.Tx) error {
			meta := tx.Bucket([]byte(metaBucket))
			stored, err := parseNumber(meta.Get([]byte(lineageKey)))
			covered, bad := parseNumber(meta.Get([]byte(coveredKey)))
			if stored == covered && meta.Get([]byte(positionKey)) != nil {
				lineage = stored
			}
			return errors.Join(err, bad)
		})
	})
	return lineage, err
}

// loadBatch is how many operations of a load share a transaction.
const loadBatch = 20_000

// load loads the content of the journal into a separate file, and replaces this one with
// it. Until then views show the former content; it stays if the process dies.
func (db *DB) load(lineage uint64) error {
	side := db.path + ".load"
	if err := os.Remove(side); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return accessError(side, err)
	}
	if err := db.loadInto(side, lineage); err != nil {
		_ = os.Remove(side) // it may not exist
		return err
	}
	if err := Replace(side, db.path); err != nil {
		return accessError(db.path, err)
	}
	if err := db.reopenFile(lineage); err != nil {
		return err
	}
	_, err := db.trust()
	return err
}

func (db *DB) loadInto(path string, lineage uint64) (err error) {
	if whole, ok := db.options.Journal.(Imager); ok {
		return db.loadImage(whole, path, lineage)
	}
	side, err := Open(path, Options{Hasty: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, side.Close()) }()
	var ops []Op
	flush := func() error {
		defer func() { ops = ops[:0] }()
		return side.fill(ops)
	}
	last, err := db.options.Journal.Load(db.life, func(o Op) error {
		if ops = append(ops, o); len(ops) < loadBatch {
			return nil
		}
		return flush()
	})
	if err != nil {
		return &JournalError{Path: db.path, Err: err}
	}
	if err := flush(); err != nil {
		return err
	}
	return side.markReplica(lineage, last)
}

// loadImage loads a journal that gives its content as a data file.
func (db *DB) loadImage(from Imager, path string, lineage uint64) (err error) {
	last, err := from.Image(db.life, path)
	if err != nil {
		return &JournalError{Path: db.path, Err: err}
	}
	side, err := Open(path, Options{Existing: true, Hasty: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, side.Close()) }()
	if err := side.coverChanges(); err != nil {
		return err
	}
	return side.markReplica(lineage, last)
}

// markReplica stores the position of the file in a journal: after its last batch.
func (db *DB) markReplica(lineage uint64, last Batch) error {
	return db.raw(func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte(metaBucket))
		return errors.Join(
			signMeta(meta, lineage),
			meta.Put([]byte(revisionKey), storedNumber(last.Revision)),
			meta.Put([]byte(positionKey), storedNumber(last.Position)),
			meta.Put([]byte(timeKey), storedNumber(uint64(last.Time))),
			putOrDelete(meta, []byte(originKey), last.origin()),
		)
	})
}

func (db *DB) fill(ops []Op) error {
	return db.raw(func(bolt *bbolt.Tx) error {
		tx := &Tx{db: db, bolt: bolt, writable: true}
		for _, o := range ops {
			b, err := tx.makeBucket(o.Path...)
			if err != nil {
				return err
			}
			if err := o.putIn(b); err != nil {
				return err
			}
		}
		return nil
	})
}

// raw runs a transaction that is not passed to the feed.
func (db *DB) raw(fn func(*bbolt.Tx) error) error {
	db.mu.RLock()
	defer db.mu.RUnlock()
	err := guard(db.path, "", func() error { return db.bolt.Update(fn) })
	if err != nil && !errors.As(err, new(*CorruptError)) {
		return &AccessError{Path: db.path, Err: err}
	}
	return err
}

// follow adopts the commits of other nodes, until Close.
func (db *DB) follow() {
	defer close(db.followed)
	for db.life.Err() == nil {
		if position := db.position(); position != 0 { // otherwise it is being loaded
			err := db.options.Journal.Follow(db.life, position, db.adopt)
			if errors.Is(err, ErrCompacted) {
				db.lostTrack(position, err)
			}
		}
		select {
		case <-db.life.Done():
		case <-time.After(journalPause):
		}
	}
}

// lostTrack suspends the DB if its file is still at a position from which the journal
// cannot be followed.
func (db *DB) lostTrack(position uint64, err error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.position() == position && db.suspended.cause() == nil {
		db.suspended.set(&JournalError{Path: db.path, Err: err})
		db.reached.move(0, 0)
		if db.options.LostTrack != nil {
			db.options.LostTrack()
		}
	}
}

// position returns the position of the last batch in the file.
func (db *DB) position() (position uint64) {
	_ = db.View(func(tx *Tx) error { // one that cannot be read has no position
		position = tx.number(metaBucket, positionKey)
		return nil
	})
	return position
}

// adopt commits a batch of another node.
func (db *DB) adopt(b Batch) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	before := db.suspended.cause()
	err := db.adoptLocked(b)
	if err == nil || before != nil {
		return err
	}
	db.reached.stir()
	if db.options.LostTrack != nil {
		db.options.LostTrack()
	}
	return err
}

// adoptLocked commits a batch, unless the file already has it. The feed gets it before the
// next batch: db.writing must be held until then.
func (db *DB) adoptLocked(b Batch) error {
	if err := db.accepts(); err != nil {
		return err
	}
	c, err := db.transactBatch(b)
	if err != nil {
		db.suspended.set(err)
		return err
	}
	if c.Revision != 0 {
		err = db.feed.move(c)
		db.turn(c, b.Position)()
	}
	if err != nil {
		db.suspended.set(err)
	}
	return err
}

// transactBatch writes a batch to the file. The commit has revision 0 if the file already
// had the batch.
func (db *DB) transactBatch(b Batch) (c Commit, err error) {
	db.mu.RLock()
	defer db.mu.RUnlock()
	tx, err := db.begin(true)
	if err != nil {
		return c, err
	}
	defer tx.end()
	if b.Position <= tx.number(metaBucket, positionKey) {
		return c, tx.damage
	}
	if b.Revision != tx.Revision() {
		return c, &JournalError{Path: db.path, Err: fmt.Errorf("revision %d follows %d: %w", b.Revision, tx.Revision()-1, ErrCompacted)}
	}
	for _, o := range b.Ops {
		if err := tx.applyOp(o); err != nil {
			return c, err
		}
	}
	tx.time = b.Time
	if origin := b.origin(); origin != nil {
		if err := tx.set(origin, originKey, metaBucket); err != nil {
			return c, err
		}
	}
	c = tx.commit()
	return c, db.store(tx, c, b.Position)
}

// catchUp adopts the batches in the journal, until ctx is done. db.writing must be held.
func (db *DB) catchUp(ctx context.Context) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	fresh, err := db.ahead(ctx)
	if err != nil || fresh == db.position() {
		return err
	}
	err = db.options.Journal.Follow(ctx, db.position(), func(b Batch) error {
		if err := db.adoptLocked(b); err != nil {
			return err
		}
		if b.Position >= fresh {
			return errCaughtUp
		}
		return nil
	})
	switch {
	case errors.Is(err, errCaughtUp):
		return nil
	case errors.Is(err, ErrCompacted), ctx.Err() != nil:
		return &JournalError{Path: db.path, Err: err}
	}
	return err
}

// ahead returns the position of the journal's last batch. The error is ErrWentBack if the
// file is ahead of that.
func (db *DB) ahead(ctx context.Context) (fresh uint64, err error) {
	fresh, err = db.options.Journal.Fresh(ctx)
	if err == nil && db.position() > fresh {
		err = ErrWentBack
	}
	if err != nil {
		err = &JournalError{Path: db.path, Err: err}
	}
	return fresh, err
}

// errCaughtUp ends a Follow that has shown enough.
var errCaughtUp = errors.New("caught up")

// storeDecided is store of a commit that the journal has decided, if there is one. If the
// file does not accept it, the file is behind the journal, and the write stays.
func (db *DB) storeDecided(tx *Tx, c Commit, position uint64) error {
	err := db.store(tx, c, position)
	if err == nil || position == 0 || errors.As(err, new(*UncertainError)) {
		return err
	}
	err = &UncertainError{Path: db.path, Err: err}
	db.suspended.set(err)
	return err
}

// propose makes the journal decide the transaction. It returns the position of the batch, 0
// without a journal.
func (db *DB) propose(tx *Tx, c Commit) (position uint64, err error) {
	journal := db.options.Journal
	if journal == nil {
		return 0, nil
	}
	if err := boundOps(len(tx.ops), tx.size); err != nil {
		return 0, err
	}
	if tx.time == 0 {
		tx.Time(time.Now())
	}
	seen := tx.number(metaBucket, positionKey)
	position, err = journal.Propose(db.life, Batch{Position: seen, Revision: c.Revision, Time: tx.time, Ops: tx.ops})
	switch {
	case err == nil:
		return position, nil
	case errors.Is(err, ErrBehind), errors.Is(err, ErrFrozen), errors.As(err, new(*RefusedError)):
		return 0, err
	}
	return 0, &UndecidedError{Path: db.path, Err: err}
}
