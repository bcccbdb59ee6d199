package history

import (
	"bytes"
	"context"
	"errors"

	"quire/store"
)

// Check reads every former version, and returns those that cannot be read. The error
// is the context's, or the store's.
func Check(ctx context.Context, tx *store.Tx) (found []Unreadable, err error) {
	for _, uid := range tx.HistoryTypes() {
		c := &checker{ctx: ctx, tx: tx, uid: uid}
		if err := c.all(); err != nil {
			return nil, err
		}
		found = append(found, c.found...)
	}
	return found, nil
}

// Unreadable is a former version that cannot be read, and why.
type Unreadable struct {
	Place
	Err *UnreadableError
}

// checker goes through the history of one type from its end, since what came later
// says what was before.
type checker struct {
	ctx   context.Context
	tx    *store.Tx
	uid   string
	at    []byte                    // the document and locale that ways belongs to
	ways  map[store.Status]*wayBack // by the status of the entry
	found []Unreadable
}

func (c *checker) all() error {
	for end := bytes.Repeat([]byte{0xff}, beyond); ; {
		one, err := c.tx.HistoryBefore(c.uid, end, nil)
		if err != nil || one.Key == nil {
			return err
		}
		if err := c.one(one); err != nil {
			return err
		}
		end = one.Key
	}
}

// beyond is longer than any key.
const beyond = 1024

func (c *checker) one(one store.Kept) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	k, _, err := splitKey(one.Key)
	if err != nil {
		c.add(one, unreadable(c.uid, one.Key, err))
		return nil
	}
	way, err := c.way(k)
	if err != nil {
		return err
	}
	way.step(one)
	if way.broken != nil {
		var why *UnreadableError
		errors.As(way.broken, &why)
		c.add(one, unreadable(c.uid, one.Key, why.Err))
	}
	return nil
}

// way is the way back of an entry, as far as it has been gone.
func (c *checker) way(k store.Key) (*wayBack, error) {
	if prefix := localePrefix(k); !bytes.Equal(prefix, c.at) {
		c.at, c.ways = prefix, map[store.Status]*wayBack{}
	}
	if way := c.ways[k.Status]; way != nil {
		return way, nil
	}
	fields, err := c.tx.StoredFields(c.uid, k)
	c.ways[k.Status] = &wayBack{uid: c.uid, fields: fields}
	return c.ways[k.Status], err
}

func (c *checker) add(one store.Kept, why *UnreadableError) {
	c.found = append(c.found, Unreadable{Place{c.uid, one.Key}, why})
}
