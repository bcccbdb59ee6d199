package documents

import (
	"context"

	"quire/auth"
	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Reads and writes whose responses have the form of a [query.Shape], as GraphQL asks for
// them. The defaults of site.json do not apply: the client names what it wants.

// Shaped is what a read asks for: a tree and its shape. A read with the same Key is not
// compiled again for a caller with the same rights. It has no Key if it is never repeated.
type Shaped struct {
	Key  string
	Tree func() (*params.Node, *query.Shape, error)
}

// FindShaped reads a list. What it cannot show is added to f.
func (c *Call) FindShaped(t *schema.Type, s Shaped, f *query.Faults) (*Read, error) {
	q, err := c.CompileShaped(t, schema.Find, s)
	return &Read{call: c, query: q, cost: costOfList, append: func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
		dst, err := r.query.AppendShaped(ctx, c.Snapshot(), f, dst)
		return dst, true, err
	}}, err
}

// FindOneShaped reads a document of a collection, or of a single type.
func (c *Call) FindOneShaped(t *schema.Type, documentID string, s Shaped, f *query.Faults) (*Read, error) {
	q, err := c.CompileShaped(t, t.ReadOne(), s)
	if err != nil {
		return nil, err
	}
	return &Read{
		call: c, query: q, documentID: c.Document(t, documentID), one: true, cost: costOfOne, missing: notFound(),
		append: shown(func(q *query.Query, ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
			return q.AppendShapedOne(ctx, s, documentID, f, dst)
		}),
	}, nil
}

// CompileShaped compiles a read for a caller who may do it.
func (c *Call) CompileShaped(t *schema.Type, a schema.Action, s Shaped) (*query.Query, error) {
	if err := c.allowShaped(t, a); err != nil {
		return nil, err
	}
	compile := func() (*query.Query, error) {
		tree, shape, err := s.Tree()
		if err != nil {
			return nil, err
		}
		return c.compile(t, tree, query.Options{Shape: shape})
	}
	if s.Key == "" {
		return c.observed(compile())
	}
	return c.cached(compiledKey{t: t, rights: *c.Caller.Rights(), shaped: true, params: s.Key}, compile)
}

// allowShaped is allow for documents, and for files, which have permissions of their own.
func (c *Call) allowShaped(t *schema.Type, a schema.Action) error {
	p := auth.FindFiles
	switch {
	case t.UID != schema.FileUID:
		return c.allow(t, a)
	case a == schema.FindOne:
		p = auth.FindOneFile
	}
	if c.Caller.Preview() != nil || !c.Caller.HasPermission(p) {
		return forbidden()
	}
	return nil
}

// CompileWritten compiles the response to a write that is not one of documents, such as of a
// user, and starts it. The permission for the write is checked elsewhere.
func (c *Call) CompileWritten(ctx context.Context, t *schema.Type, tree func() (*params.Node, *query.Shape, error)) (*query.Query, error) {
	n, shape, err := tree()
	if err != nil {
		return nil, err
	}
	q, err := c.Compile(t, n, query.Options{Write: true, Shape: shape})
	if err != nil {
		return nil, err
	}
	return q, c.Budget.Begin(ctx, q.CostOfOne(c.Snapshot()), q)
}

// AppendShaped is Append for a write with a Shape.
func (w *Write) AppendShaped(ctx context.Context, f *query.Faults, dst []byte) (_ []byte, omitted string, err error) {
	return w.call.AppendShapedEntry(ctx, w.query, w.result.Snapshot, w.key(), w.knows(), f, dst)
}

// AppendShapedEntry appends an entry that was just written, or less if necessary. It appends
// null if a later write has removed the entry. known is that of [query.Query.AppendEntry].
func (c *Call) AppendShapedEntry(ctx context.Context, q *query.Query, s *index.Snapshot, k store.Key, known func(*schema.Attribute) bool, f *query.Faults, dst []byte) (_ []byte, omitted string, err error) {
	faults := len(f.All)
	dst, omitted, found, err := c.AppendWritten(q, dst, func(q *query.Query, dst []byte) ([]byte, bool, error) {
		f.All = f.All[:faults]
		return q.AppendShapedEntry(ctx, s, k, known, f, dst)
	})
	if err == nil && !found {
		dst = append(dst, "null"...)
	}
	return dst, omitted, err
}
