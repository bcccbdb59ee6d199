package history

import (
	"bytes"

	"quire/store"
)

// Rename renames the types of former versions in a copy of the data file. tx is a
// transaction of the original; commit carries out a step on the copy, and is called with
// nil at the end. uid returns the new name of a type, fields the new fields of a version;
// it may change only strings. A version that cannot be read stays if its type keeps its
// name, and is removed otherwise. The caller renames the entries themselves. Errors are the
// store's and commit's.
func Rename(tx *store.Tx, uid func(string) string, fields func(store.Fields) (store.Fields, bool), commit func(func(*store.Tx) error) error) error {
	r := &renamer{tx: tx, uid: uid, fields: fields, commit: commit}
	for _, walk := range []func() error{
		func() error { return each(tx, store.Replaced, nil, nil, 0, r.current) },
		func() error { return each(tx, store.Removed, nil, nil, whole, r.removed) },
		func() error { return each(tx, store.Replaced, nil, nil, 0, r.lost) },
	} {
		if err := walk(); err != nil {
			return err
		}
	}
	return commit(nil)
}

// renamer goes back from every current and every removed entry, like a checker.
type renamer struct {
	tx     *store.Tx
	uid    func(string) string
	fields func(store.Fields) (store.Fields, bool)
	commit func(func(*store.Tx) error) error
	seen   map[string]bool // keys of replaced versions of renamed types
}

// current goes back from an entry if the version is its last former one.
func (r *renamer) current(one storedValue) error {
	uid, v, err := one.version()
	if err != nil {
		return nil
	}
	revision, fields, err := current(r.tx, uid, v.Key)
	if err != nil || revision != v.End.Version {
		return err
	}
	return r.back(uid, chainOf(r.tx, uid, v.Key, revision, whole), &wayBack{fields: fields})
}

// removed goes back from a removed entry.
func (r *renamer) removed(one storedValue) error {
	uid, v, err := one.version()
	if err != nil {
		return nil
	}
	w := &wayBack{}
	if err := r.step(uid, w, one); err != nil {
		return err
	}
	return r.back(uid, chainOf(r.tx, uid, v.Key, v.Revision(), whole), w)
}

func (r *renamer) back(uid string, way *chain, w *wayBack) error {
	for {
		one, err := way.replaced()
		if err != nil || one.IsZero() {
			return err
		}
		if err := r.step(uid, w, one); err != nil {
			return err
		}
	}
}

// step renames in one version.
func (r *renamer) step(uid string, w *wayBack, one storedValue) error {
	after := w.fields
	version := w.step(one)
	if name := r.uid(uid); name != uid {
		if r.seen == nil {
			r.seen = map[string]bool{}
		}
		r.seen[string(one.key)] = true
	}
	if version == nil || w.broken != nil {
		return r.remove(uid, one)
	}
	own, changed := r.mapped(w.fields)
	base, moved := r.mapped(after)
	name := r.uid(uid)
	if name == uid && !changed && (version.End.Removed || !moved) {
		return nil
	}
	version.name = nameOf(name, version.Key)
	version.sum, version.size, version.body = sumOf(own), len(own), own
	if !version.End.Removed {
		version.base, version.body = sumOf(base), delta(nil, base, own)
	}
	old := one.VersionKey
	return r.commit(func(tx *store.Tx) error {
		if err := tx.DeleteHistory(old.in, old.key); err != nil {
			return err
		}
		return version.put(tx)
	})
}

// mapped returns stored fields with the new names. Fields that cannot be read are
// unchanged.
func (r *renamer) mapped(stored []byte) (after []byte, changed bool) {
	fields, err := store.DecodeFields(stored)
	if err != nil {
		return stored, false
	}
	renamed, changed := r.fields(fields)
	if !changed {
		return stored, false
	}
	if after, err = store.EncodeFields(renamed); err != nil {
		return stored, false
	}
	return after, !bytes.Equal(after, stored)
}

// remove removes a version that cannot be read, if its type is renamed.
func (r *renamer) remove(uid string, one storedValue) error {
	if r.uid(uid) == uid {
		return nil
	}
	old := one.VersionKey
	return r.commit(func(tx *store.Tx) error { return tx.DeleteHistory(old.in, old.key) })
}

// lost removes a version of a renamed type that was not reached.
func (r *renamer) lost(one storedValue) error {
	uid, _, err := one.version()
	if err != nil || r.seen[string(one.key)] {
		return nil
	}
	return r.remove(uid, one)
}
