package query

import (
	"slices"

	"quire/content/event"
	"quire/index"
	"quire/schema"
	"quire/store"
)

// SeesEvent decides who may see that something was done to an entry, and nothing else does:
// callers who may find entries of its type. A change of a draft is as secret as the draft.
// If only callers who may read drafts of every type may see an event, only these see it.
// Events that do not fit the site any more are shown to nobody: of a deleted type, of
// drafts of a type without drafts, of a locale of a type that is not localized. Events have no
// values, so callers for whom not all entries of the type exist see none, see SeesEventAt.
func SeesEvent(s *schema.Site, access schema.Access, e *event.Event) bool {
	return SeesKind(s, access, e) && access.Filter(s.Type(e.Type)) == nil
}

// SeesEventAt is SeesEvent for callers for whom not all entries of the type exist, too: they see the
// events of those that exist in the snapshot.
func SeesEventAt(s *index.Snapshot, access schema.Access, e *event.Event) bool {
	if !SeesKind(s.Site(), access, e) {
		return false
	}
	t := s.Site().Type(e.Type)
	return access.Filter(t) == nil || HasEntry(s, access, t, store.Key{DocumentID: e.DocumentID, Locale: e.Locale, Status: e.Status})
}

// HasDocument reports whether a version of a document, in one locale or in all for "*", exists for a
// caller who may read its type with its drafts.
func HasDocument(s *index.Snapshot, access schema.Access, t *schema.Type, documentID, locale string) bool {
	return slices.ContainsFunc(s.Versions(t, documentID), func(k store.Key) bool {
		return (locale == "*" || k.Locale == locale) && HasEntry(s, access, t, k)
	})
}

// HasEntry reports whether an entry of the snapshot exists for a caller who may read its type.
func HasEntry(s *index.Snapshot, access schema.Access, t *schema.Type, k store.Key) bool {
	tb, r, ok := s.Find(t, k)
	return ok && s.Shows(access.Filter(t), tb, r)
}

// SeesKind reports whether a caller may see events of some entries like that of an event.
func SeesKind(s *schema.Site, access schema.Access, e *event.Event) bool {
	t := s.Type(e.Type)
	switch {
	case t == nil || t.IsComponent() || !t.TakesLocale(e.Locale) || !access.Allows(t, schema.Find):
		return false
	case e.Status == store.Draft:
		return t.DraftAndPublish && access.Allows(t, schema.ReadDraft)
	case e.Status != store.Published:
		return false
	case e.Drafts:
		return !HidesDrafts(s, access)
	}
	return true
}

// SeesActor decides which callers who see an event may also see its actor.
func SeesActor(s *schema.Site, access schema.Access, e *event.Event) bool {
	t := s.Type(e.Type)
	return t != nil && access.Allows(t, schema.ReadHistory)
}

// HidesDrafts reports whether there are drafts that the caller may not read.
func HidesDrafts(s *schema.Site, access schema.Access) bool {
	var v versions
	v.hideDrafts(s, access)
	return v.hidden != nil
}
