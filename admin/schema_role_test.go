package admin

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
)

func TestLabels(t *testing.T) {
	t.Parallel()
	for name, label := range map[string]string{
		"title": "Title", "publishedOn": "Published on", "seo_title": "Seo title", "imageURL": "Image URL", "SEO": "SEO",
		"HTMLBody": "HTML body", "price2": "Price2", "_hidden": "Hidden", "__": "__", "a": "A",
		"CTAs": "CTAs", "imageURLs": "Image URLs", "URLsOfPages": "URLs of pages", "s": "S", "isA": "Is a",
	} {
		if got := labelOf(name); got != label {
			t.Errorf("%s is called %q, want %q", name, got, label)
		}
	}
}

// What a role hides is not in the schema, in no type and no component of it.
func TestSchemaOfARole(t *testing.T) {
	t.Parallel()
	site, err := schema.Load(os.DirFS("../testdata/site"))
	if err != nil {
		t.Fatal(err)
	}
	shown := func(role auth.AdminRole) string {
		t.Helper()
		c, err := auth.NewAdminCaller(site, "1", "some", &role)
		if err != nil {
			t.Fatal(err)
		}
		v := &schemaView{site: site, caller: c, components: map[*schema.Type]map[string]bool{}}
		text, err := json.Marshal(v.all("site"))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	read := func(hidden ...string) auth.TypeRights {
		return auth.TypeRights{Actions: []string{"read"}, Hidden: hidden}
	}
	restaurant, review := "api::restaurant.restaurant", "api::review.review"
	for _, test := range []struct {
		name        string
		types       map[string]auth.TypeRights
		has, hasNot []string
	}{
		{"nothing", nil, []string{`"types":[]`, `"components":[]`}, []string{"restaurant"}},
		{"one type", map[string]auth.TypeRights{restaurant: read()}, []string{`"opening_hours"`, `"may":["read"]`, `"secret_note"`, `"place.hours"`}, []string{`"name":"chef"`, `api::chef.chef`}},
		{"hidden attributes", map[string]auth.TypeRights{restaurant: read("name", "secret_note", "door_code")}, []string{`"mainField":"slug"`}, []string{`"secret_note"`, `"door_code"`}},
		{"a hidden component", map[string]auth.TypeRights{restaurant: read("opening_hours")}, nil, []string{`"opening_hours"`, `"place.hours"`}},
		{"no users", map[string]auth.TypeRights{auth.EveryType: read()}, []string{`"users":null`}, []string{`"author"`, `"username"`}},
		{"users", map[string]auth.TypeRights{review: read(), schema.UserUID: read("email")}, []string{`"author"`, `"users":{"uid":"plugin::users-permissions.user"`, `"username"`}, []string{`"name":"email"`, `"sessionEpoch"`, `"resetPasswordToken"`}},
		{"hidden in a component", map[string]auth.TypeRights{restaurant: read("opening_hours.note")}, []string{`"place.hours"`}, []string{`"name":"note"`}},
	} {
		text := shown(auth.AdminRole{Types: test.types})
		for _, part := range test.has {
			if !strings.Contains(text, part) {
				t.Errorf("%s: there is no %s in %s", test.name, part, text)
			}
		}
		for _, part := range test.hasNot {
			if strings.Contains(text, part) {
				t.Errorf("%s: there is %s in %s", test.name, part, text)
			}
		}
	}
}
