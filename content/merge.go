package content

import (
	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// merger merges a body into the fields of one entry.
type merger struct {
	op        *operation
	entryType *schema.Type
	entry     store.Key
}

// scope is where fields are merged: what the caller may set there, and whether the entry
// or component is new.
type scope struct {
	sight *schema.Sight
	isNew bool
}

// merge returns the fields with the input. It does not change the given fields. Attributes
// that the input does not name stay unchanged. So do inverse relations, which are not
// fields of the entry.
func (m *merger) merge(s scope, fields store.Fields, in []body.Given, at body.Path) (store.Fields, error) {
	own := append(make(store.Fields, 0, len(fields)+len(in)), fields...)
	for _, g := range in {
		old := own.Value(g.Attribute.Name)
		v, err := m.value(s.sight, g, old, at.Attribute(g.Attribute.Name))
		if err == nil && !s.sight.Sets(g.Attribute) {
			v, err = m.unset(s, g.Attribute, old, v, at.Attribute(g.Attribute.Name))
		}
		if err != nil {
			return nil, err
		}
		own = own.Set(g.Attribute.Name, v)
	}
	return own, nil
}

// unset returns the value of an attribute that the caller may not set: the former value
// or, in something new, the default. The input may have that value too.
func (m *merger) unset(s scope, a *schema.Attribute, old, v store.Value, at body.Path) (store.Value, error) {
	standard := m.op.defaults[a]
	switch {
	case !s.sight.Knows(a):
		return old, readOnly(at)
	case v.Equal(old) && !(s.isNew && old.IsEmpty()):
		return old, nil
	case s.isNew && old.IsEmpty() && (v.IsEmpty() || v.Equal(standard)):
		return standard, nil
	}
	return old, readOnly(at)
}

func (m *merger) value(sight *schema.Sight, g body.Given, old store.Value, at body.Path) (store.Value, error) {
	switch g.Attribute.Kind {
	case schema.Component, schema.DynamicZone:
		return m.instances(sight.Within(g.Attribute), g, old.Instances, at)
	case schema.RelationKind, schema.Media:
		return m.edges(g, old, at)
	}
	return g.Scalar, nil
}

// edges returns the new value of an attribute that owns its links. Existing links keep
// their place in the target's list, and new ones go to its end.
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

// assignPlaces gives existing links their former place, and new ones a place at the end of
// their target's list.
func (op *operation) assignPlaces(a *schema.Attribute, list []store.Edge, before map[store.End]store.Edge) {
	fresh := -1 // the last new link
	for i := range list {
		e := &list[i]
		if e.Place == 0 {
			e.Place = before[(*e).End()].Place
		}
		if e.Place != 0 {
			continue
		}
		if fresh >= 0 && fresh == i-1 && list[fresh].SameTarget(*e) {
			e.Place = list[fresh].Place // a link to the other version
		} else {
			e.Place = op.nextPlace(a)
		}
		fresh = i
	}
}

// instances returns the new value of a component or dynamic zone: the instances of the
// input in its order. Instances that the input names by id are changed, and the others are
// new. Stored instances that it does not name are removed. A single component of which the
// caller may not set everything is changed, and never replaced.
func (m *merger) instances(sight *schema.Sight, g body.Given, old []store.Instance, at body.Path) (store.Value, error) {
	instances := make([]store.Instance, 0, len(g.Instances))
	left := byID(old)
	for i, in := range g.Instances {
		inside := at
		if g.Attribute.IsList() {
			inside = at.Item(i)
		} else if sight.Limited() && isOne(old, in.Component.UID) && !in.Keep {
			in.Keep, in.ID = true, old[0].ID
		}
		r, err := m.instance(sight, g.Attribute, in, left, inside)
		if err != nil {
			return store.Value{}, err
		}
		instances = append(instances, r)
	}
	return store.Value{Kind: store.Instances, Instances: instances}, m.op.mayLose(old, instances, sight, at.String())
}

// instanceID identifies a stored instance: ids are unique within a component.
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

// instance returns one instance of the input. It removes a stored instance from left.
func (m *merger) instance(sight *schema.Sight, a *schema.Attribute, in body.Instance, left map[instanceID]store.Instance, at body.Path) (store.Instance, error) {
	if !in.Keep {
		return m.created(sight, in, at)
	}
	name := instanceID{in.Component.UID, in.ID}
	kept, ok := left[name]
	if !ok {
		return kept, &ApplicationError{"Some of the provided components in " + a.Name + " are not related to the entity"}
	}
	delete(left, name)
	var err error
	kept.Fields, err = m.merge(scope{sight, false}, kept.Fields, in.Given, at)
	return kept, err
}

func (m *merger) created(sight *schema.Sight, in body.Instance, at body.Path) (store.Instance, error) {
	fields, err := m.merge(scope{sight, true}, nil, in.Given, at)
	return store.Instance{
		ID:        m.op.next(in.Component.UID),
		Component: in.Component.UID,
		Fields:    m.op.defaults.fill(in.Component, fields, in.Given),
	}, err
}
