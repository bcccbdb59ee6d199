package mcp

import (
	"encoding/json"

	"quire/auth/people"
	"quire/content/changeset"
	"quire/content/release"
	"quire/documents"
	"quire/schema"
)

type actArguments struct {
	Action string    `json:"action"`
	Items  []actItem `json:"items"`
	At     string    `json:"at"`
}

type actItem struct {
	Type       string  `json:"type"`
	DocumentID string  `json:"documentId"`
	Locale     string  `json:"locale"`
	Version    *uint64 `json:"version"`
	Revision   uint64  `json:"revision"`
	Schedule   string  `json:"schedule"`
}

// planned are the actions that can have a time.
var planned = map[string]schema.Action{"publish": schema.Publish, "unpublish": schema.Unpublish}

func act(r *Request, a *actArguments) (*toolResult, error) {
	if len(a.Items) == 0 || len(a.Items) > mostItems {
		return nil, refuse("act takes 1 to %d items", mostItems)
	}
	if a.At != "" && planned[a.Action] == "" {
		return nil, refuse("at is for publish and unpublish")
	}
	c := &change{Request: r, seen: map[target]bool{}}
	if a.At != "" || a.Action == "unschedule" {
		return c.plan(a)
	}
	for i := range a.Items {
		if err := c.addAct(a.Action, &a.Items[i]); err != nil {
			return nil, &itemError{i, err}
		}
	}
	return c.do("Done: " + a.Action)
}

// addAct adds an action.
func (c *change) addAct(action string, item *actItem) error {
	t, err := c.typeOf(item.Type)
	if err != nil {
		return err
	}
	step := changeset.Step{Action: action, Type: t.UID, DocumentID: c.Document(t, item.DocumentID), Locale: item.Locale, Revision: item.Revision}
	if err := c.condition(t, &step, item.Version, false); err != nil {
		return err
	}
	approval := people.Yes
	switch action {
	case "publish", "unpublish":
		approval = c.Limits.Publish
	case "delete":
		approval = c.Limits.Delete
	case "discard", "duplicate":
	case "restore":
		if item.Revision == 0 {
			return refuse("restore needs the revision, which get with show=history lists")
		}
	default:
		return refuse("there is no action %.50q", action)
	}
	if err := c.approve(approval, "to "+action+" documents"); err != nil {
		return err
	}
	c.steps = append(c.steps, step)
	return nil
}

// plan schedules publishing or unpublishing, or cancels that.
func (c *change) plan(a *actArguments) (*toolResult, error) {
	item := &a.Items[0]
	if len(a.Items) > 1 {
		return nil, refuse("a schedule takes one item")
	}
	t, err := c.typeOf(item.Type)
	if err == nil {
		err = c.mayPlan()
	}
	if err == nil {
		err = c.join()
	}
	if err != nil {
		return nil, err
	}
	c.used++
	if a.Action == "unschedule" {
		return say("Done: the schedule is cancelled."), c.Unplan(c.ctx, t, idOf(t, item), item.Schedule)
	}
	shown, err := c.schedule(t, a, item)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(shown)
	return say("Done: scheduled. %s", text), err
}

// mayPlan refuses an agent that may not plan by itself: nobody could see a proposal's result
// before its time.
func (c *change) mayPlan() error {
	if c.Limits.Publish == people.Yes {
		return nil
	}
	c.mustBeDone = true
	return c.approve(c.Limits.Publish, "to plan what is published")
}

func (c *change) schedule(t *schema.Type, a *actArguments, item *actItem) (s documents.Schedule, err error) {
	if item.Version != nil {
		return s, refuse("version is for what is done at once; it cannot go with at")
	}
	g := documents.Change{DocumentID: idOf(t, item), Arguments: documents.InLocale(item.Locale)}
	locales, discard, err := c.Later(t, planned[a.Action], g)
	if err != nil {
		return s, err
	}
	step := release.Step{Type: t.UID, DocumentID: g.DocumentID, Action: planned[a.Action], Locales: locales, DiscardDraft: discard}
	return c.Plan(c.ctx, step, quoted(a.At))
}

// idOf is the documentId of an item; empty for a single type.
func idOf(t *schema.Type, item *actItem) string {
	if t.Kind == schema.Single {
		return ""
	}
	return item.DocumentID
}
