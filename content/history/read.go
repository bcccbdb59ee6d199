package history

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"quire/schema/settings"
	"quire/store"
)

// UnreadableError is a former version that is damaged, or does not fit the one after it.
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

const whole = math.MaxInt // bytes of a value

// errBase reports a version whose successor is not the one that its difference is based on.
var errBase = errors.New("the version after it is not the one that it is the difference to")

// follow sets since when a version was the state of its entry, by the version before it.
func (v *Version) follow(previous *record) {
	v.Since = v.Revision()
	if previous == nil || previous.End.Removed {
		return
	}
	v.Since = previous.End.Version
	v.At = previous.End.At
}

// IsAt reports whether this was the state of the entry at a revision of its document.
func (v *Version) IsAt(revision uint64) bool {
	return v.Since <= revision && (v.Current() || revision < v.End.Version)
}

// unreadable returns why the version at a place cannot be read.
func unreadable(p VersionKey, err error) *UnreadableError {
	uid, v, _ := p.version()
	return &UnreadableError{uid, v.Key, v.Revision(), err}
}

// Versions lists the versions of a document by entry, in order of locale and status, and
// for each entry the oldest first. It leaves out damaged ones.
func Versions(tx *store.Tx, uid, documentID string) (all []Version, err error) {
	// The keys of the removed entries of a document.
	keys := map[store.Key]bool{}
	prefix := append(append(typePrefix(uid), documentID...), separator)
	err = each(tx, store.Removed, prefix, prefix, 0, func(one storedValue) error {
		if _, v, err := one.version(); err == nil {
			keys[v.Key] = true
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, locale := range tx.Locales(uid) {
		for _, status := range []store.Status{store.Draft, store.Published} {
			if k := (store.Key{DocumentID: documentID, Locale: locale, Status: status}); tx.Has(uid, k) {
				keys[k] = true
			}
		}
	}
	inOrder := func(a, b store.Key) int {
		return cmp.Or(strings.Compare(a.Locale, b.Locale), int(a.Status)-int(b.Status))
	}
	for _, k := range slices.SortedFunc(maps.Keys(keys), inOrder) {
		own, err := versionsOf(tx, uid, k)
		if err != nil {
			return nil, err
		}
		all = append(all, own...)
	}
	return all, nil
}

// versionsOf lists the versions of an entry.
func versionsOf(tx *store.Tx, uid string, k store.Key) (all []Version, err error) {
	e, err := tx.Entry(uid, k)
	if err != nil {
		return nil, err
	}
	c := chainOf(tx, uid, k, gone, whole)
	if e != nil {
		all, c.at = append(all, versionOf(e)), e.Stamp.Version
	}
	followed := 0 // versions with a known Since
	for {
		one, err := c.next()
		if err != nil {
			return nil, err
		}
		if one.IsZero() {
			break
		}
		r, err := one.decode()
		if err == nil && r.moved {
			continue
		}
		if followed < len(all) {
			all[followed].follow(r) // nil if it is damaged
			followed++
		}
		if err == nil {
			all = append(all, r.Version)
		}
	}
	if followed < len(all) {
		all[followed].follow(nil)
	}
	slices.Reverse(all)
	return all, nil
}

// Read returns a version of an entry, also the current one; nil if there is none with that
// revision. It calls ready from time to time, and stops if that returns an error. Errors
// are *UnreadableError, the store's and those of ready.
func Read(tx *store.Tx, uid string, k store.Key, revision uint64, ready func() error) (*store.Entry, error) {
	now, err := tx.Entry(uid, k)
	if err != nil || now != nil && now.Stamp.Version == revision {
		return now, err
	}
	at, fields, err := current(tx, uid, k)
	if err != nil {
		return nil, err
	}
	w, c := wayBack{fields: fields}, chainOf(tx, uid, k, at, whole)
	for {
		one, err := c.next()
		if err != nil || one.IsZero() || c.at < revision {
			return nil, err
		}
		if err := ready(); err != nil {
			return nil, err
		}
		if r := w.step(one); c.at == revision && (r == nil || !r.moved) {
			return r.entry(w.fields, w.broken)
		}
	}
}

// At returns an entry as the write of that revision, which changed it, has left it; nil if
// that is not known. See Read.
func At(tx *store.Tx, uid string, k store.Key, revision uint64, ready func() error) (*store.Entry, error) {
	all, err := versionsOf(tx, uid, k)
	i := slices.IndexFunc(all, func(v Version) bool { return v.Revision() >= revision })
	if err != nil || i < 0 || all[i].Since > revision && !all[i].created() {
		return nil, err
	}
	return Read(tx, uid, k, all[i].Revision(), ready)
}

// created reports whether the write that made the version created the entry. The revision
// may be a later one: no record leads to the first if nothing comes before it.
func (v *Version) created() bool {
	return v.Stamp.Action == store.ActionCreate || v.Stamp.Action == store.ActionDuplicate
}

// wayBack goes from the current state of an entry to earlier ones.
type wayBack struct {
	fields []byte
	broken error // error for all earlier versions, until one whose entry was removed
}

// step goes one version back. It returns no record if that one is damaged.
func (w *wayBack) step(one storedValue) *record {
	r, err := one.decode()
	var body []byte
	if err == nil {
		body, err = r.unpacked()
	}
	switch {
	case err != nil:
	case r.End.Removed:
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
		w.broken = unreadable(one.VersionKey, err)
	}
	return r
}

// entry makes the entry from a record and its fields.
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

// RemovedBy returns the revision of an entry that a write has removed, 0 if it is not
// stored.
func RemovedBy(tx *store.Tx, uid string, k store.Key, write uint64) (revision uint64, err error) {
	prefix := binary.BigEndian.AppendUint64(nameOf(uid, k), write)
	one, err := tx.HistoryFirst(store.Removed, prefix, 0)
	if err != nil || len(one.Key) != len(prefix)+number {
		return 0, err
	}
	return revisionIn(one.Key), nil
}

// LastDocument returns the documentId of the last written entry of a type, which may have
// been removed; empty if there is none. It is for single types, which have few documents.
func LastDocument(tx *store.Tx, uid string) (documentID string, err error) {
	var latest uint64
	later := func(id string, write uint64) {
		if write >= latest {
			documentID, latest = id, write
		}
	}
	prefix := typePrefix(uid)
	err = each(tx, store.Removed, prefix, prefix, 0, func(one storedValue) error {
		if _, v, err := one.version(); err == nil {
			later(v.Key.DocumentID, v.End.Version)
		}
		return nil
	})
	if err != nil {
		return "", err
	}
	err = tx.Scan(uid, func(e *store.Entry) error {
		later(e.DocumentID, e.Stamp.Version)
		return nil
	})
	return documentID, err
}

// Count returns the number of stored former versions of all types. Errors are the store's.
func Count(tx *store.Tx) (n int, err error) {
	_, err = walk(tx, VersionKey{}, func(one storedValue) error {
		if !one.moved() {
			n++
		}
		return nil
	})
	return n, err
}

// Latest returns the highest number of a write that replaced or removed something. Errors
// are the store's.
func Latest(tx *store.Tx) (write uint64, err error) {
	_, err = walk(tx, VersionKey{}, func(one storedValue) error {
		if _, v, err := one.version(); err == nil {
			write = max(write, v.End.Version)
		}
		return nil
	})
	return write, err
}

// FirstChange is the first change of an entry since a moment, as the log of changes has it.
type FirstChange struct {
	Write  uint64 // its number
	Action store.Action
	At     time.Time
	Count  int // changes since the moment
}

// Before returns what the entry was before the change, of all its versions; nil if there was none.
// known is false if the history does not say it.
func (c *FirstChange) Before(versions []Version, limits settings.History) (was *Version, known bool) {
	var last *Version // that began before
	for i := range versions {
		if versions[i].Since < c.Write {
			last = &versions[i]
		}
	}
	switch {
	case last != nil && (last.Current() || last.End.Version >= c.Write):
		return last, true
	case last != nil:
		return nil, last.End.Removed
	case c.Action == store.ActionCreate:
		return nil, true
	case c.Action != store.ActionPublish:
		return nil, false // it was there before
	default: // it was not published, unless what it was has expired
		return nil, !limits.Off() && c.Count < limits.Versions && time.Since(c.At) < limits.Age
	}
}
