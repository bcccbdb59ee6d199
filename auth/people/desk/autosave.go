package desk

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"quire/store"
)

// AutosaveKey identifies the document of an autosave.
type AutosaveKey struct {
	UID        string // of the content type
	DocumentID string // or a name of its own, for a document that is not created yet
	Locale     string // empty for types that are not localized
}

// Autosave is a form as it was typed.
type Autosave struct {
	AutosaveKey
	Title   string          // for display
	Device  string          // where it was typed
	Base    uint64          // the version of the document that was edited; 0 for none
	SavedAt time.Time       // set by Save
	Form    json.RawMessage // nil in a list
}

// note is the stored description of an autosave. The AutosaveKey is in its key.
type note struct {
	Title   string    `json:"title,omitempty"`
	Device  string    `json:"device,omitempty"`
	Base    uint64    `json:"base,omitempty"`
	SavedAt time.Time `json:"savedAt"`
	Bytes   int       `json:"bytes"` // of the form
}

// The parts of a key are separated by a byte that none of them has.
const divider = "/"

func (p AutosaveKey) key(account string) string {
	return account + divider + p.UID + divider + p.Locale + divider + p.DocumentID
}

// placeOf reads a key.
func placeOf(key string) (p AutosaveKey, ok bool) {
	parts := strings.SplitN(key, divider, 4)
	if len(parts) != 4 {
		return p, false
	}
	return AutosaveKey{parts[1], parts[3], parts[2]}, true
}

func (n *note) autosave(p AutosaveKey) *Autosave {
	return &Autosave{AutosaveKey: p, Title: n.Title, Device: n.Device, Base: n.Base, SavedAt: n.SavedAt}
}

// Autosaves returns the autosaves of an account without their forms, the latest first. It
// leaves out those that cannot be read.
func (d *Desk) Autosaves(account string) (list []*Autosave, err error) {
	err = d.db.View(func(tx *store.Tx) error {
		return eachNote(tx, account+divider, func(p AutosaveKey, n *note) { list = append(list, n.autosave(p)) })
	})
	slices.SortStableFunc(list, func(a, b *Autosave) int { return b.SavedAt.Compare(a.SavedAt) })
	return list, err
}

// ReadNote reports whether the description of an autosave can be read.
func ReadNote(key string, value []byte) error {
	if _, ok := placeOf(key); !ok {
		return errors.New("its key names no document")
	}
	return json.Unmarshal(value, &note{})
}

// eachNote calls fn for the autosaves whose keys begin with prefix.
func eachNote(tx *store.Tx, prefix string, fn func(AutosaveKey, *note)) error {
	return tx.RecordsFrom(AutosavesBucket, prefix, "", func(key string, value []byte) bool {
		var n note
		if p, ok := placeOf(key); ok && json.Unmarshal(value, &n) == nil {
			fn(p, &n)
		}
		return true
	})
}

// Autosave returns the autosave of an account at a place, or nil.
func (d *Desk) Autosave(account string, p AutosaveKey) (found *Autosave, err error) {
	err = d.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(AutosavesBucket, p.key(account))
		if err != nil || value == nil {
			return err
		}
		var n note
		if json.Unmarshal(value, &n) != nil {
			return nil
		}
		form, err := tx.Record(formsBucket, p.key(account))
		if err == nil && form != nil {
			found = n.autosave(p)
			found.Form = form
		}
		return err
	})
	return found, err
}

// Save stores an autosave, replaces the one before it, and returns the time. Its form has
// at most MostForm bytes. The error is a *FullError if there is no space.
func (d *Desk) Save(account string, a Autosave) (time.Time, error) {
	if len(a.Form) > MostForm {
		return time.Time{}, fmt.Errorf("desk: a form of %d bytes", len(a.Form))
	}
	n := note{a.Title, a.Device, a.Base, d.now().UTC().Truncate(time.Millisecond), len(a.Form)}
	value, err := json.Marshal(&n)
	if err != nil {
		return time.Time{}, err
	}
	return n.SavedAt, d.db.Update(func(tx *store.Tx) error {
		key := a.key(account)
		next, err := leave(tx, account, key)
		if err != nil {
			return err
		}
		next.add(1, len(a.Form))
		switch {
		case next.own.Count > MostAutosaves:
			return &FullError{fmt.Sprintf("You have %d forms that are not saved; save or discard one of them", MostAutosaves)}
		case next.own.Bytes > MostOwnForms:
			return &FullError{fmt.Sprintf("Your forms that are not saved take more than %d MiB; save or discard one of them", MostOwnForms>>20)}
		case next.all.Bytes > MostForms:
			return &FullError{"There is no place for another form that is not saved; save it, or ask the others to save theirs"}
		}
		return errors.Join(next.put(tx, account), tx.PutRecord(AutosavesBucket, key, value), tx.PutRecord(formsBucket, key, a.Form))
	})
}

// Discard removes the autosave of an account at a place. A missing one is not an error.
func (d *Desk) Discard(account string, p AutosaveKey) error {
	return d.db.Update(func(tx *store.Tx) error {
		key := p.key(account)
		if value, err := tx.Record(AutosavesBucket, key); err != nil || value == nil {
			return err
		}
		left, err := leave(tx, account, key)
		if err != nil {
			return err
		}
		return errors.Join(left.put(tx, account), tx.DeleteRecord(AutosavesBucket, key), tx.DeleteRecord(formsBucket, key))
	})
}
