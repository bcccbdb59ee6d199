package documents

import (
	"context"
	"fmt"
	"strconv"

	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// Arguments are the parameters of a read: a tree, or the query string of a tree. A query
// string that was compiled for a caller with the same rights is not parsed again.
type Arguments struct {
	Tree *params.Node
	Text string
}

// InLocale returns the arguments for a locale; empty for the default one.
func InLocale(locale string) Arguments {
	return Arguments{Tree: localeOr(&params.Node{Kind: params.Object}, locale)}
}

// Parse reads a query string within the limits of the site.
func (s *Service) Parse(text string) (*params.Node, error) {
	return params.Parse(text, queryLimits(s.Site))
}

// Read is a read that has been resolved against the schema and the rights of the caller.
type Read struct {
	call       *Call
	query      *query.Query
	queries    [1]*query.Query // the same, see Append
	all        []*query.Query  // of a search over several types; nil for others
	documentID string          // of the only document in the response; empty for lists
	one        bool            // whether the response is about one document
	cost       costing         // of a run
	append     appending       // the response
	missing    error           // if there is no such document
	words      string          // see Words
	missed     string          // see Missed
}

// costing estimates the cost of a run, see query.Query.Cost.
type costing func(r *Read, enough int) int

// appending appends a response; false if there is nothing to show.
type appending func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error)

// Type returns the content type that the response is about; nil for several.
func (r *Read) Type() *schema.Type {
	if r.all != nil {
		return nil
	}
	return r.query.Type()
}

// parts returns the queries of the read.
func (r *Read) parts() []*query.Query {
	if r.all != nil {
		return r.all
	}
	r.queries[0] = r.query // as a part of the read, the list takes no memory of its own
	return r.queries[:]
}

// Revision returns the revision that the response shows.
func (r *Read) Revision() uint64 { return r.call.Snapshot().Revision() }

// LastChange returns the last commit that changed anything on which the response depends.
func (r *Read) LastChange() (last store.CommitID) {
	for _, q := range r.parts() {
		if one := q.LastChange(r.call.Snapshot()); one.Revision > last.Revision {
			last = one
		}
	}
	return last
}

// Words returns what else the response of a search depends on: the version of the words that
// are set in the admin, and the types if there are several.
func (r *Read) Words() string { return r.words }

// Period returns the period of the signed addresses in the response, on which it depends too;
// empty if it has none.
func (r *Read) Period() string {
	for _, q := range r.parts() {
		if period := q.Period(r.call.Snapshot()); period != 0 {
			return fmt.Sprintf(" addresses of %d", period)
		}
	}
	return ""
}

// Missed returns the text of a search for words that no entry has, outside drafts; empty for others. It is
// known after Append.
func (r *Read) Missed() string { return r.missed }

// Document returns the version of the document that the response is about, as the caller
// may know it, and whether the response depends on nothing else. It is false for a response
// about several documents.
func (r *Read) Document() (version uint64, alone, ok bool) {
	if !r.one {
		return 0, false, false
	}
	return r.call.Version(r.query.Type(), r.documentID), r.query.Alone(), true
}

// Append runs the read and appends its response in JSON. If it fails, the returned slice
// is dst, perhaps grown.
func (r *Read) Append(ctx context.Context, dst []byte) ([]byte, error) {
	b := r.call.Budget
	if err := b.Begin(ctx, r.cost(r, r.call.Site.Settings.Limits.HeavyCost), r.parts()...); err != nil {
		return dst, err
	}
	dst, found, err := r.append(r, ctx, dst)
	b.End()
	if err == nil && !found {
		err = r.missing
	}
	return dst, err
}

func costOfList(r *Read, enough int) int { return r.query.Cost(r.call.Snapshot(), enough) }
func costOfOne(r *Read, _ int) int       { return r.query.CostOfOne(r.call.Snapshot()) }

// listed makes an appending of a list.
func listed(list func(*query.Query, context.Context, *index.Snapshot, []byte) ([]byte, error)) appending {
	return func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
		dst, err := list(r.query, ctx, r.call.Snapshot(), dst)
		return dst, true, err
	}
}

// shown makes an appending of one document.
func shown(show func(*query.Query, context.Context, *index.Snapshot, string, []byte) ([]byte, bool, error)) appending {
	return func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
		return show(r.query, ctx, r.call.Snapshot(), r.documentID, dst)
	}
}

// The forms of responses.
var (
	asList     = listed((*query.Query).AppendList)
	asCount    = listed((*query.Query).AppendCount)
	asBareList = listed((*query.Query).AppendBare)
	asOne      = shown((*query.Query).AppendOne)
	asBareOne  = shown((*query.Query).AppendBareOne)

	asBareCount = listed(func(q *query.Query, ctx context.Context, s *index.Snapshot, dst []byte) ([]byte, error) {
		n, err := q.Count(ctx, s)
		return strconv.AppendInt(dst, int64(n), 10), err
	})
	asEntry = shown(func(q *query.Query, ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
		return q.AppendBareEntry(ctx, s, store.Key{DocumentID: documentID, Status: store.Published}, dst)
	})
)

// Find reads a page of a collection.
func (c *Call) Find(t *schema.Type, a Arguments) (*Read, error) {
	if err := c.allowRead(t, schema.Find, ""); err != nil {
		return nil, err
	}
	q, err := c.compileRead(t, a, c.defaults[t].list)
	return &Read{call: c, query: q, cost: costOfList, append: asList}, err
}

// FindOne reads a document of a collection, or the document of a single type. A single type
// that was never written is handled like one that has only a draft, so that they look the
// same.
func (c *Call) FindOne(t *schema.Type, documentID string, a Arguments) (*Read, error) {
	if err := c.allowRead(t, t.ReadOne(), documentID); err != nil {
		return nil, err
	}
	q, err := c.compileRead(t, a, c.defaults[t].one)
	if err != nil {
		return nil, err
	}
	return &Read{call: c, query: q, documentID: c.Document(t, documentID), one: true, cost: costOfOne, append: asOne, missing: notFound()}, nil
}

// Count reads the number of entries in the list with these arguments.
func (c *Call) Count(t *schema.Type, a Arguments) (*Read, error) {
	if err := c.allow(t, schema.Find); err != nil {
		return nil, err
	}
	q, err := c.compileRead(t, a, c.defaults[t].list)
	cost := func(r *Read, enough int) int { return r.query.CostOfCount(c.Snapshot(), enough) }
	return &Read{call: c, query: q, cost: cost, append: asCount}, err
}

// Aggregate reads aggregates of entries, by group. The defaults of site.json do not apply,
// because they are for entries that are shown.
func (c *Call) Aggregate(t *schema.Type, a Arguments) (*Read, error) {
	if err := c.allow(t, schema.Find); err != nil {
		return nil, err
	}
	tree, err := c.tree(a)
	if err != nil {
		return nil, err
	}
	g, err := c.compiler.CompileAggregate(t, tree, c.Caller)
	if err != nil {
		return nil, err
	}
	c.Budget.Observe(g.Query())
	return &Read{
		call: c, query: g.Query(), cost: func(_ *Read, enough int) int { return g.Cost(c.Snapshot(), enough) },
		append: func(_ *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
			dst, err := g.Append(ctx, c.Snapshot(), dst)
			return dst, true, err
		},
	}, nil
}

// Links reads what links to a document, for a caller who may read the document: the entries
// that it may read. Files have permissions of their own, which the caller of Links checks.
// missing is the error if there is no such document.
func (c *Call) Links(t *schema.Type, documentID string, a Arguments, missing error) (*Read, error) {
	if t.UID != schema.FileUID {
		if err := c.allow(t, t.ReadOne()); err != nil {
			return nil, err
		}
	}
	tree, err := c.tree(a)
	if err != nil {
		return nil, err
	}
	l, err := c.compiler.CompileLinking(t, tree, c.Caller)
	if err != nil {
		return nil, err
	}
	c.Budget.Observe(l.Query())
	return &Read{
		call: c, query: l.Query(), documentID: c.Document(t, documentID), missing: missing,
		cost: func(r *Read, _ int) int { return l.Cost(c.Snapshot(), r.documentID) },
		append: func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
			return l.Append(ctx, c.Snapshot(), r.documentID, dst)
		},
	}, nil
}

// EachLink calls fn with what links to a document, for the first links that Links shows, and
// returns the number of all; 0 if there is no such document.
func (c *Call) EachLink(ctx context.Context, t *schema.Type, documentID string, limit int, fn func(t *schema.Type, documentID string)) (total int, err error) {
	if err := c.allow(t, t.ReadOne()); err != nil {
		return 0, err
	}
	l, err := c.compiler.CompileLinking(t, (*params.Node)(nil).With("pagination", number("limit", limit)), c.Caller)
	if err != nil {
		return 0, err
	}
	if err := c.Budget.Begin(ctx, l.Cost(c.Snapshot(), documentID), l.Query()); err != nil {
		return 0, err
	}
	defer c.Budget.End()
	total, _, err = l.Each(ctx, c.Snapshot(), documentID, func(k query.Link) { fn(k.Type, k.DocumentID) })
	return total, err
}

// List reads entries without an envelope, as users and files are shown. Their own endpoints
// check the permission.
func (c *Call) List(q *query.Query) *Read {
	return &Read{call: c, query: q, cost: costOfList, append: asBareList}
}

// BareCount reads the number of entries, without an envelope.
func (c *Call) BareCount(q *query.Query) *Read {
	return &Read{call: c, query: q, cost: costOfList, append: asBareCount}
}

// Page is List with the envelope of a list of documents.
func (c *Call) Page(q *query.Query) *Read {
	return &Read{call: c, query: q, cost: costOfList, append: asList}
}

// One reads an entry without an envelope; missing is the error if the query does not find
// it.
func (c *Call) One(q *query.Query, documentID string, missing error) *Read {
	return &Read{call: c, query: q, documentID: documentID, cost: costOfOne, append: asBareOne, missing: missing}
}

// OneEntry is One whatever the filters of the query say.
func (c *Call) OneEntry(q *query.Query, documentID string, missing error) *Read {
	return &Read{call: c, query: q, documentID: documentID, cost: costOfOne, append: asEntry, missing: missing}
}

// tree returns the parsed arguments.
func (c *Call) tree(a Arguments) (*params.Node, error) {
	if a.Tree != nil {
		return a.Tree, nil
	}
	tree, err := c.Parse(a.Text)
	c.Budget.Parsed()
	return tree, err
}

// compileRead compiles a read, unless a compiled query is cached.
func (c *Call) compileRead(t *schema.Type, a Arguments, defaults *params.Node) (*query.Query, error) {
	compile := func() (*query.Query, error) {
		tree, err := c.tree(a)
		if err != nil {
			return nil, err
		}
		return c.compile(t, WithDefaults(tree, defaults), query.Options{V4: c.V4})
	}
	if a.Tree != nil {
		return c.observed(compile())
	}
	return c.cached(compiledKey{t: t, rights: *c.Caller.Rights(), defaults: defaults, v4: c.V4, params: a.Text}, compile)
}

// cached returns a query from the cache, or compiles and caches it.
func (c *Call) cached(key compiledKey, compile func() (*query.Query, error)) (*query.Query, error) {
	q := c.compiled.find(key)
	if q == nil {
		var err error
		if q, err = compile(); err != nil {
			return nil, err
		}
		c.compiled.put(key, q)
	}
	return c.observed(q, nil)
}

// observed returns a copy of a query, for one run.
func (c *Call) observed(q *query.Query, err error) (*query.Query, error) {
	if err != nil {
		return nil, err
	}
	own := *q
	c.Budget.Observe(&own)
	return &own, nil
}
