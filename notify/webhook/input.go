package webhook

import (
	"fmt"
	"slices"

	"quire/schema"
	"quire/schema/settings"
	"quire/schema/source"
)

// ReadInput reads a hook in the form of site.json; missing members are those of former. The
// error is a *RefusedError about the first invalid key.
func (b *Webhooks) ReadInput(data []byte, former settings.Webhook) (settings.Webhook, error) {
	problems := &source.Problems{}
	o, ok := source.Parse("body", data, problems)
	w := former
	if ok {
		w = b.site.Settings.ReadWebhook(o, former, settings.Types{Exists: b.typeExists})
	}
	if len(problems.List) > 0 {
		p := problems.List[0]
		return w, &RefusedError{p.Place, fmt.Sprintf("%s; %s", p.Message, p.Fix)}
	}
	return w, nil
}

// typeExists reports whether the key is the uid of a content type, and adds a problem if it
// is not.
func (b *Webhooks) typeExists(m source.Member) bool {
	if t := b.site.Type(m.Key); t != nil && !t.IsComponent() {
		return true
	}
	m.Refuse(fmt.Sprintf("there is no content type %.100q", m.Key), "name the uid of a content type")
	return false
}

// Shows returns the types whose entries a hook sees: those that it asks for, and the
// targets of their relations.
func (b *Webhooks) Shows(w settings.Webhook) (types []*schema.Type) {
	h := &Hook{Webhook: w}
	add := func(t *schema.Type) {
		if t != nil && h.shown().Allows(t, schema.Find) && !slices.Contains(types, t) {
			types = append(types, t)
		}
	}
	for _, t := range b.site.Types {
		if len(w.Types) == 0 || slices.Contains(w.Types, t.UID) {
			add(t)
		}
	}
	for _, t := range slices.Clone(types) {
		b.eachTarget(t, map[*schema.Type]bool{}, add)
	}
	return types
}

// eachTarget calls fn for the target of each relation of a type, including those in its
// components. Files follow the entries that show them.
func (b *Webhooks) eachTarget(t *schema.Type, seen map[*schema.Type]bool, fn func(*schema.Type)) {
	if seen[t] {
		return
	}
	seen[t] = true
	for _, a := range t.Attributes {
		switch {
		case a.Relation != nil && a.Kind != schema.RelationKind:
		case a.Relation != nil && a.Relation.Morph():
			for _, any := range b.site.Types {
				fn(any)
			}
		case a.Relation != nil:
			fn(a.Relation.Target)
		case a.ComponentType != nil:
			b.eachTarget(a.ComponentType, seen, fn)
		}
		for _, zone := range a.Zone {
			b.eachTarget(zone, seen, fn)
		}
	}
}
