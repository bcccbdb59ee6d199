package desk

import (
	"encoding/json"
	"fmt"
	"time"

	"quire/store"
)

// Desk reads and writes what accounts have on their desks. Accounts are named by their
// ids. Its methods may be called from any goroutine.
type Desk struct {
	db  *store.DB
	now func() time.Time
}

// New returns a Desk on a data file. now is the clock; nil for time.Now.
func New(db *store.DB, now func() time.Time) *Desk {
	if now == nil {
		now = time.Now
	}
	return &Desk{db, now}
}

// The buckets of the package whose records can be checked.
const (
	PreferencesBucket = "admin.preferences"
	AutosavesBucket   = "admin.autosaves" // what is said of each
)

// formsBucket has the forms of autosaves, under the same keys. They belong to the pages.
const formsBucket = "admin.forms"

// The bounds of what accounts keep.
const (
	MostPreferences = 64 << 10  // bytes of the preferences of an account
	MostForm        = 1 << 20   // bytes of a form
	MostAutosaves   = 200       // of an account
	MostOwnForms    = 32 << 20  // bytes of the forms of an account
	MostForms       = 256 << 20 // bytes of the forms of all accounts
)

// FullError: there is no place for another autosave.
type FullError struct{ Message string }

func (e *FullError) Error() string { return e.Message }

// Preferences returns the preferences of an account, nil where it has stored none.
func (d *Desk) Preferences(account string) (text []byte, err error) {
	err = d.db.View(func(tx *store.Tx) (err error) {
		text, err = tx.Record(PreferencesBucket, account)
		return err
	})
	return text, err
}

// SetPreferences stores the preferences of an account, of at most MostPreferences bytes.
func (d *Desk) SetPreferences(account string, text []byte) error {
	if len(text) > MostPreferences {
		return fmt.Errorf("desk: preferences of %d bytes", len(text))
	}
	return d.db.Update(func(tx *store.Tx) error { return tx.PutRecord(PreferencesBucket, account, text) })
}

// Clear removes all that an account has, with the account.
func Clear(tx *store.Tx, account string) error {
	if err := tx.DeleteRecord(PreferencesBucket, account); err != nil {
		return err
	}
	for _, bucket := range []string{AutosavesBucket, formsBucket} {
		var keys []string
		err := tx.RecordsFrom(bucket, account+"/", "", func(key string, _ []byte) bool {
			keys = append(keys, key)
			return true
		})
		if err != nil {
			return err
		}
		for _, key := range keys {
			if err := tx.DeleteRecord(bucket, key); err != nil {
				return err
			}
		}
	}
	return nil
}

// ReadPreferences reports whether the preferences of an account can be read.
func ReadPreferences(_ string, value []byte) error {
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object)
}
