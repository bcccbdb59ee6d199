package server

import (
	"encoding/json"
	"net/http"
	"slices"

	"quire/auth"
	"quire/documents"
	"quire/schema"
)

// Actions change the state of a document: POST …/actions/publish and so on. They write no
// content of the caller, so their bodies are empty or contain a time.

// action is one action.
type action struct {
	word       string // in the path
	permission schema.Action
	later      bool // whether it can be scheduled
}

var actions = []action{
	{"publish", schema.Publish, true},
	{"unpublish", schema.Unpublish, true},
	{"discard-draft", schema.DiscardDraft, false},
	{"duplicate", schema.Duplicate, false},
}

// actionRoutes are the routes of the actions of a type. path leads to a document.
func actionRoutes(t *schema.Type, path string) (routes []Route) {
	h := &contentType{t}
	for _, a := range actions {
		if slices.Contains(t.Actions(), a.permission) {
			routes = append(routes, Route{
				Method: http.MethodPost, Path: path + "/actions/" + a.word,
				Permission: auth.Permission{UID: t.UID, Action: a.permission},
				takes:      a.keys(),
				handler:    func(x *request) error { return h.act(x, a) },
			}.of(func(x *request) (*documents.Write, error) {
				at, err := readWhen(x, a.later)
				if err == nil && at != nil {
					err = invalid("A batch is done now: its requests take no \"at\"")
				}
				if err != nil {
					return nil, err
				}
				return h.prepareAction(x, a)
			}))
		}
	}
	return routes
}

// keys are the parameters of an action.
func (a action) keys() []string {
	if a.permission == schema.Unpublish {
		return append([]string{"discardDraft"}, actionKeys...)
	}
	return actionKeys
}

// actionsNotOf are the paths of actions that the type does not have.
func actionsNotOf(t *schema.Type) (paths []string) {
	for _, a := range actions {
		if !slices.Contains(t.Actions(), a.permission) {
			paths = append(paths, documentPath(t)+"/actions/"+a.word)
		}
	}
	if !t.DraftAndPublish {
		paths = append(paths, documentPath(t)+"/actions/preview-link")
	}
	return paths
}

// act does an action at once, or schedules it.
func (c *contentType) act(x *request, a action) error {
	at, err := readWhen(x, a.later)
	switch {
	case err != nil:
		return err
	case at != nil:
		return c.schedule(x, a, at)
	}
	return preparation(func(x *request) (*documents.Write, error) { return c.prepareAction(x, a) }).handle(x)
}

// prepareAction prepares an action. The response is the document in the first of the
// requested locales.
func (c *contentType) prepareAction(x *request, a action) (*documents.Write, error) {
	g, err := c.change(x)
	if err != nil {
		return nil, err
	}
	return x.call.Act(c.t, a.permission, g)
}

// readWhen reads the body of an action: nothing or, for an action that can be scheduled,
// the time "at".
func readWhen(x *request, later bool) (at json.RawMessage, err error) {
	kind, text, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	switch {
	case err != nil:
		return nil, err
	case kind == noBody && x.http.ContentLength != 0 && kindOf(x.http.Header.Get("Content-Type")) == noBody:
		return nil, invalid("The body must be JSON, and say so in Content-Type") // it may have a time
	case kind == noBody:
		return nil, nil
	}
	var given map[string]json.RawMessage
	if kind != jsonBody || json.Unmarshal(text, &given) != nil || given == nil {
		return nil, invalid("An action takes no body, or a JSON object")
	}
	for key := range given {
		if key != "at" || !later {
			return nil, unknownKey("An action", key)
		}
	}
	return given["at"], nil
}
