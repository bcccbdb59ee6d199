package desk

import (
	"encoding/json"

	"quire/store"
)

// A tally is the number and size of autosaves, so that a save need not read the others.
// There is one for each account and one for all. A missing one is counted again.
type tally struct {
	Count int `json:"count"`
	Bytes int `json:"bytes"` // of the forms
}

// ofAll is the key of the tally of all accounts. The key of an account's tally is the
// prefix of its autosaves.
const ofAll = divider

// tallies are the tallies of an account and of all.
type tallies struct{ own, all tally }

// ReadTally reports whether a tally can be read.
func ReadTally(_ string, value []byte) error { return json.Unmarshal(value, &tally{}) }

// DropTallies makes the autosaves be counted again. It is for code that removes some of
// them without this package.
func DropTallies(tx *store.Tx) error { return tx.DeleteRecords(TalliesBucket, "") }

// readTally reads a tally, or counts the autosaves whose keys begin with prefix.
func readTally(tx *store.Tx, key, prefix string) (t tally, err error) {
	value, err := tx.Record(TalliesBucket, key)
	if err != nil || value != nil && json.Unmarshal(value, &t) == nil {
		return t, err
	}
	t = tally{}
	err = tx.RecordsFrom(AutosavesBucket, prefix, "", func(_ string, value []byte) bool {
		t.add(1, bytesOf(value))
		return true
	})
	return t, err
}

// bytesOf returns the size of the form of a note, 0 for one that cannot be read.
func bytesOf(value []byte) int {
	var n note
	if json.Unmarshal(value, &n) != nil {
		return 0
	}
	return n.Bytes
}

// leave returns the tallies without what is stored under a key of an account.
func leave(tx *store.Tx, account, key string) (t tallies, err error) {
	if t.own, err = readTally(tx, account+divider, account+divider); err != nil {
		return t, err
	}
	if t.all, err = readTally(tx, ofAll, ""); err != nil {
		return t, err
	}
	value, err := tx.Record(AutosavesBucket, key)
	if err == nil && value != nil {
		t.add(-1, -bytesOf(value))
	}
	return t, err
}

func (t *tally) add(count, bytes int) { t.Count, t.Bytes = t.Count+count, t.Bytes+bytes }

func (t *tallies) add(count, bytes int) {
	t.own.add(count, bytes)
	t.all.add(count, bytes)
}

// put stores the tallies, and deletes the tally of an account without autosaves.
func (t *tallies) put(tx *store.Tx, account string) error {
	if err := putTally(tx, ofAll, t.all); err != nil {
		return err
	}
	return putTally(tx, account+divider, t.own)
}

func putTally(tx *store.Tx, key string, t tally) error {
	if t.Count == 0 {
		return tx.DeleteRecord(TalliesBucket, key)
	}
	return tx.PutJSON(TalliesBucket, key, t)
}
