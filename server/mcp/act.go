package mcp

import (
	"encoding/json"

	"quire/auth/people"
	"quire/content/changeset"
	"quire/content/release"
	"quire/documents"
	"quire/schema"
)

var actTool = newTool("act", "Change the state of documents, all in one transaction. What needs a person answers so.", destroys, act)

type actArguments struct {
	Action string    `json:"action" need:"" values:"publish unpublish discard duplicate restore delete unschedule"`
	Items  []actItem `json:"items" need:"" about:"up to 200"`
	At     string    `json:"at" about:"publish or unpublish at this time, 2030-01-31T12:00:00Z"`
}

type actItem struct {
	Type       string  `json:"type" need:""`
	DocumentID string  `json:"documentId"`
	Locale     string  `json:"locale" about:"* for all"`
	Version    *uint64 `json:"version" about:"only if the document is still at it"`
	Revision   uint64  `json:"revision" about:"to restore"`
	Schedule   string  `json:"schedule" about:"id to cancel"`
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

// plan schedules publishing or unpublishing, or cancels that. Nobody could see the result of a
// proposal before its time, so an agent that may not plan by itself is refused.
func (c *change) plan(a *actArguments) (*toolResult, error) {
	item := &a.Items[0]
	if len(a.Items) > 1 {
		return nil, refuse("a schedule takes one item")
	}
	t, err := c.typeOf(item.Type)
	if err != nil {
		return nil, err
	}
	c.mustBeDone = true
	if err := c.approve(c.Limits.Publish, "to plan what is published"); err != nil {
		return nil, err
	}
	if err := c.join(); err != nil {
		return nil, err
	}
	c.used++
	if t.Kind == schema.Single {
		item.DocumentID = ""
	}
	switch {
	case a.Action == "unschedule":
		return say("Done: the schedule is cancelled."), c.Unplan(c.ctx, t, item.DocumentID, item.Schedule)
	case item.Version != nil:
		return nil, refuse("version is for what is done at once; it cannot go with at")
	}
	locales, discard, err := c.Later(t, planned[a.Action], documents.Change{DocumentID: item.DocumentID, Arguments: documents.InLocale(item.Locale)})
	if err != nil {
		return nil, err
	}
	step := release.Step{Type: t.UID, DocumentID: item.DocumentID, Action: planned[a.Action], Locales: locales, DiscardDraft: discard}
	made, err := c.Plan(c.ctx, step, quoted(a.At))
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(made)
	return say("Done: scheduled. %s", text), err
}
