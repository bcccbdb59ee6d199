package admin

import (
	"net/http"
	"net/url"
	"strings"
)

// The media library: its routes lead to routes of the content API that answer only accounts
// of the admin, and are checked there. Changes first pass the checks of every request to
// the admin's own API.

func mediaRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/media/files", handler: toContent("/upload/files/page")},
		{Method: http.MethodGet, Path: "/media/files/:id/links", handler: toContent("/upload/files/:id/links")},
		{Method: http.MethodGet, Path: "/media/folders", handler: toContent("/upload/folders")},
		{Method: http.MethodPost, Path: "/media/folders", handler: toContent("/upload/folders")},
		{Method: http.MethodPut, Path: "/media/folders/:id", handler: toContent("/upload/folders/:id")},
		{Method: http.MethodPost, Path: "/media/move", handler: toContent("/upload/_move")},
		{Method: http.MethodPost, Path: "/media/describe", handler: toContent("/upload/_describe")},
		{Method: http.MethodPost, Path: "/media/delete", handler: toContent("/upload/_delete")},
		{Method: http.MethodPost, Path: "/media/uploads", handler: toContent("/upload/_parts")},
		{Method: http.MethodGet, Path: "/media/uploads/:id", OneNode: true, handler: toContent("/upload/_parts/:id")},
		{Method: http.MethodPut, Path: "/media/uploads/:id", handler: toContent("/upload/_parts/:id")},
		{Method: http.MethodDelete, Path: "/media/uploads/:id", handler: toContent("/upload/_parts/:id")},
	}
}

// toContent returns a handler that makes the content API answer a path below /api, in the
// name of the account.
func toContent(path string) handler {
	return func(x *request) error {
		id := x.params.ByName("id")
		if strings.Contains(id, "/") {
			return notFound()
		}
		u := *x.http.URL
		u.Path, u.RawPath = "/api"+strings.Replace(path, ":id", url.PathEscape(id), 1), ""
		r := shallow(x.http)
		r.URL = &u
		x.admin.Server.ServeAs(x.writer, r, x.admin.identify(x.token))
		return nil
	}
}
