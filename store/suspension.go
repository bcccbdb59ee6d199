package store

import "sync/atomic"

// suspension is why updates are refused. It is changed by whoever holds
// DB.writing, and can be asked for by everybody.
type suspension struct{ why atomic.Pointer[error] }

// cause is nil when updates are taken.
func (s *suspension) cause() error {
	if why := s.why.Load(); why != nil {
		return *why
	}
	return nil
}

// set begins the suspension, or ends it when there is no cause.
func (s *suspension) set(cause error) {
	if cause == nil {
		s.why.Store(nil)
		return
	}
	s.why.Store(&cause)
}

// Suspended reports whether updates are refused until Reopen succeeds. It does
// not wait for transactions.
func (db *DB) Suspended() bool { return db.suspended.cause() != nil }
