package event

import (
	"fmt"
	"sync"
	"time"

	"quire/schema/settings"
	"quire/store"
)

// Append logs the changes of the current transaction, once for each transaction. Without
// events it logs nothing. Errors are the store's.
func Append(tx *store.Tx, at time.Time, events []Event) error {
	if len(events) == 0 {
		return nil
	}
	return tx.PutLog(encode(at, events))
}

// GoneError: the log begins after a position, or ends before it. Read the content itself,
// and continue from its revision.
type GoneError struct {
	Position Position
	Floor    Position // first position from which the log can be read
	Damage   error    // *DamageError of what cannot be read between the two; nil if there is none
}

func (e *GoneError) Error() string {
	text := fmt.Sprintf("the changes since %s are not kept any more; they are from %s on", e.Position, e.Floor)
	if e.Damage != nil {
		text += ": " + e.Damage.Error()
	}
	return text
}

func (e *GoneError) Unwrap() error { return e.Damage }

// Floor returns the first position from which the log can be read. Errors are the store's.
func Floor(tx *store.Tx) (Position, error) {
	revision, err := tx.LogFloor()
	return Position{Revision: revision}, err
}

// Last returns the position after all commits.
func Last(tx *store.Tx) Position { return Position{Revision: tx.Revision()} }

// Read calls fn for the commits after a position, in order, each with only those events
// that come after it, as long as fn returns true. Errors: *GoneError, and the store's.
func Read(tx *store.Tx, after Position, fn func(Commit) (more bool)) error {
	floor, err := Floor(tx)
	switch {
	case err != nil:
		return err
	case after.Before(floor) || Last(tx).Before(after):
		return &GoneError{Position: after, Floor: floor}
	}
	from := after.Revision
	if after.Index > 0 {
		from--
	}
	var damaged *GoneError
	err = tx.Log(from, func(revision uint64, value []byte) bool {
		c, err := Decode(revision, value)
		if err != nil {
			damaged = &GoneError{after, Position{Revision: revision}, &DamageError{revision, err}}
			return false
		}
		if c.Events = c.After(after); len(c.Events) == 0 {
			return true
		}
		return fn(c)
	})
	if err == nil && damaged != nil {
		err = damaged
	}
	return err
}

// ReadBack calls fn for the commits in the log, the newest first, as long as fn returns
// true. It stops at a commit that cannot be read. Errors are the store's.
func ReadBack(tx *store.Tx, fn func(Commit) (more bool)) error {
	return tx.LogBack(func(revision uint64, value []byte) bool {
		c, err := Decode(revision, value)
		return err == nil && fn(c)
	})
}

// Expired returns the revision up to which the log should be trimmed now, 0 for none: at
// most so many of the oldest commits, which are older than the site keeps them or exceed
// its limit. Commits before the floor are useless and are trimmed too. Errors are the
// store's.
func Expired(tx *store.Tx, keep settings.Events, now time.Time, most int) (through uint64, err error) {
	floor, err := tx.LogFloor()
	if err != nil {
		return 0, err
	}
	horizon, n := now.Add(-keep.Retention), 0
	crowded := sync.OnceValue(func() bool { return tx.LogBytes() > keep.Bytes }) // it reads the whole log
	err = tx.Log(0, func(revision uint64, value []byte) bool {
		if n++; n > most {
			return false
		}
		c, err := Decode(revision, value)
		if revision > floor && err == nil && c.At.After(horizon) && !crowded() {
			return false
		}
		through = revision
		return true
	})
	return through, err
}
