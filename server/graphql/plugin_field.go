package graphql

import (
	"context"
	"fmt"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/content/body"
	"quire/documents"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Host serves what is not content: files, users, roles, locales and the caller.
type Host interface {
	// Resolve does what a field asks for, and appends what the response shows of it.
	Resolve(t *PluginField, dst []byte) ([]byte, error)

	// Explain returns what an error is for the client. A defect goes to the log.
	Explain(error) *documents.Problem
}

// PluginField is a field at the top that the host knows by its name.
type PluginField struct {
	Name string

	run       *Run
	field     *field
	arguments map[string]*ast.Value
	values    []body.Field // the arguments in the form of REST
}

func (r *Run) newPluginField(f *field) (*PluginField, error) {
	t := &PluginField{Name: f.Field.Name, run: r, field: f, arguments: map[string]*ast.Value{}}
	w := inputWriter{schema: r.schema}
	for _, a := range f.Field.Definition.Arguments {
		v, err := r.Argument(f.Field, a.Name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			t.arguments[a.Name] = v
			t.values = append(t.values, body.Field{Key: a.Name, Value: body.OfJSON(w.append(nil, r.schema.ast.Types[a.Type.Name()], v))})
		}
	}
	return t, w.err
}

// Text returns an argument that is a text; empty for none.
func (t *PluginField) Text(name string) string { return raw(t.arguments[name]) }

// Plain returns an argument as nil, a bool, a string, a []any or a map[string]any.
func (t *PluginField) Plain(name string) any {
	if t.arguments[name] == nil {
		return nil
	}
	return plainValue(t.arguments[name])
}

func plainValue(v *ast.Value) any {
	switch v.Kind {
	case ast.NullValue:
		return nil
	case ast.BooleanValue:
		return v.Raw == "true"
	case ast.ListValue:
		list := []any{}
		for _, item := range v.Children {
			list = append(list, plainValue(item.Value))
		}
		return list
	case ast.ObjectValue:
		object := map[string]any{}
		for _, child := range v.Children {
			object[child.Name] = plainValue(child.Value)
		}
		return object
	}
	return v.Raw
}

// Value returns an argument in the form of REST; null for none.
func (t *PluginField) Value(name string) body.Value { return t.Form().Member(name) }

// Form returns all arguments as the members of an object.
func (t *PluginField) Form() body.Value { return body.Object(t.values...) }

// Compile compiles what the response shows of the record that the field is about, before
// anything is written: a write whose response is refused is not done.
func (t *PluginField) Compile(ctx context.Context) (*query.Query, error) {
	call := t.run.call
	return call.CompileWritten(ctx, t.field.Means.Type, func() (*params.Node, *query.Shape, error) { return t.run.Tree(t.field.Selected) })
}

// Show appends what the response shows of a record; null if it has been removed.
func (t *PluginField) Show(ctx context.Context, q *query.Query, s *index.Snapshot, documentID string, dst []byte) ([]byte, error) {
	dst, _, err := t.run.call.AppendShapedEntry(ctx, q, s, store.Key{DocumentID: documentID, Status: store.Published}, nil, &t.field.faults, dst)
	return dst, err
}

// Project appends what the response shows of a plain value: nil, a text, a number, a
// boolean, a []any, or a map[string]any.
func (t *PluginField) Project(v any, dst []byte) []byte {
	return t.run.project(dst, t.field.Selected, v)
}

// pluginTypes are the content types of the records that these fields show: as their value,
// or as "data" in it.
var pluginTypes = map[string]string{
	"updateUploadFile": schema.FileUID, "deleteUploadFile": schema.FileUID,
	"createUsersPermissionsUser": schema.UserUID, "updateUsersPermissionsUser": schema.UserUID, "deleteUsersPermissionsUser": schema.UserUID,
}

// project appends what a field shows of a small plain value.
func (o *Operation) project(dst []byte, from *Selected, v any) []byte {
	switch v := v.(type) {
	case nil:
		return append(dst, "null"...)
	case []any:
		dst = append(dst, '[')
		for i, one := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = o.project(dst, from, one)
		}
		return append(dst, ']')
	case map[string]any:
		name := from.Field.Definition.Type.Name()
		dst = append(dst, '{')
		for i, one := range o.Inside(from, name) {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = append(index.AppendString(dst, one.Key), ':')
			if one.Field.Name == typenameField {
				dst = index.AppendString(dst, name)
				continue
			}
			dst = o.project(dst, one, v[one.Field.Name])
		}
		return append(dst, '}')
	}
	text := fmt.Sprint(v)
	switch from.Field.Definition.Type.Name() {
	case "Int", "Boolean":
		return append(dst, text...)
	}
	return index.AppendString(dst, text)
}
