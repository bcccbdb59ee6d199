package query

import (
	"fmt"

	"quire/query/params"
	"quire/schema"
)

// A query can be for somebody who may read one document alone, such as whoever has a
// preview link. It then finds that document, in all its locales, and nothing else of its
// type; unless it says otherwise it reads the draft. What it populates is that of other
// queries, up to one bound: where a relation is seen from both sides, the list on either
// side shows what others have linked together. Such a list of the document itself is part
// of the document. Behind it, it would lead from an article to its author and on to all
// that the author has written, so there it is not shown.
//
// Filters and sort go where populate goes and no further, so that they answer nothing
// that populate would not show. Of what depends on all entries of the type, such as _q,
// whose ranks count words in all of them, there is none.

// PreviewError: the query asks for what somebody who may read one document alone may not
// know.
type PreviewError struct{ What string }

func (e *PreviewError) Error() string {
	return "A preview link reads one document and what it leads to; it takes no " + e.What
}

// notInPreview are the parameters that depend on other documents than the one.
var notInPreview = []string{"_q", "publicationFilter", "hasPublishedVersion", "include"}

// compilePreview is the condition that limits the query to the one document, nil where it
// is not limited.
func (c *Compiler) compilePreview(t *schema.Type, n *params.Node, o Options) (condition, error) {
	if o.Document == "" {
		return nil, nil
	}
	for _, key := range notInPreview {
		if n.Get(key) != nil {
			return nil, &PreviewError{key}
		}
	}
	return &compare{t.Attribute("documentId"), test{kind: equals, keys: []string{o.Document}, texts: []string{o.Document}}, false}, nil
}

// bothOf is the condition that both hold; nil ones always do.
func bothOf(a, b condition) condition {
	switch {
	case a == nil:
		return b
	case b == nil:
		return a
	}
	return allOf{a, b}
}

// reaches reports whether the query may follow the attribute. atRoot is for attributes of
// the entries that the query is about.
func (b *compilation) reaches(a *schema.Attribute, atRoot bool) bool {
	return !b.preview || atRoot || a.Relation == nil || !a.Relation.Many() || !a.IsTwoSided() && !a.IsInverse()
}

// mayFollow is reaches for keys of filters and sort.
func (b *compilation) mayFollow(a *schema.Attribute, atRoot bool, param, at string) error {
	if b.reaches(a, atRoot) {
		return nil
	}
	return &PreviewError{fmt.Sprintf("%s through %s", param, at)}
}
