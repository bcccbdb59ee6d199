package server

import (
	"net/http"

	"quire/auth"
	"quire/content"
	"quire/documents"
	"quire/media"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/store"
)

// uploadRoutes are the routes of the media library. As in Strapi, their responses have no
// envelope, except for pages.
func uploadRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/api/upload", Permission: auth.Upload, lenient: true, handler: upload},
		{Method: http.MethodGet, Path: "/api/upload/files", Permission: auth.FindFiles, lenient: true, handler: findFiles},
		{Method: http.MethodGet, Path: "/api/upload/files/page", Permission: auth.FindFiles, takes: append([]string{"links"}, fileKeys...), handler: findFilesPage},
		{Method: http.MethodGet, Path: "/api/upload/files/:id", Permission: auth.FindOneFile, lenient: true, handler: findFile},
		{Method: http.MethodGet, Path: "/api/upload/files/:id/links", Permission: auth.FindOneFile, takes: []string{"pagination"}, handler: fileLinks},
		{Method: http.MethodPost, Path: "/api/upload/files/:id/pictures", Permission: auth.SignPictures, handler: signPictures},
		{Method: http.MethodPut, Path: "/api/upload/files/:id/edit", Permission: auth.Upload, handler: editFile},
		{Method: http.MethodDelete, Path: "/api/upload/files/:id/edit", Permission: auth.Upload, handler: restoreFile},
		{Method: http.MethodDelete, Path: "/api/upload/files/:id", Permission: auth.DeleteFile, lenient: true, handler: deleteFile},
		{Method: http.MethodGet, Path: "/uploads/*name", Open: true, lenient: true, handler: serveFile},
	}
}

// notSigned is a member of files at the endpoints of the library. Strapi signs the urls of
// files at a provider; Quire signs none.
const notSigned = `,"isUrlSigned":false`

// files is the type of the records of files.
func (e *siteVersion) files() *schema.Type { return e.schema.Type(schema.FileUID) }

// fileQuery resolves the query of a request for files.
func (x *request) fileQuery() (*query.Query, error) {
	params, err := x.query()
	if err != nil {
		return nil, err
	}
	return x.compileFiles(params)
}

func (x *request) compileFiles(params *params.Node) (*query.Query, error) {
	return x.call.Compile(x.site.files(), params, query.Options{Bare: true, Extra: notSigned})
}

// findFiles responds with all files that match.
func findFiles(x *request) error {
	q, err := x.fileQuery()
	return x.answer(x.call.List(q), err)
}

// findFilesPage responds with a page of files, in an envelope.
func findFilesPage(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	links := params.Get("links")
	unlinked := links != nil && x.caller.IsAdmin()
	if unlinked && (!links.IsText() || links.Text != "none") {
		return &problem{http.StatusBadRequest, "ValidationError", "links must be none, or be left out", documents.QueryKey{Key: "links", Source: "query", Param: "links"}}
	}
	q, err := x.call.Compile(x.site.files(), params.Without("links"), query.Options{Extra: notSigned, Unlinked: unlinked})
	return x.answer(x.call.Page(q), err)
}

// findFile responds with the file of an id.
func findFile(x *request) error {
	q, err := x.fileQuery()
	if err != nil {
		return err
	}
	documentID, ok := x.site.library.Find(x.params[0].Value)
	if !ok {
		return media.ErrNotFound
	}
	return x.answer(x.call.One(q, documentID, media.ErrNotFound), nil)
}

// deleteFile deletes a file, and responds with its last record.
func deleteFile(x *request) error {
	documentID, ok := x.site.library.Find(x.params[0].Value)
	if !ok {
		return media.ErrNotFound
	}
	q, err := x.compileFiles(nil)
	if err != nil {
		return err
	}
	before := content.Result{DocumentID: documentID, Snapshot: x.site.index.Snapshot()}
	last, err := x.appendFile(x.scratch(), q, before)
	if err != nil {
		return err
	}
	if err := x.site.library.Delete(x.http.Context(), documentID); err != nil {
		return err
	}
	x.buffer = last
	x.json(http.StatusOK, x.buffer)
	return nil
}

// appendFile appends the record of a file that was written. Nothing is populated in it, so
// it needs no limits.
func (x *request) appendFile(dst []byte, q *query.Query, r content.Result) ([]byte, error) {
	dst, found, err := x.appendWritten(q.WithoutPopulate(), dst, func(q *query.Query, dst []byte) ([]byte, bool, error) {
		return q.AppendBareOne(x.http.Context(), r.Snapshot, r.DocumentID, dst)
	})
	if err == nil && !found {
		err = media.ErrNotFound
	}
	return dst, err
}

// upload answers POST: it stores new files or, with an id in the query, changes one.
func upload(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	if id := params.Get("id"); id != nil {
		return x.changeFile(id.Text)
	}
	form, err := x.readForm()
	defer form.discard()
	if err != nil {
		return err
	}
	to, err := x.destination(form)
	if err != nil {
		return err
	}
	results, err := x.site.library.Save(x.http.Context(), form.uploads, to)
	if err != nil {
		return err
	}
	return x.uploaded(results)
}

// uploaded responds with the records of new files.
func (x *request) uploaded(results []content.Result) error {
	q, err := x.compileFiles(nil)
	if err != nil {
		return err
	}
	x.buffer = append(x.scratch(), '[')
	for i, r := range results {
		if i > 0 {
			x.buffer = append(x.buffer, ',')
		}
		if x.buffer, err = x.appendFile(x.buffer, q, r); err != nil {
			return err
		}
	}
	x.buffer = append(x.buffer, ']')
	x.json(http.StatusCreated, x.buffer)
	return nil
}

// changeFile changes the information about a file, and replaces the file if the form has
// one.
func (x *request) changeFile(id string) error {
	library := x.site.library
	documentID, err := x.changedID(id)
	if err != nil {
		return err
	}
	form, err := x.readForm()
	defer form.discard()
	if err != nil {
		return err
	}
	result := content.Result{DocumentID: documentID, Snapshot: x.site.index.Snapshot()}
	switch {
	case len(form.uploads) > 1:
		return invalid("Cannot replace a file with multiple ones")
	case len(form.uploads) == 1:
		result, err = library.Replace(x.http.Context(), documentID, form.uploads[0])
	case len(form.infos) > 0:
		result, err = library.Describe(x.http.Context(), documentID, form.infos[0])
	}
	if err != nil {
		return err
	}
	return x.changedFile(result)
}

// changedID finds a file that is to be changed. Who may upload files and not find them finds no
// private one here either, because a change shows the file, or moves it out of its folder.
func (x *request) changedID(id string) (documentID string, err error) {
	documentID, ok := x.site.library.Find(id)
	file, found := x.site.index.Snapshot().Lookup(x.site.files(), store.Published).ByDocument(documentID, "")
	finds := x.caller.HasPermission(auth.FindFiles) || x.caller.HasPermission(auth.FindOneFile)
	if !ok || !found || !finds && file.IsPrivate() {
		return "", media.ErrNotFound
	}
	return documentID, nil
}

// changedFile responds with the record of a changed file.
func (x *request) changedFile(result content.Result) error {
	q, err := x.compileFiles(nil)
	if err != nil {
		return err
	}
	if x.buffer, err = x.appendFile(x.scratch(), q, result); err != nil {
		return err
	}
	x.json(http.StatusOK, x.buffer)
	return nil
}
