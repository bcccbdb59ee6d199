package hook

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"

	"quire/content"
	"quire/notify/webhook"
	"quire/schema/settings"
)

const (
	userAgent   = "Quire-Hook"
	eventHeader = "X-Quire-Event"
)

// hook is one of site.json's.
type hook struct {
	settings.Hook
	options Options
	places  *callSlots // for calls, of all hooks
	taken   int        // of them, by this one; places guards it
	client  *http.Client
	most    int64 // maximum bytes of an answer
}

// Name returns the name of the hook in site.json.
func (h *hook) Name() string { return h.Hook.Name }

// proposal is the body of a call.
type proposal struct {
	Event      string          `json:"event"`  // the first of Events that the hook is for
	Events     []string        `json:"events"` // everything that the write does
	Action     string          `json:"action"` // the requested action, for example "duplicate"
	CreatedAt  string          `json:"createdAt"`
	Type       string          `json:"type"`
	DocumentID *string         `json:"documentId"`
	Locale     *string         `json:"locale"` // the first; "*" for all
	Locales    []string        `json:"locales"`
	Actor      *actor          `json:"actor"`
	Data       json.RawMessage `json:"data"`
}

// actor is the actor of a write.
type actor struct {
	Kind string `json:"kind"`
	ID   string `json:"id,omitempty"`
}

// Ask calls the hook if it is for something that the write does. Errors:
// *content.RefusedError, *content.UnaskedError, and the context's.
func (h *hook) Ask(ctx context.Context, p *content.Proposal) (json.RawMessage, error) {
	event := h.event(p.Events)
	if event == "" {
		return nil, nil
	}
	begun := h.options.Now()
	data, err := h.ask(ctx, event, p)
	outcome := outcomeOf(data, err)
	h.options.Observe(h.Hook.Name, outcome, h.options.Now().Sub(begun))
	if outcome == "failed" || outcome == "busy" {
		h.options.Log.Warn("a hook cannot be asked, and the write is refused", "hook", h.Hook.Name, "type", p.Type.UID, "event", event, "error", err)
	}
	return data, err
}

// event returns the first of some events that the hook is for, empty for none.
func (h *hook) event(events []string) string {
	for _, event := range events {
		if len(h.Events) == 0 || slices.Contains(h.Events, event) {
			return event
		}
	}
	return ""
}

func outcomeOf(data json.RawMessage, err error) string {
	var unasked *content.UnaskedError
	switch {
	case errors.As(err, new(*content.RefusedError)):
		return "refused"
	case errors.As(err, &unasked) && unasked.Busy:
		return "busy"
	case err != nil:
		return "failed"
	case data != nil:
		return "changed"
	}
	return "allowed"
}

// ask waits for a free place among the calls in progress, and calls.
func (h *hook) ask(ctx context.Context, event string, p *content.Proposal) (json.RawMessage, error) {
	if !h.places.take(&h.taken) {
		return nil, &content.UnaskedError{Hook: h.Hook.Name, Busy: true, Err: errors.New("too many calls are under way")}
	}
	defer h.places.leave(&h.taken)
	body, err := h.encode(event, p)
	if err != nil {
		return nil, h.failed(err)
	}
	data, err := h.call(ctx, event, body)
	switch {
	case err == nil || errors.As(err, new(*content.RefusedError)):
		return data, err
	case errors.Is(ctx.Err(), context.Canceled):
		return nil, ctx.Err()
	}
	return nil, h.failed(err)
}

func (h *hook) failed(err error) error { return &content.UnaskedError{Hook: h.Hook.Name, Err: err} }

func (h *hook) encode(event string, p *content.Proposal) ([]byte, error) {
	out := proposal{Event: event, Events: p.Events, Action: p.Action.String(), CreatedAt: h.options.Now().UTC().Format("2006-01-02T15:04:05.000Z"), Type: p.Type.UID, Locales: p.Locales, Data: p.Data}
	if p.DocumentID != "" {
		out.DocumentID = &p.DocumentID
	}
	if len(p.Locales) > 0 {
		out.Locale = &p.Locales[0]
	}
	if p.Actor != "" {
		out.Actor = &actor{p.Actor.Kind(), p.Actor.ID()}
	}
	return json.Marshal(out)
}

// call sends one request and reads the answer.
func (h *hook) call(ctx context.Context, event string, body []byte) (json.RawMessage, error) {
	ctx, cancel := context.WithTimeout(ctx, h.Timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.URL, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set(eventHeader, event)
	webhook.Sign(request.Header, h.options.Secrets, "hook_"+rand.Text(), h.options.Now(), body)
	response, err := h.client.Do(request)
	if err != nil {
		return nil, webhook.WithoutURL(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, h.most+1))
	switch {
	case err != nil && ctx.Err() != nil:
		return nil, fmt.Errorf("its answer did not end within %v", h.Timeout)
	case err != nil:
		return nil, errors.New("its answer broke off")
	case int64(len(text)) > h.most:
		return nil, fmt.Errorf("its answer is longer than limits.bodyBytes, %d bytes", h.most)
	}
	return h.read(response.StatusCode, text)
}
