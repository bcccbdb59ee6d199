package graphql

import (
	"context"
	"errors"
	"strings"
	"unicode"

	"github.com/vektah/gqlparser/v2/ast"

	"quire/content"
	"quire/content/body"
	"quire/documents"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/store"
)

// Run is an operation that runs for a caller.
type Run struct {
	*Operation
	call   *documents.Call
	host   Host
	fields []*field // at the top, in the order of the response
	faultList
	failed bool // a field at the top that must have a value has none
}

// field is a field at the top.
type field struct {
	*Selected
	read   *documents.Read // of content; nil for others
	write  *documents.Write
	err    error
	faults query.Faults
}

// Start prepares the reads of a query. All see one snapshot.
func (o *Operation) Start(call *documents.Call, host Host) *Run {
	r := &Run{Operation: o, call: call, host: host, fields: make([]*field, len(o.roots))}
	for i, root := range o.roots {
		f := &field{Selected: root}
		r.fields[i] = f
		if m := root.Means; m != nil && m.Op >= FindOne && m.Op <= FindSingle {
			f.read, f.err = r.read(f)
		}
	}
	return r
}

// Reads returns the reads that the response consists of; false if it depends on anything
// else.
func (r *Run) Reads() (all []*documents.Read, whole bool) {
	for _, f := range r.fields {
		if f.read == nil || f.err != nil {
			return nil, false
		}
		all = append(all, f.read)
	}
	return all, true
}

// Failed reports whether the response has errors.
func (r *Run) Failed() bool { return len(r.errors) > 0 }

// Append runs the operation and appends the response. Mutations run in order, each in a
// transaction of its own, unless the operation is atomic.
func (r *Run) Append(ctx context.Context, dst []byte) []byte {
	dst = append(dst, `{"data":`...)
	start := len(dst)
	dst = append(dst, '{')
	if r.isAtomic() {
		r.writeTogether(ctx)
	}
	for i, f := range r.fields {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(index.AppendString(dst, f.Key), ':')
		dst = r.root(ctx, dst, f)
	}
	dst = append(dst, '}')
	if r.failed {
		dst = append(dst[:start], "null"...)
	}
	if r.Failed() {
		dst = appendErrors(append(dst, ','), r.errors)
	}
	return append(dst, '}')
}

// root appends the value of a field at the top. After an error it is null.
func (r *Run) root(ctx context.Context, dst []byte, f *field) []byte {
	start := len(dst)
	dst, err := r.value(ctx, dst, f)
	switch {
	case err == nil:
		r.addFaults(&f.faults, f.Key)
	case err == errRolledBack, f.Means.Op != Special && isMissing(err):
		dst = append(dst[:start], "null"...)
	default:
		dst = append(dst[:start], "null"...)
		r.errors = append(r.errors, errorOf(err, f.Selected, r.host))
	}
	if string(dst[start:]) == "null" && f.Field.Definition.Type.NonNull {
		r.failed = true
	}
	return dst
}

func (r *Run) value(ctx context.Context, dst []byte, f *field) ([]byte, error) {
	switch name := f.Field.Name; {
	case f.err != nil:
		return dst, f.err
	case f.read != nil:
		return f.read.Append(ctx, dst)
	case name == typenameField:
		return index.AppendString(dst, f.Field.ObjectDefinition.Name), nil
	case strings.HasPrefix(name, "__"):
		return r.introspect(dst, f.Selected)
	case f.Means.Op == Special:
		t, err := r.newPluginField(f)
		if err != nil {
			return dst, err
		}
		return r.host.Resolve(t, dst)
	case f.write == nil:
		if err := r.prepareWrite(f, nil); err != nil {
			return dst, err
		}
		if err := r.call.Do(ctx, f.write); err != nil {
			return dst, err
		}
	}
	if f.write.Removes {
		return r.project(dst, f.Selected, map[string]any{"documentId": f.write.DocumentID}), nil
	}
	dst, _, err := f.write.AppendShaped(ctx, &f.faults, dst)
	return dst, err
}

// read prepares a read of content.
func (r *Run) read(f *field) (*documents.Read, error) {
	t, shaped := f.Means.Type, documents.Shaped{Key: r.key + f.Key, Tree: func() (*params.Node, *query.Shape, error) { return r.Tree(f.Selected) }}
	if op := f.Means.Op; op == Find || op == FindConnection {
		return r.call.FindShaped(t, shaped, &f.faults)
	}
	id, err := r.Argument(f.Field, "documentId")
	if err != nil {
		return nil, err
	}
	return r.call.FindOneShaped(t, raw(id), shaped, &f.faults)
}

// errRolledBack is why the fields of an atomic mutation were not done.
var errRolledBack = errors.New("another field of the mutation failed")

// writeTogether does the writes of a mutation in one transaction. If one of them fails,
// none is done.
func (r *Run) writeTogether(ctx context.Context) {
	var writes []*documents.Write
	var written []*field
	for _, f := range r.fields {
		if f.Field.Name == typenameField {
			continue
		}
		if f.err = r.prepareWrite(f, documents.FitsTogether); f.err != nil {
			r.rollBack(f, f.err)
			return
		}
		writes, written = append(writes, f.write), append(written, f)
	}
	if len(writes) == 0 {
		return
	}
	err := r.call.Do(ctx, writes...)
	part := &content.PartError{Err: err}
	if errors.As(err, &part); err != nil {
		r.rollBack(written[part.Part], part.Err)
	}
}

// rollBack reports the field that failed, and that none was done.
func (r *Run) rollBack(failed *field, err error) {
	for _, f := range r.fields {
		f.err = errRolledBack
	}
	r.failed = true
	r.errors = append(r.errors, errorOf(err, failed.Selected, r.host), &Error{Code: RolledBack, Message: "Nothing of this mutation was done: it is @atomic, and one of its fields failed"})
}

// prepareWrite prepares a mutation of content.
func (r *Run) prepareWrite(f *field, beside func(*store.Tx) error) error {
	t, g := f.Means.Type, documents.Change{Beside: beside}
	id, err := r.Argument(f.Field, "documentId")
	if err != nil {
		return err
	}
	data, err := r.Argument(f.Field, "data")
	if err != nil {
		return err
	}
	g.DocumentID = raw(id)
	g.Data = func() (body.Value, error) {
		w := inputWriter{schema: r.schema}
		text := w.append(nil, r.schema.ast.Types[typeName(t)+"Input"], data)
		return body.OfJSON(text), w.err
	}
	prepare := r.call.Update
	switch f.Means.Op {
	case Create:
		prepare = r.call.Create
	case Delete:
		prepare = r.call.Delete
	}
	if g.Arguments.Tree, g.Shape, err = r.Tree(f.Selected); err == nil {
		f.write, err = prepare(t, g)
	}
	return err
}

// isMissing reports whether a document does not exist for the caller: as in Strapi, that is
// null and no error.
func isMissing(err error) bool {
	p := documents.Explain(err)
	return p != nil && p.Kind == documents.NotFound
}

// errorOf returns the error of a response for the error of a field at the top.
func errorOf(err error, root *Selected, host Host) *Error {
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
	p := host.Explain(err)
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
