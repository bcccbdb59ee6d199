package history

import (
	"context"
	"errors"
	"hash/maphash"
	"slices"
	"strings"

	"quire/store"
)

// Check reads every former version, and returns those that cannot be read, by type. The error
// is the context's, or the store's.
func Check(ctx context.Context, tx *store.Tx) (found []Unreadable, err error) {
	c := &checker{ctx: ctx, tx: tx, seed: maphash.MakeSeed()}
	for _, walk := range []func() error{
		func() error { return each(tx, store.Replaced, nil, nil, 0, c.current) },
		func() error { return each(tx, store.Removed, nil, nil, whole, c.removed) },
		func() error {
			slices.Sort(c.seen)
			return each(tx, store.Replaced, nil, nil, whole, c.left)
		},
	} {
		if err := walk(); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(c.found, func(a, b Unreadable) int { return strings.Compare(a.Err.Type, b.Err.Type) })
	return c.found, nil
}

// Unreadable is a former version that cannot be read, and why.
type Unreadable struct {
	VersionKey
	Err *UnreadableError
}

// checker goes back from every current and every removed entry. Versions that it does not
// reach are lost.
type checker struct {
	ctx   context.Context
	tx    *store.Tx
	seed  maphash.Seed
	seen  []uint64 // hashes of keys of replaced versions
	found []Unreadable
}

// errLost reports a version that nothing leads to.
var errLost = errors.New("the version after it is not stored")

// current goes back from an entry if the version is its last former one.
func (c *checker) current(one storedValue) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	uid, v, err := one.version()
	if err != nil {
		return nil // left reports it
	}
	revision, fields, err := current(c.tx, uid, v.Key)
	if err != nil || revision != v.End.Version {
		return err
	}
	return c.back(chainOf(c.tx, uid, v.Key, revision, whole), &wayBack{fields: fields})
}

// removed goes back from a removed entry.
func (c *checker) removed(one storedValue) error {
	uid, v, err := one.version()
	if err != nil {
		c.add(one.VersionKey, unreadable(one.VersionKey, err))
		return nil
	}
	w := &wayBack{}
	c.step(w, one)
	return c.back(chainOf(c.tx, uid, v.Key, v.Revision(), whole), w)
}

func (c *checker) back(way *chain, w *wayBack) error {
	for {
		one, err := way.replaced()
		if err == nil {
			err = c.ctx.Err()
		}
		if err != nil || one.IsZero() {
			return err
		}
		c.seen = append(c.seen, maphash.Bytes(c.seed, one.key))
		c.step(w, one)
	}
}

func (c *checker) step(w *wayBack, one storedValue) {
	w.step(one)
	var why *UnreadableError
	if errors.As(w.broken, &why) {
		c.add(one.VersionKey, unreadable(one.VersionKey, why.Err))
	}
}

// left reports a version that was not reached.
func (c *checker) left(one storedValue) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if _, seen := slices.BinarySearch(c.seen, maphash.Bytes(c.seed, one.key)); seen {
		return nil
	}
	_, err := one.decode()
	if err == nil {
		err = errLost
	}
	c.add(one.VersionKey, unreadable(one.VersionKey, err))
	return nil
}

func (c *checker) add(p VersionKey, why *UnreadableError) {
	c.found = append(c.found, Unreadable{p, why})
}
