package query

import (
	"fmt"

	"quire/query/params"
	"quire/schema"
)

// A query can be for a caller who may read only one document, for example one with a
// preview link. It then finds that document, in all its locales, and nothing else of its
// type; by default it reads the draft. It populates what other queries do, with one limit:
// if a relation is visible from both sides, the list on either side shows what others have
// linked together. Such a list of the document itself is part of the document. Behind it,
// it would lead from an article to its author and on to everything that the author has
// written, so there it is not shown.
//
// Filters and sort may follow what populate may follow, so that they reveal nothing that
// populate would not show. Parameters that depend on all entries of the type are refused,
// for example _q, whose ranks count words in all of them.

// PreviewError: the query requests something that a caller who may read only one document
// may not know.
type PreviewError struct{ What string }

func (e *PreviewError) Error() string {
	return "A preview link reads one document and what it leads to; it takes no " + e.What
}

// notInPreview are the parameters that depend on other documents.
var notInPreview = []string{"_q", "publicationFilter", "hasPublishedVersion", "include"}

// compilePreview returns the condition that limits the query to the one document, nil if it
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

// bothOf returns the condition that both are true; nil is always true.
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
// the entries of the query.
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
