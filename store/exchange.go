package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Exchange calls fn, which puts another file in the place of the data file, and opens
// that one. Updates wait meanwhile; views go on and show what was there before. When fn
// fails, the file stays and Exchange returns fn's error. The other errors are those of
// Reopen.
//
// With a journal, what the other file holds takes the place of what the journal has,
// and every other node loads it. No node writes meanwhile.
//
// fn may View and Backup; it must not Update, Reopen or Close, which wait for it.
func (db *DB) Exchange(fn func(path string) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	release, err := db.hold()
	if err != nil {
		return err
	}
	defer release()
	return db.exchange(newLineage(), func(path string) error {
		if err := fn(path); err != nil || db.options.Journal == nil {
			return err
		}
		return db.publish(path)
	})
}

// hold has no node write until it is released, and brings the file to what all have
// written so far. Without a journal nobody else writes.
func (db *DB) hold() (release func(), err error) {
	if db.options.Journal == nil {
		return func() {}, nil
	}
	release, err = db.options.Journal.Hold(db.life)
	switch {
	case errors.Is(err, ErrHeld):
		return nil, err
	case err != nil:
		return nil, &JournalError{Path: db.path, Err: err}
	}
	ctx, cancel := context.WithTimeout(db.life, overtakeTime)
	defer cancel()
	if err := db.catchUp(ctx); err != nil {
		release()
		return nil, err
	}
	return release, nil
}

// Rework has fn change a copy of the data, and puts the copy into its place when fn
// succeeds. Until that one moment everybody reads what was there before; updates wait.
// A process that dies on the way leaves the original, and beside it a half-made copy
// that the next Rework overwrites. fn may View db; it must not use it otherwise.
//
// Errors are fn's, and those of Exchange.
func (db *DB) Rework(fn func(work *DB) error) error {
	return db.Exchange(func(path string) error {
		work := path + ".import"
		err := db.reworkAt(work, fn)
		if err != nil {
			_ = os.Remove(work) // it may not have come to be
			return err
		}
		return Replace(work, path)
	})
}

// reworkAt has fn change a copy, all of which is on the disk when it returns nil.
func (db *DB) reworkAt(path string, fn func(*DB) error) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := db.CopyTo(path); err != nil {
		return err
	}
	work, err := Open(path, Options{Hasty: true})
	if err != nil {
		return fmt.Errorf("the copy to work on: %w", err)
	}
	work.commit = db.commit
	return errors.Join(fn(work), work.Close())
}

// publish puts what the file at path holds in the place of what the journal has, and
// makes that file a replica of it.
func (db *DB) publish(path string) (err error) {
	other, err := Open(path, Options{Timeout: db.options.Timeout})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, other.Close()) }()
	if err := other.coverChanges(); err != nil {
		return err
	}
	last, err := db.options.Journal.Replace(db.life, other)
	if err != nil {
		return &JournalError{Path: path, Err: err}
	}
	lineage, err := db.options.Journal.Lineage(db.life)
	if err != nil {
		return &JournalError{Path: path, Err: err}
	}
	return other.becomeReplica(lineage, last)
}

// exchange is Exchange; db.writing must be held. The lineage is that of the commits to
// come: a file with the same content may go on with the one it has.
func (db *DB) exchange(lineage uint64, fn func(path string) error) error {
	if cause := db.suspended.cause(); cause != nil {
		return &SuspendedError{Path: db.path, Cause: cause}
	}
	before, err := os.Stat(db.path)
	if err != nil {
		return accessError(db.path, err)
	}
	defer db.suspendOnPanic()
	if err := fn(db.path); err != nil {
		after, gone := os.Stat(db.path)
		if gone == nil && os.SameFile(before, after) {
			return err
		}
		err = &UncertainError{Path: db.path, Err: err} // what is open is not what has the name
		db.suspended.set(err)
		return err
	}
	return db.reopen(lineage)
}

// suspendOnPanic has updates refused until Reopen where the caller panics: what is
// open may not be what has the name. db.writing must be held.
func (db *DB) suspendOnPanic() {
	if fault := recover(); fault != nil {
		db.suspended.set(&UncertainError{Path: db.path, Err: fmt.Errorf("panic: %v", fault)})
		panic(fault)
	}
}
