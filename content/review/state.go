package review

import (
	"encoding/json"
	"errors"
	"strings"
	"time"

	"quire/store"
)

// Place is a document in one locale, which is empty if the type is not localized.
type Place struct{ UID, DocumentID, Locale string }

// divider separates the parts of a key. No uid, documentId or locale has it.
const divider = "\x00"

func (p Place) key() string { return p.UID + divider + p.DocumentID + divider + p.Locale }

// placeOf reads the place that a key begins with, and what follows it.
func placeOf(key string) (p Place, rest string, ok bool) {
	parts := strings.SplitN(key, divider, 4)
	if len(parts) < 3 {
		return p, "", false
	}
	if len(parts) == 4 {
		rest = parts[3]
	}
	return Place{parts[0], parts[1], parts[2]}, rest, true
}

// State is where a document is.
type State struct {
	Stage    string `json:"stage,omitempty"`    // id; empty for the first one
	Assignee string `json:"assignee,omitempty"` // id of an account
	Due      string `json:"due,omitempty"`      // a date: 2026-12-24
}

// CheckDue refuses what is no date; the error is a *MisfitError.
func CheckDue(due string) error {
	if _, err := time.Parse(time.DateOnly, due); due != "" && err != nil {
		return wrong("due", "it must be a date, such as 2026-12-24, or null")
	}
	return nil
}

// ReadState reports whether a stored state can be read.
func ReadState(key string, value []byte) error {
	if _, _, ok := placeOf(key); !ok {
		return errors.New("it names no document")
	}
	return json.Unmarshal(value, new(State))
}

// ReadWaiting reports whether a note about an account that waits can be read.
func ReadWaiting(key string, _ []byte) error {
	_, rest, _ := strings.Cut(key, divider)
	if _, _, ok := placeOf(rest); !ok {
		return errors.New("it names no document")
	}
	return nil
}

// stateOf returns the state of a place; one that cannot be read counts as none.
func stateOf(tx *store.Tx, p Place) (*State, error) {
	value, err := tx.Record(StatesBucket, p.key())
	st := new(State)
	if value != nil && json.Unmarshal(value, st) != nil {
		st = new(State)
	}
	return st, err
}

// ErrNoDocument: there is no such document in that locale, or no such comment.
var ErrNoDocument = errors.New("review: there is no such document or comment")

// Read returns the state and the comments of a place, the oldest comment first.
func (s *Board) Read(p Place) (st *State, list []*Comment, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		if st, err = stateOf(tx, p); err != nil {
			return err
		}
		list, err = comments(tx, p)
		return err
	})
	return st, list, err
}

// States returns the states of documents of a type in one locale, in their order.
func (s *Board) States(uid, locale string, documentIDs []string) (list []*State, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		for _, id := range documentIDs {
			st, err := stateOf(tx, Place{uid, id, locale})
			if err != nil {
				return err
			}
			list = append(list, st)
		}
		return nil
	})
	return list, err
}

// Stated is a document and its state.
type Stated struct {
	DocumentID string
	State      *State
}

// Stored returns the documents of a type in one locale that have left the first stage or have an
// assignee or a date, up to a number, and whether there are more.
func (s *Board) Stored(uid, locale string, most int) (list []Stated, more bool, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		return tx.RecordsFrom(StatesBucket, uid+divider, "", func(key string, value []byte) bool {
			p, _, ok := placeOf(key)
			st := new(State)
			if !ok || p.Locale != locale || json.Unmarshal(value, st) != nil {
				return true
			}
			if more = len(list) == most; !more {
				list = append(list, Stated{p.DocumentID, st})
			}
			return !more
		})
	})
	return list, more, err
}

// Change changes the state of a place: change gets the workflow and the state in the
// transaction, and may refuse. Errors: ErrNoDocument, and those of change and Beside.
func (s *Board) Change(p Place, change func(*Workflow, *State) error, beside *Beside) error {
	return s.update(p, func(tx *store.Tx) error {
		w, err := WorkflowOf(tx, p.UID)
		if err != nil {
			return err
		}
		st, err := stateOf(tx, p)
		if err == nil {
			err = change(w, st)
		}
		if err == nil {
			err = SetState(tx, p, st)
		}
		if err != nil {
			return err
		}
		return beside.put(tx)
	})
}

// SetState stores the state of a place. Waiting does not follow it before the next change.
func SetState(tx *store.Tx, p Place, st *State) error {
	if *st == (State{}) {
		return tx.DeleteRecord(StatesBucket, p.key())
	}
	return tx.PutJSON(StatesBucket, p.key(), st)
}

// update changes a place that has a document, and who waits there.
func (s *Board) update(p Place, fn func(*store.Tx) error) error {
	return s.db.Update(func(tx *store.Tx) error {
		if !hasDocument(tx, p) {
			return ErrNoDocument
		}
		before, err := waitingAt(tx, p)
		if err == nil {
			err = fn(tx)
		}
		if err != nil {
			return err
		}
		return moveWaiting(tx, p, before)
	})
}

func hasDocument(tx *store.Tx, p Place) bool {
	k := store.Key{DocumentID: p.DocumentID, Locale: p.Locale}
	return tx.Has(p.UID, k.WithStatus(store.Draft)) || tx.Has(p.UID, k.WithStatus(store.Published))
}

// waitingAt returns the accounts for whom there is something to do at a place: the one that has
// the document, and those who are mentioned in an open thread and have not answered since.
func waitingAt(tx *store.Tx, p Place) (map[string]bool, error) {
	st, err := stateOf(tx, p)
	if err != nil {
		return nil, err
	}
	list, err := comments(tx, p)
	waiting := OpenMentions(list)
	if st.Assignee != "" {
		waiting[st.Assignee] = true
	}
	return waiting, err
}

// OpenMentions returns the accounts that comments mention in threads that are not resolved, and
// that have not answered there since.
func OpenMentions(list []*Comment) map[string]bool {
	open := map[string]map[string]bool{} // by thread
	for _, c := range list {
		if c.Thread == "" && c.Resolved == nil {
			open[c.ID] = map[string]bool{}
		}
		of := open[c.Root()]
		if of == nil {
			continue
		}
		delete(of, c.By)
		for _, account := range c.Mentions {
			of[account] = account != c.By
		}
	}
	waiting := map[string]bool{}
	for _, of := range open {
		for account, waits := range of {
			if waits {
				waiting[account] = true
			}
		}
	}
	return waiting
}

// moveWaiting makes the notes about who waits at a place right.
func moveWaiting(tx *store.Tx, p Place, before map[string]bool) error {
	after, err := waitingAt(tx, p)
	for account := range before {
		if !after[account] {
			err = errors.Join(err, tx.DeleteRecord(WaitingBucket, account+divider+p.key()))
		}
	}
	for account := range after {
		if !before[account] {
			err = errors.Join(err, tx.PutRecord(WaitingBucket, account+divider+p.key(), []byte("{}")))
		}
	}
	return err
}

// Waiting returns up to most places where there is something to do for an account.
func (s *Board) Waiting(account string, most int) (places []Place, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		return tx.RecordsFrom(WaitingBucket, account+divider, "", func(key string, _ []byte) bool {
			if p, _, ok := placeOf(key[len(account)+len(divider):]); ok {
				places = append(places, p)
			}
			return len(places) < most
		})
	})
	return places, err
}

// Remove removes the state and the comments of a place, with its document.
func Remove(tx *store.Tx, p Place) error {
	before, err := waitingAt(tx, p)
	if err != nil {
		return err
	}
	if err := tx.DeleteRecords(CommentsBucket, p.key()+divider); err != nil {
		return err
	}
	if err := tx.DeleteRecord(StatesBucket, p.key()); err != nil {
		return err
	}
	return moveWaiting(tx, p, before)
}

// Clear removes the notes about what waits for an account, with the account. Its comments stay.
func Clear(tx *store.Tx, account string) error {
	return tx.DeleteRecords(WaitingBucket, account+divider)
}

// Sweep removes states and comments whose document no longer exists, after changes of the content
// that are no writes: an import, a type that is dropped.
func Sweep(tx *store.Tx) error {
	gone := map[Place]bool{}
	for _, bucket := range []string{StatesBucket, CommentsBucket} {
		err := tx.Records(bucket, func(key string, _ []byte) error {
			if p, _, ok := placeOf(key); ok && !gone[p] && !hasDocument(tx, p) {
				gone[p] = true
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	for p := range gone {
		if err := Remove(tx, p); err != nil {
			return err
		}
	}
	return nil
}

// Relocate moves what belongs to the documents of a type that has become localized, or no longer
// is, to another locale. locales returns where from and where to for a document. What belongs to
// other locales is for Sweep.
func Relocate(tx *store.Tx, uid string, locales func(documentID string) (from, to string)) error {
	for _, bucket := range []string{StatesBucket, CommentsBucket, WaitingBucket} {
		err := tx.Records(bucket, func(key string, value []byte) error {
			head, at := "", key
			if bucket == WaitingBucket {
				head, at, _ = strings.Cut(key, divider)
				head += divider
			}
			p, rest, ok := placeOf(at)
			from, to := locales(p.DocumentID)
			if !ok || p.UID != uid || p.Locale != from {
				return nil
			}
			p.Locale = to
			name := head + p.key()
			if rest != "" {
				name += divider + rest
			}
			return errors.Join(tx.DeleteRecord(bucket, key), tx.PutRecord(bucket, name, value))
		})
		if err != nil {
			return err
		}
	}
	return nil
}
