package admin

import (
	"net/http"
	"net/url"
	"quire/media"
	"strings"
)

// The media library: its routes lead to routes of the content API that answer only accounts
// of the admin, and are checked there. Changes first pass the checks of every request to
// the admin's own API.

func mediaRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/media/files", handler: toContent("/upload/files/page"),
			summary: "List files of the library: parameters as at /api/upload/files/page, and links=none for those to which nothing links", query: []string{"filters", "sort", "fields", "populate", "pagination", "links"}, passed: true, media: "application/json"},
		{Method: http.MethodGet, Path: "/media/files/:id/links", handler: toContent("/upload/files/:id/links"),
			summary: "List what links to a file", query: []string{"pagination"}, passed: true, media: "application/json"},
		{Method: http.MethodGet, Path: "/media/folders", handler: toContent("/upload/folders"),
			summary: "List the folders of files", query: []string{"filters", "sort", "fields", "populate"}, passed: true, media: "application/json"},
		{Method: http.MethodPost, Path: "/media/folders", handler: toContent("/upload/folders"),
			summary: "Make a folder", in: media.FolderForm{}, media: "application/json", status: http.StatusCreated},
		{Method: http.MethodPut, Path: "/media/folders/:id", handler: toContent("/upload/folders/:id"), summary: "Rename or move a folder", in: media.FolderForm{}, media: "application/json"},
		{Method: http.MethodPost, Path: "/media/move", handler: toContent("/upload/_move"), summary: "Move files and folders", in: media.Moving{}},
		{Method: http.MethodPost, Path: "/media/describe", handler: toContent("/upload/_describe"), summary: "Change what is said about files", in: media.Describing{}},
		{Method: http.MethodPost, Path: "/media/delete", handler: toContent("/upload/_delete"), summary: "Delete files and folders", in: media.Deleting{}},
		{Method: http.MethodPost, Path: "/media/uploads", handler: toContent("/upload/_parts"),
			summary: "Begin an upload that comes in pieces", in: media.PartForm{}, media: "application/json", status: http.StatusCreated},
		{Method: http.MethodGet, Path: "/media/uploads/:id", OneNode: true, handler: toContent("/upload/_parts/:id"), summary: "How far an upload is", media: "application/json"},
		{Method: http.MethodPut, Path: "/media/uploads/:id", handler: toContent("/upload/_parts/:id"),
			summary: "Send the next piece of an upload, as it is; the last one makes the file", query: []string{"offset"}, media: "application/json"},
		{Method: http.MethodDelete, Path: "/media/uploads/:id", handler: toContent("/upload/_parts/:id"), summary: "Give an upload up"},
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
