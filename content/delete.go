package content

import (
	"errors"
	"slices"

	"quire/schema"
	"quire/store"
)

// AllLocales requests a delete in every locale of a document.
const AllLocales = "*"

// delete plans to delete the draft and published version of a document in one locale or in
// all. Deleting something that does not exist is no error. Links to the document stay with
// their owners, where they lead to nothing and are not shown.
func (op *operation) delete(r Request) (Result, error) {
	t, documentID, locale := r.Type, r.DocumentID, r.Locale
	if t.Kind == schema.Single && documentID == "" {
		documentID, _ = op.singleDocument(t)
	}
	switch {
	case !t.Localized:
		locale = ""
	case locale == "":
		locale = op.site.Settings.DefaultLocale
	}
	op.act(t, documentID, locale, schema.Delete)
	if err := op.find(t, documentID); errors.As(err, new(*NotFoundError)) { // as for one that nobody has
		return Result{DocumentID: documentID, Locale: locale, Status: store.Published}, op.match(r, documentID)
	}
	if err := op.mayChange(t, documentID, locale); err != nil {
		return Result{}, err
	}
	if err := op.match(r, documentID); err != nil {
		return Result{}, err
	}
	if t.UID == schema.FolderUID {
		if err := op.mayRemoveFolder(t, documentID); err != nil {
			return Result{}, err
		}
	}
	op.subject(t, documentID, store.ActionDelete, true)
	for _, k := range op.versions(t, documentID) {
		if k.Locale != locale && locale != AllLocales {
			continue
		}
		if err := op.mayRemove(t, k); err != nil {
			return Result{}, err
		}
		if err := op.remove(t, k); err != nil {
			return Result{}, err
		}
	}
	if err := op.draftLeft(t, documentID); err != nil {
		return Result{}, err
	}
	return Result{DocumentID: documentID, Locale: locale, Status: store.Published}, nil
}

// draftLeft makes sure that a document has a draft. If it has lost its last draft in one
// locale, and is published in another without a draft, as after an import, the published
// version becomes the draft. This changes the version for callers who read drafts, and not
// for others.
func (op *operation) draftLeft(t *schema.Type, documentID string) error {
	left := op.versions(t, documentID)
	isDraft := func(status store.Status) bool { return status == store.Draft }
	lost := slices.ContainsFunc(op.changes, func(c store.Change) bool { return c.After == nil && isDraft(c.Before.Status) })
	if !lost || len(left) == 0 || slices.ContainsFunc(left, func(k store.Key) bool { return isDraft(k.Status) }) {
		return nil
	}
	s := &saving{op: op, t: t, request: Request{Type: t}}
	if err := s.begin(left[0]); err != nil {
		return err
	}
	return s.discard()
}

// forget removes links that still lead to a deleted locale of a document, so that they do
// not lead to the new one. Nobody sees such links, so the entries that have them keep their
// version.
func (op *operation) forget(t *schema.Type, k store.Key) error {
	if !op.complete { // in a load, links may precede their targets
		return nil
	}
	before, first := op.touched, len(op.changes)
	defer func() {
		op.touched = before // the write did not request these
		for _, c := range op.changes[first:] {
			// Let an entry keep its version, although it changes.
			if op.same == nil {
				op.same = map[*store.Entry]bool{}
			}
			op.same[c.After] = true
		}
	}()
	for _, owner := range op.site.Types {
		for _, a := range owner.Attributes {
			if a.Kind != schema.RelationKind || !a.Relation.Owns || a.Relation.Target != t && !a.Relation.Morph() {
				continue
			}
			if err := op.forgetIn(a, t, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (op *operation) forgetIn(a *schema.Attribute, t *schema.Type, k store.Key) error {
	for _, status := range []store.Status{store.Draft, store.Published} {
		v := inverse{op: op, owning: a, entryType: t, entry: k.WithStatus(status)}
		for _, o := range v.links() {
			err := op.relink(a, o.Key, func(edges []store.Edge) []store.Edge {
				return slices.DeleteFunc(edges, func(e store.Edge) bool { return e.SameTarget(v.edge(0)) })
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}
