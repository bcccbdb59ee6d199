package server

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"quire/auth"
	"quire/documents"
	"quire/notify/webhook"
	"quire/query"
	"quire/query/params"
	"quire/schema"
	"quire/schema/settings"
)

// Webhooks have permissions of their own. A caller who creates or changes one must also be
// allowed to find what it shows, including drafts, because it can be sent to anybody.

func webhookRoutes() []Route {
	const all, one = "/api/_webhooks", "/api/_webhooks/:id"
	return []Route{
		{Method: http.MethodGet, Path: all, Permission: auth.ReadWebhooks, handler: listWebhooks},
		{Method: http.MethodPost, Path: all, Permission: auth.CreateWebhook, handler: createWebhook},
		{Method: http.MethodGet, Path: one, Permission: auth.ReadWebhooks, handler: findWebhook},
		{Method: http.MethodPut, Path: one, Permission: auth.UpdateWebhook, handler: updateWebhook},
		{Method: http.MethodDelete, Path: one, Permission: auth.DeleteWebhook, handler: deleteWebhook},
		{Method: http.MethodPost, Path: one + "/rotate", Permission: auth.UpdateWebhook, handler: rotateWebhook},
		{Method: http.MethodPost, Path: one + "/test", Permission: auth.SendWebhook, handler: testWebhook},
		{Method: http.MethodGet, Path: one + "/deliveries", Permission: auth.ReadWebhooks, takes: []string{"pagination", "state"}, handler: listDeliveries},
		{Method: http.MethodGet, Path: one + "/attempts", Permission: auth.ReadWebhooks, takes: []string{"pagination", "outcome", "event", "type"}, handler: listAttempts},
		{Method: http.MethodPost, Path: one + "/resend", Permission: auth.SendWebhook, handler: resendDeliveries},
		{Method: http.MethodPost, Path: one + "/deliveries/:delivery/resend", Permission: auth.SendWebhook, handler: resendDeliveries},
	}
}

// shownWebhook is a webhook in a response: only the names of headers, and the secret only
// when it was just created.
type shownWebhook struct {
	ID          string           `json:"id"`
	Name        string           `json:"name"`
	URL         string           `json:"url"`
	Events      []string         `json:"events"`
	Types       []string         `json:"types"`
	Locales     []string         `json:"locales"`
	Headers     []string         `json:"headers"`
	Enabled     bool             `json:"enabled"`
	Managed     bool             `json:"managed"`
	Waiting     int              `json:"waiting"`
	SetAside    int              `json:"setAside"`
	CreatedAt   documents.Moment `json:"createdAt"`
	UpdatedAt   documents.Moment `json:"updatedAt"`
	Secret      string           `json:"secret,omitempty"`
	FormerUntil documents.Moment `json:"formerSecretUntil"` // the former secret signs until then
}

// noNames returns an empty list instead of nil.
func noNames(names []string) []string { return append([]string{}, names...) }

func (x *request) showWebhook(h *webhook.Hook) (shownWebhook, error) {
	n, err := x.site.hooks.CountOf(h)
	s := shownWebhook{
		ID: h.ID, Name: h.Name, URL: h.URL, Events: noNames(h.Events), Types: noNames(h.Types), Locales: noNames(h.Locales), Headers: noNames(h.HeaderNames()),
		Enabled: h.Enabled, Managed: h.Managed, Waiting: n.Waiting, SetAside: n.SetAside, CreatedAt: documents.Moment(h.CreatedAt), UpdatedAt: documents.Moment(h.UpdatedAt),
	}
	if time.Now().Before(h.FormerEnds) {
		s.FormerUntil = documents.Moment(h.FormerEnds)
	}
	return s, err
}

// answerWebhook responds with a webhook, with its secret if that was just created.
func (x *request) answerWebhook(status int, h *webhook.Hook, secret string) error {
	s, err := x.showWebhook(h)
	if err != nil {
		return err
	}
	s.Secret = secret
	return x.envelope(status, s, nil)
}

func listWebhooks(x *request) error {
	hooks, err := x.site.hooks.List()
	if err != nil {
		return err
	}
	shown := []shownWebhook{}
	for _, h := range hooks {
		s, err := x.showWebhook(h)
		if err != nil {
			return err
		}
		shown = append(shown, s)
	}
	return x.envelope(http.StatusOK, shown, nil)
}

// webhook finds the webhook in the path, only by its id.
func (x *request) webhook() (*webhook.Hook, error) {
	id := x.params.ByName("id")
	h, err := x.site.hooks.Hook(id)
	if err == nil && h.ID != id || errors.As(err, new(*webhook.RefusedError)) {
		err = notFound()
	}
	return h, err
}

func findWebhook(x *request) error {
	h, err := x.webhook()
	if err != nil {
		return err
	}
	return x.answerWebhook(http.StatusOK, h, "")
}

func createWebhook(x *request) error {
	w, err := x.webhookInput(settings.Webhook{Enabled: true})
	if err != nil {
		return err
	}
	h, err := x.site.hooks.Create(x.http.Context(), w)
	if err != nil {
		return err
	}
	return x.answerWebhook(http.StatusCreated, h, h.Secret)
}

func updateWebhook(x *request) error {
	was, err := x.webhook()
	if err != nil {
		return err
	}
	w, err := x.webhookInput(was.Webhook)
	if err != nil {
		return err
	}
	h, err := x.site.hooks.Change(x.http.Context(), was, w)
	if err != nil {
		return err
	}
	return x.answerWebhook(http.StatusOK, h, "")
}

// webhookInput reads the body of a write, and refuses callers who may not find what the
// webhook would show.
func (x *request) webhookInput(former settings.Webhook) (w settings.Webhook, err error) {
	kind, text, err := openBody(x, x.site.schema.Settings.Limits.BodyBytes)
	if err != nil {
		return w, err
	}
	var body struct {
		Data json.RawMessage `json:"data"`
	}
	if kind != jsonBody || json.Unmarshal(text, &body) != nil || body.Data == nil {
		return w, invalid(`The body must be JSON: {"data": {"name": …, "url": …}}`)
	}
	if w, err = x.site.hooks.ReadInput(body.Data, former); err != nil {
		return w, err
	}
	for _, t := range x.site.hooks.Shows(w) {
		missing := schema.Find
		if x.caller.Allows(t, schema.Find) {
			if missing = schema.ReadDraft; !t.DraftAndPublish || x.caller.Allows(t, schema.ReadDraft) {
				if x.caller.Sight(t).Conceals(t) || x.caller.Filter(t) != nil {
					return w, &problem{http.StatusForbidden, "ForbiddenError", fmt.Sprintf("A webhook shows all of its types and what they lead to, and your role does not see all of %s", t.UID), none{}}
				}
				continue
			}
		}
		needed := auth.Permission{UID: t.UID, Action: missing}
		if t.UID == schema.FileUID {
			needed = auth.FindFiles
		}
		return w, &problem{http.StatusForbidden, "ForbiddenError", fmt.Sprintf("A webhook shows all of its types and what they lead to, so this one needs %s", needed), none{}}
	}
	return w, nil
}

func deleteWebhook(x *request) error {
	h, err := x.webhook()
	if err != nil {
		return err
	}
	if err := x.site.hooks.Remove(x.http.Context(), h); err != nil {
		return err
	}
	x.answerEmpty()
	return nil
}

func rotateWebhook(x *request) error {
	if _, err := readWhen(x, false); err != nil {
		return err
	}
	was, err := x.webhook()
	if err != nil {
		return err
	}
	h, err := x.site.hooks.Rotate(x.http.Context(), was)
	if err != nil {
		return err
	}
	return x.answerWebhook(http.StatusOK, h, h.Secret)
}

func testWebhook(x *request) error {
	if _, err := readWhen(x, false); err != nil {
		return err
	}
	h, err := x.webhook()
	if err != nil {
		return err
	}
	trial, err := x.site.hooks.Test(x.http.Context(), h)
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, trial, nil)
}

// listDeliveries responds with what has not arrived, oldest first, as far as the caller may
// see it.
func listDeliveries(x *request) error {
	return listOfWebhook(x, func(h *webhook.Hook, parameters *params.Node) ([]webhook.Delivery, error) {
		all, err := x.site.hooks.Deliveries(h)
		if err != nil {
			return nil, err
		}
		return x.shownDeliveries(all, parameters.Get("state"))
	})
}

// listOfWebhook responds with the requested page of a list about the webhook in the path.
// read returns the whole list, as far as the caller may see it.
func listOfWebhook[T any](x *request, read func(h *webhook.Hook, parameters *params.Node) ([]T, error)) error {
	parameters, err := x.query()
	if err != nil {
		return err
	}
	page, err := query.ReadPage(parameters, &x.site.schema.Settings)
	if err != nil {
		return err
	}
	h, err := x.webhook()
	if err != nil {
		return err
	}
	all, err := read(h, parameters)
	if err != nil {
		return err
	}
	start, end := page.Range(len(all))
	meta := append(page.Append([]byte(`{"pagination":`), len(all)), '}')
	return x.envelope(http.StatusOK, append([]T{}, all[start:end]...), json.RawMessage(meta))
}

// shownDeliveries keeps the deliveries that the caller may see, in the state that the
// parameter names, if there is one.
func (x *request) shownDeliveries(all []webhook.Delivery, n *params.Node) ([]webhook.Delivery, error) {
	if n != nil && (!n.IsText() || n.Text != string(webhook.Waiting) && n.Text != string(webhook.SetAside)) {
		return nil, invalid(`"state" must be waiting or setAside`)
	}
	return slices.DeleteFunc(all, func(d webhook.Delivery) bool {
		return n != nil && string(d.State) != n.Text || !query.SeesEvent(x.site.schema, x.caller, &d.Change)
	}), nil
}

// listAttempts responds with the recent attempts, latest first, as far as the caller may
// see them.
func listAttempts(x *request) error {
	return listOfWebhook(x, func(h *webhook.Hook, parameters *params.Node) ([]webhook.Attempt, error) {
		all, err := x.site.hooks.Attempts(h)
		if err != nil {
			return nil, err
		}
		return x.shownAttempts(all, parameters)
	})
}

// attemptOutcomes are the two outcomes of an attempt.
var attemptOutcomes = []string{webhook.Delivered.String(), webhook.Failed.String()}

// shownAttempts keeps the attempts that the caller may see, filtered by the parameters: the
// outcome, the event, the type.
func (x *request) shownAttempts(all []webhook.Attempt, parameters *params.Node) ([]webhook.Attempt, error) {
	outcome, err := oneWord(parameters, "outcome", attemptOutcomes)
	if err != nil {
		return nil, err
	}
	event, err := oneWord(parameters, "event", settings.WebhookEvents)
	if err != nil {
		return nil, err
	}
	uid, err := oneWord(parameters, "type", nil)
	if err != nil {
		return nil, err
	}
	return slices.DeleteFunc(all, func(a webhook.Attempt) bool {
		return outcome != "" && a.Delivered != (outcome == attemptOutcomes[0]) || event != "" && a.Event != event || uid != "" && a.Type != uid ||
			!query.SeesEvent(x.site.schema, x.caller, &a.Change)
	}), nil
}

// oneWord reads a parameter that is one of the given words, or any word if none are given;
// "" if it is missing.
func oneWord(parameters *params.Node, key string, known []string) (string, error) {
	n := parameters.Get(key)
	switch {
	case n == nil:
		return "", nil
	case !n.IsText() || n.Text == "":
		return "", refuseParameter(key, "%s must be a text", key)
	case known != nil && !slices.Contains(known, n.Text):
		return "", refuseParameter(key, "%s must be one of %s", key, strings.Join(known, ", "))
	}
	return n.Text, nil
}

// resendDeliveries sends the delivery in the path now, or all that were set aside.
func resendDeliveries(x *request) error {
	if _, err := readWhen(x, false); err != nil {
		return err
	}
	h, err := x.webhook()
	if err != nil {
		return err
	}
	n, err := x.site.hooks.Resend(x.http.Context(), h, x.params.ByName("delivery"))
	if err != nil {
		return err
	}
	return x.envelope(http.StatusOK, struct {
		Resent int `json:"resent"`
	}{n}, nil)
}

// explainWebhook returns the problem that an error about webhooks is for a client.
func explainWebhook(err error) *problem {
	var refused *webhook.RefusedError
	switch {
	case errors.As(err, &refused) && refused.Key == "":
		return &problem{http.StatusBadRequest, "ApplicationError", refused.Message, none{}}
	case errors.As(err, &refused):
		return &problem{http.StatusBadRequest, "ValidationError", refused.Error(), documents.BodyKey{Key: refused.Key, Source: "body"}}
	case errors.As(err, new(*webhook.NotFoundError)):
		return notFound()
	case errors.As(err, new(*webhook.ChangedError)):
		return &problem{http.StatusConflict, "ConflictError", "It has been changed meanwhile; read it again", none{}}
	}
	return nil
}
