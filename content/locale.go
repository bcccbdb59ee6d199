package content

import (
	"slices"

	"quire/content/body"
	"quire/schema"
	"quire/store"
)

// An attribute of a localized type that is not localized itself has one value in all
// locales of a document: a write in one locale copies it to the other entries of the same
// status.

// locale returns the locale of a write: empty for types that are not localized, whatever
// the request says.
func (op *operation) locale(t *schema.Type, requested string) (string, error) {
	switch {
	case !t.Localized:
		return "", nil
	case requested == "":
		return op.site.Settings.DefaultLocale, nil
	case !op.site.Settings.HasLocale(requested):
		return "", body.Refuse("Locale %q does not exist", requested)
	}
	return requested, nil
}

// sharedFields returns the values that a new locale version takes from the existing
// versions of its document: from a draft, in the default locale if possible.
func (op *operation) sharedFields(t *schema.Type, documentID string) (store.Fields, error) {
	versions, err := op.seenOf(t, op.versions(t, documentID))
	if !t.Localized || len(versions) == 0 || err != nil {
		return nil, err
	}
	source := versions[0] // drafts come first
	for _, k := range versions {
		if k.Status == source.Status && k.Locale == op.site.Settings.DefaultLocale {
			source = k
		}
	}
	e, err := op.entry(t, source)
	if err != nil || e == nil {
		return nil, err
	}
	return slices.DeleteFunc(slices.Clone(e.Fields), func(f store.Field) bool {
		a := t.Attribute(f.Name)
		return a == nil || !a.IsShared()
	}), nil
}

// share copies the shared values of an entry to its document's entries of the same status
// in other locales. It does not change an entry that has them already.
func (op *operation) share(t *schema.Type, e *store.Entry) error {
	if !t.Localized {
		return nil
	}
	for _, k := range op.versions(t, e.DocumentID) {
		if k.Status != e.Status || k.Locale == e.Locale {
			continue
		}
		sibling, err := op.entry(t, k)
		if err != nil {
			return err
		}
		changed := op.shared(t, e, sibling)
		if changed == nil {
			continue
		}
		if err := op.mayShare(t, e, k); err != nil {
			return err
		}
		if changed.UpdatedAt, err = op.carried(t, changed); err != nil {
			return err
		}
		if err := op.put(t, changed); err != nil {
			return err
		}
	}
	return nil
}

// shared returns the sibling with the shared values of e, or nil if nothing changes.
// Published siblings must stay unique with them.
func (op *operation) shared(t *schema.Type, e, sibling *store.Entry) *store.Entry {
	changed := *sibling
	changed.Fields = slices.Clone(sibling.Fields)
	var moved []*schema.Attribute
	for _, a := range t.Attributes {
		v := e.Value(a.Name)
		if a.IsShared() && !v.Equal(sibling.Value(a.Name)) {
			changed.Fields = changed.Fields.Set(a.Name, v)
			moved = append(moved, a)
		}
	}
	if moved == nil {
		return nil
	}
	if changed.Status == store.Published {
		op.unique(t, &changed, moved)
	}
	return &changed
}

// carried returns the new updatedAt of an entry to which shared values were copied.
// Readers compare the updatedAt of both versions to see whether a draft is modified, and
// that result must stay true. So a published version that still differs from a later
// draft stays older than the draft, and one that now equals the draft gets the draft's
// updatedAt.
func (op *operation) carried(t *schema.Type, changed *store.Entry) (int64, error) {
	stamp := max(op.now, changed.UpdatedAt+1)
	if changed.Status == store.Draft {
		return stamp, nil
	}
	draft, err := op.entry(t, changed.Key().WithStatus(store.Draft))
	switch {
	case err != nil || draft == nil || draft.UpdatedAt <= changed.UpdatedAt:
		return stamp, err
	case draft.Fields.Equal(changed.Fields):
		return draft.UpdatedAt, nil
	}
	return max(changed.UpdatedAt, min(stamp, draft.UpdatedAt-1)), nil
}
