package history

import (
	"bytes"

	"quire/schema/settings"
	"quire/store"
)

// Keep stores the version that a change replaced. It is called directly after the change
// has been applied. end is the write that did it; it need not say whether the entry was
// removed. A change that creates an entry stores nothing. If the limits keep nothing, it
// removes what is still stored, because nothing would lead to it from the new state of the
// entry. Errors are the store's.
func Keep(tx *store.Tx, c store.Change, end End, limits settings.History) error {
	return keep(tx, c, end, limits, onlyMoved(c))
}

// keep is Keep. moves says that only the revision has changed if the fields are the same.
func keep(tx *store.Tx, c store.Change, end End, limits settings.History, moves bool) error {
	switch {
	case c.Before == nil:
		return nil
	case limits.Off():
		return forget(chainOf(tx, c.Type, c.Before.Key(), c.Before.Stamp.Version, 0))
	}
	before, after := tx.Applied()
	r := &record{Version: versionOf(c.Before), name: nameOf(c.Type, c.Before.Key()), sum: sumOf(before), size: len(before), body: before}
	r.End = end
	if r.End.Removed = c.After == nil; !r.End.Removed {
		r.moved = moves && bytes.Equal(before, after)
		r.base, r.body = sumOf(after), delta(nil, after, before)
	}
	return r.keep(tx, limits)
}

// onlyMoved reports whether a change that does not change the fields only changes the
// version number.
func onlyMoved(c store.Change) bool {
	if c.Before == nil || c.After == nil {
		return false
	}
	b, a := *c.Before, *c.After
	b.Stamp.Version = a.Stamp.Version
	return b.Stamp == a.Stamp && b.CreatedAt == a.CreatedAt && b.UpdatedAt == a.UpdatedAt && b.PublishedAt == a.PublishedAt && b.ID == a.ID
}

// versionOf describes a stored entry.
func versionOf(e *store.Entry) Version {
	return Version{
		Key: e.Key(), ID: e.ID, Stamp: e.Stamp, At: max(e.UpdatedAt, e.PublishedAt),
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, PublishedAt: e.PublishedAt,
	}
}

// keep stores the record after the other versions of its entry, and removes some if there
// are too many.
func (r *record) keep(tx *store.Tx, limits settings.History) error {
	before := chain{tx: tx, name: r.name, at: r.Revision(), most: headEnd}
	last, err := before.next()
	if err != nil {
		return err
	}
	if r.ordinal = last.ordinal(); r.moved {
		return r.move(tx, last)
	}
	r.ordinal++
	if err := r.put(tx); err != nil {
		return err
	}
	return r.prune(tx, limits)
}

// move stores only a link to the versions before, once for several writes in a row that
// have only changed the revision. Removed versions are found without it.
func (r *record) move(tx *store.Tx, last storedValue) error {
	switch {
	case last.in != store.Replaced:
		return nil
	case !last.moved():
		return r.put(tx)
	}
	before, err := tx.HistoryFirst(last.in, last.key, whole)
	if err != nil {
		return err
	}
	first, err := storedValue{last.VersionKey, before.Value}.decode()
	if err != nil {
		return r.put(tx) // it is lost, and so are the versions before it
	}
	if first.body, err = first.unpacked(); err != nil {
		return r.put(tx)
	}
	first.End = r.End
	if err := tx.DeleteHistory(last.in, last.key); err != nil {
		return err
	}
	return first.put(tx)
}

func (r *record) put(tx *store.Tx) error {
	p := r.place(r.name)
	return tx.PutHistory(p.in, p.key, r.encode(p))
}
