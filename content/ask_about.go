package content

import (
	"context"
	"slices"

	"quire/schema"
	"quire/store"
)

// matter is what a write is about, as far as its request says.
type matter struct {
	t          *schema.Type // nil if no hook is to be asked
	documentID string
	locales    []string
	action     store.Action // ActionUpdate for a create too
	further    []string     // events in addition to that of the action
}

func (m matter) also(is bool, event string) matter {
	if is {
		m.further = append(m.further, event)
	}
	return m
}

func (r *Request) matter(action store.Action) matter {
	m := matter{t: r.Type, documentID: r.DocumentID, locales: []string{r.Locale}, action: action}
	return m.also(action != store.ActionDelete && r.Status != store.Draft && r.Type.DraftAndPublish, "publish")
}

func (s *Step) matter(action store.Action) matter {
	return matter{t: s.Type, documentID: s.DocumentID, locales: s.Locales, action: action}
}

func (r *Restoration) matter() matter {
	m := r.Step.matter(store.ActionRestore)
	m.locales = []string{r.Locale}
	return m
}

func (a *Attachment) matter() matter {
	if a == nil {
		return matter{}
	}
	t := a.Attribute.Owner
	m := matter{t: t, documentID: a.DocumentID, locales: []string{a.Locale}, action: store.ActionUpdate}
	return m.also(a.Status != store.Draft && t.DraftAndPublish, "publish")
}

// proposal returns the proposed write, without its data.
func (a *asking) proposal(ctx context.Context, m *matter) *Proposal {
	p := &Proposal{Action: m.action, Type: m.t, DocumentID: m.documentID, Locales: a.locales(m), Actor: authorOf(ctx)}
	if p.DocumentID == "" && m.t.Kind == schema.Single {
		p.DocumentID, _ = a.content.SingleDocument(m.t)
	}
	switch m.action {
	case store.ActionUpdate, store.ActionRestore:
		event := "update"
		if a.makes(p) {
			event = "create"
			if m.action == store.ActionUpdate {
				p.Action = store.ActionCreate
			}
		}
		p.Events = []string{event}
	case store.ActionDuplicate:
		p.Events = []string{"create"}
	case store.ActionDiscardDraft:
		p.Events = []string{"update"}
	default:
		p.Events = []string{m.action.String()}
	}
	p.Events = append(p.Events, m.further...)
	return p
}

// locales returns the locales of a write. An empty locale becomes the default one.
func (a *asking) locales(m *matter) []string {
	if !m.t.Localized {
		return nil
	}
	locales := slices.Clone(m.locales)
	if len(locales) == 0 {
		locales = []string{""}
	}
	for i, code := range locales {
		if code == "" {
			locales[i] = a.writer.planner.site.Settings.DefaultLocale
		}
	}
	return locales
}

// makes reports whether a write creates the entry of a document in its locale. It notes
// that the entry exists from then on.
func (a *asking) makes(p *Proposal) bool {
	k := store.Key{DocumentID: p.DocumentID}
	if len(p.Locales) > 0 {
		k.Locale = p.Locales[0]
	}
	name := store.Name{Type: p.Type.UID, Key: k}
	there := a.made[name] || slices.ContainsFunc(a.content.Versions(p.Type, p.DocumentID), func(v store.Key) bool { return v.Locale == k.Locale })
	a.made[name] = true
	return !there
}
