package content

import (
	"quire/schema"
	"quire/store"
)

// merger lays a body over the fields of one entry.
type merger struct {
	op        *operation
	entryType *schema.Type
	entry     store.Key
}

// merge returns the fields after the input. fields is not changed; attributes
// that the input does not name stay, and so do those of inverse relations,
// which are no fields of the entry.
func (m *merger) merge(fields []store.Field, in []given, at path) ([]store.Field, error) {
	own := append(make([]store.Field, 0, len(fields)+len(in)), fields...)
	for _, g := range in {
		old := valueOf(own, g.attribute.Name)
		v, err := m.value(g, old, at.attribute(g.attribute.Name))
		if err != nil {
			return nil, err
		}
		own = set(own, g.attribute.Name, v)
	}
	return own, nil
}

func (m *merger) value(g given, old store.Value, at path) (store.Value, error) {
	switch g.attribute.Kind {
	case schema.Component, schema.DynamicZone:
		return m.records(g, old.Records, at)
	case schema.RelationKind, schema.Media:
		return m.edges(g, old, at)
	}
	return g.scalar, nil
}

// edges is the new value of an attribute that owns its links. Links keep the
// place they have in their target's list; new ones go to its end.
func (m *merger) edges(g given, old store.Value, at path) (store.Value, error) {
	a := g.attribute
	if !a.Relation.Owns {
		return old, nil
	}
	l := linker{op: m.op, attribute: a, from: m.entry, fromType: m.entryType, at: at}
	list, err := l.newList(old.Edges, g.links)
	if err != nil {
		return old, err
	}
	for i := range list {
		if list[i].Place == 0 && a.Kind == schema.RelationKind && !a.Owner.IsComponent() {
			list[i].Place = m.op.nextPlace(a)
		}
	}
	return store.Value{Kind: store.Edges, Edges: list}, nil
}

// records is the new value of a component or dynamic zone: the instances of
// the input in its order. Those that it names by id are kept and changed, the
// others are new; instances that it does not name are gone.
func (m *merger) records(g given, old []store.Record, at path) (store.Value, error) {
	records := make([]store.Record, 0, len(g.records))
	left := byID(old)
	for i, in := range g.records {
		inside := at
		if isList(g.attribute) {
			inside = at.item(i)
		}
		r, err := m.record(g.attribute, in, left, inside)
		if err != nil {
			return store.Value{}, err
		}
		records = append(records, r)
	}
	return store.Value{Kind: store.Records, Records: records}, nil
}

// instance names a stored instance: ids are unique within a component.
type instance struct {
	component string
	id        uint64
}

func byID(records []store.Record) map[instance]store.Record {
	m := make(map[instance]store.Record, len(records))
	for _, r := range records {
		m[instance{r.Component, r.ID}] = r
	}
	return m
}

// record is one instance of the input. One that is kept is taken out of left.
func (m *merger) record(a *schema.Attribute, in recordInput, left map[instance]store.Record, at path) (store.Record, error) {
	if !in.keep {
		return m.created(in, at)
	}
	name := instance{in.component.UID, in.id}
	kept, ok := left[name]
	if !ok {
		return kept, &ApplicationError{"Some of the provided components in " + a.Name + " are not related to the entity"}
	}
	delete(left, name)
	var err error
	kept.Fields, err = m.merge(kept.Fields, in.fields, at)
	return kept, err
}

func isList(a *schema.Attribute) bool { return a.Kind == schema.DynamicZone || a.Repeatable }

func (m *merger) created(in recordInput, at path) (store.Record, error) {
	fields, err := m.merge(nil, in.fields, at)
	return store.Record{
		ID:        m.op.next(in.component.UID),
		Component: in.component.UID,
		Fields:    m.op.defaults.fill(in.component, fields, in.fields),
	}, err
}
