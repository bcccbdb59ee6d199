package graphql

import (
	"encoding/json"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/index"
)

// inputWriter writes the data of a mutation as REST takes it, in JSON.
type inputWriter struct {
	schema *Schema
	err    error // the first value that is wrong
}

// append appends a value of a type.
func (w *inputWriter) append(dst []byte, d *ast.Definition, v *ast.Value) []byte {
	switch {
	case v == nil || v.Kind == ast.NullValue:
		return append(dst, "null"...)
	case v.Kind == ast.ListValue:
		if d != nil && d.Name == "JSON" {
			d = nil // the texts in it are texts
		}
		dst = append(dst, '[')
		for i, item := range v.Children {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = w.append(dst, d, item.Value)
		}
		return append(dst, ']')
	case v.Kind == ast.ObjectValue:
		return w.members(dst, d, v)
	case v.Kind == ast.BooleanValue, (v.Kind == ast.IntValue || v.Kind == ast.FloatValue) && (d == nil || d.Name != "ID" && d.Name != "Long"):
		return append(dst, v.Raw...)
	}
	if d != nil && d.Name == "JSON" && !json.Valid([]byte(v.Raw)) && w.err == nil {
		w.err = &Error{Code: BadUserInput, Name: "ValidationError", Message: "A text as a value of the type JSON must itself be JSON, not " + inspect(v), unplaced: true}
	}
	if d != nil && d.Kind == ast.Enum && w.schema.enums[d.Name] != nil {
		return index.AppendString(dst, w.schema.enums[d.Name].Value(v.Raw))
	}
	return index.AppendString(dst, v.Raw)
}

// members appends an object. An item of a dynamic zone names its component as
// __typename. Its other members are as over REST: an enumeration has its values, and not
// their names in GraphQL.
func (w *inputWriter) members(dst []byte, d *ast.Definition, v *ast.Value) []byte {
	item := d != nil && w.schema.zoneItems[d.Name]
	dst = append(dst, '{')
	for i, child := range v.Children {
		if i > 0 {
			dst = append(dst, ',')
		}
		if item && child.Name == typenameField {
			dst = index.AppendString(append(dst, `"__component":`...), w.schema.types[child.Value.Raw].UID)
			continue
		}
		var inner *ast.Definition
		if d != nil {
			if f := d.Fields.ForName(child.Name); f != nil {
				inner = w.schema.ast.Types[f.Type.Name()]
			}
		}
		dst = append(index.AppendString(dst, child.Name), ':')
		dst = w.append(dst, inner, child.Value)
	}
	return append(dst, '}')
}
