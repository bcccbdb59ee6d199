package release

import (
	"fmt"

	"quire/content/verify"
	"quire/store"
)

// Check reports which records of releases cannot be read, and which moments do not match
// them. Errors are the store's.
func Check(tx *store.Tx) ([]verify.Fault, error) { return examine(tx, false) }

// Repair removes records that cannot be read, adds missing moments of scheduled releases,
// and reports what it has changed. Nobody else may be using the store.
func Repair(tx *store.Tx) (changed []verify.Fault, err error) { return examine(tx, true) }

func examine(tx *store.Tx, repair bool) ([]verify.Fault, error) {
	e := &examiner{tx: tx, repair: repair, moments: map[string]bool{}}
	err := tx.Records(bucket, func(key string, _ []byte) error { return e.release(key) })
	if err == nil {
		err = tx.Records(Moments, func(text string, _ []byte) error { return e.moment(text) })
	}
	for text := range e.moments {
		e.add(fmt.Sprintf("the moment %q", text), "it is missing, so what is scheduled then would not be done")
		if err == nil && repair {
			err = tx.PutRecord(Moments, text, nil)
		}
	}
	return e.found, err
}

type examiner struct {
	tx      *store.Tx
	repair  bool
	moments map[string]bool // expected, and not found yet
	found   []verify.Fault
}

func (e *examiner) add(place, message string) {
	e.found = append(e.found, verify.Fault{Place: place, Message: message, Count: 1})
}

func (e *examiner) release(key string) error {
	r, wrong := read(e.tx, key)
	if wrong == nil {
		if text := r.momentKey(); text != "" {
			e.moments[text] = true
		}
		return nil
	}
	e.add(fmt.Sprintf("the release or schedule %q", key), wrong.Error())
	if !e.repair {
		return nil
	}
	if err := e.tx.DeleteRecord(bucket, key); err != nil {
		return err
	}
	return e.tx.DeleteRecord(detailsBucket, key)
}

func (e *examiner) moment(text string) error {
	if e.moments[text] {
		delete(e.moments, text)
		return nil
	}
	e.add(fmt.Sprintf("the moment %q", text), "nothing is scheduled then")
	if !e.repair {
		return nil
	}
	return e.tx.DeleteRecord(Moments, text)
}
