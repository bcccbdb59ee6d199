package query

import (
	"quire/content/event"
	"quire/schema"
	"quire/store"
)

// SeesEvent decides who may see that something was done to an entry, and nothing else does:
// callers who may find entries of its type. A change of a draft is as secret as the draft.
// If only callers who may read drafts of every type may see an event, only these see it.
// Events that do not fit the site any more are shown to nobody: of a deleted type, of
// drafts of a type without drafts, of a locale of a type that is not localized.
func SeesEvent(s *schema.Site, access schema.Access, e *event.Event) bool {
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
