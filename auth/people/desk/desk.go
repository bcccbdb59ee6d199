package desk

import (
	"encoding/json"
	"errors"
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
	AutosavesBucket   = "admin.autosaves" // description of each autosave
	TalliesBucket     = "admin.tallies"   // number and size of autosaves
)

// formsBucket has the forms of autosaves, under the same keys. Only the pages know their
// content.
const formsBucket = "admin.forms"

// Limits of what accounts store.
const (
	MostPreferences = 64 << 10  // bytes of the preferences of an account
	MostForm        = 1 << 20   // bytes of a form
	MostAutosaves   = 200       // of an account
	MostOwnForms    = 32 << 20  // bytes of the forms of an account
	MostForms       = 256 << 20 // bytes of the forms of all accounts
)

// FullError: there is no space for another autosave.
type FullError struct{ Message string }

func (e *FullError) Error() string { return e.Message }

// Preferences returns the preferences of an account, nil if it has stored none.
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

// Clear removes all data of an account, with the account.
func Clear(tx *store.Tx, account string) error {
	left := tallies{}
	var err error
	if left.own, err = readTally(tx, account+divider, account+divider); err != nil {
		return err
	}
	if left.all, err = readTally(tx, ofAll, ""); err != nil {
		return err
	}
	left.add(-left.own.Count, -left.own.Bytes)
	return errors.Join(
		left.put(tx, account),
		tx.DeleteRecord(PreferencesBucket, account),
		tx.DeleteRecords(AutosavesBucket, account+divider),
		tx.DeleteRecords(formsBucket, account+divider),
	)
}

// ReadPreferences reports whether the preferences of an account can be read.
func ReadPreferences(_ string, value []byte) error {
	var object map[string]json.RawMessage
	return json.Unmarshal(value, &object)
}
