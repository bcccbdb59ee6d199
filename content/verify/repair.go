package verify

import (
	"cmp"
	"context"
	"slices"

	"quire/content"
	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// Repair fixes, in one transaction, the faults that Check finds and that can be fixed
// without losing content: sequences below the numbers in use, duplicate numeric ids, links
// stored twice or without a place, and dates of publishing that do not fit the status. It
// returns those. Nobody else may be using db. If there is nothing to fix, it writes
// nothing. Errors are the store's and the context's.
func Repair(ctx context.Context, db *store.DB, site *schema.Site) (repaired []Fault, err error) {
	err = db.Update(func(tx *store.Tx) error {
		r := &repair{auditor: newAuditor(ctx, site, tx), renewed: map[renewal]uint64{}, placed: map[placing]uint64{}}
		if err := r.scan(); err != nil {
			return err
		}
		r.checkSequences()
		repaired = slices.DeleteFunc(r.found.list, func(f Fault) bool { return !f.Repairable() })
		for _, one := range r.broken {
			if err := r.entry(one); err != nil {
				return err
			}
		}
		for name, highest := range r.numbers.highest {
			if at := r.tx.Sequence(name); at < highest || at > content.SequenceLimit(name) {
				if err := r.tx.SetSequence(name, highest); err != nil {
					return err
				}
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return repaired, nil
}

// repair changes what an auditor has found. New numbers are higher than all that the
// auditor has seen.
type repair struct {
	*auditor
	renewed map[renewal]uint64
	placed  map[placing]uint64
}

// renewal is a component instance whose id belongs to another one: the nth with that id in
// its document. The versions of a document get the same new id.
type renewal struct {
	document document
	instance instance
	nth      int
}

// placing is a link without a place, in all versions of its document.
type placing struct {
	document  document
	attribute string
	end       store.End
}

func (r *repair) next(sequence string) uint64 {
	n := r.numbers.highest[sequence] + 1
	if at := r.tx.Sequence(sequence); at >= n && at < content.SequenceLimit(sequence) {
		n = at + 1
	}
	r.numbers.highest[sequence] = n
	return n
}

func (r *repair) entry(one broken) error {
	before, err := r.tx.Entry(one.Type, one.Key)
	if err != nil {
		return err
	}
	after := *before
	if one.newID {
		after.ID = r.next(one.Type)
	}
	switch {
	case after.Status == store.Draft:
		after.PublishedAt = 0
	case after.PublishedAt == 0:
		after.PublishedAt = cmp.Or(after.UpdatedAt, after.CreatedAt, 1)
	}
	d := document{one.Type, one.Key.DocumentID}
	after.Fields = r.instances(d, after.Fields, map[instance]int{})
	if t := r.site.Type(one.Type); t != nil && !t.IsComponent() {
		after.Fields = r.links(d, t, after.Fields)
	}
	c := store.Change{Type: one.Type, Before: before, After: &after}
	if err := r.tx.Apply(c); err != nil {
		return err
	}
	return history.Rebase(r.tx, c)
}

// instances returns the fields with unique ids of component instances.
func (r *repair) instances(d document, fields store.Fields, seen map[instance]int) store.Fields {
	fields = slices.Clone(fields)
	for i := range fields {
		fields[i].Value.Instances = slices.Clone(fields[i].Value.Instances)
		for j := range fields[i].Value.Instances {
			one := &fields[i].Value.Instances[j]
			name := instance{one.Component, one.ID}
			nth := seen[name]
			seen[name]++
			if nth > 0 || !r.numbers.has(name, d) {
				one.ID = r.renew(renewal{d, name, nth})
			}
			one.Fields = r.instances(d, one.Fields, seen)
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

// links returns the fields with each link once, and with a place. The fields belong to the
// caller.
func (r *repair) links(d document, t *schema.Type, fields store.Fields) store.Fields {
	for i := range fields {
		v := &fields[i].Value
		a := t.Attribute(fields[i].Name)
		if a == nil {
			continue
		}
		if a.Relation != nil && a.Relation.Owns {
			v.Edges = r.edges(d, a, v.Edges)
		}
		for j := range v.Instances {
			if c := r.site.Type(v.Instances[j].Component); c != nil && c.IsComponent() {
				v.Instances[j].Fields = r.links(d, c, v.Instances[j].Fields)
			}
		}
	}
	return fields
}

func (r *repair) edges(d document, a *schema.Attribute, edges []store.Edge) []store.Edge {
	edges = once(edges)
	for i := range edges {
		if needsPlace(a, edges[i]) {
			edges[i].Place = r.newPlace(placing{d, a.Name, edges[i].End()})
		}
	}
	return edges
}

// once returns the edges without those that lead to the end of an earlier one.
func once(edges []store.Edge) []store.Edge {
	seen := make(map[store.End]bool, len(edges))
	list := make([]store.Edge, 0, len(edges))
	for _, e := range edges {
		if !overlaps(seen, e) {
			list = append(list, e)
		}
		seen[e.End()] = true
	}
	return list
}

func (r *repair) newPlace(one placing) uint64 {
	place, ok := r.placed[one]
	if !ok {
		place = r.next(content.PlaceSequence(one.document.uid)) * content.PlaceGap
		r.placed[one] = place
	}
	return place
}
