package store

import (
	"errors"
	"os"
	"strings"

	"go.etcd.io/bbolt"
)

// A replica leaves it to the operating system when its commits reach the disk: the journal
// has them. So its file is worth nothing after a loss of power. Whether there may have been
// one is seen from what stands in meta: nothing after a clean close, else in which run of
// the operating system the file was last opened.

// openedKey is the key in meta of the run in which a replica was opened.
const openedKey = "opened"

// thisRun names the run of the operating system, or is empty where that is not known.
func thisRun() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// trust reports whether the file holds what was committed to it, and notes that it is open
// from now on. One that is not to be trusted stays as it is: until it has been loaded, no
// start may take it for another. db.writing must be held.
func (db *DB) trust() (trusted bool, err error) {
	run := thisRun()
	err = db.raw(func(tx *bbolt.Tx) error {
		meta := tx.Bucket([]byte(metaBucket))
		opened := meta.Get([]byte(openedKey))
		if trusted = opened == nil || run != "" && string(opened) == run; !trusted {
			return nil
		}
		return meta.Put([]byte(openedKey), []byte(run))
	})
	if err != nil {
		trusted = false
	}
	db.trusted = trusted
	return trusted, errors.Join(err, db.sync())
}

// settle has all of a replica reach the disk, and notes that it has. It leaves a file alone
// that may lack something.
func (db *DB) settle() error {
	if db.bolt == nil || !db.trusted {
		return nil
	}
	if err := db.sync(); err != nil {
		return err
	}
	err := guard(db.path, metaBucket, func() error {
		return db.bolt.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte(metaBucket)).Delete([]byte(openedKey)) })
	})
	return errors.Join(err, db.sync())
}

// sync has the operating system write what it has of the file.
func (db *DB) sync() error {
	if err := guard(db.path, "", func() error { return db.bolt.Sync() }); err != nil {
		return &AccessError{Path: db.path, Err: err}
	}
	return nil
}
