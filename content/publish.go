package content

import (
	"slices"

	"quire/schema"
	"quire/store"
)

// publish plans the published version: the draft's values under the id of the published
// entry, which keeps it as long as it exists.
func (s *saving) publish() error {
	op := s.op
	if err := op.inStage(s.t, s.working.Key()); err != nil {
		return err
	}
	draft, err := op.entry(s.t, s.working.Key())
	if err != nil {
		return err
	}
	e := *draft // an inverse relation to itself may have changed it meanwhile
	e.Status = store.Published
	e.PublishedAt = op.now
	if e.Fields, err = s.publishedLinks(e.Fields, e.Key()); err != nil {
		return err
	}
	if s.published != nil {
		e.ID = s.published.ID
	} else {
		e.ID = op.next(s.t.UID)
	}
	if err := op.put(s.t, &e); err != nil {
		return err
	}
	if err := s.releaseAll(&e); err != nil {
		return err
	}
	for _, a := range s.t.Attributes {
		if a.IsInverse() {
			if err := op.inverse(a, s.t, e.Key()).publish(s.published == nil); err != nil {
				return err
			}
		}
	}
	return op.share(s.t, &e)
}

// publishedLinks returns the fields of a draft with the links of its published version.
// Links that the target sees keep the place that they have in its list, and new ones go to
// the end; those of the first published version have the places of the draft. A link to a
// draft that is not published is left out: it is added when the target is published.
func (s *saving) publishedLinks(fields store.Fields, k store.Key) (store.Fields, error) {
	old, err := s.op.entry(s.t, k)
	if err != nil {
		return nil, err
	}
	for _, a := range s.t.Attributes {
		draft := fields.Value(a.Name).Edges
		if len(draft) == 0 || !a.IsTwoSided() || !a.Relation.Owns {
			continue
		}
		var before map[store.End]store.Edge
		if old != nil {
			before = byEnd(old.Value(a.Name).Edges)
		}
		if edges := s.linksOf(a, draft, before); !slices.Equal(edges, draft) {
			fields = fields.With(a.Name, store.Value{Kind: store.Edges, Edges: edges})
		}
	}
	return fields, nil
}

// linksOf returns the published links for those of a draft.
func (s *saving) linksOf(a *schema.Attribute, draft []store.Edge, before map[store.End]store.Edge) []store.Edge {
	edges := make([]store.Edge, 0, len(draft))
	for _, e := range draft {
		if s.comesLater(a, e) || !a.Relation.Many() && len(draft) > 1 && s.isDead(a, e) {
			continue
		}
		if kept, ok := before[e.End()]; ok && kept.Place != 0 {
			e.Place = kept.Place
		} else if e.Place == 0 || s.published != nil && !s.op.isNew(a, e.Place) {
			e.Place = s.op.nextPlace(a)
		}
		if edges = append(edges, e); !a.Relation.Many() {
			break // of several locales of one document, the one that is shown
		}
	}
	return edges
}

// isDead reports whether a link leads to a deleted document.
func (s *saving) isDead(a *schema.Attribute, e store.Edge) bool {
	t := s.op.targetOf(a, e)
	if t == nil || s.op.pending != nil {
		return false
	}
	k := s.op.targetKey(t, s.working.Locale, e)
	return !s.op.exists(t, k.WithStatus(store.Draft)) && !s.op.exists(t, k.WithStatus(store.Published))
}

// comesLater reports whether a link leads to a draft that is not published, and whose
// publication adds the link.
func (s *saving) comesLater(a *schema.Attribute, e store.Edge) bool {
	t := s.op.targetOf(a, e)
	if t == nil || !t.DraftAndPublish || !slices.ContainsFunc(t.Attributes, func(b *schema.Attribute) bool {
		return b.IsInverse() && b.Relation.Inverse == a
	}) {
		return false
	}
	k := s.op.targetKey(t, s.working.Locale, e).WithStatus(store.Published)
	itself := t == s.t && k.DocumentID == s.working.DocumentID && k.Locale == s.working.Locale
	return !itself && !s.op.exists(t, k) && s.op.exists(t, k.WithStatus(store.Draft))
}
