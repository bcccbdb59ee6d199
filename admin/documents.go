package admin

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"quire/auth/people/desk"
	"quire/documents"
	"quire/schema"
)

// One response with all that the editor needs to open a document.

func documentRoutes() []Route {
	return []Route{
		{Method: http.MethodGet, Path: "/documents/:uid", handler: showDocument,
			summary: "What the editor needs of a single type", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},
		{Method: http.MethodGet, Path: "/documents/:uid/:documentId", handler: showDocument,
			summary: "What the editor needs of a document", query: []string{"locale"}, out: openedDocument{}, meta: openedMeta{}},
	}
}

// openedDocument is a document in one locale, as the account sees it.
type openedDocument struct {
	Draft     json.RawMessage `json:"draft"`     // null if there is none, and in types without drafts
	Published json.RawMessage `json:"published"` // null if there is none
	circumstances
}

// circumstances are what belongs to a document besides its entries.
type circumstances struct {
	Locales   []stateOf   `json:"locales"`
	Schedules any         `json:"schedules"`
	CreatedBy *actorOf    `json:"createdBy"`
	UpdatedBy *actorOf    `json:"updatedBy"`
	Autosave  *autosaveOf `json:"autosave"`
}

// stateOf is the state of a document in one locale.
type stateOf struct {
	Locale      *string `json:"locale"`
	Status      string  `json:"status"`
	UpdatedAt   string  `json:"updatedAt"`
	PublishedAt *string `json:"publishedAt"`
}

// timeText returns a time in milliseconds since 1970 as the content API shows it; empty for 0.
func timeText(ms int64) string {
	if ms == 0 {
		return ""
	}
	return documents.Moment(time.UnixMilli(ms)).String()
}

// actorOf is the author of a write.
type actorOf struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
	Name string `json:"name,omitempty"`

	Model string `json:"model,omitempty"` // the language model whose suggestions a version has
}

type openedMeta struct {
	Version *uint64        `json:"version"`
	Counts  map[string]int `json:"counts,omitempty"` // number of links of relations that are not shown completely
}

// document is the document of a request.
type document struct {
	t      *schema.Type
	id     string // empty for a single type
	locale string // empty for types that are not localized
	place  desk.AutosaveKey
}

// readDocument reads which document a request is about. Types that the account may not read
// count as missing.
func (x *request) readDocument() (*document, error) {
	t, err := x.readableType(x.params.ByName("uid"))
	if err != nil {
		return nil, err
	}
	documentID := x.params.ByName("documentId")
	d := &document{t: t, id: documentID}
	if (t.Kind == schema.Single) != (documentID == "") || noDocument(documentID) || !isLine(documentID) {
		return nil, notFound()
	}
	if d.locale, err = x.readLocale(t); err != nil {
		return nil, err
	}
	d.place = desk.AutosaveKey{UID: t.UID, DocumentID: documentID, Locale: d.locale}
	return d, nil
}

// noDocument reports whether an id cannot be that of a document: one that would be a path
// of the content API, for example _count, or lead below a document.
func noDocument(id string) bool { return strings.HasPrefix(id, "_") || strings.Contains(id, "/") }

// readableType finds a content type that the account may read.
func (x *request) readableType(uid string) (*schema.Type, error) {
	t := x.admin.Server.Site(x.http).Type(uid)
	if t == nil || t.BuiltIn || t.IsComponent() || !x.session.Identity().Caller.Allows(t, schema.Find) {
		return nil, notFound()
	}
	return t, nil
}

// readLocale reads the locale of the request, by default the default locale of the site. As
// in the content API, types that are not localized ignore it.
func (x *request) readLocale(t *schema.Type) (string, error) {
	settings, code := &x.admin.Server.Site(x.http).Settings, x.http.URL.Query().Get("locale")
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

func showDocument(x *request) error {
	d, err := x.readDocument()
	if err != nil {
		return err
	}
	call, err := x.call()
	if err != nil {
		return err
	}
	shown, meta := &openedDocument{}, &openedMeta{}
	if shown.Locales, err = statesOf(x.http.Context(), call, d); err != nil {
		return err
	}
	if len(shown.Locales) == 0 && d.t.Kind != schema.Single {
		return notFound()
	}
	if version := call.Version(d.t, call.Document(d.t, d.id)); version > 0 {
		meta.Version = &version
	}
	if err := x.versions(call, d, shown, meta); err != nil {
		return err
	}
	if err := x.circumstances(call, d, shown); err != nil {
		return err
	}
	return x.answerOpened(shown, meta)
}

// answerOpened answers with a document. The entries are JSON already, and are not encoded again.
func (x *request) answerOpened(d *openedDocument, meta *openedMeta) error {
	for _, entry := range []*json.RawMessage{&d.Draft, &d.Published} {
		if *entry == nil {
			*entry = json.RawMessage("null")
		}
	}
	rest, err := json.Marshal(&d.circumstances)
	if err != nil {
		return err
	}
	about, err := json.Marshal(meta)
	if err != nil {
		return err
	}
	x.admin.Server.SendJSON(x.http, http.StatusOK, fmt.Appendf(nil, `{"data":{"draft":%s,"published":%s,%s,"meta":%s}`, d.Draft, d.Published, rest[1:], about))
	return nil
}

// statesOf returns the state of a document in each of its locales; none if it does not exist.
func statesOf(ctx context.Context, call *documents.Call, d *document) ([]stateOf, error) {
	states, err := call.States(ctx, d.t, d.id)
	shown := []stateOf{}
	for _, s := range states {
		shown = append(shown, stateOf{documents.NullIfEmpty(s.Locale), s.Status, timeText(s.Updated), documents.NullIfEmpty(timeText(s.Published))})
	}
	return shown, err
}

// versions adds the draft and the published version, whole, as the editor needs them.
func (x *request) versions(call *documents.Call, d *document, shown *openedDocument, meta *openedMeta) error {
	published, err := call.Whole(x.http.Context(), d.t, d.id, d.locale, "published")
	if err != nil {
		return err
	}
	shown.Published, meta.Counts = published.JSON, published.Counts
	if !d.t.DraftAndPublish {
		return nil
	}
	draft, err := call.Whole(x.http.Context(), d.t, d.id, d.locale, "draft")
	if err != nil {
		return err
	}
	shown.Draft, meta.Counts = draft.JSON, draft.Counts
	return nil
}

// circumstances adds what belongs to the document besides its entries: schedules, authors,
// and the account's autosave.
func (x *request) circumstances(call *documents.Call, d *document, shown *openedDocument) (err error) {
	schedules := []documents.Schedule{}
	if d.t.DraftAndPublish {
		if schedules, err = call.SchedulesOf(x.http.Context(), d.t, d.id); err != nil {
			return err
		}
	}
	shown.Schedules = schedules
	h, err := call.History(x.http.Context(), d.t, d.id, documents.InLocale(d.locale))
	switch {
	case err == nil:
		shown.CreatedBy, shown.UpdatedBy = (*actorOf)(h.Creator()), (*actorOf)(h.Editor())
	case !isHidden(err):
		return err
	}
	shown.Autosave, err = x.autosaveOf(d)
	return err
}

// isHidden reports whether there is nothing that the account may see.
func isHidden(err error) bool {
	p := documents.Explain(err)
	return p != nil && (p.Kind == documents.NotFound || p.Kind == documents.Forbidden)
}

// autosaveOf returns the account's autosave of the document.
func (x *request) autosaveOf(d *document) (*autosaveOf, error) {
	saved, err := x.admin.Desk.Autosave(x.session.Account.ID, d.place)
	if err != nil || saved == nil {
		return nil, err
	}
	return showAutosave(saved), nil
}
