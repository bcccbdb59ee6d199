package store

import (
	"errors"
	"os"
	"strings"

	"go.etcd.io/bbolt"
)

// A replica leaves it to the operating system when its commits reach the disk, because the
// journal has them. So its file cannot be trusted after a power failure. An entry in meta
// shows whether there may have been one: it is missing after a clean close, otherwise it
// names the run of the operating system in which the file was last opened.

// openedKey is the key in meta of the run in which a replica was opened.
const openedKey = "opened"

// thisRun identifies the run of the operating system, or is empty if unknown.
func thisRun() string {
	id, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(id))
}

// trust reports whether the file has everything that was committed to it, and stores that
// it is open from now on. A file that cannot be trusted is not changed: until it has been
// loaded, no start may trust it. db.writing must be held.
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

// settle forces a replica to the disk, and stores that. It does not change a file that may
// lack something.
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

// sync makes the operating system write the file.
func (db *DB) sync() error {
	if err := guard(db.path, "", func() error { return db.bolt.Sync() }); err != nil {
		return &AccessError{Path: db.path, Err: err}
	}
	return nil
}
