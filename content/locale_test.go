package content

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"quire/content/body"
	"quire/store"
)

func TestSharedValues(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Hello", "stars": 3, "location": {"street": "s"}, "seo": {"meta_title": "en"}}`)
	f.update("restaurant", id, `{"name": "Bonjour", "vegan": true}`, in("fr"))
	read := func(locale string, status store.Status) *store.Entry {
		t.Helper()
		return f.mustRead("restaurant", store.Key{DocumentID: id, Locale: locale, Status: status})
	}
	fr, en := read("fr", store.Published), read("en", store.Published)
	if fr.Value("stars").Num != 3 || fr.Value("price_tier").Text != "p2" || fr.Value("seo").Kind != store.Null || en.Value("vegan").Num != 1 {
		t.Errorf("fr is %+v", fr.Fields)
	}
	if !fr.Value("location").Equal(en.Value("location")) || fr.CreatedAt == en.CreatedAt || fr.ID == en.ID {
		t.Errorf("fr is %+v", fr)
	}

	// A write of a draft copies shared values only to drafts, publishing copies them to
	// both, and nothing else changes.
	f.update("restaurant", id, `{"stars": 4}`, in("fr"), asDraft)
	if read("en", store.Draft).Value("stars").Num != 4 || read("en", store.Published).Value("stars").Num != 3 {
		t.Error("a draft's shared value was not carried to the other draft alone")
	}
	before := read("en", store.Draft)
	f.update("restaurant", id, `{"name": "Salut"}`, in("fr"))
	if got := read("en", store.Published); got.Value("stars").Num != 4 || got.Value("name").Text != "Hello" || got.UpdatedAt == en.UpdatedAt {
		t.Errorf("en is %+v", got)
	}
	if got := read("en", store.Draft); got.UpdatedAt != before.UpdatedAt {
		t.Error("a write that changed nothing shared touched the other locale")
	}
}

func TestNewLocaleOfADraft(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"stars": 3}`, asDraft)
	if _, err := f.tryUpdate("restaurant", id, `{"tagline": "t"}`, in("it")); err == nil {
		t.Error("published without a name")
	}
	f.update("restaurant", id, `{"name": "Ciao"}`, in("it"))
	if got := f.mustRead("restaurant", liveOf(id, "it")).Value("stars").Num; got != 3 {
		t.Errorf("it has %d stars", got)
	}
	if f.stored("restaurant", liveOf(id, "en")) != nil {
		t.Error("publishing one locale published another")
	}
}

func TestUnknownLocales(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Hello"}`)
	for _, locale := range []string{"zz", "EN", "*", "en "} {
		var invalid *body.ValidationError
		if _, err := f.tryUpdate("restaurant", id, `{}`, in(locale)); !errors.As(err, &invalid) {
			t.Errorf("%q: got %v", locale, err)
		}
		if _, err := f.tryCreate("restaurant", `{"name": "New"}`, in(locale)); !errors.As(err, &invalid) {
			t.Errorf("%q: got %v", locale, err)
		}
	}
	f.delete("restaurant", id, "zz")
	f.mustRead("restaurant", liveOf(id, "en"))
	f.create("category", `{"name": "c"}`, in("zz")) // not localized: the locale has no effect
}

func TestDeleteByLocale(t *testing.T) {
	f := newFixture(t, guide(t))
	id := f.create("restaurant", `{"name": "Hello"}`)
	for _, locale := range []string{"fr", "it"} {
		f.update("restaurant", id, fmt.Sprintf(`{"name": "in %s"}`, locale), in(locale))
	}
	left := func(want string) {
		t.Helper()
		got := ""
		for _, locale := range []string{"en", "fr", "it"} {
			if f.stored("restaurant", liveOf(id, locale)) != nil && f.stored("restaurant", draftOf(id, locale)) != nil {
				got += locale + " "
			}
		}
		if got != want {
			t.Errorf("left are %s, want %s", got, want)
		}
	}
	left("en fr it ")
	f.delete("restaurant", id, "fr")
	left("en it ")
	f.delete("restaurant", id, "")
	left("it ")
	f.delete("restaurant", id, "")
	left("it ")
	f.delete("restaurant", id, AllLocales)
	left("")
}

// Copying shared values to another locale never makes its draft look modified or
// published. Readers compare the updatedAt of both versions.
func TestModifiedStateOfOtherLocales(t *testing.T) {
	now := time.UnixMilli(1000)
	f := newFixtureWith(t, guide(t), WriterOptions{Now: func() time.Time { return now }})
	id := f.create("restaurant", `{"name": "Hello"}`)
	f.update("restaurant", id, `{"name": "Bonjour"}`, in("fr"))
	modified := func(want bool) {
		t.Helper()
		draft, live := f.mustRead("restaurant", draftOf(id, "en")), f.mustRead("restaurant", liveOf(id, "en"))
		if got := draft.UpdatedAt > live.UpdatedAt; got != want || got == draft.Fields.Equal(live.Fields) {
			t.Errorf("modified is %v (%d and %d), want %v", got, draft.UpdatedAt, live.UpdatedAt, want)
		}
	}
	modified(false)
	for range 2 { // the second time, the clock stands still
		f.update("restaurant", id, `{"stars": 1}`, in("fr"))
		modified(false)
		f.update("restaurant", id, `{"stars": 2}`, in("fr"), asDraft)
		modified(true)
		now = now.Add(time.Minute)
		f.update("restaurant", id, `{}`, in("fr"))
		modified(false)
		f.update("restaurant", id, `{"tagline": "wip"}`, asDraft)
		modified(true)
		now = now.Add(time.Minute)
		f.update("restaurant", id, `{"stars": 3}`, in("fr"))
		modified(true)
		live := f.mustRead("restaurant", liveOf(id, "en"))
		f.update("restaurant", id, `{"tagline": null}`)
		modified(false)
		if again := f.mustRead("restaurant", liveOf(id, "en")); again.UpdatedAt <= live.UpdatedAt {
			t.Error("publishing did not move updatedAt")
		}
	}
}

// updatedAt grows with every write, even if the clock stands still.
func TestStandingClock(t *testing.T) {
	now := time.UnixMilli(1000)
	f := newFixtureWith(t, guide(t), WriterOptions{Now: func() time.Time { return now }})
	id := f.create("restaurant", `{"name": "Hello"}`)
	f.update("restaurant", id, `{"name": "Bonjour"}`, in("fr"))
	f.update("restaurant", id, `{"stars": 1}`, in("fr"), asDraft)
	now = now.Add(time.Second)
	f.update("restaurant", id, `{}`, in("fr"))
	last := f.mustRead("restaurant", liveOf(id, "en")).UpdatedAt
	for range 3 {
		f.update("restaurant", id, `{}`)
		draft, live := f.mustRead("restaurant", draftOf(id, "en")), f.mustRead("restaurant", liveOf(id, "en"))
		if live.UpdatedAt <= last || draft.UpdatedAt != live.UpdatedAt {
			t.Errorf("%d was followed by %d, draft %d", last, live.UpdatedAt, draft.UpdatedAt)
		}
		f.update("restaurant", id, `{}`, asDraft)
		if again := f.mustRead("restaurant", draftOf(id, "en")); again.UpdatedAt <= draft.UpdatedAt {
			t.Errorf("the draft's %d was followed by %d", draft.UpdatedAt, again.UpdatedAt)
		}
		last = live.UpdatedAt
	}

	// An import can contain a published version that is newer than its draft.
	young := *f.mustRead("restaurant", liveOf(id, "en"))
	old := young
	young.UpdatedAt += 1000
	f.put("restaurant", &old, &young)
	f.update("restaurant", id, `{}`)
	if live := f.mustRead("restaurant", liveOf(id, "en")); live.UpdatedAt <= young.UpdatedAt {
		t.Errorf("%d was followed by %d", young.UpdatedAt, live.UpdatedAt)
	}
}
