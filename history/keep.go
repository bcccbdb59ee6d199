package history

import (
	"bytes"
	"encoding/binary"
	"fmt"

	"quire/schema/settings"
	"quire/store"
)

// prunedAtOnce is how many old versions of an entry one write of it removes at most.
const prunedAtOnce = 4

// Keep stores what a change replaces. It is called before the change is applied. end
// says which write does it; it has no need to say whether the entry is removed. What
// changes nothing but the version of an entry leaves nothing, nor does what makes one.
// While nothing is to be kept, what still is goes: it would not lead back from what the
// entry becomes. Errors are the store's.
func Keep(tx *store.Tx, c store.Change, end End, limits settings.History) error {
	switch {
	case c.Before == nil:
		return nil
	case limits.Off():
		return forget(tx, c.Type, localePrefix(c.Before.Key()))
	}
	before, err := tx.StoredFields(c.Type, c.Before.Key())
	if err != nil {
		return err
	}
	end.Removed = c.After == nil
	r := &record{Version: versionOf(c.Before), whole: end.Removed, sum: sumOf(before), size: len(before), body: before}
	r.End = end
	if c.After != nil {
		after, err := tx.EncodedFields(c.After.Fields)
		if err != nil {
			return fmt.Errorf("%s: %w", c.Name(), err)
		}
		if bytes.Equal(before, after) && onlyMoved(c) {
			return nil
		}
		r.base, r.body = sumOf(after), delta(nil, after, before)
	}
	return r.put(tx, c.Type, limits)
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

// put stores the record after those that are kept of its entry, and removes some that
// are too many or too old.
func (r *record) put(tx *store.Tx, uid string, limits settings.History) error {
	prefix := localePrefix(r.Key)
	first, last, err := tx.HistoryEnds(uid, prefix, byte(r.Key.Status), headEnd)
	if err != nil {
		return err
	}
	r.ordinal = 1
	if len(last.Value) == headEnd {
		r.ordinal = binary.BigEndian.Uint32(last.Value[ordinalAt:]) + 1
	}
	key := versionKey(r.Key, r.Revision())
	if err := tx.PutHistory(uid, key, r.encode(uid, key)); err != nil {
		return err
	}
	horizon := r.End.At - limits.Age.Milliseconds()
	for range prunedAtOnce {
		if first.Key == nil || !expired(first.Value, r.ordinal, limits.Versions, horizon) {
			return nil
		}
		if err := tx.DeleteHistory(uid, first.Key); err != nil {
			return err
		}
		if first, _, err = tx.HistoryEnds(uid, prefix, byte(r.Key.Status), headEnd); err != nil {
			return err
		}
	}
	return nil
}

// expired reports whether the oldest version of an entry is to go: it is damaged, or
// there are more than versions of them, or it was replaced before the horizon. newest
// is the ordinal of the newest.
func expired(head []byte, newest uint32, versions int, horizon int64) bool {
	if len(head) < headEnd {
		return true
	}
	ordinal := binary.BigEndian.Uint32(head[ordinalAt:])
	return int64(newest)-int64(ordinal) >= int64(versions) || int64(binary.BigEndian.Uint64(head[endedAt:])) < horizon
}
