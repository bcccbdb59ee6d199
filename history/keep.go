package history

import (
	"bytes"

	"quire/schema/settings"
	"quire/store"
)

// Keep stores what a change replaced. It is called when the change has just been applied.
// end says which write did it; it has no need to say whether the entry was removed. What
// makes an entry leaves nothing. While nothing is to be kept, what still is goes: nothing
// would lead to it from what the entry has become. Errors are the store's.
func Keep(tx *store.Tx, c store.Change, end End, limits settings.History) error {
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
		r.moved = bytes.Equal(before, after) && onlyMoved(c)
		r.base, r.body = sumOf(after), delta(nil, after, before)
	}
	return r.keep(tx, limits)
}

// onlyMoved reports whether a change that leaves the fields as they are has no other
// trace than a new version number.
func onlyMoved(c store.Change) bool {
	b, a := *c.Before, *c.After
	b.Stamp.Version = a.Stamp.Version
	return b.Stamp == a.Stamp && b.UpdatedAt == a.UpdatedAt && b.PublishedAt == a.PublishedAt && b.ID == a.ID
}

// versionOf describes a stored entry.
func versionOf(e *store.Entry) Version {
	return Version{
		Key: e.Key(), ID: e.ID, Stamp: e.Stamp, At: max(e.UpdatedAt, e.PublishedAt),
		CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt, PublishedAt: e.PublishedAt,
	}
}

// keep stores the record after those that are kept of its entry, and removes some that
// are too many. Where only the revision has moved, nothing is stored but what leads to
// the versions before.
func (r *record) keep(tx *store.Tx, limits settings.History) error {
	before := chain{tx: tx, name: r.name, at: r.Revision(), most: headEnd}
	last, err := before.next()
	if err != nil || r.moved && last.IsZero() {
		return err
	}
	if r.ordinal = last.ordinal(); !r.moved {
		r.ordinal++
	}
	if err := r.put(tx); err != nil {
		return err
	}
	return r.prune(tx, limits)
}

func (r *record) put(tx *store.Tx) error {
	p := r.place(r.name)
	return tx.PutHistory(p.in, p.key, r.encode(p))
}
