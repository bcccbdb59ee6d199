package migrate

import (
	"context"
	"slices"

	"quire/content/history"
	"quire/schema"
	"quire/store"
)

// A type that has drafts from now on gets a draft of each document, because people edit
// drafts: a missing one is a copy of the published version.

// lacksDraft reports whether an entry must get a draft.
func (v *evolver) lacksDraft(uid string, e *store.Entry) bool {
	s := v.side(v.newUID(uid))
	switch {
	case s.to == nil || !s.to.DraftAndPublish || e.Status != store.Published || v.drop[Removed{Type: uid}]:
		return false
	case s.from != nil && s.from.DraftAndPublish:
		return false
	case len(v.Only) > 0 && !slices.Contains(v.Only, Removed{Type: s.to.UID}):
		return false
	}
	return !v.tx.Has(uid, e.Key().WithStatus(store.Draft))
}

// lackingDrafts finds the entries that must get a draft.
func (v *evolver) lackingDrafts(ctx context.Context) (names []store.Name, err error) {
	for _, uid := range v.tx.Types() {
		if t := v.To.Type(uid); t == nil || t.IsComponent() || !t.DraftAndPublish {
			continue
		}
		err := v.tx.Scan(uid, func(e *store.Entry) error {
			if v.lacksDraft(uid, e) {
				names = append(names, store.Name{Type: uid, Key: e.Key()})
			}
			return ctx.Err()
		})
		if err != nil {
			return nil, err
		}
	}
	return names, nil
}

// makeDrafts gives drafts to some entries, in one transaction.
func makeDrafts(tx *store.Tx, site *schema.Site, names []store.Name) error {
	r := rewrite(site, tx)
	for _, name := range names {
		e, err := tx.Entry(name.Type, name.Key)
		if err != nil || e == nil {
			return err
		}
		draft := *e
		draft.ID, draft.Status, draft.PublishedAt = tx.Sequence(name.Type)+1, store.Draft, 0
		if err := tx.SetSequence(name.Type, draft.ID); err != nil {
			return err
		}
		change := store.Change{Type: name.Type, After: &draft}
		if err := r.Apply(tx, r.Stamp(change)); err != nil {
			return err
		}
	}
	return tx.SetSequence(history.VersionsSequence, r.Version)
}
