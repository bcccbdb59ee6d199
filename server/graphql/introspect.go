package graphql

import (
	"maps"
	"slices"
	"strings"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/index"
)

// Introspection: __schema and __type show the schema itself.

// schemaValue, fieldValue, inputValue and enumValue are the parts of the schema that a
// query can ask about, beside *ast.Definition, *ast.Type and *ast.DirectiveDefinition.
type (
	schemaValue struct{}
	fieldValue  struct{ *ast.FieldDefinition }
	inputValue  struct {
		name, description string
		t                 *ast.Type
		value             *ast.Value
	}
	enumValue struct{ *ast.EnumValueDefinition }
)

// mostIntrospected is the maximum size of what introspection shows, in bytes: types lead to
// types without end.
const mostIntrospected = 8 << 20

// introspect appends the value of __schema or __type.
func (r *Run) introspect(dst []byte, root *Selected) ([]byte, error) {
	start := len(dst)
	var v any = schemaValue{}
	if root.Field.Name == "__type" {
		name, err := r.Argument(root.Field, "name")
		if err != nil {
			return dst, err
		}
		v = r.definition(raw(name))
	}
	dst = r.meta(dst, root, v, start+mostIntrospected)
	if len(dst) > start+mostIntrospected {
		return dst, &Error{Code: BadUserInput, Name: "ValidationError", Message: "The introspection shows too much; ask for less"}
	}
	return dst, r.call.Budget.Reserve(cap(dst))
}

// definition returns a type by its name as a value; nil if there is none.
func (r *Run) definition(name string) any {
	if d := r.schema.ast.Types[name]; d != nil {
		return d
	}
	return nil
}

// meta appends a value of the schema, up to a position in the response.
func (r *Run) meta(dst []byte, from *Selected, v any, most int) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case string:
		return index.AppendString(dst, v)
	case bool:
		if v {
			return append(dst, "true"...)
		}
		return append(dst, "false"...)
	case []any:
		dst = append(dst, '[')
		for i, one := range v {
			if len(dst) > most {
				return dst
			}
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = r.meta(dst, from, one, most)
		}
		return append(dst, ']')
	}
	dst = append(dst, '{')
	name := from.Field.Definition.Type.Name()
	for i, one := range r.Inside(from, name) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, one.Key), ':')
		if one.Field.Name == typenameField {
			dst = index.AppendString(dst, name)
			continue
		}
		dst = r.meta(dst, one, r.part(v, one.Field.Name), most)
	}
	return append(dst, '}')
}

// part returns a part of a value of the schema.
func (r *Run) part(v any, name string) any {
	switch v := v.(type) {
	case schemaValue:
		return r.partOfSchema(name)
	case *ast.Definition:
		return r.partOfType(v, name)
	case *ast.Type:
		return r.partOfWrapper(v, name)
	case fieldValue:
		switch name {
		case "args":
			return argumentValues(v.Arguments)
		case "type":
			return r.typeValue(v.Type)
		}
		return common(name, v.Name, v.Description)
	case inputValue:
		switch name {
		case "type":
			return r.typeValue(v.t)
		case "defaultValue":
			if v.value == nil {
				return nil
			}
			return v.value.String()
		}
		return common(name, v.name, v.description)
	case enumValue:
		return common(name, v.Name, v.Description)
	case *ast.DirectiveDefinition:
		switch name {
		case "args":
			return argumentValues(v.Arguments)
		case "locations":
			return listOf(v.Locations, func(l ast.DirectiveLocation) any { return string(l) })
		case "isRepeatable":
			return v.IsRepeatable
		}
		return common(name, v.Name, v.Description)
	}
	return nil
}

// common returns the parts that all have in common.
func common(part, name, description string) any {
	switch {
	case part == "name":
		return name
	case part == "description" && description != "":
		return description
	case part == "isDeprecated":
		return false
	}
	return nil
}

func (r *Run) partOfSchema(name string) any {
	s := r.schema.ast
	switch name {
	case "queryType":
		return s.Query
	case "mutationType":
		return s.Mutation
	case "subscriptionType":
		if s.Subscription != nil { // a nil *ast.Definition would be a value
			return s.Subscription
		}
	case "types":
		return listOf(sorted(s.Types), func(d *ast.Definition) any { return d })
	case "directives":
		return listOf(sorted(s.Directives), func(d *ast.DirectiveDefinition) any { return d })
	}
	return nil
}

func (r *Run) partOfType(d *ast.Definition, name string) any {
	switch {
	case name == "kind":
		return string(d.Kind)
	case name == "fields" && d.Kind == ast.Object:
		var all []any
		for _, f := range d.Fields {
			if !strings.HasPrefix(f.Name, "__") {
				all = append(all, fieldValue{f})
			}
		}
		return all
	case name == "interfaces" && d.Kind == ast.Object:
		return []any{}
	case name == "possibleTypes" && d.Kind == ast.Union:
		return listOf(d.Types, func(name string) any { return r.definition(name) })
	case name == "enumValues" && d.Kind == ast.Enum:
		return listOf(d.EnumValues, func(v *ast.EnumValueDefinition) any { return enumValue{v} })
	case name == "inputFields" && d.Kind == ast.InputObject:
		return listOf(d.Fields, func(f *ast.FieldDefinition) any { return inputValue{f.Name, f.Description, f.Type, f.DefaultValue} })
	case name == "specifiedByURL" && d.Name == "JSON":
		return "http://www.ecma-international.org/publications/files/ECMA-ST/ECMA-404.pdf"
	case name == "isOneOf" && d.Kind == ast.InputObject:
		return false
	}
	if name == "isDeprecated" {
		return nil
	}
	return common(name, d.Name, d.Description)
}

// typeValue returns a type as a value: a definition, or a wrapper around one.
func (r *Run) typeValue(t *ast.Type) any {
	if t.NonNull || t.Elem != nil {
		return t
	}
	return r.definition(t.NamedType)
}

// partOfWrapper returns a part of a list or of a type that cannot be null.
func (r *Run) partOfWrapper(t *ast.Type, name string) any {
	inner := *t
	inner.NonNull = false
	switch {
	case name == "kind" && t.NonNull:
		return "NON_NULL"
	case name == "kind":
		return "LIST"
	case name == "ofType" && t.NonNull:
		return r.typeValue(&inner)
	case name == "ofType":
		return r.typeValue(t.Elem)
	}
	return nil
}

func argumentValues(list ast.ArgumentDefinitionList) []any {
	return listOf(list, func(a *ast.ArgumentDefinition) any { return inputValue{a.Name, a.Description, a.Type, a.DefaultValue} })
}

// sorted returns values in the order of their names.
func sorted[T any](byName map[string]T) []T {
	var all []T
	for _, name := range slices.Sorted(maps.Keys(byName)) {
		all = append(all, byName[name])
	}
	return all
}

func listOf[T any](list []T, value func(T) any) []any {
	all := make([]any, 0, len(list))
	for _, one := range list {
		all = append(all, value(one))
	}
	return all
}
