package content

import (
	"quire/content/body"
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
func (m *merger) merge(fields store.Fields, in []body.Given, at body.Path) (store.Fields, error) {
	own := append(make(store.Fields, 0, len(fields)+len(in)), fields...)
	for _, g := range in {
		old := own.Value(g.Attribute.Name)
		v, err := m.value(g, old, at.Attribute(g.Attribute.Name))
		if err != nil {
			return nil, err
		}
		own = own.Set(g.Attribute.Name, v)
	}
	return own, nil
}

func (m *merger) value(g body.Given, old store.Value, at body.Path) (store.Value, error) {
	switch g.Attribute.Kind {
	case schema.Component, schema.DynamicZone:
		return m.instances(g, old.Instances, at)
	case schema.RelationKind, schema.Media:
		return m.edges(g, old, at)
	}
	return g.Scalar, nil
}

// edges is the new value of an attribute that owns its links. Links keep the
// place they have in their target's list; new ones go to its end.
func (m *merger) edges(g body.Given, old store.Value, at body.Path) (store.Value, error) {
	a := g.Attribute
	if !a.Relation.Owns {
		return old, nil
	}
	l := linker{op: m.op, attribute: a, from: m.entry, fromType: m.entryType, at: at}
	m.op.touched.through = a
	current := m.op.apart(a, m.entryType, m.entry.Locale, old.Edges)
	found, err := l.find(g.Links)
	if err != nil {
		return old, err
	}
	list, err := l.newList(current, found, g.Links.Lenient)
	if err != nil {
		return old, err
	}
	if a.Kind == schema.RelationKind && !a.Owner.IsComponent() {
		m.op.assignPlaces(a, list, byEnd(current))
	}
	list = PairVersions(list)
	if err := m.op.touchBeside(list); err != nil {
		return old, err
	}
	return store.Value{Kind: store.Edges, Edges: list}, nil
}

// assignPlaces gives links the place that they had, and those that are new one at the
// end of their target's list.
func (op *operation) assignPlaces(a *schema.Attribute, list []store.Edge, before map[store.End]store.Edge) {
	fresh := -1 // the last link that is new
	for i := range list {
		e := &list[i]
		if e.Place == 0 {
			e.Place = before[(*e).End()].Place
		}
		if e.Place != 0 {
			continue
		}
		if fresh >= 0 && fresh == i-1 && list[fresh].SameTarget(*e) {
			e.Place = list[fresh].Place // to the other version
		} else {
			e.Place = op.nextPlace(a)
		}
		fresh = i
	}
}

// instances is the new value of a component or dynamic zone: the instances of
// the input in its order. Those that it names by id are kept and changed, the
// others are new; instances that it does not name are gone.
func (m *merger) instances(g body.Given, old []store.Instance, at body.Path) (store.Value, error) {
	instances := make([]store.Instance, 0, len(g.Instances))
	left := byID(old)
	for i, in := range g.Instances {
		inside := at
		if g.Attribute.IsList() {
			inside = at.Item(i)
		}
		r, err := m.instance(g.Attribute, in, left, inside)
		if err != nil {
			return store.Value{}, err
		}
		instances = append(instances, r)
	}
	return store.Value{Kind: store.Instances, Instances: instances}, nil
}

// instanceID names a stored instance: ids are unique within a component.
type instanceID struct {
	component string
	id        uint64
}

func byID(instances []store.Instance) map[instanceID]store.Instance {
	m := make(map[instanceID]store.Instance, len(instances))
	for _, r := range instances {
		m[instanceID{r.Component, r.ID}] = r
	}
	return m
}

// instance is one instance of the input. One that is kept is taken out of left.
func (m *merger) instance(a *schema.Attribute, in body.Instance, left map[instanceID]store.Instance, at body.Path) (store.Instance, error) {
	if !in.Keep {
		return m.created(in, at)
	}
	name := instanceID{in.Component.UID, in.ID}
	kept, ok := left[name]
	if !ok {
		return kept, &ApplicationError{"Some of the provided components in " + a.Name + " are not related to the entity"}
	}
	delete(left, name)
	var err error
	kept.Fields, err = m.merge(kept.Fields, in.Given, at)
	return kept, err
}

func (m *merger) created(in body.Instance, at body.Path) (store.Instance, error) {
	fields, err := m.merge(nil, in.Given, at)
	return store.Instance{
		ID:        m.op.next(in.Component.UID),
		Component: in.Component.UID,
		Fields:    m.op.defaults.fill(in.Component, fields, in.Given),
	}, err
}
