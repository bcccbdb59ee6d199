package query

import (
	"testing"

	"quire/content/event"
	"quire/schema"
	"quire/store"
)

// Who may see an event, caller by caller.
func TestSeesEvent(t *testing.T) {
	site := loadSite(t)
	const dish, find, read = "api::dish.dish", " find", " readDraft"
	nobody, findsDishes, writesDishes := someTypes{}, someTypes{dish + find: true}, someTypes{dish + read: true}
	editor := someTypes{dish + find: true, dish + read: true}
	finds, all := someTypes{}, someTypes{}
	for _, ct := range site.Types {
		finds[ct.UID+find], all[ct.UID+find], all[ct.UID+read] = true, true, true
	}
	callers := []struct {
		name   string
		access schema.Access
	}{{"nobody", nobody}, {"finds dishes", findsDishes}, {"reads drafts it cannot find", writesDishes}, {"editor of dishes", editor}, {"finds all", finds}, {"all", all}}
	localized := "en"
	for _, one := range []struct {
		name string
		e    event.Event
		who  string // by their place in callers
	}{
		{"published", event.Event{Type: dish, Status: store.Published}, ".f.efa"},
		{"draft", event.Event{Type: dish, Status: store.Draft}, "...e.a"},
		{"a link to a draft", event.Event{Type: "api::category.category", Locale: "", Status: store.Published, Drafts: true}, ".....a"},
		{"user", event.Event{Type: schema.UserUID, Status: store.Published}, "....fa"},
		{"role", event.Event{Type: schema.RoleUID, Status: store.Published}, "....fa"},
		{"file", event.Event{Type: schema.FileUID, Status: store.Published}, "....fa"},
		{"draft of a type without drafts", event.Event{Type: schema.UserUID, Status: store.Draft}, "......"},
		{"type that is gone", event.Event{Type: "api::gone.gone", Status: store.Published}, "......"},
		{"component", event.Event{Type: "section.quote", Status: store.Published}, "......"},
		{"locale of a type without", event.Event{Type: schema.UserUID, Locale: localized, Status: store.Published}, "......"},
		{"no status", event.Event{Type: dish}, "......"},
	} {
		if ct := site.Type(one.e.Type); ct != nil && ct.Localized {
			one.e.Locale = localized
		}
		for i, c := range callers {
			if got, want := SeesEvent(site, c.access, &one.e), one.who[i] != '.'; got != want {
				t.Errorf("%s, %s: sees it %t, want %t", c.name, one.name, got, want)
			}
		}
	}
}

// Who asked for a change is for those who may read the history.
func TestSeesActor(t *testing.T) {
	site := loadSite(t)
	e := &event.Event{Type: "api::dish.dish", Status: store.Published}
	if SeesActor(site, someTypes{"api::dish.dish find": true}, e) || !SeesActor(site, someTypes{"api::dish.dish readHistory": true}, e) {
		t.Error("the actor is not for those who may read the history")
	}
}
