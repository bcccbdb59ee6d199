package admin

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"quire/admin/desk"
	"quire/schema"
)

// One response with all that the editor needs to open a document.

func documentRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/documents/:uid", handler: showDocument},
		{Method: http.MethodGet, Path: "/documents/:uid/:documentId", handler: showDocument},
	}
}

// openedDocument is a document in one locale, as the account sees it.
type openedDocument struct {
	Draft     json.RawMessage `json:"draft"`     // null if there is none, and in types without drafts
	Published json.RawMessage `json:"published"` // null if there is none
	Locales   []stateOf       `json:"locales"`
	Schedules json.RawMessage `json:"schedules"`
	CreatedBy *actorOf        `json:"createdBy"`
	UpdatedBy *actorOf        `json:"updatedBy"`
	Autosave  *autosaveOf     `json:"autosave"`
}

// stateOf is the state of a document in one locale.
type stateOf struct {
	Locale      *string `json:"locale"`
	Status      string  `json:"status"`
	UpdatedAt   string  `json:"updatedAt"`
	PublishedAt *string `json:"publishedAt"`
}

// actorOf is the author of a write.
type actorOf struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`
}

type openedMeta struct {
	Version *uint64        `json:"version"`
	Counts  map[string]int `json:"counts,omitempty"` // number of links of relations that are not shown completely
}

// document is the document of a request.
type document struct {
	t      *schema.Type
	path   string // below /api
	locale string // empty for types that are not localized
	place  desk.Place
}

// readDocument reads which document a request is about. Types that the account may not read
// count as missing.
func (x *exchange) readDocument() (*document, error) {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return nil, err
	}
	d := &document{t: t, path: t.Route()}
	documentID := x.params.ByName("documentId")
	if (t.Kind == schema.Single) != (documentID == "") || noDocument(documentID) || !isLine(documentID) {
		return nil, notFound()
	}
	if documentID != "" {
		d.path += "/" + documentID
	}
	if d.locale, err = x.readLocale(t); err != nil {
		return nil, err
	}
	d.place = desk.Place{UID: t.UID, DocumentID: documentID, Locale: d.locale}
	return d, nil
}

// noDocument reports whether an id cannot be that of a document: one that would be a path
// of the content API, for example _count, or lead below a document.
func noDocument(id string) bool { return strings.HasPrefix(id, "_") || strings.Contains(id, "/") }

// readableType finds a content type that the account may read.
func (x *exchange) readableType(uid string) (*schema.Type, error) {
	t := x.admin.Server.Site(x.request).Type(uid)
	if t == nil || t.BuiltIn || t.IsComponent() || !x.session.Identity().Caller.Allows(t, schema.Find) {
		return nil, notFound()
	}
	return t, nil
}

// readLocale reads the locale of the request, by default the default locale of the site. As
// in the content API, types that are not localized ignore it.
func (x *exchange) readLocale(t *schema.Type) (string, error) {
	settings, code := &x.admin.Server.Site(x.request).Settings, x.request.URL.Query().Get("locale")
	switch {
	case code == "" && t.Localized:
		return settings.DefaultLocale, nil
	case code != "" && !settings.HasLocale(code):
		return "", queryProblem("locale", fmt.Sprintf("The site has no locale %.40q", code))
	case !t.Localized:
		return "", nil
	}
	return code, nil
}

// in returns a query for the document in its locale.
func (d *document) in(values ...string) url.Values {
	query := url.Values{}
	if d.locale != "" {
		query.Set("locale", d.locale)
	}
	for i := 0; i < len(values); i += 2 {
		query.Set(values[i], values[i+1])
	}
	return query
}

func showDocument(x *exchange) error {
	d, err := x.readDocument()
	if err != nil {
		return err
	}
	shown, meta := &openedDocument{}, &openedMeta{}
	if shown.Locales, err = x.states(d); err != nil {
		return err
	}
	if len(shown.Locales) == 0 && d.t.Kind != schema.Single {
		return notFound()
	}
	if shown.Published, err = x.whole(d, "published", meta); err != nil {
		return err
	}
	if d.t.DraftAndPublish {
		if shown.Draft, err = x.whole(d, "draft", meta); err != nil {
			return err
		}
	}
	if err := x.circumstances(d, shown); err != nil {
		return err
	}
	return x.answerWith(http.StatusOK, shown, meta)
}

// states returns the state of the document in each of its locales; none if it does not
// exist.
func (x *exchange) states(d *document) ([]stateOf, error) {
	statuses := []string{"published"}
	if d.t.DraftAndPublish {
		statuses = []string{"draft", "published"}
	}
	for _, status := range statuses {
		query := url.Values{"include": {"state"}, "fields": {"documentId"}, "status": {status}}
		if d.t.Localized {
			query.Set("locale", "*")
		}
		answer, err := x.get(d.path, query, http.StatusNotFound)
		if err != nil || answer.status == http.StatusNotFound {
			if err != nil {
				return nil, err
			}
			continue
		}
		var found struct{ Data map[string]json.RawMessage }
		var states []stateOf
		if err := answer.into(&found); err != nil {
			return nil, err
		}
		return states, json.Unmarshal(found.Data[d.t.StateKey()], &states)
	}
	return []stateOf{}, nil
}

// whole returns a version of the document as the editor needs it, or nil. The edited
// version sets the meta of the response.
func (x *exchange) whole(d *document, status string, meta *openedMeta) (json.RawMessage, error) {
	answer, err := x.get(d.path, d.in("status", status, "populate[*]", "whole"), http.StatusNotFound)
	if err != nil {
		return nil, err
	}
	if version, err := answer.version(); err == nil && version > 0 {
		meta.Version = &version
	}
	if answer.status == http.StatusNotFound {
		return nil, nil
	}
	entry, err := answer.data()
	if err == nil && (status == "draft" || !d.t.DraftAndPublish) {
		meta.Counts, err = x.counts(d, status, entry)
	}
	return entry, err
}

// mostShown is the maximum number of links of one relation in populate[*]=whole.
const mostShown = 1000

// counts returns the number of links of the relations that are not shown completely.
func (x *exchange) counts(d *document, status string, entry json.RawMessage) (map[string]int, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(entry, &values); err != nil {
		return nil, err
	}
	query := d.in("status", status, "fields", "documentId")
	for _, a := range d.t.Attributes {
		var links []json.RawMessage
		if a.Relation != nil && a.Relation.Many() && json.Unmarshal(values[a.Name], &links) == nil && len(links) >= mostShown {
			query.Set("populate["+a.Name+"][count]", "true")
		}
	}
	if len(query) == len(d.in("status", "", "fields", "")) {
		return nil, nil
	}
	answer, err := x.get(d.path, query)
	if err != nil {
		return nil, err
	}
	var counted struct{ Data map[string]json.RawMessage }
	if err := answer.into(&counted); err != nil {
		return nil, err
	}
	counts := map[string]int{}
	for name, value := range counted.Data {
		var one struct{ Count int }
		if json.Unmarshal(value, &one) == nil && one.Count > mostShown {
			counts[name] = one.Count
		}
	}
	return counts, nil
}

// circumstances adds what belongs to the document besides its entries: schedules, authors,
// and the account's autosave.
func (x *exchange) circumstances(d *document, shown *openedDocument) (err error) {
	shown.Schedules = json.RawMessage("[]")
	if answer, err := x.get(d.path+"/schedule", nil, http.StatusNotFound, http.StatusForbidden, http.StatusMethodNotAllowed); err != nil {
		return err
	} else if answer.status == http.StatusOK {
		if shown.Schedules, err = answer.data(); err != nil {
			return err
		}
	}
	answer, err := x.get(d.path+"/history", d.in("pagination[limit]", "1"), http.StatusNotFound, http.StatusForbidden)
	if err != nil {
		return err
	}
	if answer.status == http.StatusOK {
		var found struct {
			Data []struct{ Actor *actorOf }
			Meta struct{ CreatedBy *actorOf }
		}
		if err := answer.into(&found); err != nil {
			return err
		}
		shown.CreatedBy = found.Meta.CreatedBy
		if len(found.Data) > 0 {
			shown.UpdatedBy = found.Data[0].Actor
		}
	}
	shown.Autosave, err = x.autosaveOf(d)
	return err
}

// autosaveOf returns the account's autosave of the document.
func (x *exchange) autosaveOf(d *document) (*autosaveOf, error) {
	saved, err := x.admin.Desk.Autosave(x.session.Account.ID, d.place)
	if err != nil || saved == nil {
		return nil, err
	}
	return showAutosave(saved), nil
}
