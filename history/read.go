package history

import (
	"errors"
	"fmt"
	"math"

	"quire/store"
)

// UnreadableError is a former version that is damaged, or that does not go with what
// came after it.
type UnreadableError struct {
	Type     string // uid
	Key      store.Key
	Revision uint64
	Err      error
}

func (e *UnreadableError) Error() string {
	return fmt.Sprintf("revision %d of %s %s cannot be read: %v", e.Revision, e.Type, e.Key, e.Err)
}

func (e *UnreadableError) Unwrap() error { return e.Err }

// readAtOnce is how many values are read from the file at a time.
const readAtOnce = 64

const whole = math.MaxInt // bytes of a value

// errBase is a version whose successor is not what it was kept as a difference to.
var errBase = errors.New("what came after it is not what it was kept against")

// Former calls fn for the former versions of a document, in order of locale, revision and
// status, until it returns an error, which is returned. What is damaged is left out;
// damaged is called for it.
func Former(tx *store.Tx, uid, documentID string, fn func(*Version) error, damaged func(*UnreadableError)) error {
	previous := map[store.Key]*Version{}
	return eachRecord(tx, uid, documentPrefix(documentID), func(r *record) error {
		r.follow(previous[r.Key])
		previous[r.Key] = &r.Version
		return fn(&r.Version)
	}, func(e *UnreadableError) {
		delete(previous, e.Key) // what comes next did not follow it
		damaged(e)
	})
}

// follow says since when a version was what its entry was, by the one before it.
func (v *Version) follow(previous *Version) {
	v.Since = v.Revision()
	if previous == nil || previous.End.Removed {
		return
	}
	v.Since = previous.End.Version
	v.At = previous.End.At
}

// IsAt reports whether the entry was like this at a revision of its document.
func (v *Version) IsAt(revision uint64) bool {
	return v.Since <= revision && (v.Current() || revision < v.End.Version)
}

// eachRecord reads the values of a type's history whose keys begin with prefix.
func eachRecord(tx *store.Tx, uid string, prefix []byte, fn func(*record) error, damaged func(*UnreadableError)) error {
	from := prefix
	for {
		found, err := tx.HistoryFrom(uid, from, prefix, readAtOnce, whole)
		if err != nil {
			return err
		}
		for _, one := range found {
			r, err := decode(uid, one.Key, one.Value)
			if err != nil {
				damaged(unreadable(uid, one.Key, err))
				continue
			}
			if err := fn(r); err != nil {
				return err
			}
		}
		if len(found) < readAtOnce {
			return nil
		}
		from = append(found[len(found)-1].Key, 0)
	}
}

func unreadable(uid string, key []byte, err error) *UnreadableError {
	k, version, _ := splitKey(key)
	return &UnreadableError{uid, k, version, err}
}

// Versions lists the versions of a document: the former ones in order of locale, revision
// and status, and then the current ones, which are those of the entries that it has now.
func Versions(tx *store.Tx, uid, documentID string, current []store.Key) (all []Version, err error) {
	last := map[store.Key]Version{} // the newest former one of each entry
	err = Former(tx, uid, documentID, func(v *Version) error {
		all = append(all, *v)
		last[v.Key] = *v
		return nil
	}, func(e *UnreadableError) { delete(last, e.Key) })
	for _, k := range current {
		if err != nil {
			return nil, err
		}
		var e *store.Entry
		if e, err = tx.Entry(uid, k); err != nil || e == nil {
			continue
		}
		v := versionOf(e)
		former, ok := last[k]
		v.follow(nil)
		if ok {
			v.follow(&former)
		}
		all = append(all, v)
	}
	return all, err
}

// Read returns a version of an entry as it was, the current one too; nil when there is
// none of that revision. ready is asked from time to time whether to go on. Errors are
// *UnreadableError, the store's and those of ready.
func Read(tx *store.Tx, uid string, k store.Key, revision uint64, ready func() error) (*store.Entry, error) {
	current, err := tx.Entry(uid, k)
	if err != nil || current != nil && current.Stamp.Version == revision {
		return current, err
	}
	if kept, err := tx.HistoryFrom(uid, versionKey(k, revision), versionKey(k, revision), 1, 0); err != nil || len(kept) == 0 {
		return nil, err
	}
	fields, err := tx.StoredFields(uid, k)
	if err != nil {
		return nil, err
	}
	w := wayBack{uid: uid, fields: fields}
	for end := store.After(localePrefix(k)); ; {
		one, err := lastBefore(tx, uid, k, end)
		if err != nil || one.Key == nil {
			return nil, err
		}
		if err := ready(); err != nil {
			return nil, err
		}
		_, version, _ := splitKey(one.Key)
		if r := w.step(one); version <= revision {
			return r.entry(w.fields, w.broken)
		}
		end = one.Key
	}
}

// lastBefore is the last former version of an entry whose key is below end.
func lastBefore(tx *store.Tx, uid string, k store.Key, end []byte) (one store.Kept, err error) {
	prefix := localePrefix(k)
	for {
		one, err = tx.HistoryBefore(uid, end, prefix)
		if err != nil || one.Key == nil || one.Key[len(one.Key)-1] == byte(k.Status) {
			return one, err
		}
		end = one.Key
	}
}

// wayBack goes from what an entry is to what it was.
type wayBack struct {
	uid    string
	fields []byte
	broken error // from here on back, until a version that is stored whole
}

// step goes one version back. It returns no record when that one is damaged.
func (w *wayBack) step(one store.Kept) *record {
	r, err := decode(w.uid, one.Key, one.Value)
	var body []byte
	if err == nil {
		body, err = r.unpacked()
	}
	switch {
	case err != nil:
	case r.whole:
		w.fields, w.broken = body, nil
	case w.broken != nil:
		return r
	case sumOf(w.fields) != r.base:
		err = errBase
	default:
		w.fields, err = patch(w.fields, body, r.size)
	}
	if err == nil && sumOf(w.fields) != r.sum {
		err = errBase
	}
	if err != nil {
		w.broken = unreadable(w.uid, one.Key, err)
	}
	return r
}

// entry is the entry that a record and its fields make.
func (r *record) entry(stored []byte, err error) (*store.Entry, error) {
	if err != nil {
		return nil, err
	}
	fields, err := store.DecodeFields(stored)
	if err != nil {
		return nil, err
	}
	return &store.Entry{
		ID: r.ID, DocumentID: r.Key.DocumentID, Locale: r.Key.Locale, Status: r.Key.Status,
		CreatedAt: r.CreatedAt, UpdatedAt: r.UpdatedAt, PublishedAt: r.PublishedAt, Stamp: r.Stamp, Fields: fields,
	}, nil
}

// LastDocument returns the documentId of the former version that was replaced last, empty
// when nothing is kept of the type. It is for single types, which have few documents.
func LastDocument(tx *store.Tx, uid string) (documentID string, err error) {
	var latest uint64
	err = eachRecord(tx, uid, nil, func(r *record) error {
		if r.End.Version >= latest {
			documentID, latest = r.Key.DocumentID, r.End.Version
		}
		return nil
	}, func(*UnreadableError) {})
	return documentID, err
}

// Count is how many former versions are kept of all types. Errors are the store's.
func Count(tx *store.Tx) (n int, err error) {
	const atOnce = 1024
	for _, uid := range tx.HistoryTypes() {
		for from := []byte{}; from != nil; {
			found, err := tx.HistoryFrom(uid, from, nil, atOnce, 0)
			if err != nil {
				return 0, err
			}
			n += len(found)
			if from = nil; len(found) == atOnce {
				from = append(found[atOnce-1].Key, 0)
			}
		}
	}
	return n, nil
}
