package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/schema"
	"quire/server"
)

// The page of a document beside its form: a preview link whose holder sees the form as it is
// typed. Only the account that opened it can change or close it.

func previewRoutes() []Route {
	return []Route{
		{Method: http.MethodPost, Path: "/previews", Quiet: true, handler: openPreview, summary: "Open a preview of a form that is not saved", in: previewForm{}, out: previewOf{}},
		{Method: http.MethodPut, Path: "/previews/:id", Quiet: true, handler: changePreview, summary: "Show in a preview what the form has now", in: previewValues{}, out: previewOf{}},
		{Method: http.MethodDelete, Path: "/previews/:id", Quiet: true, handler: closePreview, summary: "Close a preview"},
	}
}

// previewForm says which document a form is about, and what it has. A new document has no id.
type previewForm struct {
	UID        string          `json:"uid"`
	DocumentID string          `json:"documentId"`
	Locale     string          `json:"locale"`
	Data       json.RawMessage `json:"data"`
}

// previewValues are the values that would be saved; null to show what is stored.
type previewValues struct {
	Data json.RawMessage `json:"data"`
}

// previewOf is a preview. Its address contains its token.
type previewOf struct {
	ID        string     `json:"id"`
	URL       string     `json:"url"`
	ExpiresAt *time.Time `json:"expiresAt,omitempty"` // of a new one
}

// readPreview reads a body with the values of a form.
func (x *request) readPreview(form any) error {
	text, err := x.admin.Server.ReadJSON(x.http, documents.MostFormBytes+formBytes)
	if err != nil {
		return err
	}
	return decode(text, form)
}

// openPreview makes a preview link with a form, which the account may save.
func openPreview(x *request) error {
	var given previewForm
	if err := x.readPreview(&given); err != nil {
		return err
	}
	t, err := x.previewedType(&given)
	if err != nil {
		return err
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	if !call.Caller.HasPermission(auth.Permission{UID: t.UID, Action: schema.PreviewLink}) {
		return refusedRight()
	}
	f := call.NewForm(t, given.DocumentID, given.Locale)
	var expires time.Time
	f.Token, expires, err = x.admin.Auth.PreviewLink(x.session.Identity(), auth.Preview{Type: t.UID, DocumentID: f.DocumentID, Form: f.ID}, auth.DefaultPreview)
	if err != nil {
		return err
	}
	return x.showForm(call, f, given.Data, &expires)
}

// previewedType returns the type of a document that a preview is requested of.
func (x *request) previewedType(p *previewForm) (*schema.Type, error) {
	t, err := x.readableType(p.UID)
	settings := &x.admin.Server.Site(x.http).Settings
	switch {
	case err != nil:
		return nil, err
	case noDocument(p.DocumentID) || !isLine(p.DocumentID) || t.Kind == schema.Single && p.DocumentID != "":
		return nil, notFound()
	case p.Locale != "" && !settings.HasLocale(p.Locale):
		return nil, server.KeyProblem("locale", fmt.Sprintf("The site has no locale %.40q", p.Locale))
	}
	if !t.Localized {
		p.Locale = ""
	}
	return t, nil
}

// showForm makes the previews of a form show its values, and answers with the address, which
// may depend on them.
func (x *request) showForm(call *documents.Call, f *documents.Form, data json.RawMessage, expires *time.Time) error {
	if string(data) == "null" {
		data = nil
	}
	if len(data) > documents.MostFormBytes {
		return server.Problem(http.StatusRequestEntityTooLarge, "PayloadTooLargeError", fmt.Sprintf("A form in a preview has at most %d bytes", documents.MostFormBytes), nil)
	}
	address, shown := x.admin.Server.Site(x.http).Settings.Previews[f.Type.UID]
	if !shown {
		return server.KeyProblem("uid", "site.json has no address for previews of this type")
	}
	if err := call.Imagine(x.http.Context(), f, data); err != nil {
		return err
	}
	values, err := call.PreviewForm(x.http.Context(), f, address.Placeholders())
	if err != nil {
		return err
	}
	url, err := address.Fill(values, f.Token)
	if err != nil {
		return err
	}
	call.SetForm(f, data)
	return x.data(previewOf{f.ID, url, expires})
}

func changePreview(x *request) error {
	var given previewValues
	if err := x.readPreview(&given); err != nil {
		return err
	}
	call, f, err := x.ownPreview()
	if err != nil {
		return err
	}
	return x.showForm(call, f, given.Data, nil)
}

func closePreview(x *request) error {
	call, f, err := x.ownPreview()
	if err == nil {
		err = call.CloseForm(f.ID)
	}
	if err != nil {
		return err
	}
	return x.empty()
}

// ownPreview finds the form of a preview that the account has opened, of a type that it may
// still read.
func (x *request) ownPreview() (*documents.Call, *documents.Form, error) {
	call, err := x.call()
	if err != nil {
		return nil, nil, err
	}
	f, err := call.Form(x.params.ByName("id"))
	if err != nil {
		return nil, nil, err
	}
	now := *f
	now.Type, err = x.readableType(f.Type.UID)
	return call, &now, err
}
