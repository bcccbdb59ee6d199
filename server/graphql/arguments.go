package graphql

import (
	"fmt"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/query"
	"quire/query/params"
)

// Argument returns an argument of a field in the form that its type requires; nil if the
// field has none of that name, and no default of it.
func (o *Operation) Argument(f *ast.Field, name string) (*ast.Value, error) {
	def := f.Definition.Arguments.ForName(name)
	if def == nil {
		return nil, nil
	}
	c := coercer{schema: o.schema, variables: o.variables, literal: true}
	v := def.DefaultValue
	if given := f.Arguments.ForName(name); given != nil {
		if one := c.value(def.Type, given.Value); one != nil || len(c.faults) > 0 {
			v = one
		}
	}
	switch {
	case len(c.faults) > 0:
		return nil, c.faults[0]
	case v == nil && def.Type.NonNull:
		return nil, &Error{Code: BadUserInput, Message: fmt.Sprintf(`Argument "%s" of required type "%s" was not provided.`, name, def.Type)}
	case v != nil && !o.weigh(v):
		return nil, &Error{Code: BadUserInput, Name: "ValidationError", Message: fmt.Sprintf("The arguments have more than %d bytes, with the value of a variable wherever it is used", o.limits.ArgumentBytes)}
	}
	return v, nil
}

// weigh adds up the sizes of a value and of those in it. A variable can stand in one value
// many times: a short query can ask for gigabytes.
func (o *Operation) weigh(v *ast.Value) bool {
	o.weight += len(v.Raw) + 1
	for _, child := range v.Children {
		if o.weight += len(child.Name); o.weight > o.limits.ArgumentBytes || !o.weigh(child.Value) {
			return false
		}
	}
	return o.weight <= o.limits.ArgumentBytes
}

// treeBuilder makes trees of parameters, as REST makes them of query strings.
type treeBuilder struct {
	o    *Operation
	left int // values that the arguments may still have

	shape *query.Shape
}

// arguments adds the arguments of a field to the parameters that have the same meaning in
// REST.
func (b *treeBuilder) arguments(f *ast.Field, to *params.Node) error {
	for _, def := range f.Definition.Arguments {
		if def.Name == "data" || def.Name == "documentId" {
			continue // not about what is read
		}
		v, err := b.o.Argument(f, def.Name)
		if err != nil {
			return err
		}
		if v == nil || v.Kind == ast.NullValue {
			continue
		}
		switch def.Name {
		case "filters":
			set(to, "filters", b.filters(b.o.schema.ast.Types[def.Type.Name()], v))
		case "sort", "pagination":
			if len(v.Children) > 0 {
				set(to, def.Name, b.plain(v))
			}
		case "status":
			set(to, "status", text(strings.ToLower(v.Raw)))
		case "publicationFilter":
			set(to, "publicationFilter", text(strings.ToLower(strings.ReplaceAll(v.Raw, "_", "-"))))
		case "hasPublishedVersion", "locale":
			set(to, def.Name, text(v.Raw))
		}
	}
	if b.left < 0 {
		return &Error{Code: BadUserInput, Name: "ValidationError", Message: fmt.Sprintf("The arguments of %s have more than %d values", f.Name, b.o.limits.Operands)}
	}
	return nil
}

// filters makes conditions on the records of one type. The definition of the input says
// what a name is: a group, an attribute with operators, or one that leads to other records.
func (b *treeBuilder) filters(d *ast.Definition, v *ast.Value) *params.Node {
	n := object()
	for _, child := range v.Children {
		inner := b.o.schema.ast.Types[d.Fields.ForName(child.Name).Type.Name()]
		switch {
		case !b.take():
		case inner == d && child.Name == "not", inner == d && (child.Name == "and" || child.Name == "or"):
			if child.Value.Kind != ast.NullValue {
				set(n, "$"+child.Name, b.group(d, child.Value))
			}
		case strings.HasSuffix(inner.Name, "FiltersInput"):
			set(n, child.Name, b.filters(inner, child.Value)) // nothing for null, as in Strapi
		default:
			set(n, child.Name, b.operators(inner.Name, child.Value))
		}
	}
	return n
}

// group makes the conditions of and, or and not.
func (b *treeBuilder) group(d *ast.Definition, v *ast.Value) *params.Node {
	if v.Kind != ast.ListValue {
		return b.filters(d, v)
	}
	list := &params.Node{Kind: params.List}
	for _, item := range v.Children {
		list.Items = append(list.Items, b.filters(d, item.Value))
	}
	return list
}

// operators makes the comparisons with a plain value. An object is no value to compare
// with: as in Strapi, such a comparison has no effect.
func (b *treeBuilder) operators(name string, v *ast.Value) *params.Node {
	if v.Kind != ast.ObjectValue {
		return b.plain(v)
	}
	n := object()
	for _, child := range v.Children {
		switch {
		case !b.take():
		case child.Name == "not":
			set(n, "$not", b.operators(name, child.Value))
		case child.Value.Kind != ast.ObjectValue:
			set(n, "$"+child.Name, b.plain(child.Value))
		}
	}
	return n
}

// plain makes a tree of the same form: in query strings, numbers are text too.
func (b *treeBuilder) plain(v *ast.Value) *params.Node {
	n := &params.Node{Kind: params.Text, Text: v.Raw}
	switch {
	case !b.take() || v.Kind == ast.NullValue:
		return &params.Node{Kind: params.Null}
	case v.Kind == ast.ListValue:
		n = &params.Node{Kind: params.List}
		for _, item := range v.Children {
			n.Items = append(n.Items, b.plain(item.Value))
		}
	case v.Kind == ast.ObjectValue:
		n = object()
		for _, child := range v.Children {
			set(n, child.Name, b.plain(child.Value))
		}
	}
	return n
}

// take counts one value, and reports whether there may be more.
func (b *treeBuilder) take() bool {
	b.left--
	return b.left >= 0
}

func object() *params.Node { return &params.Node{Kind: params.Object} }

func text(value string) *params.Node { return &params.Node{Kind: params.Text, Text: value} }

// set adds a member to an object. A second one of the same name has no effect.
func set(n *params.Node, key string, value *params.Node) {
	if n.Get(key) == nil {
		n.Keys, n.Items = append(n.Keys, key), append(n.Items, value)
	}
}
