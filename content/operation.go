package content

import (
	"cmp"
	"slices"

	"quire/index"
	"quire/schema"
	"quire/store"
)

// operation is one write while it is planned. It reads the content as the
// writes before it left it, and gathers its own changes without applying them,
// so that a write that is refused leaves nothing behind. Its own look-ups show
// its changes too.
type operation struct {
	site     *schema.Site
	defaults defaults
	file     stored
	tx       *store.Tx // that the plan is applied to; nil in a Loader
	content  *index.Snapshot
	now      int64    // milliseconds since 1970
	pending  *pending // takes links to documents that are still to come; nil refuses them

	changes   []store.Change
	changed   map[entryName]int // index in changes
	read      map[entryName]*store.Entry
	sequences map[string]uint64 // new ends of the sequences it took numbers from
	found     issues
}

// stored is what a plan reads: a *store.Tx, or what stands in for one.
type stored interface {
	Entry(uid string, k store.Key) (*store.Entry, error)
	Sequence(name string) uint64
}

// entryName names an entry among all types.
type entryName struct {
	uid string
	key store.Key
}

func (w *Writer) operation(tx *store.Tx, content *index.Snapshot) *operation {
	return &operation{
		site: w.site, defaults: w.defaults, file: tx, tx: tx, content: content, now: w.now().UnixMilli(),
		changed: map[entryName]int{}, read: map[entryName]*store.Entry{}, sequences: map[string]uint64{},
	}
}

// entry returns the entry as it will be, or nil when there is none.
func (op *operation) entry(t *schema.Type, k store.Key) (*store.Entry, error) {
	name := entryName{t.UID, k}
	if i, ok := op.changed[name]; ok {
		return op.changes[i].After, nil
	}
	if e, ok := op.read[name]; ok {
		return e, nil
	}
	var e *store.Entry
	var err error
	if op.content.Exists(t, k) { // much quicker than looking into the file
		e, err = op.file.Entry(t.UID, k)
	}
	if err == nil {
		op.read[name] = e
	}
	return e, err
}

// exists reports whether there will be an entry of that name.
func (op *operation) exists(t *schema.Type, k store.Key) bool {
	if i, ok := op.changed[entryName{t.UID, k}]; ok {
		return op.changes[i].After != nil
	}
	return op.content.Exists(t, k)
}

// put plans to store an entry.
func (op *operation) put(t *schema.Type, e *store.Entry) error {
	return op.change(t, e.Key(), e)
}

// remove plans to delete an entry.
func (op *operation) remove(t *schema.Type, k store.Key) error { return op.change(t, k, nil) }

func (op *operation) change(t *schema.Type, k store.Key, after *store.Entry) error {
	name := entryName{t.UID, k}
	if i, ok := op.changed[name]; ok {
		op.changes[i].After = after
		return nil
	}
	before, err := op.entry(t, k)
	if err != nil || before == nil && after == nil {
		return err
	}
	op.changed[name] = len(op.changes)
	op.changes = append(op.changes, store.Change{Type: t.UID, Before: before, After: after})
	return nil
}

// next takes a number from a sequence.
func (op *operation) next(sequence string) uint64 {
	last, ok := op.sequences[sequence]
	if !ok {
		last = op.file.Sequence(sequence)
	}
	op.sequences[sequence] = last + 1
	return last + 1
}

// placeGap is how many places lie between two that follow each other.
const placeGap = 1 << 16

// nextPlace returns a place after all others in the lists of a relation, see
// store.Edge.Place.
func (op *operation) nextPlace(a *schema.Attribute) uint64 {
	return op.next(placesOf(a.Owner)) * placeGap
}

// placesOf names the sequence of the places in relations that the type owns.
func placesOf(owner *schema.Type) string { return placesIn(owner.UID) }

func placesIn(uid string) string { return uid + placesSuffix }

const placesSuffix = " places"

// owners is index.Snapshot.Owners with this operation's changes.
func (op *operation) owners(a *schema.Attribute, target *schema.Type, documentID string, status store.Status) []index.Owner {
	if !a.Owner.DraftAndPublish {
		status = store.Published
	}
	owners := slices.DeleteFunc(op.content.Owners(a, target, documentID, status), func(o index.Owner) bool {
		_, changed := op.changed[entryName{a.Owner.UID, o.Key}]
		return changed
	})
	for _, c := range op.changes {
		if c.Type != a.Owner.UID || c.After == nil || c.After.Status != status {
			continue
		}
		for _, edge := range c.After.Value(a.Name).Edges {
			if edge.Target == documentID && (edge.Type == "" || edge.Type == target.UID) {
				owners = append(owners, index.Owner{Key: c.After.Key(), Edge: edge})
			}
		}
	}
	slices.SortStableFunc(owners, func(x, y index.Owner) int { return cmp.Compare(x.Edge.Place, y.Edge.Place) })
	return owners
}

// apply carries the plan out.
func (op *operation) apply(edit *index.Edit) error {
	for _, c := range op.changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		if err := op.tx.Apply(c); err != nil {
			return err
		}
		if err := edit.Apply(c); err != nil {
			return err
		}
	}
	for name, last := range op.sequences {
		if err := op.tx.SetSequence(name, last); err != nil {
			return err
		}
	}
	return nil
}
