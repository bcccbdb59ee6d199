package event

import (
	"fmt"

	"quire/store"
)

// DamageError is a commit of the log that cannot be read.
type DamageError struct {
	Revision uint64
	Err      error
}

func (e *DamageError) Error() string {
	return fmt.Sprintf("what commit %d changed cannot be read: %v", e.Revision, e.Err)
}

func (e *DamageError) Unwrap() error { return e.Err }

// Check reads the whole log and returns the commits that cannot be read. The error is the
// store's.
func Check(tx *store.Tx) (found []*DamageError, err error) {
	err = tx.Log(0, func(revision uint64, value []byte) bool {
		if _, wrong := Decode(revision, value); wrong != nil {
			found = append(found, &DamageError{revision, wrong})
		}
		return true
	})
	return found, err
}

// Repair makes the log begin after the commits that cannot be read, and returns these.
// Readers at an earlier position must read the content itself. Nobody else may be using db.
// If there is no damage, it writes nothing. The error is the store's.
func Repair(db *store.DB) (found []*DamageError, err error) {
	err = db.Update(func(tx *store.Tx) error {
		if found, err = Check(tx); err != nil || len(found) == 0 {
			return err
		}
		return tx.ResetLog()
	})
	return found, err
}
