package server

import (
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"quire/auth"
	"quire/content"
	"quire/content/body"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// Actions change the state of a document: POST …/actions/publish and so on. They write no
// content of the caller, so their bodies are empty or contain a time.

// action is one action.
type action struct {
	word       string // in the path
	permission schema.Action
	status     int  // of the response
	later      bool // whether it can be scheduled
	write      func(*asked) (content.Write, error)
}

var actions = []action{
	{"publish", schema.Publish, http.StatusOK, true, func(a *asked) (content.Write, error) { return content.ToPublish(a.step), nil }},
	{"unpublish", schema.Unpublish, http.StatusOK, true, (*asked).unpublish},
	{"discard-draft", schema.DiscardDraft, http.StatusOK, false, func(a *asked) (content.Write, error) { return content.ToDiscardDraft(a.step), nil }},
	{"duplicate", schema.Duplicate, http.StatusCreated, false, (*asked).duplicate},
}

// asked is a request for an action.
type asked struct {
	*exchange
	step   content.Step
	params *params.Node
	query  *query.Query    // of the response
	at     json.RawMessage // the time in the body; nil for now
	made   string          // documentId of the document that it creates; empty for none
}

// actionRoutes are the routes of the actions of a type. path leads to a document.
func actionRoutes(t *schema.Type, path string) (routes []Route) {
	h := &contentType{t}
	for _, a := range actions {
		if slices.Contains(t.Actions(), a.permission) {
			prepare := preparation(func(x *exchange) (*writing, error) { return h.act(x, a) })
			routes = append(routes, Route{
				Method: http.MethodPost, Path: path + "/actions/" + a.word,
				Permission: auth.Permission{UID: t.UID, Action: a.permission},
				handler:    prepare.handle,
			}.of(prepare))
		}
	}
	return routes
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

// act prepares an action. The response is the document in the first of the requested
// locales, or the schedule.
func (c *contentType) act(x *exchange, act action) (*writing, error) {
	a, err := c.prepareAction(x, act)
	switch {
	case err != nil:
		return nil, err
	case a.at != nil:
		return &writing{t: c.t, later: func() error { return c.schedule(x, act, a) }}, nil
	}
	write, err := act.write(a)
	if err != nil {
		return nil, err
	}
	sent := &body.Input{Type: c.t} // empty, also for what it creates
	return &writing{t: c.t, write: write, status: act.status, query: a.query, known: sent.Gives, documentID: cmp.Or(a.made, a.step.DocumentID)}, nil
}

func (a *asked) unpublish() (content.Write, error) {
	discard, err := flag(a.params, "discardDraft")
	return content.ToUnpublish(a.step, discard), err
}

func (a *asked) duplicate() (content.Write, error) {
	if locales := a.step.Locales; len(locales) > 1 || len(locales) == 1 && locales[0] != content.AllLocales {
		return content.Write{}, invalid(`A duplicate has all locales of the document; "locale" can be * alone`)
	}
	a.made = content.NewDocumentID()
	a.step.Copy = a.made
	return content.ToDuplicate(a.step), nil
}

// prepareAction reads what an action does, and when.
func (c *contentType) prepareAction(x *exchange, act action) (*asked, error) {
	a := &asked{exchange: x, step: content.Step{Type: c.t, Access: x.caller, Beside: x.beside()}}
	if len(x.params) > 0 {
		a.step.DocumentID = x.params[0].Value
	}
	var err error
	if a.step.Match, err = x.match(c.t); err != nil {
		return nil, err
	}
	if a.params, err = x.query(); err != nil {
		return nil, err
	}
	if a.params.Get("status") != nil {
		return nil, invalid(`An action takes no "status"`)
	}
	if a.params.Get("at") != nil {
		return nil, invalid(`"at" belongs into the body`)
	}
	if a.step.Locales, err = c.locales(x, a.params.Get("locale")); err != nil {
		return nil, err
	}
	if a.at, err = readWhen(x, act.later); err != nil {
		return nil, err
	}
	shown := a.params.WithText("locale", a.firstLocale())
	a.query, err = x.compile(c.t, shown, query.Options{V4: x.v4(), Write: true, Draft: true})
	return a, err
}

// firstLocale returns the locale of the response.
func (a *asked) firstLocale() string {
	if len(a.step.Locales) == 0 || a.step.Locales[0] == content.AllLocales {
		return a.edition.site.Settings.DefaultLocale
	}
	return a.step.Locales[0]
}

// locales reads the locales of an action: one, several with commas between them or as a
// list, or * for all.
func (c *contentType) locales(x *exchange, n *params.Node) (codes []string, err error) {
	switch {
	case n == nil || n.IsNull() || !c.t.Localized:
		return nil, nil
	case n.IsText():
		codes = strings.Split(n.Text, ",")
	case n.IsList():
		for _, item := range n.Items {
			codes = append(codes, item.Text)
		}
	}
	for _, code := range codes {
		if code != content.AllLocales && (code == "" || c.checkLocale(x, code) != nil) {
			return nil, invalid(fmt.Sprintf(`"locale": the site has no locale %.100q`, code))
		}
	}
	if len(codes) == 0 {
		return nil, invalid(`"locale" must be a locale, several, or *`)
	}
	return once(codes), nil
}

// once removes duplicates from a list, and keeps the order.
func once(list []string) (short []string) {
	for _, one := range list {
		if !slices.Contains(short, one) {
			short = append(short, one)
		}
	}
	return short
}

// readWhen reads the body of an action: nothing or, for an action that can be scheduled,
// the time "at".
func readWhen(x *exchange, later bool) (at json.RawMessage, err error) {
	kind, text, err := openBody(x, x.edition.site.Settings.Limits.BodyBytes)
	switch {
	case err != nil:
		return nil, err
	case kind == noBody && x.request.ContentLength != 0 && kindOf(x.request.Header.Get("Content-Type")) == noBody:
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

// flag reads a parameter that is true or false; the default is false.
func flag(p *params.Node, key string) (bool, error) {
	switch n := p.Get(key); {
	case n == nil || n.IsText() && n.Text == "false":
		return false, nil
	case n.IsText() && n.Text == "true":
		return true, nil
	}
	return false, invalid(fmt.Sprintf("%q must be true or false", key))
}
