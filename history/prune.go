package history

import (
	"errors"

	"quire/schema/settings"
	"quire/store"
)

// What is too much of an entry is at the end of its chain. Going there takes a while, so
// that a write does it once in so many of its entry: up to half as many versions more than
// the site says are kept until then. Entries that are written equally often come to it
// together. What they lose stands on the same pages, which then change once for all.

// prunedAtOnce bounds how many versions a write removes; see store.MaxOps.
const prunedAtOnce = 256

// prune removes versions that are too many or too old before one that was just kept, if
// it is time to.
func (r *record) prune(tx *store.Tx, limits settings.History) error {
	step := max(1, limits.Versions/2)
	if int(r.ordinal) <= limits.Versions || r.ordinal%uint32(step) != 0 {
		return nil
	}
	s := sweep{limits: limits, horizon: r.End.At - limits.Age.Milliseconds()}
	var old []Place
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
			old = append(old, one.Place)
		}
	}
	// The oldest first, so that what is left hangs together.
	return Remove(tx, old[max(0, len(old)-min(4*step, prunedAtOnce)):])
}

// sweep finds what is not to be kept any longer.
type sweep struct {
	tx      *store.Tx
	limits  settings.History
	horizon int64 // what ended before is too old
	found   []Place
	keys    map[string]bool // of what was found
}

// expired reports whether a version is to go by itself: it is damaged, or there are more
// than enough after it, or it was replaced too long ago. newest is the ordinal of the
// newest of its entry.
func (s *sweep) expired(one stored, newest uint32) bool {
	return len(one.value) < headEnd || int64(newest)-int64(one.ordinal()) >= int64(s.limits.Versions) || one.endedAt() < s.horizon
}

// Expired finds versions that are not to be kept any longer, which writes alone would
// leave where nobody writes. It begins at from, looks at no more than so many, and returns
// where the next call is to begin; a zero Place when it has come to the end. now is in
// milliseconds since 1970.
func Expired(tx *store.Tx, from Place, limits settings.History, now int64, most int) (found []Place, next Place, err error) {
	s := sweep{tx: tx, limits: limits, horizon: now - limits.Age.Milliseconds(), keys: map[string]bool{}}
	seen := 0
	next, err = walk(tx, from, func(one stored) error {
		if seen++; seen > most || len(s.found) >= most {
			return errEnough
		}
		return s.one(one)
	})
	return s.found, next, err
}

// errEnough ends a walk where it is.
var errEnough = errors.New("enough")

// walk calls fn for all values of the history from a place on, with so much of each as
// headEnd, and returns where fn has ended it with errEnough. What was replaced comes first,
// in the order of the writes: where a walk that removes all that it comes to ends early,
// what is left hangs together.
func walk(tx *store.Tx, from Place, fn func(stored) error) (at Place, err error) {
	for _, in := range [...]store.History{store.Replaced, store.Removed} {
		if in == store.Replaced && from.in == store.Removed {
			continue
		}
		var begin []byte
		if in == from.in {
			begin = from.key
		}
		if err := each(tx, in, begin, nil, headEnd, func(one stored) error {
			at = one.Place
			return fn(one)
		}); errors.Is(err, errEnough) {
			return at, nil
		} else if err != nil {
			return Place{}, err
		}
	}
	return Place{}, nil
}

// one finds a version that has expired, and with it those before, which nothing would lead
// to any more.
func (s *sweep) one(one stored) error {
	uid, v, err := one.version()
	if err != nil || s.limits.Off() {
		s.add(one.Place)
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
	for !one.IsZero() && s.add(one.Place) {
		if one, err = c.next(); err != nil {
			return err
		}
	}
	return nil
}

// add reports whether the place had not been found yet, and all before it.
func (s *sweep) add(p Place) (isNew bool) {
	key := string(p.in) + string(p.key)
	if isNew = !s.keys[key]; isNew {
		s.found, s.keys[key] = append(s.found, p), true
	}
	return isNew
}

// Remove deletes versions, the last first. Errors are the store's.
func Remove(tx *store.Tx, places []Place) error {
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

// ForgetType removes versions of a type. It begins at from, looks at no more than so many,
// and returns where the next call is to begin; a zero Place when it has come to the end.
// Errors are the store's.
func ForgetType(tx *store.Tx, uid string, from Place, most int) (next Place, err error) {
	seen := 0
	return walk(tx, from, func(one stored) error {
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
	_, err := walk(tx, Place{}, func(one stored) error {
		if uid, _, err := one.version(); err == nil && !cleared(uid) {
			return nil
		}
		return tx.DeleteHistory(one.in, one.key)
	})
	return err
}
