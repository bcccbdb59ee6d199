package graphql

import (
	"slices"

	"quire/query"
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
// different arguments. The shape says what the response shows of each record, in the order
// of the query. Errors are *Error.
func (o *Operation) Tree(root *Selected) (*params.Node, *query.Shape, error) {
	b := o.builder()
	n := object()
	if err := b.arguments(root.Field, n); err != nil {
		return nil, nil, err
	}
	t := root.Means.Type
	var err error
	switch {
	case root.Means.Op == FindConnection:
		b.shape.Connection, err = b.connection(n, t, root)
	case root.Field.Definition.Type.Name() != typeName(t): // an object with the record as "data"
		b.shape.Records[n], err = b.connection(n, t, root)
	default:
		err = b.records(n, t, root)
	}
	return n, b.shape, err
}

func (o *Operation) builder() *treeBuilder {
	return &treeBuilder{o: o, left: o.limits.Operands, shape: &query.Shape{Records: map[*params.Node][]query.Member{}, DefaultLimit: o.limits.DefaultLimit, MaxLimit: o.limits.MaxLimit}}
}

// connection adds what a connection shows of its records, or an object of its "data", and
// returns its own members. nodes and data can be selected several times; the keys of the
// second and later ones come before those of their contents: "b.chef".
func (b *treeBuilder) connection(n *params.Node, t *schema.Type, connection *Selected) (members []query.Member, err error) {
	first, prefix := true, ""
	for _, one := range b.o.Inside(connection, connection.Field.Definition.Type.Name()) {
		m := query.Member{Key: one.Key, Must: true, Show: query.ShowNodes}
		switch one.Field.Name {
		case "nodes", "data":
			if one.Field.Name == "data" {
				m.Show, m.Must = query.ShowRecord, false
			}
			if !first {
				prefix = one.Key + "."
			}
			first = false
			m.Inside, err = b.show(n, t, prefix, b.o.Inside(one, typeName(t)))
		case "pageInfo":
			m.Show, m.Inside = query.ShowPage, b.page(one)
		default:
			m = typeMember(one)
		}
		if err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	ensureFields(n, t)
	return members, nil
}

var pageMembers = map[string]query.Show{"total": query.ShowTotal, "page": query.ShowNumber, "pageSize": query.ShowSize, "pageCount": query.ShowPages}

// page returns the members of pageInfo.
func (b *treeBuilder) page(info *Selected) (members []query.Member) {
	for _, one := range b.o.Inside(info, "Pagination") {
		m := query.Member{Key: one.Key, Show: pageMembers[one.Field.Name]}
		if one.Field.Name == typenameField {
			m = typeMember(one)
		}
		members = append(members, m)
	}
	return members
}

const typenameField = "__typename"

// typeMember is __typename.
func typeMember(one *Selected) query.Member {
	return query.Member{Key: one.Key, Show: query.ShowText, Text: one.Field.ObjectDefinition.Name, Must: true}
}

// records adds what a field shows of its records of one type.
func (b *treeBuilder) records(n *params.Node, t *schema.Type, from *Selected) (err error) {
	b.shape.Records[n], err = b.show(n, t, "", b.o.Inside(from, typeName(t)))
	ensureFields(n, t)
	return err
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

// show adds selected attributes to fields and populate, and returns the members of a record.
func (b *treeBuilder) show(n *params.Node, t *schema.Type, prefix string, selected []*Selected) (members []query.Member, err error) {
	for _, one := range selected {
		m := query.Member{Key: one.Key}
		switch means := one.Means; {
		case one.Field.Name == typenameField:
			m.Show, m.Text, m.Must = query.ShowText, typeName(t), true
		case means == nil || means.Attribute == nil || means.Attribute.Hidden():
			m.Must = one.Field.Definition.Type.NonNull
		case !means.Attribute.IsScalar():
			m.Show, m.Attribute, m.Must, m.Populate = query.ShowPopulated, means.Attribute, one.Field.Definition.Type.NonNull, prefix+one.Key
			var inner *params.Node
			if inner, m.Inside, err = b.attribute(one); err != nil {
				return nil, err
			}
			if m.Populate != means.Attribute.Name {
				set(inner, attributeKey, text(means.Attribute.Name))
			}
			set(member(n, "populate", params.Object), m.Populate, inner)
		default:
			m.Show, m.Attribute, m.Must = query.ShowValue, means.Attribute, one.Field.Definition.Type.NonNull
			if means.Enum != nil {
				m.Enum = means.Enum.Name
			}
			if s := means.Attribute.System; s != schema.SystemID && s != schema.SystemDocumentID {
				addName(member(n, "fields", params.List), means.Attribute.Name)
			}
		}
		members = append(members, m)
	}
	return members, nil
}

// attribute returns the parameters of a relation, component or dynamic zone, and the members
// of its connection.
func (b *treeBuilder) attribute(one *Selected) (n *params.Node, connection []query.Member, err error) {
	n, a := object(), one.Means.Attribute
	if err := b.arguments(one.Field, n); err != nil {
		return nil, nil, err
	}
	switch {
	case a.Kind == schema.DynamicZone:
		return n, nil, b.items(n, one, a.Zone)
	case a.Kind == schema.Component:
		return n, nil, b.records(n, a.ComponentType, one)
	case a.Relation.Target == nil:
		return n, nil, b.items(n, one, b.members(one))
	case one.Means.Connection:
		connection, err = b.connection(n, a.Relation.Target, one)
		return n, connection, err
	}
	return n, nil, b.records(n, a.Relation.Target, one)
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

// members returns the content types in the union of a polymorphic relation.
func (b *treeBuilder) members(one *Selected) (types []*schema.Type) {
	for _, d := range b.o.schema.ast.PossibleTypes[one.Field.Definition.Type.Name()] {
		if t := b.o.schema.types[d.Name]; t != nil && !t.IsComponent() {
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
