package documents

import (
	"fmt"
	"slices"
	"strings"

	"quire/content"
	"quire/content/body"
	"quire/query"
	"quire/query/params"
	"quire/schema"
)

// Actions change the state of a document and write no values of the caller.

// Act prepares an action on a document: Publish, Unpublish, DiscardDraft or Duplicate. The
// response is the document in the first of the requested locales.
func (c *Call) Act(t *schema.Type, action schema.Action, g Change) (*Write, error) {
	step, tree, q, err := c.step(t, action, g)
	if err != nil {
		return nil, err
	}
	sent := &body.Input{Type: t} // empty, also for what it creates
	w := &Write{call: c, Type: t, DocumentID: step.DocumentID, query: q, known: sent.Gives}
	switch action {
	case schema.Publish:
		w.write = content.ToPublish(step)
	case schema.Unpublish:
		discard, err := c.discards(t, tree)
		if err != nil {
			return nil, err
		}
		w.write = content.ToUnpublish(step, discard)
	case schema.DiscardDraft:
		w.write = content.ToDiscardDraft(step)
	case schema.Duplicate:
		if l := step.Locales; len(l) > 1 || len(l) == 1 && l[0] != content.AllLocales {
			return nil, invalid(`A duplicate has all locales of the document; "locale" can be * alone`)
		}
		w.Creates, w.DocumentID = true, content.NewDocumentID()
		step.Copy = w.DocumentID
		w.write = content.ToDuplicate(step)
	default:
		return nil, fmt.Errorf("documents: %s is not an action on a document", action)
	}
	return w, nil
}

// Later reads an action that is to be done at a time: its locales, and whether it discards
// the draft.
func (c *Call) Later(t *schema.Type, action schema.Action, g Change) (locales []string, discard bool, err error) {
	step, tree, _, err := c.step(t, action, g)
	if err == nil && action == schema.Unpublish {
		discard, err = c.discards(t, tree)
	}
	if t.Localized && step.Locales == nil {
		step.Locales = []string{c.Site.Settings.DefaultLocale} // the default locale may be another one by then
	}
	return step.Locales, discard, err
}

// discards reports whether unpublishing replaces the draft first, as discarding it does.
func (c *Call) discards(t *schema.Type, tree *params.Node) (discard bool, err error) {
	if discard, err = flag(tree, "discardDraft"); err == nil && discard {
		err = c.allow(t, schema.DiscardDraft)
	}
	return discard, err
}

// step reads what an action does.
func (c *Call) step(t *schema.Type, action schema.Action, g Change) (step content.Step, tree *params.Node, q *query.Query, err error) {
	step = content.Step{Type: t, DocumentID: g.DocumentID, Access: c.Caller, Beside: g.Beside, Match: c.match(t, g.Match)}
	if err = c.allow(t, action); err != nil {
		return step, nil, nil, err
	}
	if tree, err = c.tree(g.Arguments); err != nil {
		return step, nil, nil, err
	}
	if tree.Get("status") != nil {
		return step, nil, nil, invalid(`An action takes no "status"`)
	}
	if tree.Get("at") != nil {
		return step, nil, nil, invalid(`"at" belongs into the body`)
	}
	if step.Locales, err = c.locales(t, tree.Get("locale")); err != nil {
		return step, nil, nil, err
	}
	first := c.Site.Settings.DefaultLocale
	if l := step.Locales; len(l) > 0 && l[0] != content.AllLocales {
		first = l[0]
	}
	q, err = c.Compile(t, tree.WithText("locale", first), query.Options{V4: c.V4, Write: true, Draft: true})
	return step, tree, q, err
}

// locales reads the locales of an action: one, several with commas between them or as a
// list, or * for all.
func (c *Call) locales(t *schema.Type, n *params.Node) (codes []string, err error) {
	switch {
	case n == nil || n.IsNull() || !t.Localized:
		return nil, nil
	case n.IsText():
		codes = strings.Split(n.Text, ",")
	case n.IsList():
		for _, item := range n.Items {
			codes = append(codes, item.Text)
		}
	}
	var once []string
	for _, code := range codes {
		if code != content.AllLocales && (code == "" || c.checkLocale(code) != nil) {
			return nil, invalid(fmt.Sprintf(`"locale": the site has no locale %.100q`, code))
		}
		if !slices.Contains(once, code) {
			once = append(once, code)
		}
	}
	if once == nil {
		return nil, invalid(`"locale" must be a locale, several, or *`)
	}
	return once, nil
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
