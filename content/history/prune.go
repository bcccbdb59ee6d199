package history

import (
	"errors"

	"quire/schema/settings"
	"quire/store"
)

// Surplus versions of an entry are at the end of its chain. It takes a while to get there,
// so a write does it only once in a number of writes of its entry: until then, up to half
// as many versions more than the limit are kept. Entries that are written equally often are
// pruned together. Their surplus versions are on the same pages, which then change only
// once.

// prunedAtOnce limits the number of versions that a write removes; see store.MaxOps.
const prunedAtOnce = 256

// prune removes versions that are too many or too old before one that was just stored, if
// it is time to.
func (r *record) prune(tx *store.Tx, limits settings.History) error {
	step := max(1, limits.Versions/2)
	if int(r.ordinal) <= limits.Versions || r.ordinal%uint32(step) != 0 {
		return nil
	}
	s := sweep{limits: limits, horizon: r.End.At - limits.Age.Milliseconds()}
	var old []VersionKey
	c := chain{tx: tx, name: r.name, at: r.Revision(), most: headEnd}
	for {
		one, err := c.next()
		if err != nil {
			return err
		}
		if one.IsZero() {
			break
		}
		if len(old) > 0 || s.expired(one, r.ordinal) {
			old = append(old, one.VersionKey)
		}
	}
	// The oldest first, so that the remaining versions stay connected.
	return Remove(tx, old[max(0, len(old)-min(4*step, prunedAtOnce)):])
}

// sweep finds expired versions.
type sweep struct {
	tx      *store.Tx
	limits  settings.History
	horizon int64 // versions that ended earlier are too old
	found   []VersionKey
	keys    map[string]bool // of the versions found
}

// expired reports whether a version must be removed: it is damaged, or too many come after
// it, or it was replaced too long ago. newest is the ordinal of the newest version of its
// entry.
func (s *sweep) expired(one storedValue, newest uint32) bool {
	return len(one.value) < headEnd || int64(newest)-int64(one.ordinal()) >= int64(s.limits.Versions) || one.endedAt() < s.horizon
}

// Expired finds expired versions, which writes do not remove if an entry is not written any
// more. It begins at from, examines at most so many, and returns where the next call must
// begin; a zero VersionKey at the end. now is in milliseconds since 1970.
func Expired(tx *store.Tx, from VersionKey, limits settings.History, now int64, most int) (found []VersionKey, next VersionKey, err error) {
	s := sweep{tx: tx, limits: limits, horizon: now - limits.Age.Milliseconds(), keys: map[string]bool{}}
	seen := 0
	next, err = walk(tx, from, func(one storedValue) error {
		if seen++; seen > most || len(s.found) >= most {
			return errEnough
		}
		return s.one(one)
	})
	return s.found, next, err
}

// errEnough ends a walk at its current place.
var errEnough = errors.New("enough")

// walk calls fn for all values of the history from a place on, with headEnd bytes of each,
// and returns where fn has ended it with errEnough. Replaced versions come first, in the
// order of the writes: if a walk removes everything and ends early, the remaining versions
// are still connected.
func walk(tx *store.Tx, from VersionKey, fn func(storedValue) error) (at VersionKey, err error) {
	for _, in := range [...]store.History{store.Replaced, store.Removed} {
		if in == store.Replaced && from.in == store.Removed {
			continue
		}
		var begin []byte
		if in == from.in {
			begin = from.key
		}
		if err := each(tx, in, begin, nil, headEnd, func(one storedValue) error {
			at = one.VersionKey
			return fn(one)
		}); errors.Is(err, errEnough) {
			return at, nil
		} else if err != nil {
			return VersionKey{}, err
		}
	}
	return VersionKey{}, nil
}

// one finds an expired version, and with it the earlier ones, to which nothing would lead
// any more.
func (s *sweep) one(one storedValue) error {
	uid, v, err := one.version()
	if err != nil || s.limits.Off() {
		s.add(one.VersionKey)
		return nil
	}
	last, err := newest(s.tx, uid, v.Key, headEnd)
	if err != nil && !errors.As(err, new(*store.CorruptError)) {
		return err
	}
	if !s.expired(one, last.ordinal()) {
		return nil
	}
	c := chainOf(s.tx, uid, v.Key, v.Revision(), headEnd)
	for !one.IsZero() && s.add(one.VersionKey) {
		if one, err = c.next(); err != nil {
			return err
		}
	}
	return nil
}

// add reports whether the place had not been found yet; then it adds it and all earlier
// ones.
func (s *sweep) add(p VersionKey) (isNew bool) {
	key := string(p.in) + string(p.key)
	if isNew = !s.keys[key]; isNew {
		s.found, s.keys[key] = append(s.found, p), true
	}
	return isNew
}

// Remove deletes versions, the last first. Errors are the store's.
func Remove(tx *store.Tx, places []VersionKey) error {
	for i := len(places) - 1; i >= 0; i-- {
		if err := tx.DeleteHistory(places[i].in, places[i].key); err != nil {
			return err
		}
	}
	return nil
}

// forget removes all that a chain leads to.
func forget(c *chain) error {
	for {
		one, err := c.next()
		if err != nil || one.IsZero() {
			return err
		}
		if err := c.tx.DeleteHistory(one.in, one.key); err != nil {
			return err
		}
	}
}

// ForgetType removes versions of a type. It begins at from, examines at most so many, and
// returns where the next call must begin; a zero VersionKey at the end. Errors are the store's.
func ForgetType(tx *store.Tx, uid string, from VersionKey, most int) (next VersionKey, err error) {
	seen := 0
	return walk(tx, from, func(one storedValue) error {
		if seen++; seen > most {
			return errEnough
		}
		if of, _, err := one.version(); err != nil || of != uid {
			return nil
		}
		return tx.DeleteHistory(one.in, one.key)
	})
}

// Clear removes the history of types. Errors are the store's.
func Clear(tx *store.Tx, cleared func(uid string) bool) error {
	_, err := walk(tx, VersionKey{}, func(one storedValue) error {
		if uid, _, err := one.version(); err == nil && !cleared(uid) {
			return nil
		}
		return tx.DeleteHistory(one.in, one.key)
	})
	return err
}
