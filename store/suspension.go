package store

import "sync/atomic"

// suspension is why updates are refused. DB.writing must be held to change it; reading it
// needs no lock.
type suspension struct{ why atomic.Pointer[error] }

// cause returns nil if updates are accepted.
func (s *suspension) cause() error {
	if why := s.why.Load(); why != nil {
		return *why
	}
	return nil
}

// set begins the suspension, or ends it if there is no cause.
func (s *suspension) set(cause error) {
	if cause == nil {
		s.why.Store(nil)
		return
	}
	s.why.Store(&cause)
}

// Suspended reports whether updates are refused until Reopen succeeds. It does not wait for
// transactions.
func (db *DB) Suspended() bool { return db.suspended.cause() != nil }

// Suspend refuses updates until Reopen. Call it if memory may differ from the file. cause
// is the error of the refused updates; the first cause stays.
func (db *DB) Suspend(cause error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	if db.suspended.cause() == nil {
		db.suspended.set(cause)
	}
}

// Refuse refuses all further updates and batches of a journal, whatever is reopened, and waits
// for the one in progress. The error of those that are refused is a *RefusedError with the
// cause. Without a cause they are accepted again.
func (db *DB) Refuse(cause error) {
	db.writing.Lock()
	defer db.writing.Unlock()
	db.refused = nil
	if cause != nil {
		db.refused = &RefusedError{cause}
	}
}

// accepts returns why updates are refused; nil if they are not. db.writing must be held.
func (db *DB) accepts() error {
	if db.refused != nil {
		return db.refused
	}
	if cause := db.suspended.cause(); cause != nil {
		return &SuspendedError{Path: db.path, Cause: cause}
	}
	return nil
}

// Doubt suspends updates because it is unknown whether a commit was stored. It returns the
// *UncertainError to report.
func (db *DB) Doubt(cause error) error {
	err := &UncertainError{Path: db.path, Err: cause}
	db.Suspend(err)
	return err
}
