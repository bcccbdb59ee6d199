package content

import (
	"cmp"
	"context"
	"slices"
	"time"

	"quire/content/body"
	"quire/content/event"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// operation is one write while it is planned. It reads the content after the writes before
// it, and collects its own changes without applying them, so that a refused write changes
// nothing. Its lookups include its own changes.
type operation struct {
	site     *schema.Site
	defaults defaults
	file     Stored
	tx       *store.Tx                         // for applying the plan; nil if a Planner plans
	view     func(func(*store.Tx) error) error // reads the data file; nil if a Planner plans
	content  *index.Snapshot
	now      int64    // milliseconds since 1970
	pending  *Pending // collects links to documents that follow later; nil refuses them

	ctx       context.Context               // of the caller
	complete  bool                          // whether the content is complete, unlike during a load
	actor     store.Actor                   // whose rights count
	author    store.Actor                   // as whose changes they are recorded
	model     string                        // whose suggestions they have; empty for none
	made      made                          // by the operations before it, if their author is another
	access    schema.Access                 // of the caller; nil for no limits
	about     *schema.Type                  // type of the written document
	publishes bool                          // whether the caller's right to the write includes what is published
	acting    acting                        // what it does with that document
	asking    bool                          // whether the write itself requests the changes of links
	fixed     *schema.Attribute             // attribute whose links are written and must stay; nil for none
	subjects  map[documentName]store.Action // the documents that the write is about
	version   uint64                        // its number; 0 before it has one
	same      map[*store.Entry]bool         // changed entries that look the same as before

	changes   []store.Change
	changed   map[store.Name]int // index in changes
	events    []event.Event      // events of the changes for the log, once they are stamped
	read      map[store.Name]*store.Entry
	sequences map[string]uint64 // new ends of the sequences it took numbers from
	firsts    map[string]uint64 // the first number it took from each
	touched   touched
	beside    []func(tx *store.Tx) error
	tree      folderTree // of folders, if needed; operations of one write share it
	found     body.Issues
}

func (p *Planner) operation(file Stored, content *index.Snapshot, now time.Time) *operation {
	return &operation{
		site: p.site, defaults: p.defaults, file: file, content: content, now: now.UnixMilli(),
		subjects: map[documentName]store.Action{}, changed: map[store.Name]int{}, read: map[store.Name]*store.Entry{}, sequences: map[string]uint64{}, firsts: map[string]uint64{},
	}
}

// entry returns the entry after the changes, or nil if there is none.
func (op *operation) entry(t *schema.Type, k store.Key) (*store.Entry, error) {
	name := store.Name{Type: t.UID, Key: k}
	if i, ok := op.changed[name]; ok {
		return op.changes[i].After, nil
	}
	if e, ok := op.read[name]; ok {
		return e, nil
	}
	var e *store.Entry
	var err error
	if op.content.Exists(t, k) { // much faster than reading the file
		e, err = op.file.Entry(t.UID, k)
	}
	if err == nil {
		op.read[name] = e
	}
	return e, err
}

// exists reports whether the entry exists after the changes.
func (op *operation) exists(t *schema.Type, k store.Key) bool {
	if i, ok := op.changed[store.Name{Type: t.UID, Key: k}]; ok {
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
	name := store.Name{Type: t.UID, Key: k}
	if i, ok := op.changed[name]; ok {
		EndSessions(t, op.changes[i].Before, after)
		op.changes[i].After = after
		return nil
	}
	before, err := op.entry(t, k)
	if err != nil || before == nil && after == nil {
		return err
	}
	EndSessions(t, before, after)
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
	if _, taken := op.firsts[sequence]; !taken {
		op.firsts[sequence] = last + 1
	}
	return last + 1
}

// nextPlace returns a place after all others in the lists of a relation, see
// store.Edge.Place.
func (op *operation) nextPlace(a *schema.Attribute) uint64 {
	return op.next(PlaceSequence(a.Owner.UID)) * PlaceGap
}

// isNew reports whether this operation assigned a place, so that no older place in a list
// is beyond it.
func (op *operation) isNew(a *schema.Attribute, place uint64) bool {
	first, some := op.firsts[PlaceSequence(a.Owner.UID)]
	return some && place >= first*PlaceGap
}

// owners is index.Snapshot.Owners with this operation's changes.
func (op *operation) owners(a *schema.Attribute, target *schema.Type, documentID string, status store.Status) []index.Owner {
	if !a.Owner.DraftAndPublish {
		status = store.Published
	}
	owners := slices.DeleteFunc(op.content.Owners(a, target, documentID, status), func(o index.Owner) bool {
		_, changed := op.changed[store.Name{Type: a.Owner.UID, Key: o.Key}]
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

// apply carries out the plan.
func (op *operation) apply(edit *index.Edit) error {
	if err := op.stamp(); err != nil {
		return err
	}
	for _, c := range op.changes {
		if c.Before == nil && c.After == nil {
			continue
		}
		if err := op.tx.Apply(c); err != nil {
			return err
		}
		if err := op.keep(c); err != nil {
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
	for _, write := range op.beside {
		if err := write(op.tx); err != nil {
			return err
		}
	}
	return op.dropReviews()
}
