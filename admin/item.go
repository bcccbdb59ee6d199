package admin

import (
	"encoding/json"
	"net/http"
	"net/url"

	"quire/schema"
)

// Item is a document in one locale, in a list of documents of several types.
type item struct {
	UID        string   `json:"uid"`
	DocumentID string   `json:"documentId"`
	Locale     *string  `json:"locale"`
	Title      string   `json:"title"`
	Status     string   `json:"status"`
	UpdatedAt  string   `json:"updatedAt"`
	UpdatedBy  *actorOf `json:"updatedBy,omitempty"`

	version uint64 // of the document
}

// titleQuery returns the query for the titles of documents of a type.
func (x *exchange) titleQuery(t *schema.Type) (query url.Values, main *schema.Attribute) {
	main = t.MainField(x.session.Identity().Caller.Sight(t).Sees)
	query = url.Values{"include": {"state"}, "fields": {"updatedAt"}}
	if main.System == schema.NotSystem {
		query.Add("fields", main.Name)
	}
	if t.Localized {
		query.Add("fields", "locale")
	}
	if t.DraftAndPublish {
		query.Set("status", "draft")
	}
	return query, main
}

// itemsOf reads the entries in a response to a titleQuery.
func itemsOf(t *schema.Type, main *schema.Attribute, entries ...map[string]json.RawMessage) (items []*item, err error) {
	for _, entry := range entries {
		i := &item{UID: t.UID}
		var states []stateOf
		for _, member := range []struct {
			name string
			into any
		}{{"documentId", &i.DocumentID}, {"locale", &i.Locale}, {main.Name, &i.Title}, {t.StateKey(), &states}} {
			if value := entry[member.name]; value != nil {
				if err := json.Unmarshal(value, member.into); err != nil {
					return nil, err
				}
			}
		}
		for _, state := range states {
			if same(state.Locale, i.Locale) {
				i.Status, i.UpdatedAt = state.Status, state.UpdatedAt
			}
		}
		items = append(items, i)
	}
	return items, nil
}

func same(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }

// item reads one document; nil if the account may not see it.
func (x *exchange) item(t *schema.Type, documentID, locale string) (*item, error) {
	query, main := x.titleQuery(t)
	if locale != "" {
		query.Set("locale", locale)
	}
	path := t.Route()
	if t.Kind != schema.Single {
		path += "/" + documentID
	}
	answer, err := x.get(path, query, http.StatusNotFound)
	if err != nil || answer.status == http.StatusNotFound {
		return nil, err
	}
	var found struct{ Data map[string]json.RawMessage }
	if err := answer.into(&found); err != nil {
		return nil, err
	}
	items, err := itemsOf(t, main, found.Data)
	if err != nil {
		return nil, err
	}
	items[0].version, err = answer.version()
	return items[0], err
}
