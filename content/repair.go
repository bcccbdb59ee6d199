package content

import (
	"context"
	"slices"

	"quire/schema"
	"quire/store"
)

// Repair mends, in one transaction, the faults of an Audit that can be mended
// without losing content: sequences behind the numbers in use, numeric ids given
// twice, links stored twice or without a place, and dates of publishing that do
// not go with the status. It returns those. Nobody else may be using db; when
// there is nothing to mend, nothing is written. Errors are the store's and the
// context's.
func Repair(ctx context.Context, db *store.DB, site *schema.Site) (mended []Fault, err error) {
	err = db.Update(func(tx *store.Tx) error {
		r := &repair{auditor: newAuditor(ctx, site, tx), renewed: map[renewal]uint64{}, placed: map[placing]uint64{}}
		if err := r.walk(); err != nil {
			return err
		}
		r.checkSequences()
		mended = slices.DeleteFunc(r.found.list, func(f Fault) bool { return !f.Mendable() })
		for _, one := range r.broken {
			if err := r.entry(one); err != nil {
				return err
			}
		}
		return r.sequences()
	})
	if err != nil {
		return nil, err
	}
	return mended, nil
}

// repair changes what an auditor has found. New numbers come after all that the
// auditor has seen.
type repair struct {
	*auditor
	renewed map[renewal]uint64
	placed  map[placing]uint64
}

// renewal is a component instance whose id is given to another one: the nth with
// that id in its document. The versions of a document get the same new id.
type renewal struct {
	document document
	instance instance
	nth      int
}

// placing is a link that has no place, in all versions of its document.
type placing struct {
	document  document
	attribute string
	end       end
}

func (r *repair) next(sequence string) uint64 {
	n := r.numbers.highest[sequence] + 1
	if at := r.tx.Sequence(sequence); at >= n && at < limitOf(sequence) {
		n = at + 1
	}
	r.numbers.highest[sequence] = n
	return n
}

func (r *repair) entry(one broken) error {
	before, err := r.tx.Entry(one.uid, one.key)
	if err != nil {
		return err
	}
	after := *before
	if one.newID {
		after.ID = r.next(one.uid)
	}
	switch {
	case after.Status == store.Draft:
		after.PublishedAt = 0
	case after.PublishedAt == 0:
		after.PublishedAt = firstOf(after.UpdatedAt, after.CreatedAt, 1)
	}
	d := document{one.uid, one.key.DocumentID}
	after.Fields = r.records(d, after.Fields, map[instance]int{})
	if t := r.site.Type(one.uid); t != nil && !t.IsComponent() {
		after.Fields = r.links(d, t, after.Fields)
	}
	return r.tx.Apply(store.Change{Type: one.uid, Before: before, After: &after})
}

// records is the fields with component instances that nobody else is called like.
func (r *repair) records(d document, fields []store.Field, seen map[instance]int) []store.Field {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Value.Records = slices.Clone(fields[i].Value.Records)
		for j := range fields[i].Value.Records {
			one := &fields[i].Value.Records[j]
			name := instance{one.Component, one.ID}
			nth := seen[name]
			seen[name]++
			if nth > 0 || r.numbers.instances[one.Component][one.ID] != d {
				one.ID = r.renew(renewal{d, name, nth})
			}
			one.Fields = r.records(d, one.Fields, seen)
		}
	}
	return fields
}

func (r *repair) renew(one renewal) uint64 {
	id, ok := r.renewed[one]
	if !ok {
		id = r.next(one.instance.component)
		r.renewed[one] = id
	}
	return id
}

// links is the fields with each link once, and in its place. The fields are the
// caller's own.
func (r *repair) links(d document, t *schema.Type, fields []store.Field) []store.Field {
	for i := range fields {
		v := &fields[i].Value
		a := t.Attribute(fields[i].Name)
		if a == nil {
			continue
		}
		if a.Relation != nil && a.Relation.Owns {
			v.Edges = r.edges(d, a, v.Edges)
		}
		for j := range v.Records {
			if c := r.site.Type(v.Records[j].Component); c != nil && c.IsComponent() {
				v.Records[j].Fields = r.links(d, c, v.Records[j].Fields)
			}
		}
	}
	return fields
}

func (r *repair) edges(d document, a *schema.Attribute, edges []store.Edge) []store.Edge {
	edges = replaced(nil, edges)
	for i := range edges {
		if needsPlace(a, edges[i]) {
			edges[i].Place = r.place(placing{d, a.Name, endOf(edges[i])})
		}
	}
	return edges
}

func (r *repair) place(one placing) uint64 {
	place, ok := r.placed[one]
	if !ok {
		place = r.next(placesIn(one.document.uid)) * placeGap
		r.placed[one] = place
	}
	return place
}

// sequences sets right those that would give numbers again, or too high ones.
func (r *repair) sequences() error {
	for name, highest := range r.numbers.highest {
		if at := r.tx.Sequence(name); at < highest || at > limitOf(name) {
			if err := r.tx.SetSequence(name, highest); err != nil {
				return err
			}
		}
	}
	return nil
}
