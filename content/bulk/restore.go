package bulk

import (
	"fmt"

	"quire/content"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Restorer stores whole entries of an archive in a data file that nobody else has open:
// with their times, and without the rules of a write. Its work is in the file when Finish
// has returned nil.
type Restorer struct {
	db   *store.DB
	site *schema.Site
	file *loadedFile

	// when merging, entries get new numeric ids, so that no id is used twice; otherwise
	// they keep theirs.
	merging bool
	bases   map[string]uint64 // of places, by type: the first number for those of the archive
	written map[store.Name]bool
}

// NewRestorer returns a Restorer. Unless it merges, the file must not have entries of the
// types that will be stored.
func NewRestorer(db *store.DB, site *schema.Site, merge bool) *Restorer {
	return &Restorer{
		db: db, site: site, file: newLoadedFile(db, site), merging: merge,
		bases: map[string]uint64{}, written: map[store.Name]bool{},
	}
}

// TwiceError is an entry that occurs twice in an archive.
type TwiceError struct {
	Type string
	Key  store.Key
}

func (e *TwiceError) Error() string {
	return fmt.Sprintf("%s %s occurs twice", e.Type, e.Key)
}

// Put stores an entry, and replaces one with the same name. The Restorer owns the entry
// from then on. Errors: *TwiceError, after which the Restorer can continue, and the
// store's.
func (r *Restorer) Put(t *schema.Type, e *store.Entry) error {
	name := store.Name{Type: t.UID, Key: e.Key()}
	before, err := r.file.Entry(t.UID, name.Key)
	if err != nil {
		return err
	}
	if before != nil && !r.merging || r.written[name] {
		return &TwiceError{t.UID, name.Key}
	}
	switch {
	case !r.merging:
		r.reach(t.UID, e.ID)
	case before != nil:
		e.ID = before.ID
	default:
		e.ID = r.next(t.UID)
	}
	r.numberInstances(e.Fields)
	r.shiftPlaces(t, e.Fields)
	if err := r.pair(t, e); err != nil {
		return err
	}
	content.EndSessions(t, before, e)
	if r.merging {
		r.written[name] = true
	}
	return r.file.apply([]store.Change{{Type: t.UID, Before: before, After: e}})
}

// Remove deletes the entry with that name unless it was Put.
func (r *Restorer) Remove(t *schema.Type, k store.Key) error {
	if r.written[store.Name{Type: t.UID, Key: k}] {
		return nil
	}
	before, err := r.file.Entry(t.UID, k)
	if err != nil || before == nil {
		return err
	}
	return r.file.apply([]store.Change{{Type: t.UID, Before: before}})
}

// numberInstances gives the component instances their ids.
func (r *Restorer) numberInstances(fields store.Fields) {
	for i := range fields {
		instances := fields[i].Value.Instances
		for j := range instances {
			one := &instances[j]
			if r.merging || one.ID == 0 {
				one.ID = r.next(one.Component)
			} else {
				r.reach(one.Component, one.ID)
			}
			r.numberInstances(one.Fields)
		}
	}
}

// shiftPlaces moves the places of edges after those that are already in the file.
func (r *Restorer) shiftPlaces(t *schema.Type, fields store.Fields) {
	sequence := content.PlaceSequence(t.UID)
	base, known := r.bases[sequence]
	if r.merging && !known {
		base = r.file.Sequence(sequence) * content.PlaceGap
		r.bases[sequence] = base
	}
	for i := range fields {
		edges := fields[i].Value.Edges
		for j := range edges {
			if edges[j].Place > 0 {
				edges[j].Place += base
				r.reach(sequence, edges[j].Place/content.PlaceGap+1)
			}
		}
	}
}

// pair makes an entry share the fields of its document's other version in the same locale,
// if they differ only in the ids of component instances: in Quire's files the two have the
// same instances.
func (r *Restorer) pair(t *schema.Type, e *store.Entry) error {
	other := e.Key()
	other.Status = store.Draft
	if e.Status == store.Draft {
		other.Status = store.Published
	}
	if !t.DraftAndPublish || r.merging && !r.written[store.Name{Type: t.UID, Key: other}] {
		return nil
	}
	twin, err := r.file.Entry(t.UID, other)
	if err == nil && twin != nil && twin.Fields.EqualButIDs(e.Fields) {
		e.Fields = twin.Fields
	}
	return err
}

func (r *Restorer) next(sequence string) uint64 {
	n := r.file.Sequence(sequence) + 1
	r.file.sequences[sequence] = n
	return n
}

// reach makes a sequence continue after n.
func (r *Restorer) reach(sequence string, n uint64) {
	if r.file.Sequence(sequence) < n {
		r.file.sequences[sequence] = n
	}
}

// Finish completes the file.
func (r *Restorer) Finish() error { return r.file.finish() }

// Close ends a Restorer early. After Finish it does nothing.
func (r *Restorer) Close() { r.file.close() }

// Clashes finds, after Finish, the values of merged entries that must be unique
// and that other documents have too.
func (r *Restorer) Clashes() (clashes []error, err error) {
	err = r.db.View(func(tx *store.Tx) error {
		x, err := index.BuildPart(r.site, tx, content.PlansReadValues)
		if err != nil {
			return err
		}
		for name := range r.written {
			e, err := tx.Entry(name.Type, name.Key)
			if err != nil {
				return err
			}
			taken := func(way []*schema.Attribute, v store.Value) bool {
				return x.Snapshot().Taken(way, v, e.Status, e.Locale, e.DocumentID)
			}
			for _, issue := range content.Duplicates(r.site, r.site.Type(name.Type), e, taken) {
				clashes = append(clashes, fmt.Errorf("%s: %s: %s", name, issue.Path, issue.Message))
			}
		}
		return nil
	})
	return clashes, err
}
