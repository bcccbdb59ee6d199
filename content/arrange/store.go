package arrange

import (
	"encoding/json"

	"quire/store"
)

// The buckets of the package. Arrangements are stored by the uid of their type, homes by the
// id of their account.
const (
	Bucket      = "admin.arrangements"
	ViewsBucket = "admin.views"
	HomesBucket = "admin.homes"
)

// ErrChanged: somebody else has changed the arrangement meanwhile.
var ErrChanged = store.ErrRecordChanged

// Store reads and writes arrangements and views. Its methods may be called from any
// goroutine.
type Store struct{ db *store.DB }

// NewStore returns the arrangements and views in a data file.
func NewStore(db *store.DB) *Store { return &Store{db} }

// ReadArrangement reports whether a stored arrangement can be read.
func ReadArrangement(_ string, value []byte) error {
	_, err := read(value)
	return err
}

func read(value []byte) (*Arrangement, error) {
	r := new(Arrangement)
	if value == nil {
		return r, nil
	}
	return r, json.Unmarshal(value, r)
}

// All returns the arrangements of all types, by uid. It leaves out those that cannot be read.
func (s *Store) All() (all map[string]*Arrangement, err error) {
	err = s.db.View(func(tx *store.Tx) (err error) {
		all, err = AllOf(tx)
		return err
	})
	return all, err
}

// AllOf is All in a transaction.
func AllOf(tx *store.Tx) (map[string]*Arrangement, error) {
	all := map[string]*Arrangement{}
	return all, tx.Records(Bucket, func(uid string, value []byte) error {
		if r, err := read(value); err == nil {
			all[uid] = r
		}
		return nil
	})
}

// Of returns the arrangement of a type, and its version for Put. Without one, or if it
// cannot be read, it is the zero Arrangement.
func (s *Store) Of(uid string) (r *Arrangement, version string, err error) {
	err = s.db.View(func(tx *store.Tx) error {
		value, err := tx.Record(Bucket, uid)
		if r, _ = read(value); r == nil || err != nil {
			r = new(Arrangement)
		}
		version = store.RecordVersion(value)
		return err
	})
	return r, version, err
}

// Put stores the arrangement of a type, which must have passed Check, in place of the one of
// that version. The zero Arrangement removes it. Errors: ErrChanged, *MisfitError.
func (s *Store) Put(uid, version string, r *Arrangement) (stored string, err error) {
	value, err := encode(r)
	if err != nil {
		return "", err
	}
	return store.RecordVersion(value), s.db.Update(func(tx *store.Tx) error {
		if err := tx.RequireRecord(Bucket, uid, version); err != nil {
			return err
		}
		return putValue(tx, uid, value)
	})
}

// Export returns the arrangement and the shared views of a type, nil if it has none.
func Export(tx *store.Tx, uid string) (*Exported, error) {
	value, err := tx.Record(Bucket, uid)
	if err != nil {
		return nil, err
	}
	r, err := read(value)
	if err != nil {
		r = new(Arrangement)
	}
	e := &Exported{Arrangement: r}
	if e.Views, err = views(tx, prefixOf("", uid, true)); err != nil || r.empty() && len(e.Views) == 0 {
		return nil, err
	}
	return e, nil
}

// Import stores an arrangement and shared views of a type. With keep, what there is stays.
func Import(tx *store.Tx, uid string, e *Exported, keep bool) error {
	before, err := tx.Record(Bucket, uid)
	if err != nil {
		return err
	}
	value, err := encode(e.Arrangement)
	if err == nil && value != nil && !(keep && before != nil) {
		err = putValue(tx, uid, value)
	}
	prefix := prefixOf("", uid, true)
	for _, v := range e.Views {
		if err != nil {
			return err
		}
		if n, failed := tx.CountRecords(ViewsBucket, prefix); failed != nil || n >= MostViews {
			return failed
		}
		v.Shared = true
		var there []byte
		if there, err = tx.Record(ViewsBucket, prefix+v.ID); err == nil && !(keep && there != nil) {
			err = putView(tx, prefix+v.ID, v)
		}
	}
	return err
}

// encode returns the stored form of an arrangement, nil for the zero one.
func encode(r *Arrangement) ([]byte, error) {
	if r.empty() {
		return nil, nil
	}
	value, err := json.Marshal(r)
	if err == nil && len(value) > MostBytes {
		err = wrong("arrangement", "it takes more than %d bytes", MostBytes)
	}
	return value, err
}

func putValue(tx *store.Tx, uid string, value []byte) error {
	if value == nil {
		return tx.DeleteRecord(Bucket, uid)
	}
	return tx.PutRecord(Bucket, uid, value)
}
