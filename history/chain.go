package history

import (
	"bytes"
	"encoding/binary"
	"math"

	"quire/store"
)

// stored is one value of the history: a record, or as much of one as was asked for.
type stored struct {
	Place
	value []byte
}

// ordinal is 0 where the record is damaged.
func (s stored) ordinal() uint32 {
	if len(s.value) < headEnd {
		return 0
	}
	return binary.BigEndian.Uint32(s.value[ordinalAt:])
}

func (s stored) moved() bool { return len(s.value) >= headEnd && s.value[flagsAt]&flagMoved != 0 }

func (s stored) endedAt() int64 { return int64(binary.BigEndian.Uint64(s.value[endedAt:])) }

// A chain goes from one state of an entry to those before it. What was replaced is found
// by the write that did it, whose number is the revision of what came after; what was
// removed, by the name of the entry.
type chain struct {
	tx   *store.Tx
	name []byte
	at   uint64 // the revision that it has come to; gone where there is no entry
	end  []byte // what was removed and comes next is below this key; nil before there was any
	most int    // bytes of each value
}

// chainOf begins at a revision of an entry.
func chainOf(tx *store.Tx, uid string, k store.Key, revision uint64, most int) *chain {
	return &chain{tx: tx, name: nameOf(uid, k), at: revision, most: most}
}

// next goes on to the state before. What was removed comes before what its own or a later
// write made. It is a zero Place when nothing is kept of one.
func (c *chain) next() (stored, error) {
	if one, err := c.replaced(); err != nil || !one.IsZero() {
		return one, err
	}
	if c.end == nil {
		c.end = binary.BigEndian.AppendUint64(binary.BigEndian.AppendUint64(bytes.Clone(c.name), c.at), math.MaxUint64)
	}
	last, err := c.tx.HistoryBefore(store.Removed, c.end, c.name, c.most)
	if err != nil || len(last.Key) != len(c.name)+2*number {
		return stored{}, err
	}
	c.at, c.end = revisionIn(last.Key), last.Key
	return stored{Place{store.Removed, last.Key}, last.Value}, nil
}

// replaced is next where the entry was not removed in between.
func (c *chain) replaced() (stored, error) {
	prefix := make([]byte, 0, number+len(c.name))
	prefix = append(binary.BigEndian.AppendUint64(prefix, c.at), c.name...)
	found, err := c.tx.HistoryFirst(store.Replaced, prefix, c.most)
	if err != nil || len(found.Key) != len(prefix)+number || revisionIn(found.Key) >= c.at {
		return stored{}, err // a damaged key leads nowhere
	}
	c.at = revisionIn(found.Key)
	return stored{Place{store.Replaced, found.Key}, found.Value}, nil
}

// revisionIn is the revision of the version that is kept under a key.
func revisionIn(key []byte) uint64 { return binary.BigEndian.Uint64(key[len(key)-number:]) }

// gone is the revision of an entry that there is not, after all others.
const gone = math.MaxUint64

// current returns the revision of an entry and its fields as they are stored.
func current(tx *store.Tx, uid string, k store.Key) (revision uint64, fields []byte, err error) {
	stamp, fields, err := tx.Stored(uid, k)
	if fields == nil {
		return gone, nil, err
	}
	return stamp.Version, fields, err
}

// newest is the former version that an entry had last.
func newest(tx *store.Tx, uid string, k store.Key, most int) (stored, error) {
	revision, _, err := current(tx, uid, k)
	if err != nil {
		return stored{}, err
	}
	return chainOf(tx, uid, k, revision, most).next()
}

// readAtOnce is how many values are read from the file at a time.
const readAtOnce = 64

// each calls fn for the values whose keys are not below from and begin with prefix, in
// order, with so many bytes of each. fn may remove them. Its error is returned.
func each(tx *store.Tx, in store.History, from, prefix []byte, most int, fn func(stored) error) error {
	for {
		found, err := tx.HistoryFrom(in, from, prefix, readAtOnce, most)
		if err != nil {
			return err
		}
		for _, one := range found {
			if err := fn(stored{Place{in, one.Key}, one.Value}); err != nil {
				return err
			}
		}
		if len(found) < readAtOnce {
			return nil
		}
		from = append(found[len(found)-1].Key, 0)
	}
}
