package query

import (
	"quire/event"
	"quire/schema"
	"quire/store"
)

// SeesEvent decides who may see that something was done to an entry, and nothing else
// does: whoever may find entries of its type. That a draft changed is as secret as the
// draft. An event that only those may see who may read drafts of every type shows to
// them alone. What the site has no place for any more shows to nobody: a type that is
// gone, drafts of a type that has none, a locale of a type that is not localized.
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

// SeesActor decides who of those who see an event may see who asked for it.
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
