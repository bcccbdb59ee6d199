package server

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"quire/auth"
	"quire/media"
	"quire/query"
	"quire/schema"
)

// Functions of the media library that only accounts of the admin have, in addition to the
// content API: folders, and changes of many files at once.

func libraryRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/api/upload/folders", Permission: auth.FindFiles, inside: true, takes: fileKeys, handler: findFolders},
		{Method: http.MethodPost, Path: "/api/upload/folders", Permission: auth.Upload, inside: true, handler: createFolder},
		{Method: http.MethodPut, Path: "/api/upload/folders/:id", Permission: auth.Upload, inside: true, handler: finding(changeFolder)},
		{Method: http.MethodPost, Path: "/api/upload/_move", Permission: auth.Upload, inside: true, handler: finding(moveFiles)},
		{Method: http.MethodPost, Path: "/api/upload/_describe", Permission: auth.Upload, inside: true, handler: finding(describeFiles)},
		{Method: http.MethodPost, Path: "/api/upload/_delete", Permission: auth.DeleteFile, inside: true, handler: deleteFiles},
		{Method: http.MethodPost, Path: "/api/upload/_parts", Permission: auth.Upload, inside: true, handler: beginPart},
		{Method: http.MethodGet, Path: "/api/upload/_parts/:id", Permission: auth.Upload, inside: true, handler: showPart},
		{Method: http.MethodPut, Path: "/api/upload/_parts/:id", Permission: auth.Upload, inside: true, takes: []string{"offset"}, handler: writePart},
		{Method: http.MethodDelete, Path: "/api/upload/_parts/:id", Permission: auth.Upload, inside: true, handler: giveUpPart},
	}
}

// finding is the handler for callers who may also find files, if some are private. Others could
// make files public that they may not read.
func finding(handler func(*request) error) func(*request) error {
	return func(x *request) error {
		if !x.caller.HasPermission(auth.FindFiles) && x.site.index.Snapshot().HasPrivateFolders() {
			return forbidden()
		}
		return handler(x)
	}
}

// folders is the type of the folders of files.
func (e *siteVersion) folders() *schema.Type { return e.schema.Type(schema.FolderUID) }

// findFolders responds with all folders that match.
func findFolders(x *request) error {
	params, err := x.query()
	if err != nil {
		return err
	}
	q, err := x.call.Compile(x.site.folders(), params, query.Options{Bare: true})
	return x.answer(x.call.List(q), err)
}

func createFolder(x *request) error { return x.saveFolder("", http.StatusCreated) }

func changeFolder(x *request) error {
	documentID, ok := x.site.library.FindFolder(x.params[0].Value)
	if !ok {
		return notFound()
	}
	return x.saveFolder(documentID, http.StatusOK)
}

func (x *request) saveFolder(documentID string, status int) error {
	var form media.FolderForm
	if err := x.readMembers(&form); err != nil {
		return err
	}
	result, err := x.site.library.SaveFolder(x.http.Context(), documentID, form)
	if errors.Is(err, media.ErrNotFound) {
		return notFound()
	}
	if err != nil {
		return err
	}
	q, err := x.call.Compile(x.site.folders(), nil, query.Options{Bare: true})
	if err != nil {
		return err
	}
	var found bool
	x.buffer, found, err = q.AppendBareOne(x.http.Context(), result.Snapshot, result.DocumentID, x.scratch())
	if err != nil {
		return err
	}
	if !found {
		return notFound() // deleted by a write of the same batch
	}
	x.json(status, x.buffer)
	return nil
}

func moveFiles(x *request) error {
	var form media.Moving
	if err := x.readMembers(&form); err != nil {
		return err
	}
	return x.done(x.site.library.Move(x.http.Context(), form))
}

func describeFiles(x *request) error {
	var form media.Describing
	if err := x.readMembers(&form); err != nil {
		return err
	}
	return x.done(x.site.library.DescribeAll(x.http.Context(), form))
}

func deleteFiles(x *request) error {
	var form media.Deleting
	if err := x.readMembers(&form); err != nil {
		return err
	}
	return x.done(x.site.library.DeleteAll(x.http.Context(), form))
}

// done responds to a change that has nothing to show.
func (x *request) done(err error) error {
	if err == nil {
		x.answerEmpty()
	}
	return err
}

// mostMembers is the maximum number of elements and members in the body of a change of many
// files.
const mostMembers = 20_000

// readMembers reads the body, a JSON object, into a form. An unknown key, or a value of
// another type, returns 400 with the key.
func (x *request) readMembers(form any) error {
	kind, text, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return err
	}
	if kind != jsonBody || !bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		return invalid("The body must be one JSON object, and say so in Content-Type")
	}
	if countItems(text) > mostMembers {
		return &problem{http.StatusRequestEntityTooLarge, "PayloadTooLargeError", fmt.Sprintf("The body has more than %d elements and members", mostMembers), none{}}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	err = d.Decode(form)
	var wrong *json.UnmarshalTypeError
	name, unknown := strings.CutPrefix(fmt.Sprint(err), "json: unknown field ")
	switch {
	case unknown:
		name = strings.Trim(name, `"`)
		return KeyProblem(name, fmt.Sprintf("The key %.100q does not belong here", name))
	case errors.As(err, &wrong):
		key := strings.TrimPrefix(wrong.Field, "Selection.") // which is not a key of the body
		return KeyProblem(key, fmt.Sprintf("%s must not be a JSON %s", key, wrong.Value))
	case err != nil:
		return invalid("The body is not valid JSON")
	}
	if _, more := d.Token(); more != io.EOF {
		return invalid("The body must be one JSON object")
	}
	return nil
}
