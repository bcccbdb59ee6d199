package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"quire/auth/people/desk"
	"quire/documents"
	"quire/server"
)

// What accounts have on their desks: preferences, and unsaved forms. Each account sees only
// its own.

func deskRoutes() []Route {
	routes := []Route{
		{Method: http.MethodGet, Path: "/preferences", handler: showPreferences, summary: "The account's preferences", out: map[string]any{}},
		{Method: http.MethodPut, Path: "/preferences", Quiet: true, handler: setPreferences, summary: "Store the account's preferences", in: map[string]any{}, out: map[string]any{}},
		{Method: http.MethodGet, Path: "/autosaves", handler: listAutosaves, summary: "List the forms that are not saved", out: []autosaveLine{}},
	}
	locale := []string{"locale"}
	for _, of := range []string{" of a single type", ""} {
		one := "/autosaves/:uid"
		if of == "" {
			one += "/:documentId"
		}
		routes = append(routes,
			Route{Method: http.MethodGet, Path: one, handler: findAutosave, summary: "Read a form" + of + " that is not saved", query: locale, out: autosaveOf{}},
			Route{Method: http.MethodPut, Path: one, Quiet: true, handler: putAutosave, summary: "Keep a form" + of + " that is not saved", query: locale, in: autosaveForm{}, out: savedOf{}},
			Route{Method: http.MethodDelete, Path: one, Quiet: true, handler: discardAutosave, summary: "Discard a form" + of + " that is not saved", query: locale},
		)
	}
	return routes
}

func showPreferences(x *request) error {
	text, err := x.admin.Desk.Preferences(x.session.Account.ID)
	if err != nil {
		return err
	}
	if text == nil {
		text = []byte("{}")
	}
	return x.data(json.RawMessage(text))
}

// setPreferences takes one JSON object with any content.
func setPreferences(x *request) error {
	text, err := x.admin.Server.ReadJSON(x.http, desk.MostPreferences)
	if err != nil {
		return err
	}
	var object map[string]json.RawMessage
	if json.Unmarshal(text, &object) != nil || object == nil {
		return invalid("The body must be one JSON object")
	}
	if err := x.admin.Desk.SetPreferences(x.session.Account.ID, text); err != nil {
		return err
	}
	return x.data(json.RawMessage(text))
}

// autosaveOf is an autosave as shown to its account.
type autosaveOf struct {
	Form    json.RawMessage `json:"form"`
	Base    *uint64         `json:"base"`
	Device  string          `json:"device"`
	Title   string          `json:"title"`
	SavedAt time.Time       `json:"savedAt"`
}

// autosaveLine is one line of the list.
type autosaveLine struct {
	UID        string    `json:"uid"`
	DocumentID *string   `json:"documentId"` // null for single types
	Locale     *string   `json:"locale"`
	Title      string    `json:"title"`
	Device     string    `json:"device"`
	SavedAt    time.Time `json:"savedAt"`
}

func showAutosave(a *desk.Autosave) *autosaveOf {
	shown := &autosaveOf{Form: a.Form, Device: a.Device, Title: a.Title, SavedAt: a.SavedAt}
	if a.Base > 0 {
		shown.Base = &a.Base
	}
	return shown
}

// listAutosaves lists autosaves of types that the account may still read.
func listAutosaves(x *request) error {
	all, err := x.ownAutosaves()
	if err != nil {
		return err
	}
	list := []autosaveLine{}
	for _, a := range all {
		list = append(list, autosaveLine{a.UID, documents.NullIfEmpty(a.DocumentID), documents.NullIfEmpty(a.Locale), a.Title, a.Device, a.SavedAt})
	}
	return x.data(list)
}

func (x *request) ownAutosaves() (list []*desk.Autosave, err error) {
	all, err := x.admin.Desk.Autosaves(x.session.Account.ID)
	for _, a := range all {
		if _, err := x.readableType(a.UID); err == nil {
			list = append(list, a)
		}
	}
	return list, err
}

// longestText limits ids, titles and names of devices, in bytes.
const longestText = 255

// isLine reports whether a text is one line of at most longestText bytes.
func isLine(text string) bool {
	return len(text) <= longestText && utf8.ValidString(text) && !strings.ContainsFunc(text, unicode.IsControl)
}

func findAutosave(x *request) error {
	d, err := x.readDocument()
	if err != nil {
		return err
	}
	a, err := x.admin.Desk.Autosave(x.session.Account.ID, d.place)
	switch {
	case err != nil:
		return err
	case a == nil:
		return notFound()
	}
	return x.data(showAutosave(a))
}

// autosaveForm is the form to store.
type autosaveForm struct {
	Form   json.RawMessage `json:"form"`
	Base   *uint64         `json:"base"`
	Device string          `json:"device"`
	Title  string          `json:"title"`
}

// putAutosave stores a form, and replaces the one before it.
func putAutosave(x *request) error {
	d, err := x.readDocument()
	if err != nil {
		return err
	}
	text, err := x.admin.Server.ReadJSON(x.http, desk.MostForm+formBytes)
	if err != nil {
		return err
	}
	var f autosaveForm
	if err := decode(text, &f); err != nil {
		return err
	}
	switch {
	case len(f.Form) == 0:
		return server.KeyProblem("form", "form is missing")
	case len(f.Form) > desk.MostForm:
		return server.Problem(http.StatusRequestEntityTooLarge, "PayloadTooLargeError", fmt.Sprintf("A form that is not saved has at most %d bytes", desk.MostForm), nil)
	case len(f.Device) > longestText:
		return server.KeyProblem("device", fmt.Sprintf("device has at most %d bytes", longestText))
	case len(f.Title) > longestText:
		return server.KeyProblem("title", fmt.Sprintf("title has at most %d bytes", longestText))
	}
	a := desk.Autosave{AutosaveKey: d.place, Title: f.Title, Device: f.Device, Form: f.Form}
	if f.Base != nil {
		a.Base = *f.Base
	}
	at, err := x.admin.Desk.Save(x.session.Account.ID, a)
	if err != nil {
		return err
	}
	return x.data(savedOf{at})
}

// savedOf says when a form was stored.
type savedOf struct {
	SavedAt time.Time `json:"savedAt"`
}

func discardAutosave(x *request) error {
	d, err := x.readDocument()
	if err == nil {
		err = x.admin.Desk.Discard(x.session.Account.ID, d.place)
	}
	return x.done(err)
}
