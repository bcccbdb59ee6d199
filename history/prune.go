package history

import (
	"encoding/binary"

	"quire/schema/settings"
	"quire/store"
)

// Place is one value of the history of all types: where a walk over it goes on, or what
// is to be removed.
type Place struct {
	Type string // uid
	key  []byte
}

// IsZero reports whether it is no place: the beginning or the end of a walk.
func (p Place) IsZero() bool { return p.Type == "" }

// Expired finds versions that are not to be kept any longer, which writes alone would
// leave where nobody writes: at most so many. It begins at from, goes on no further than
// to so many entries, and returns where the next call is to begin; a zero Place when it
// has come to the end. now is in milliseconds since 1970.
func Expired(tx *store.Tx, from Place, limits settings.History, now int64, most int) (found []Place, next Place, err error) {
	looked := 0
	for _, uid := range tx.HistoryTypes() {
		if uid < from.Type {
			continue
		}
		at := from.key
		if uid != from.Type {
			at = nil
		}
		for {
			head, err := tx.HistoryFrom(uid, at, nil, 1, headEnd)
			if err != nil {
				return nil, Place{}, err
			}
			if len(head) == 0 {
				break
			}
			if looked++; looked > most || len(found) >= most {
				return found, Place{uid, head[0].Key}, nil
			}
			if found, at, err = expiredOf(tx, uid, head[0], limits, now, found); err != nil {
				return nil, Place{}, err
			}
		}
	}
	return found, Place{}, nil
}

// headsAtOnce is how many versions of a document in one locale are looked at; those that
// are too old among the rest are found another time.
const headsAtOnce = 4096

// expiredOf adds the expired versions of the document and locale that a value belongs to,
// and returns where the next begins.
func expiredOf(tx *store.Tx, uid string, first store.Kept, limits settings.History, now int64, found []Place) ([]Place, []byte, error) {
	if _, _, err := splitKey(first.Key); err != nil {
		return append(found, Place{uid, first.Key}), append(first.Key, 0), nil // nothing of ours
	}
	prefix := first.Key[:len(first.Key)-keyTail]
	heads, err := tx.HistoryFrom(uid, prefix, prefix, headsAtOnce, headEnd)
	if err != nil {
		return nil, nil, err
	}
	horizon := now - limits.Age.Milliseconds()
	for _, status := range []store.Status{store.Draft, store.Published} {
		_, last, err := tx.HistoryEnds(uid, prefix, byte(status), headEnd)
		if err != nil {
			return nil, nil, err
		}
		newest := uint32(0)
		if len(last.Value) == headEnd {
			newest = binary.BigEndian.Uint32(last.Value[ordinalAt:])
		}
		for _, one := range heads {
			if one.Key[len(one.Key)-1] != byte(status) {
				continue
			}
			if !limits.Off() && !expired(one.Value, newest, limits.Versions, horizon) {
				break
			}
			found = append(found, Place{uid, one.Key})
		}
	}
	return found, store.After(prefix), nil
}

// Remove deletes versions. Errors are the store's.
func Remove(tx *store.Tx, places []Place) error {
	for _, p := range places {
		if err := tx.DeleteHistory(p.Type, p.key); err != nil {
			return err
		}
	}
	return nil
}

// ForgetType removes versions of a type, at most so many, and reports whether there may be
// more. Errors are the store's.
func ForgetType(tx *store.Tx, uid string, most int) (more bool, err error) {
	found, err := tx.HistoryFrom(uid, nil, nil, most, 0)
	for _, one := range found {
		if err == nil {
			err = tx.DeleteHistory(uid, one.Key)
		}
	}
	return len(found) == most, err
}

// forget removes what is kept under a prefix.
func forget(tx *store.Tx, uid string, prefix []byte) error {
	for {
		found, err := tx.HistoryFrom(uid, prefix, prefix, readAtOnce, 0)
		if err != nil || len(found) == 0 {
			return err
		}
		for _, one := range found {
			if err := tx.DeleteHistory(uid, one.Key); err != nil {
				return err
			}
		}
	}
}
