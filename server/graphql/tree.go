package graphql

import (
	"slices"

	"quire/query/params"
	"quire/schema"
)

// attributeKey is the member of a populated attribute that names it, where the response
// shows it under another key.
const attributeKey = "attribute"

// Tree returns the parameters of the query that answers a field at the top and everything
// in it, in the form that query.Compile takes: filters, sort, pagination, status and locale
// from its arguments, fields and populate from what is selected in it. populate has an
// entry for each key of the response, so that a relation can occur several times with
// different arguments. Errors are *Error.
func (o *Operation) Tree(root *Selected) (*params.Node, error) {
	b := &treeBuilder{o: o, left: o.limits.Operands}
	n := object()
	if err := b.arguments(root.Field, n); err != nil {
		return nil, err
	}
	t := root.Means.Type
	if root.Means.Op != FindConnection {
		return n, b.records(n, t, root)
	}
	return n, b.nodes(n, t, root)
}

// nodes adds what a connection shows of its records. nodes can be selected several times;
// the keys of the second and later ones come before those of their contents: "b.chef".
func (b *treeBuilder) nodes(n *params.Node, t *schema.Type, connection *Selected) error {
	first, prefix := true, ""
	for _, one := range b.o.Inside(connection, connection.Field.Definition.Type.Name()) {
		if one.Field.Name != "nodes" {
			continue
		}
		if !first {
			prefix = one.Key + "."
		}
		first = false
		if err := b.show(n, t, prefix, b.o.Inside(one, typeName(t))); err != nil {
			return err
		}
	}
	ensureFields(n, t)
	return nil
}

// records adds what a field shows of its records of one type.
func (b *treeBuilder) records(n *params.Node, t *schema.Type, from *Selected) error {
	if err := b.show(n, t, "", b.o.Inside(from, typeName(t))); err != nil {
		return err
	}
	ensureFields(n, t)
	return nil
}

// ensureFields names the id if no attribute is named: without names, a read shows all
// attributes.
func ensureFields(n *params.Node, t *schema.Type) {
	id := "documentId"
	if t.IsComponent() {
		id = "id"
	}
	set(n, "fields", &params.Node{Kind: params.List, Items: []*params.Node{text(id)}})
}

// show adds selected attributes to fields and populate.
func (b *treeBuilder) show(n *params.Node, t *schema.Type, prefix string, selected []*Selected) error {
	for _, one := range selected {
		switch means := one.Means; {
		case means == nil || means.Attribute == nil || means.Attribute.Hidden():
		case !means.Attribute.IsScalar():
			inner, err := b.attribute(one)
			if err != nil {
				return err
			}
			if key := prefix + one.Key; key != means.Attribute.Name {
				set(inner, attributeKey, text(means.Attribute.Name))
			}
			set(member(n, "populate", params.Object), prefix+one.Key, inner)
		case means.Attribute.System != schema.SystemID && means.Attribute.System != schema.SystemDocumentID:
			addName(member(n, "fields", params.List), means.Attribute.Name)
		}
	}
	return nil
}

// attribute returns the parameters of a relation, component or dynamic zone.
func (b *treeBuilder) attribute(one *Selected) (*params.Node, error) {
	n, a := object(), one.Means.Attribute
	if err := b.arguments(one.Field, n); err != nil {
		return nil, err
	}
	switch {
	case a.Kind == schema.DynamicZone:
		return n, b.items(n, one, a.Zone)
	case a.Kind == schema.Component:
		return n, b.records(n, a.ComponentType, one)
	case a.Relation.Target == nil:
		return n, b.items(n, one, b.named(one))
	case one.Means.Connection:
		return n, b.nodes(n, a.Relation.Target, one)
	}
	return n, b.records(n, a.Relation.Target, one)
}

// items adds what is shown of records of several types. Of those about which the query says
// nothing, the response still has an empty object.
func (b *treeBuilder) items(n *params.Node, from *Selected, types []*schema.Type) error {
	for _, t := range types {
		inner := object()
		if err := b.records(inner, t, from); err != nil {
			return err
		}
		set(member(n, "on", params.Object), t.UID, inner)
	}
	return nil
}

// named returns the content types of which a polymorphic relation shows something.
func (b *treeBuilder) named(one *Selected) (types []*schema.Type) {
	for _, d := range b.o.schema.ast.PossibleTypes[one.Field.Definition.Type.Name()] {
		t := b.o.schema.types[d.Name]
		if t == nil || t.IsComponent() {
			continue
		}
		if slices.ContainsFunc(b.o.Inside(one, d.Name), func(f *Selected) bool { return f.Means != nil }) {
			types = append(types, t)
		}
	}
	return types
}

// member returns a member of an object, and adds an empty one if there is none.
func member(n *params.Node, key string, kind params.NodeKind) *params.Node {
	if n.Get(key) == nil {
		set(n, key, &params.Node{Kind: kind})
	}
	return n.Get(key)
}

// addName adds a name to a list without duplicates.
func addName(list *params.Node, name string) {
	if !slices.ContainsFunc(list.Items, func(n *params.Node) bool { return n.Text == name }) {
		list.Items = append(list.Items, text(name))
	}
}
