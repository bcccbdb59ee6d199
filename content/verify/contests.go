package verify

import (
	"encoding/binary"
	"errors"
	"hash/maphash"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// contests finds what only one may have and several do: numeric ids, targets of exclusive
// relations, values that must be unique. Sound content has none, so its memory does not
// grow with the content. It sorts, on the disk, hashes of everything that is had and of who
// has it. It identifies these by 16 bytes of hashes with seeds of this run, so that no two
// collide, by chance or on purpose.
type contests struct {
	seeds  [2]maphash.Seed
	sorter *store.Sorter // while they are found
	record [16]byte
	err    error
	found  map[[2]uint64]struct{}
}

// note records that an owner has something.
func note[T, H comparable](c *contests, what T, owner H) {
	binary.BigEndian.PutUint64(c.record[:8], maphash.Comparable(c.seeds[1], what))
	binary.BigEndian.PutUint64(c.record[8:], maphash.Comparable(c.seeds[1], owner))
	if err := c.sorter.Put(maphash.Comparable(c.seeds[0], what), c.record[:]); err != nil && c.err == nil {
		c.err = err
	}
}

// contested reports whether several owners have something.
func contested[T comparable](c *contests, what T) bool {
	if len(c.found) == 0 {
		return false
	}
	_, ok := c.found[[2]uint64{maphash.Comparable(c.seeds[0], what), maphash.Comparable(c.seeds[1], what)}]
	return ok
}

// find sorts the records.
func (c *contests) find() error {
	var number uint64
	first := map[uint64]uint64{} // owners, by the other hash of what they have
	return c.sorter.All(func(n uint64, record []byte) error {
		if n != number {
			clear(first)
			number = n
		}
		what, owner := binary.BigEndian.Uint64(record[:8]), binary.BigEndian.Uint64(record[8:])
		if one, taken := first[what]; !taken {
			first[what] = owner
		} else if one != owner {
			c.found[[2]uint64{n, what}] = struct{}{}
		}
		return nil
	})
}

// findContests walks all entries and records what they have.
func (a *auditor) findContests() (err error) {
	a.contests.sorter = a.tx.NewSorter()
	defer func() {
		err = errors.Join(err, a.contests.sorter.Close())
		a.contests.sorter = nil
	}()
	for _, uid := range a.tx.Types() {
		if err := a.tx.Lend(uid, func(e *store.Entry) error { return a.noteEntry(uid, e) }); err != nil {
			return err
		}
	}
	return a.contests.find()
}

// noteEntry records what an entry has. Of a type that the site does not have, only numbers.
func (a *auditor) noteEntry(uid string, e *store.Entry) error {
	if err := a.ctx.Err(); err != nil {
		return err
	}
	d := document{uid, e.DocumentID}
	note(a.contests, numbered{uid, e.ID}, store.Name{Type: uid, Key: e.Key()})
	a.noteInstances(d, e.Fields)
	t := a.site.Type(uid)
	if t == nil || t.IsComponent() || !t.TakesLocale(e.Locale) || a.finder == nil {
		return a.contests.err
	}
	for _, f := range e.Fields {
		attribute := t.Attribute(f.Name)
		if attribute == nil || attribute.Relation == nil || !attribute.Relation.Owns {
			continue
		}
		for _, edge := range f.Value.Edges {
			if h, ok := exclusiveTargetOf(attribute, e, edge); ok {
				note(a.contests, h, e.DocumentID)
			}
		}
	}
	if e.Status == store.Published {
		content.Duplicates(a.site, t, e, func(way []*schema.Attribute, v store.Value) bool {
			if u, ok := valueAt(way, v, e); ok {
				note(a.contests, u, e.DocumentID)
			}
			return false
		})
	}
	return a.contests.err
}

func (a *auditor) noteInstances(d document, fields store.Fields) {
	for i := range fields {
		for j := range fields[i].Value.Instances {
			r := &fields[i].Value.Instances[j]
			note(a.contests, instance{r.Component, r.ID}, d)
			a.noteInstances(d, r.Fields)
		}
	}
}

// uniqueValue is a value at the end of a path of attributes, among published entries of one
// locale.
type uniqueValue struct {
	way    string
	locale string
	kind   store.ValueKind
	num    int64
	real   float64
	text   string
}

// valueAt returns a value of an entry for comparison with others; ok is false for one that
// its attribute cannot have, which is not compared.
func valueAt(way []*schema.Attribute, v store.Value, e *store.Entry) (u uniqueValue, ok bool) {
	if !index.HasKind(way[len(way)-1], &v) {
		return u, false
	}
	u = uniqueValue{locale: e.Locale, kind: v.Kind, num: v.Num, real: v.Real + 0, text: v.Text} // -0 equals 0
	for _, a := range way {
		u.way += a.Owner.UID + "\x00" + a.Name + "\x00"
	}
	return u, true
}
