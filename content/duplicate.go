package content

import (
	"context"
	"fmt"
	"slices"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Duplicate creates a new document with the content of another in all its locales: as
// drafts if the type has drafts, from the draft that an editor sees. Links to others are
// copied, except those of relations in which a target belongs to one document only. Texts
// that must be unique get a number at their end, and other unique values are left out. The
// results are in the order of the locales. Errors: as for Create, and *NotFoundError.
func (w *Writer) Duplicate(ctx context.Context, s Step) ([]Result, error) {
	return w.step(ctx, ToDuplicate(s))
}

func (op *operation) duplicate(s Step) ([]Result, error) {
	t := s.Type
	if len(op.versions(t, s.DocumentID)) == 0 {
		return nil, &NotFoundError{t.UID, s.DocumentID}
	}
	if err := op.find(t, s.DocumentID); err != nil {
		return nil, err
	}
	if err := op.match(Request{Type: t, Match: s.Match}, s.DocumentID); err != nil {
		return nil, err
	}
	d := &duplicate{op: op, t: t, documentID: s.Copy, made: map[*schema.Attribute]store.Value{}}
	op.act(t, d.documentID, "", schema.Create)
	op.subject(t, d.documentID, store.ActionDuplicate, !t.DraftAndPublish)
	var results []Result
	originals, err := op.seenOf(t, op.working(t, s.DocumentID))
	if err != nil {
		return nil, err
	}
	for _, from := range originals {
		if err := op.mayChange(t, d.documentID, from.Locale); err != nil {
			return nil, err
		}
		e, err := d.entry(from)
		if err != nil {
			return nil, err
		}
		results = append(results, Result{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status, Created: true})
	}
	return results, op.found.Err()
}

// working returns the entries of a document that editors work on: in each locale the draft,
// or the published version if there is no draft. The default locale comes first.
func (op *operation) working(t *schema.Type, documentID string) []store.Key {
	byLocale := map[string]store.Key{}
	for _, k := range op.versions(t, documentID) { // drafts first
		if _, ok := byLocale[k.Locale]; !ok {
			byLocale[k.Locale] = k
		}
	}
	locales := append([]string{"", op.site.Settings.DefaultLocale}, op.localesNow(t, documentID)...)
	var keys []store.Key
	for _, l := range locales {
		if k, ok := byLocale[l]; ok && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	return keys
}

// duplicate is a copy of a document that is being made.
type duplicate struct {
	op         *operation
	t          *schema.Type
	documentID string

	// made holds the values that all locales share, when the first of them has them.
	made map[*schema.Attribute]store.Value
}

// entry plans the copy of one entry.
func (d *duplicate) entry(from store.Key) (*store.Entry, error) {
	op := d.op
	original, err := op.entry(d.t, from)
	if err != nil {
		return nil, err
	}
	e := &store.Entry{ID: op.next(d.t.UID), DocumentID: d.documentID, Locale: from.Locale, Status: store.Published, CreatedAt: op.now, UpdatedAt: op.now}
	if d.t.DraftAndPublish {
		e.Status = store.Draft
	} else {
		e.PublishedAt = op.now
	}
	if e.Fields, err = d.fields(e, d.t, withoutMarks(d.t, original.Fields), nil); err != nil {
		return nil, err
	}
	if e.Status == store.Published {
		op.validate(d.t, e, d.t.Attributes, func(*schema.Attribute) bool { return true }, e.Fields)
	}
	if err := op.found.Err(); err != nil {
		return nil, err
	}
	owners := d.owners(from) // before the copy becomes one of them
	if err := op.put(d.t, e); err != nil {
		return nil, err
	}
	return e, d.inverseLinks(e.Key(), owners)
}

// fields copies the fields of an entry, or of an instance at the end of the path. It leaves
// out what the schema no longer has.
func (d *duplicate) fields(e *store.Entry, t *schema.Type, from store.Fields, way []*schema.Attribute) (fields store.Fields, err error) {
	for _, a := range t.Attributes {
		v := from.Value(a.Name)
		shared := len(way) == 0 && d.t.Localized && a.IsShared()
		if made, ok := d.made[a]; ok && shared {
			v = made
		} else if v, err = d.value(e, a, v, append(slices.Clip(way), a)); err != nil {
			return nil, err
		}
		if shared {
			d.made[a] = v
		}
		if !v.IsEmpty() {
			fields = fields.Set(a.Name, v)
		}
	}
	return fields, nil
}

// value copies a value at the end of the path.
func (d *duplicate) value(e *store.Entry, a *schema.Attribute, v store.Value, way []*schema.Attribute) (_ store.Value, err error) {
	switch {
	case v.IsEmpty():
	case v.Kind == store.Instances:
		v.Instances, err = d.instances(e, v.Instances, way)
	case v.Kind == store.Edges:
		v.Edges, err = d.edges(a, v.Edges)
	case a.Unique || a.Kind == schema.UID:
		v = d.numbered(e, v, way)
	}
	return v, err
}

// instances copies instances under new ids.
func (d *duplicate) instances(e *store.Entry, from []store.Instance, way []*schema.Attribute) (instances []store.Instance, err error) {
	for _, r := range from {
		component := d.op.site.Type(r.Component)
		if component == nil {
			continue // the schema no longer has it
		}
		fields, err := d.fields(e, component, r.Fields, way)
		if err != nil {
			return nil, err
		}
		instances = append(instances, store.Instance{ID: d.op.next(r.Component), Component: r.Component, Fields: fields})
	}
	return instances, nil
}

// edges copies links, to the end of their targets' lists.
func (d *duplicate) edges(a *schema.Attribute, from []store.Edge) ([]store.Edge, error) {
	if a.Kind != schema.RelationKind || a.Owner.IsComponent() {
		return slices.Clone(from), nil
	}
	if a.Relation.Exclusive() {
		return nil, nil
	}
	d.op.touched.through = a
	if err := d.op.touch(len(from)); err != nil {
		return nil, err
	}
	edges := slices.Clone(from)
	for i := range edges {
		edges[i].Place = 0
	}
	d.op.assignPlaces(a, edges, nil)
	return PairVersions(edges), nil
}

// owners returns the owners of those inverse relations of an entry whose owners may link to
// several.
func (d *duplicate) owners(from store.Key) map[*schema.Attribute][]index.Owner {
	owners := map[*schema.Attribute][]index.Owner{}
	for _, a := range d.t.Attributes {
		if a.IsInverse() && a.Relation.Inverse.Relation.Many() && !a.Relation.Inverse.Relation.Exclusive() {
			owners[a] = d.op.inverse(a, d.t, from).working()
		}
	}
	return owners
}

// inverseLinks links to the copy from the owners that the caller may change.
func (d *duplicate) inverseLinks(to store.Key, owners map[*schema.Attribute][]index.Owner) error {
	for _, a := range d.t.Attributes {
		if len(owners[a]) == 0 {
			continue
		}
		own := d.op.inverse(a, d.t, to)
		d.op.touched.through = a
		if err := d.op.touch(len(owners[a])); err != nil {
			return err
		}
		for _, o := range owners[a] {
			if d.op.mayLink(own.owning, o.Key) != nil {
				continue
			}
			if err := d.op.link(own.owning, o.Key, own.edge(d.op.nextPlace(own.owning))); err != nil {
				return err
			}
		}
	}
	return nil
}

// copies is how many numbers are tried for a copy of a unique text.
const copies = 100

// numbered returns a value that no other document has at the end of the path: the same text
// with a number after it, or none.
func (d *duplicate) numbered(e *store.Entry, v store.Value, way []*schema.Attribute) store.Value {
	last, form := way[len(way)-1], "%s (%d)"
	switch last.Kind {
	case schema.UID:
		form = "%s-%d"
	case schema.String, schema.Text, schema.RichText:
	default:
		return store.Value{}
	}
	for n := 2; n < 2+copies; n++ {
		candidate := v
		candidate.Text = fmt.Sprintf(form, v.Text, n)
		var wrong body.Issues
		if body.CheckPublished(last, candidate, body.At(last.Name), &wrong); len(wrong) > 0 {
			break // too long, or not of the required form
		}
		if !d.op.taken(way, candidate, e) {
			return candidate
		}
	}
	return store.Value{}
}
