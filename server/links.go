package server

import (
	"context"
	"net/http"

	"quire/auth"
	"quire/index"
	"quire/media"
	"quire/query"
	"quire/schema"
)

// Incoming links: a caller who may read a document may list the links to it, and sees the
// entries that it may read.

// linksRoute is the route of the links to a document of a type. path leads to the document.
func linksRoute(t *schema.Type, path string) Route {
	action := schema.FindOne
	if t.Kind == schema.Single {
		action = schema.Find
	}
	h := &contentType{t}
	return Route{Method: http.MethodGet, Path: path + "/links", Permission: auth.Permission{UID: t.UID, Action: action}, handler: h.links}
}

// links answers GET on links below a document.
func (c *contentType) links(x *exchange) error {
	s := x.edition.index.Snapshot()
	if c.t.Kind == schema.Single {
		documentID, _ := s.SingleDocument(c.t)
		return x.answerLinks(c.t, s, documentID, notFound())
	}
	return x.answerLinks(c.t, s, x.params.ByName("documentId"), notFound())
}

// fileLinks answers GET on links below a file.
func fileLinks(x *exchange) error {
	documentID, ok := x.edition.library.Find(x.params[0].Value)
	if !ok {
		return media.ErrNotFound
	}
	return x.answerLinks(x.edition.files(), x.edition.index.Snapshot(), documentID, media.ErrNotFound)
}

// answerLinks responds with the links to a document, or with missing if there is no such
// document.
func (x *exchange) answerLinks(t *schema.Type, s *index.Snapshot, documentID string, missing error) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	l, err := x.edition.compiler.CompileLinking(t, params, x.caller)
	x.watch.compile = x.watch.lap()
	if err != nil {
		return err
	}
	x.observe(l.Query())
	if x.unchanged(l.Query(), s) {
		return nil
	}
	show := func(_ *query.Query, ctx context.Context, s *index.Snapshot, documentID string, dst []byte) ([]byte, bool, error) {
		return l.Append(ctx, s, documentID, dst)
	}
	return x.answerOneAt(l.Query(), l.Cost(s, documentID), s, documentID, show, missing)
}
