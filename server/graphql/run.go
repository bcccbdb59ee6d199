package graphql

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/content/body"
	"quire/documents"
	"quire/index"
	"quire/query"
)

// Host serves what is not content: files, users, roles, locales and the caller.
type Host interface {
	// Special returns the value of a field that is known by its name: nil, or what
	// encoding/json makes of JSON. Arguments are in the form of plain values.
	Special(field string, arguments map[string]any) (any, error)

	// Explain returns what an error is for the client. A defect goes to the log.
	Explain(error) *documents.Problem
}

// runner runs one operation.
type runner struct {
	*Operation
	ctx        context.Context
	call       *documents.Call
	host       Host
	errors     []*Error
	failed     bool // a field of the root that must have a value has none
	faultBytes int  // size of the paths and messages of the faults so far, in bytes
}

// mostFaultBytes is the maximum size of the paths and messages of all faults: an alias or a
// sort key can be long, and each of many faults has it.
const mostFaultBytes = 1 << 20

// Run runs the operation and appends the response. Queries see one snapshot. Mutations run
// in order, each in a transaction of its own.
func (o *Operation) Run(ctx context.Context, call *documents.Call, host Host, dst []byte) []byte {
	r := &runner{Operation: o, ctx: ctx, call: call, host: host}
	dst = append(dst, `{"data":`...)
	start := len(dst)
	dst = append(dst, '{')
	for i, root := range o.Roots() {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, root.Key), ':')
		dst = r.root(dst, root)
	}
	dst = append(dst, '}')
	if r.failed {
		dst = append(dst[:start], "null"...)
	}
	if len(r.errors) > 0 {
		dst = appendErrors(append(dst, ','), r.errors)
	}
	return append(dst, '}')
}

// root appends the value of a field at the top. After an error it is null.
func (r *runner) root(dst []byte, root *Selected) []byte {
	start, faults := len(dst), &query.Faults{}
	dst, err := r.value(dst, root, faults)
	switch {
	case err == nil:
	case isMissing(err):
		dst = append(dst[:start], "null"...)
	default:
		dst = append(dst[:start], "null"...)
		r.errors = append(r.errors, r.errorOf(err, root))
		faults = &query.Faults{}
	}
	for _, f := range faults.All {
		e := r.errorOfFault(f, root)
		if r.faultBytes += len(root.Key) + sizeOf(f.Path) + 2*len(e.Message) + len(e.Key); r.faultBytes > mostFaultBytes {
			break
		}
		r.errors = append(r.errors, e)
	}
	if string(dst[start:]) == "null" && root.Field.Definition.Type.NonNull {
		r.failed = true
	}
	return dst
}

// errorOfFault returns the error of a response for a place in it that has no value.
func (r *runner) errorOfFault(f query.Fault, root *Selected) *Error {
	path := append([]any{root.Key}, f.Path...)
	if e := CompileError(f.Err, path...); e != nil {
		return e
	}
	if f.Forbidden {
		return &Error{Message: "Forbidden access", Code: Forbidden, Name: "ForbiddenError", Path: path}
	}
	return &Error{Message: "Cannot return null for non-nullable field " + f.Member + ".", Code: "INTERNAL_SERVER_ERROR", Path: path}
}

func sizeOf(path []any) (size int) {
	for _, step := range path {
		key, _ := step.(string)
		size += len(key) + 1
	}
	return size
}

func (r *runner) value(dst []byte, root *Selected, f *query.Faults) ([]byte, error) {
	switch name := root.Field.Name; {
	case name == typenameField:
		return index.AppendString(dst, root.Field.ObjectDefinition.Name), nil
	case strings.HasPrefix(name, "__"):
		return r.introspect(dst, root)
	case root.Means.Op == Special:
		arguments, err := r.plainArguments(root.Field)
		if err != nil {
			return dst, err
		}
		v, err := r.host.Special(name, arguments)
		if err != nil {
			return dst, err
		}
		return r.project(dst, root, v), nil
	case r.IsMutation():
		return r.write(dst, root, f)
	}
	return r.read(dst, root, f)
}

// read runs a query of content.
func (r *runner) read(dst []byte, root *Selected, f *query.Faults) ([]byte, error) {
	tree, shape, err := r.Tree(root)
	if err != nil {
		return dst, err
	}
	var read *documents.Read
	t := root.Means.Type
	if op := root.Means.Op; op == Find || op == FindConnection {
		read, err = r.call.FindShaped(t, tree, shape, f)
	} else {
		id, _ := r.Argument(root.Field, "documentId")
		read, err = r.call.FindOneShaped(t, raw(id), tree, shape, f)
	}
	if err != nil {
		return dst, err
	}
	return read.Append(r.ctx, dst)
}

// write runs a mutation of content.
func (r *runner) write(dst []byte, root *Selected, f *query.Faults) ([]byte, error) {
	t, g, err := root.Means.Type, documents.Change{}, error(nil)
	id, err := r.Argument(root.Field, "documentId")
	if err != nil {
		return dst, err
	}
	data, err := r.Argument(root.Field, "data")
	if err != nil {
		return dst, err
	}
	g.DocumentID = raw(id)
	g.Data = func() (body.Value, error) {
		w := inputWriter{schema: r.schema}
		text := w.append(nil, r.schema.ast.Types[typeName(t)+"Input"], data)
		return body.OfJSON(text), w.err
	}
	if root.Means.Op == Delete {
		return r.remove(dst, root, g)
	}
	g.Arguments.Tree, g.Shape, err = r.Tree(root)
	if err != nil {
		return dst, err
	}
	prepare := r.call.Update
	if root.Means.Op == Create {
		prepare = r.call.Create
	}
	w, err := prepare(t, g)
	if err != nil {
		return dst, err
	}
	if err := r.call.Do(r.ctx, w); err != nil {
		return dst, err
	}
	dst, _, err = w.AppendShaped(r.ctx, f, dst)
	return dst, err
}

// remove runs a mutation that deletes a document, and shows its id.
func (r *runner) remove(dst []byte, root *Selected, g documents.Change) ([]byte, error) {
	t, n := root.Means.Type, object()
	b := treeBuilder{o: r.Operation, left: r.limits.Operands}
	if err := b.arguments(root.Field, n); err != nil {
		return dst, err
	}
	g.Arguments.Tree = n
	w, err := r.call.Delete(t, g)
	if err != nil {
		return dst, err
	}
	id := r.call.Document(t, g.DocumentID)
	if err := r.call.Do(r.ctx, w); err != nil {
		return dst, err
	}
	return r.project(dst, root, map[string]any{"documentId": id}), nil
}

// isMissing reports whether a document does not exist for the caller: as in Strapi, that is
// null and no error.
func isMissing(err error) bool {
	p := documents.Explain(err)
	return p != nil && p.Kind == documents.NotFound
}

// errorOf returns the error of a response for the error of a field at the top.
func (r *runner) errorOf(err error, root *Selected) *Error {
	if own, ok := err.(*Error); ok {
		named := *own
		if !own.unplaced {
			named.Path = []any{root.Key}
		}
		return &named
	}
	if e := CompileError(err, root.Key); e != nil {
		return e
	}
	p := r.host.Explain(err)
	return &Error{Message: p.Message, Code: codeOf(p.Name), Name: p.Name, Details: p.Details, Path: []any{root.Key}}
}

// codeOf returns the code of an error with one of Strapi's names.
func codeOf(name string) string {
	switch name {
	case "ForbiddenError":
		return Forbidden
	case "UnauthorizedError":
		return "UNAUTHENTICATED"
	case "ValidationError":
		return BadUserInput
	case "InternalServerError":
		return "INTERNAL_SERVER_ERROR"
	}
	var b strings.Builder
	for i, c := range name {
		if i > 0 && unicode.IsUpper(c) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToUpper(c))
	}
	return "STRAPI_" + b.String()
}

// raw is the text of an argument; empty for none.
func raw(v *ast.Value) string {
	if v == nil || v.Kind == ast.NullValue {
		return ""
	}
	return v.Raw
}

// plainArguments returns the arguments of a field as plain values.
func (o *Operation) plainArguments(f *ast.Field) (map[string]any, error) {
	all := map[string]any{}
	for _, def := range f.Definition.Arguments {
		v, err := o.Argument(f, def.Name)
		if err != nil {
			return nil, err
		}
		if v != nil {
			all[def.Name] = plainValue(v)
		}
	}
	return all, nil
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
	case bool, int:
		if from.Field.Definition.Type.Name() != "ID" {
			return fmt.Append(dst, v)
		}
	}
	text := fmt.Sprint(v)
	if from.Field.Definition.Type.Name() == "Int" {
		return append(dst, text...)
	}
	return index.AppendString(dst, text)
}
