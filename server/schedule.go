package server

import (
	"encoding/json"
	"net/http"

	"quire/auth"
	"quire/content/release"
	"quire/schema"
)

// The schedule of a document: POST …/actions/publish with a time adds to it, GET …/schedule
// lists pending and failed entries, and DELETE …/schedule/:id cancels one. They show only
// what the caller could do at once.

// scheduleRoutes are the routes of the schedule of a type's documents. path leads to a
// document.
func scheduleRoutes(t *schema.Type, path string) []Route {
	if !t.DraftAndPublish {
		return nil
	}
	h := &contentType{t}
	route := func(method, path string, handler handler) Route {
		return Route{
			Method: method, Path: path, handler: handler,
			Permission: auth.Permission{UID: t.UID, Action: schema.Publish},
			Instead:    auth.Permission{UID: t.UID, Action: schema.Unpublish},
		}
	}
	return []Route{
		route(http.MethodGet, path+"/schedule", h.findSchedules),
		route(http.MethodDelete, path+"/schedule/:id", h.cancel),
	}
}

// schedule answers an action with a time.
func (c *contentType) schedule(x *request, a action, when json.RawMessage) error {
	g, err := c.change(x)
	if err != nil {
		return err
	}
	locales, discard, err := x.call.Later(c.t, a.permission, g)
	if err != nil {
		return err
	}
	if g.Match != nil {
		return invalid("If-Match is for what is done at once; it cannot go with a moment")
	}
	step := release.Step{Type: c.t.UID, DocumentID: c.documentOf(x), Action: a.permission, Locales: locales, DiscardDraft: discard}
	shown, err := x.call.Plan(x.http.Context(), step, when)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusAccepted, shown, nil)
}

func (c *contentType) findSchedules(x *request) error {
	shown, err := x.call.SchedulesOf(x.http.Context(), c.t, c.documentOf(x))
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, shown, nil)
}

func (c *contentType) cancel(x *request) error {
	if err := x.call.Unplan(x.http.Context(), c.t, c.documentOf(x), x.params.ByName("id")); err != nil {
		return err
	}
	x.answerEmpty()
	return nil
}

// envelope sends JSON in the envelope of the API.
func (x *request) envelope(status int, data, meta any) error {
	if meta == nil {
		meta = none{}
	}
	text, err := json.Marshal(struct {
		Data any `json:"data"`
		Meta any `json:"meta"`
	}{data, meta})
	if err != nil {
		return err
	}
	x.json(status, text)
	return nil
}
