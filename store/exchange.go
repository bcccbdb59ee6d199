package store

import "os"

// Exchange has fn put another file in the place of the data file and goes on
// with that one. Updates wait until then; views go on and show what was there
// before. When fn fails nothing is exchanged, and its error is returned. The
// other errors are those of Reopen.
//
// fn may View and Backup; it must not Update, Reopen or Close, which wait for it.
func (db *DB) Exchange(fn func(path string) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	return db.exchange(newLineage(), fn)
}

// exchange is Exchange for one who holds writing. The lineage is that of the
// commits to come: a file with the same content may go on with the one it has.
func (db *DB) exchange(lineage uint64, fn func(path string) error) error {
	if cause := db.suspended.cause(); cause != nil {
		return &SuspendedError{Path: db.path, Cause: cause}
	}
	before, err := os.Stat(db.path)
	if err != nil {
		return accessError(db.path, err)
	}
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
