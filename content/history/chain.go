package history

import (
	"bytes"
	"encoding/binary"
	"math"

	"quire/store"
)

// storedValue is one value of the history: a record, or its requested beginning.
type storedValue struct {
	VersionKey
	value []byte
}

// ordinal returns 0 if the record is damaged.
func (s storedValue) ordinal() uint32 {
	if len(s.value) < headEnd {
		return 0
	}
	return binary.BigEndian.Uint32(s.value[ordinalAt:])
}

func (s storedValue) moved() bool { return len(s.value) >= headEnd && s.value[flagsAt]&flagMoved != 0 }

func (s storedValue) endedAt() int64 { return int64(binary.BigEndian.Uint64(s.value[endedAt:])) }

// A chain leads from one state of an entry to the earlier ones. A replaced version is found
// by the number of the write that replaced it, which is the revision of the next version; a
// removed one by the name of the entry.
type chain struct {
	tx   *store.Tx
	name []byte
	at   uint64 // the current revision; gone if there is no entry
	end  []byte // the next removed version is below this key; nil before the first
	most int    // maximum bytes of each value
}

// chainOf begins at a revision of an entry.
func chainOf(tx *store.Tx, uid string, k store.Key, revision uint64, most int) *chain {
	return &chain{tx: tx, name: nameOf(uid, k), at: revision, most: most}
}

// next moves to the state before. A removed version comes before what its own or a later
// write made. The key is zero if none is stored.
func (c *chain) next() (storedValue, error) {
	if one, err := c.replaced(); err != nil || !one.IsZero() {
		return one, err
	}
	if c.end == nil {
		c.end = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(bytes.Clone(c.name), c.at), math.MaxUint64)
	}
	last, err := c.tx.HistoryBefore(store.Removed, c.end, c.name, c.most)
	if err != nil || len(last.Key) != len(c.name)+2*number {
		return storedValue{}, err
	}
	c.at, c.end = revisionIn(last.Key), last.Key
	return storedValue{VersionKey{store.Removed, last.Key}, last.Value}, nil
}

// replaced is next if the entry was not removed in between.
func (c *chain) replaced() (storedValue, error) {
	prefix := make([]byte, 0, number+len(c.name))
	prefix = append(binary.BigEndian.AppendUint64(prefix, c.at), c.name...)
	found, err := c.tx.HistoryFirst(store.Replaced, prefix, c.most)
	if err != nil || len(found.Key) != len(prefix)+number || revisionIn(found.Key) >= c.at {
		return storedValue{}, err // a damaged key leads nowhere
	}
	c.at = revisionIn(found.Key)
	return storedValue{VersionKey{store.Replaced, found.Key}, found.Value}, nil
}

// revisionIn returns the revision of the version stored under a key.
func revisionIn(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-number:]) }

// gone is the revision of a missing entry, after all others.
const gone = math.MaxUint64

// current returns the revision of an entry and its stored fields.
func current(tx *store.Tx, uid string, k store.Key) (revision uint64, fields []byte, err error) {
	stamp, fields, err := tx.Stored(uid, k)
	if fields == nil {
		return gone, nil, err
	}
	return stamp.Version, fields, err
}

// newest returns the last former version of an entry.
func newest(tx *store.Tx, uid string, k store.Key, most int) (storedValue, error) {
	revision, _, err := current(tx, uid, k)
	if err != nil {
		return storedValue{}, err
	}
	return chainOf(tx, uid, k, revision, most).next()
}

// readAtOnce is the number of values that are read from the file at a time.
const readAtOnce = 64

// each calls fn for the values whose keys are not below from and begin with prefix, in
// order, each with at most most bytes. fn may remove them. It returns the error of fn.
func each(tx *store.Tx, in store.History, from, prefix []byte, most int, fn func(storedValue) error) error {
	for {
		found, err := tx.HistoryFrom(in, from, prefix, readAtOnce, most)
		if err != nil {
			return err
		}
		for _, one := range found {
			if err := fn(storedValue{VersionKey{in, one.Key}, one.Value}); err != nil {
				return err
			}
		}
		if len(found) < readAtOnce {
			return nil
		}
		from = append(found[len(found)-1].Key, 0)
	}
}
