package admin

import (
	"fmt"
	"net/http"
	"strings"

	"quire/auth"
	"quire/schema"
	"quire/server"
)

// One stream sends a page the changes, and who else has the same document open.

func liveRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/live", handler: listen,
			summary: "Hear what changes, and who has a document open", query: []string{"uid", "documentId", "locale", "device", "since"}, media: "text/event-stream"},
		{Method: http.MethodPut, Path: "/live/:stream", Quiet: true, handler: setEditing, summary: "Say where one is typing", in: editingForm{}},
	}
}

// newDocument begins the name of a document that is not created yet. Nobody else can have
// it open.
const newDocument = "new-"

// streamBytes is the length of the name of a stream, in random bytes.
const streamBytes = 16

func listen(x *request) error {
	parameters := x.http.URL.Query()
	p := server.Presence{
		Stream: auth.RandomText(streamBytes), Account: x.session.Account.ID, Name: x.session.Account.Name,
		Device: parameters.Get("device"),
	}
	if !isLine(p.Device) {
		return queryProblem("device", fmt.Sprintf("device is one line of at most %d bytes", longestText))
	}
	if uid, documentID := parameters.Get("uid"), parameters.Get("documentId"); uid != "" && !strings.HasPrefix(documentID, newDocument) {
		if err := x.open(&p, uid, documentID); err != nil {
			return err
		}
	}
	x.admin.Server.ServeChanges(x.http, x.admin.identify(x.token), p)
	return nil
}

// open marks the account as present in a document that it may read.
func (x *request) open(p *server.Presence, uid, documentID string) error {
	t, err := x.readableType(uid)
	if err != nil {
		return err
	}
	if p.Locale, err = x.readLocale(t); err != nil {
		return err
	}
	p.UID, p.DocumentID = t.UID, documentID
	if t.Kind == schema.Single {
		p.DocumentID = "" // it has one at most
		return nil
	}
	if documentID == "" || noDocument(documentID) {
		return notFound()
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	states, err := call.States(x.http.Context(), t, documentID)
	if err == nil && len(states) == 0 {
		err = notFound()
	}
	return err
}

// Limits of the paths that somebody is editing.
const (
	mostEditing = 8
	longestPath = 200 // bytes
)

// editingForm has the paths of the attributes that somebody is editing.
type editingForm struct {
	Editing []string `json:"editing"`
}

// setEditing sets which attributes the account is editing.
func setEditing(x *request) error {
	var f editingForm
	if err := x.readForm(&f); err != nil {
		return err
	}
	for _, path := range f.Editing {
		if len(f.Editing) > mostEditing || len(path) > longestPath {
			return server.KeyProblem("editing", fmt.Sprintf("editing is a list of at most %d paths of %d bytes", mostEditing, longestPath))
		}
	}
	if !x.admin.Server.SetEditing(x.http, x.params.ByName("stream"), x.session.Account.ID, f.Editing) {
		return notFound()
	}
	return x.empty()
}
