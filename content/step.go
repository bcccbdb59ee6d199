package content

import (
	"context"
	"encoding/json"
	"slices"

	"quire/content/body"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// Step requests one action on a document that writes no new content: it publishes a draft,
// unpublishes a published version, or discards a draft.
type Step struct {
	Type       *schema.Type // with draft and publish
	DocumentID string       // may be empty for single types
	Match      *Match       // as in a Request

	// Locales are those to act on: none for the default one, AllLocales alone for all
	// locales of the document. They have no effect on types that are not localized.
	Locales []string

	// Access says what a refusal may show of the draft to the caller; nil for everything.
	Access schema.Access

	// Copy is the documentId of the result of Duplicate, one of NewDocumentID; empty for
	// one that the Writer makes.
	Copy string

	// Beside is as in a Request.
	Beside func(tx *store.Tx) error
}

// Publish publishes the drafts of a document: in all the locales or, if one of them cannot
// be published, in none. The results are in the order of the locales. Errors: as for
// Update.
func (w *Writer) Publish(ctx context.Context, s Step) ([]Result, error) {
	return w.step(ctx, ToPublish(s))
}

// Unpublish removes the published versions of a document. A draft stays unchanged. If there
// is none, the published version becomes the draft, and with discard it does so in any
// case. A locale that is not published stays unchanged. Errors: as for Update.
func (w *Writer) Unpublish(ctx context.Context, s Step, discard bool) ([]Result, error) {
	return w.step(ctx, ToUnpublish(s, discard))
}

// DiscardDraft replaces the drafts of a document with its published versions. Errors: as
// for Update, and *ApplicationError if nothing is published.
func (w *Writer) DiscardDraft(ctx context.Context, s Step) ([]Result, error) {
	return w.step(ctx, ToDiscardDraft(s))
}

// step does one write.
func (w *Writer) step(ctx context.Context, one Write) ([]Result, error) {
	results, err := w.Together(ctx, []Write{one})
	if err != nil {
		return nil, err
	}
	return results[0], nil
}

// with is a plan with what belongs to the step beside it.
func (s Step) with(fn plan) plan {
	return func(op *operation) ([]Result, error) {
		if s.Beside != nil {
			op.beside = append(op.beside, s.Beside)
		}
		return fn(op)
	}
}

func (op *operation) publish(s Step) ([]Result, error) {
	return op.eachLocale(s, store.ActionPublish, store.Published, func(one *saving) error {
		if one.working.ID == 0 {
			return nil // everything is published
		}
		if one.validate(); len(op.found) > 0 {
			return op.found.Err()
		}
		return one.publish()
	})
}

func (op *operation) unpublish(s Step, discard bool) ([]Result, error) {
	var also []schema.Action
	if discard {
		also = append(also, schema.Update)
	}
	return op.eachLocale(s, store.ActionUnpublish, store.Draft, func(one *saving) error {
		switch {
		case one.published == nil:
			return nil
		case discard || one.working.ID == 0:
			if err := one.discard(); err != nil {
				return err
			}
		}
		if err := op.unlinkPublished(one.t, one.published.Key()); err != nil {
			return err
		}
		return op.remove(one.t, one.published.Key())
	}, also...)
}

func (op *operation) discardDraft(s Step) ([]Result, error) {
	return op.eachLocale(s, store.ActionDiscardDraft, store.Draft, func(one *saving) error {
		if one.published == nil {
			return &ApplicationError{"The document has no published version that its draft could go back to"}
		}
		return one.discard()
	})
}

// stepActions are the actions that a step needs.
var stepActions = map[store.Action]schema.Action{
	store.ActionPublish: schema.Publish, store.ActionUnpublish: schema.Unpublish, store.ActionDiscardDraft: schema.Update,
}

// eachLocale plans a step in each of its locales, all of which the document must have. It needs the
// action of the step, and others before that.
func (op *operation) eachLocale(s Step, action store.Action, shown store.Status, step func(*saving) error, also ...schema.Action) ([]Result, error) {
	documentID, _, err := op.document(Request{Type: s.Type, DocumentID: s.DocumentID})
	if err == nil && action != store.ActionPublish && !s.seesDrafts() && !op.isPublished(s.Type, documentID) {
		err = &NotFoundError{s.Type.UID, documentID}
	}
	if err != nil {
		return nil, err
	}
	op.act(s.Type, documentID, "", append(also, stepActions[action])...)
	locales, err := op.localesFor(s, documentID)
	if err == nil {
		err = op.match(Request{Type: s.Type, Match: s.Match}, documentID)
	}
	if err == nil && action != store.ActionPublish {
		locales, err = op.seen(s, documentID, locales)
	}
	if err == nil && len(locales) == 0 {
		err = &NotFoundError{s.Type.UID, documentID}
	}
	if err != nil {
		return nil, err
	}
	nothing, err := body.Decode(op.site, s.Type, json.RawMessage("{}"), s.Access)
	if err != nil {
		return nil, err
	}
	op.subject(s.Type, documentID, action, action != store.ActionDiscardDraft)
	var results []Result
	for _, locale := range locales {
		one := &saving{op: op, t: s.Type, request: Request{Type: s.Type, Input: nothing}}
		one.result = Result{DocumentID: documentID, Locale: locale, Status: shown}
		if err := one.begin(store.Key{DocumentID: documentID, Locale: locale}); err != nil {
			return nil, err
		}
		if one.isNew {
			return nil, &NotFoundError{s.Type.UID, documentID}
		}
		if err := step(one); err != nil {
			return nil, err
		}
		results = append(results, one.result)
	}
	return results, op.found.Err()
}

// localesFor returns the locales of a step, if the caller may change the document in all of
// them.
func (op *operation) localesFor(s Step, documentID string) ([]string, error) {
	locales, err := op.localesOf(s, documentID)
	requested := locales
	if slices.Contains(s.Locales, AllLocales) && s.Type.Localized {
		requested = append([]string{AllLocales}, locales...)
	}
	for i := 0; i < len(requested) && err == nil; i++ {
		err = op.mayChange(s.Type, documentID, requested[i])
	}
	return locales, err
}

// seesDrafts reports whether the caller may know which drafts exist.
func (s Step) seesDrafts() bool { return s.Access == nil || s.Access.Allows(s.Type, schema.ReadDraft) }

// isPublished reports whether the document is published in any locale.
func (op *operation) isPublished(t *schema.Type, documentID string) bool {
	return slices.ContainsFunc(op.versions(t, documentID), func(k store.Key) bool { return k.Status == store.Published })
}

// seen returns the locales that lose their published version or their draft, as far as the
// caller may know: a caller who sees no drafts does not learn about locales with only a
// draft.
func (op *operation) seen(s Step, documentID string, locales []string) (seen []string, err error) {
	if s.seesDrafts() {
		return locales, nil
	}
	for _, l := range locales {
		k := store.Key{DocumentID: documentID, Locale: l, Status: store.Published}
		switch {
		case op.exists(s.Type, k):
			seen = append(seen, l)
		case !slices.Contains(s.Locales, AllLocales):
			return nil, &NotFoundError{s.Type.UID, documentID}
		}
	}
	return seen, nil
}

// localesOf returns the locales of a step, each once.
func (op *operation) localesOf(s Step, documentID string) (locales []string, err error) {
	switch {
	case !s.Type.Localized:
		return []string{""}, nil
	case len(s.Locales) == 0:
		return []string{op.site.Settings.DefaultLocale}, nil
	}
	for _, requested := range s.Locales {
		these := []string{requested}
		if requested == AllLocales {
			these = op.localesNow(s.Type, documentID)
		} else if _, err = op.locale(s.Type, requested); err != nil {
			return nil, err
		}
		for _, l := range these {
			if !slices.Contains(locales, l) {
				locales = append(locales, l)
			}
		}
	}
	return locales, nil
}

// localesNow returns the locales of a document, in the order of the site's.
func (op *operation) localesNow(t *schema.Type, documentID string) (locales []string) {
	has := map[string]bool{}
	for _, k := range op.versions(t, documentID) {
		has[k.Locale] = true
	}
	for _, l := range op.site.Settings.Locales {
		if has[l.Code] {
			locales = append(locales, l.Code)
		}
	}
	return locales
}

// discard plans the draft that equals the published version, under the id of the existing
// draft.
func (s *saving) discard() error {
	op := s.op
	draft := *s.published
	draft.ID, draft.Status, draft.PublishedAt = s.working.ID, store.Draft, 0
	draft.CreatedAt, draft.Stamp = s.working.CreatedAt, s.working.Stamp
	if draft.ID == 0 {
		draft.ID = op.next(s.t.UID)
	}
	if err := s.keepFixed(&draft); err != nil {
		return err
	}
	draft.Fields = s.draftLinks(draft.Fields)
	if err := s.putDraft(&draft); err != nil {
		return err
	}
	s.working = &draft
	if err := s.releaseAll(&draft); err != nil {
		return err
	}
	sight, err := s.sight()
	if err != nil {
		return err
	}
	for _, a := range s.t.Attributes {
		if a.IsInverse() && sight.Sets(a) {
			if err := op.inverse(a, s.t, draft.Key()).discard(); err != nil {
				return err
			}
		}
	}
	return op.share(s.t, &draft)
}

// keepFixed keeps in the draft what the caller may not change. Then the draft is still
// modified.
func (s *saving) keepFixed(draft *store.Entry) (err error) {
	sight, err := s.sight()
	shared := s.op.limitsLocales(s.t, s.working.DocumentID)
	if err != nil || s.working.ID == 0 || !sight.Limited() && !shared {
		return err
	}
	draft.Fields, err = s.op.discarded(s.t, sight, shared, s.working.Fields, draft.Fields, "")
	if err == nil && !draft.Fields.Equal(s.published.Fields) {
		draft.UpdatedAt = max(s.op.now, s.working.UpdatedAt+1)
	}
	return err
}

// putDraft plans the draft, unless it is equal already: then the version stays.
func (s *saving) putDraft(draft *store.Entry) error {
	stored, err := s.op.entry(s.t, draft.Key())
	if err != nil || stored != nil && stored.UpdatedAt == draft.UpdatedAt && stored.Fields.Equal(draft.Fields) {
		return err
	}
	return s.op.put(s.t, draft)
}

// draftLinks returns the fields of a published version with the links of its draft: those
// that the draft has keep their place in the target's list, the others go to its end.
func (s *saving) draftLinks(fields store.Fields) store.Fields {
	for _, a := range s.t.Attributes {
		edges := slices.Clone(fields.Value(a.Name).Edges)
		if len(edges) == 0 || !a.IsTwoSided() || !a.Relation.Owns {
			continue
		}
		before := byEnd(s.working.Value(a.Name).Edges)
		for i := range edges {
			edges[i].Place = before[edges[i].End()].Place
		}
		s.op.assignPlaces(a, edges, before)
		fields = fields.With(a.Name, store.Value{Kind: store.Edges, Edges: edges})
	}
	return fields
}

// discard makes the draft entry's list equal to its published entry's list.
func (v inverse) discard() error {
	v.op.touched.through = v.attribute
	from := v
	from.entry.Status = store.Published
	list := func(owners []index.Owner) []store.Edge {
		edges := make([]store.Edge, len(owners))
		for i, o := range owners {
			edges[i] = v.listed(o)
		}
		return edges
	}
	return v.change(list(v.working()), list(from.links()))
}

// unlinkPublished removes the links of entries without drafts that lead only to a published
// version, so that they do not lead to the next one.
func (op *operation) unlinkPublished(t *schema.Type, k store.Key) error {
	defer func() { op.touched = touched{} }() // the write did not request these
	for _, owner := range op.site.Types {
		for _, a := range owner.Attributes {
			if a.Kind != schema.RelationKind || !a.Relation.Owns || a.Relation.Target != t && !a.Relation.Morph() || !Splits(a, owner, t) {
				continue
			}
			v := inverse{op: op, owning: a, entryType: t, entry: k}
			for _, o := range v.links() {
				if err := op.unlink(a, o.Key, v.edge(0)); err != nil {
					return err
				}
			}
		}
	}
	return nil
}
