package store

// Exchange has fn put another file in the place of the data file and goes on
// with that one. Updates wait until then; views go on and show what was there
// before. When fn fails nothing is exchanged, and its error is returned. The
// other errors are those of Reopen.
//
// fn may View and Backup; it must not Update, Reopen or Close, which wait for it.
func (db *DB) Exchange(fn func(path string) error) error {
	db.writing.Lock()
	defer db.writing.Unlock()
	if cause := db.suspended.cause(); cause != nil {
		return &SuspendedError{Path: db.path, Cause: cause}
	}
	if err := fn(db.path); err != nil {
		return err
	}
	return db.reopen()
}
