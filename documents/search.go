package documents

import (
	"context"
	"slices"

	"quire/index"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// Search finds entries of a collection by the words of a language, best first. The defaults of
// site.json apply, but for the order.
func (c *Call) Search(t *schema.Type, a Arguments) (*Read, error) {
	return c.search(t, a, func(s *query.Search, drafts bool) appending {
		return func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
			dst, missed, err := s.Append(ctx, c.Snapshot(), dst)
			if missed && !drafts {
				r.missed = s.Text()
			}
			return dst, true, err
		}
	})
}

// Suggest returns what the text of a search can be continued to.
func (c *Call) Suggest(t *schema.Type, a Arguments) (*Read, error) {
	return c.search(t, a, func(s *query.Search, _ bool) appending {
		return listed(func(_ *query.Query, ctx context.Context, at *index.Snapshot, dst []byte) ([]byte, error) {
			found, err := s.Suggest(ctx, at)
			return query.AppendSuggestions(dst, found), err
		})
	})
}

func (c *Call) search(t *schema.Type, a Arguments, append func(s *query.Search, drafts bool) appending) (*Read, error) {
	if err := c.allow(t, schema.Find); err != nil {
		return nil, err
	}
	tree, err := c.tree(a)
	if err != nil {
		return nil, err
	}
	s, err := c.compileSearch(t, tree)
	if err != nil {
		return nil, err
	}
	return &Read{call: c, query: s.Query(), words: s.Words(), cost: func(_ *Read, enough int) int { return s.Cost(c.Snapshot(), enough) }, append: append(s, asksForDrafts(tree))}, nil
}

func (c *Call) compileSearch(t *schema.Type, tree *params.Node) (*query.Search, error) {
	s, err := c.compiler.CompileSearch(t, WithDefaults(tree, c.defaults[t].list.Without("sort")), c.Caller)
	if err == nil {
		c.Budget.Observe(s.Query())
	}
	return s, err
}

// SearchedTypes returns the types that a search over all types covers and that the caller may
// find, in the version that the arguments name.
func (c *Call) SearchedTypes(tree *params.Node) (types []*schema.Type) {
	chosen := c.Site.Settings.Search.Types
	drafts := asksForDrafts(tree)
	for t := range c.Site.Served() {
		if _, searched := chosen[t.UID]; (searched || chosen == nil) && c.allow(t, schema.Find) == nil && (!drafts || c.seesDrafts(t)) {
			types = append(types, t)
		}
	}
	return types
}

func asksForDrafts(tree *params.Node) bool {
	return tree.Get("status").IsText() && tree.Get("status").Text == "draft"
}

// SearchAll finds entries of several types, which must be some of SearchedTypes. With suggest it
// returns suggestions instead of entries.
func (c *Call) SearchAll(types []*schema.Type, tree *params.Node, suggest bool) (*Read, error) {
	var all query.Searches
	possible, words := c.SearchedTypes(tree), ""
	for _, t := range types {
		if !slices.Contains(possible, t) {
			return nil, forbidden()
		}
		s, err := c.compileSearch(t, tree)
		if err != nil {
			return nil, err
		}
		all, words = append(all, s), words+" "+t.UID+" "+s.Words() // which may have changed since the type before
	}
	if len(all) == 0 {
		return nil, forbidden()
	}
	return &Read{
		call: c, query: all[0].Query(), all: all.Queries(), words: words,
		cost: func(_ *Read, enough int) int { return all.Cost(c.Snapshot(), enough) },
		append: func(r *Read, ctx context.Context, dst []byte) ([]byte, bool, error) {
			if suggest {
				found, err := all.Suggest(ctx, c.Snapshot())
				return query.AppendSuggestions(dst, found), true, err
			}
			dst, missed, err := all.Append(ctx, c.Snapshot(), dst)
			if missed && !asksForDrafts(tree) {
				r.missed = all[0].Text()
			}
			return dst, true, err
		},
	}, nil
}
