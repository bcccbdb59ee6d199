package content

import (
	"cmp"
	"slices"

	"quire/schema"
	"quire/schema/settings"
	"quire/store"
)

// These functions are the look-ups of an operation. They include its own changes,
// because an operation that creates several documents must not store a unique value
// twice.

// versions is index.Snapshot.Versions with this operation's changes.
func (op *operation) versions(t *schema.Type, documentID string) []store.Key {
	keys := op.content.Versions(t, documentID)
	if len(op.changes) == 0 {
		return keys
	}
	keys = slices.DeleteFunc(keys, func(k store.Key) bool { return !op.exists(t, k) })
	for _, k := range op.possible(t, documentID) {
		if _, changed := op.changed[store.Name{Type: t.UID, Key: k}]; changed && op.exists(t, k) && !slices.Contains(keys, k) {
			keys = append(keys, k)
		}
	}
	slices.SortStableFunc(keys, func(a, b store.Key) int { return cmp.Compare(a.Status, b.Status) }) // drafts first
	return keys
}

// possible returns the keys that versions of a document can have.
func (op *operation) possible(t *schema.Type, documentID string) (keys []store.Key) {
	locales := []settings.Locale{{}}
	if t.Localized {
		locales = op.site.Settings.Locales
	}
	for _, status := range []store.Status{store.Draft, store.Published} {
		for _, l := range locales {
			keys = append(keys, store.Key{DocumentID: documentID, Locale: l.Code, Status: status})
		}
	}
	return keys
}

// singleDocument is index.Snapshot.SingleDocument with this operation's changes.
func (op *operation) singleDocument(t *schema.Type) (documentID string, ok bool) {
	for _, c := range op.changes {
		if c.Type == t.UID && c.After != nil {
			return c.After.DocumentID, true
		}
	}
	documentID, ok = op.content.SingleDocument(t)
	return documentID, ok && len(op.versions(t, documentID)) > 0
}

// taken is index.Snapshot.Taken with the values that this operation adds. A value that
// is given up in the same operation still counts as taken.
func (op *operation) taken(way []*schema.Attribute, v store.Value, e *store.Entry) bool {
	if op.content.Taken(way, v, e.Status, e.Locale, e.DocumentID) {
		return true
	}
	return slices.ContainsFunc(op.changes, func(c store.Change) bool {
		other := c.After
		return c.Type == way[0].Owner.UID && other != nil && other.DocumentID != e.DocumentID &&
			other.Status == e.Status && other.Locale == e.Locale && occursAt(other.Fields, way, v)
	})
}

// occursAt reports whether the value occurs at the end of the way.
func occursAt(fields store.Fields, way []*schema.Attribute, v store.Value) bool {
	here := fields.Value(way[0].Name)
	if len(way) == 1 {
		return here.Equal(v)
	}
	return slices.ContainsFunc(here.Instances, func(r store.Instance) bool {
		return r.Component == way[1].Owner.UID && occursAt(r.Fields, way[1:], v)
	})
}
