package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Exchange calls fn, which replaces the data file by means of Replace, and opens the new
// one. Updates wait meanwhile; views continue and show the former content. If fn fails, the
// file stays and Exchange returns fn's error. The other errors are those of Reopen.
//
// With a journal, the content of the other file replaces that of the journal, and every
// other node loads it. No node writes meanwhile.
//
// fn may View and Backup; it must not Update, Reopen or Close, which wait for it.
func (db *DB) Exchange(fn func(path string) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	release, err := db.freeze()
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

// freeze prevents the writes of all nodes until it is released, and updates the file to what
// all have written so far. Without a journal nobody else writes.
func (db *DB) freeze() (release func(), err error) {
	if db.options.Journal == nil {
		return func() {}, nil
	}
	release, err = db.options.Journal.Freeze(db.life)
	switch {
	case errors.Is(err, ErrFrozen):
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

// Rework makes fn change a copy of the data, and replaces the data with the copy if fn
// succeeds. Until then everybody reads the former content; updates wait. If the process
// dies meanwhile, the original stays, with an incomplete copy next to it that the next
// Rework overwrites. fn may View db; it must not use it otherwise.
//
// Errors are fn's, and those of Exchange.
func (db *DB) Rework(fn func(work *DB) error) error {
	return db.Exchange(func(path string) error {
		work := path + ".import"
		err := db.reworkAt(work, fn)
		if err != nil {
			_ = os.Remove(work) // it may not exist
			return err
		}
		return Replace(work, path)
	})
}

// reworkAt makes fn change a copy, which is on the disk when it returns nil.
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

// publish replaces the content of the journal with that of the file at path, and makes that
// file a replica of it.
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
	return other.markReplica(lineage, last)
}

// exchange is Exchange; db.writing must be held. The lineage is that of the next commits: a
// file with the same content may keep its lineage.
func (db *DB) exchange(lineage uint64, fn func(path string) error) error {
	if err := db.accepts(); err != nil {
		return err
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
		err = &UncertainError{Path: db.path, Err: err} // the open file is not the one with the name
		db.suspended.set(err)
		return err
	}
	return db.reopen(lineage)
}

// suspendOnPanic suspends updates until Reopen if the caller panics: the open file may not
// be the one with the name. db.writing must be held.
func (db *DB) suspendOnPanic() {
	if fault := recover(); fault != nil {
		db.suspended.set(&UncertainError{Path: db.path, Err: fmt.Errorf("panic: %v", fault)})
		panic(fault)
	}
}
