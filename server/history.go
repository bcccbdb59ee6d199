package server

import (
	"net/http"

	"quire/auth"
	"quire/documents"
	"quire/schema"
)

// historyRoutes are the routes of the former versions of a type. path leads to a document.
func historyRoutes(t *schema.Type, path string) []Route {
	h := &contentType{t}
	p := auth.Permission{UID: t.UID, Action: schema.ReadHistory}
	return []Route{
		{Method: http.MethodGet, Path: path + "/history", Permission: p, takes: versionKeys, handler: h.listHistory},
		{Method: http.MethodGet, Path: path + "/history/:revision", Permission: p, takes: append([]string{"diff"}, versionKeys...), handler: h.findVersion},
		{Method: http.MethodPost, Path: path + "/history/:revision/restore", Permission: p, versioned: true, takes: append([]string{"fields", "populate"}, versionKeys...), handler: preparation(h.restore).handle},
	}
}

func (c *contentType) history(x *request) (*documents.History, error) {
	return x.call.History(x.http.Context(), c.t, c.documentOf(x), x.arguments())
}

// listHistory responds with the versions of a document, newest first.
func (c *contentType) listHistory(x *request) error {
	h, err := c.history(x)
	if err != nil {
		return err
	}
	x.buffer = h.Append(x.scratch())
	x.json(http.StatusOK, x.buffer)
	return nil
}

// findVersion responds with one version of a document, or with the differences between two.
func (c *contentType) findVersion(x *request) (err error) {
	x.buffer, err = x.call.AppendVersion(x.http.Context(), c.t, c.documentOf(x), x.params.ByName("revision"), x.arguments(), x.scratch())
	if err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}

// restore prepares to restore a version of the document.
func (c *contentType) restore(x *request) (*documents.Write, error) {
	h, err := c.history(x)
	if err != nil {
		return nil, err
	}
	g, err := c.change(x)
	if err == nil {
		_, err = readWhen(x, false)
	}
	if err != nil {
		return nil, err
	}
	return h.Restore(x.params.ByName("revision"), g)
}
