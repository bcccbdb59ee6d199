package schema_test

import (
	"net/netip"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"quire/schema"
	"quire/schema/settings"
)

func sample(t *testing.T) *schema.Site {
	return mustLoad(t, os.DirFS("../testdata/site"))
}

func uids(types []*schema.Type) []string {
	var list []string
	for _, t := range types {
		list = append(list, t.UID)
	}
	return list
}

func names(attributes []*schema.Attribute) string {
	var list []string
	for _, a := range attributes {
		list = append(list, a.Name)
	}
	return strings.Join(list, " ")
}

func TestSampleSiteTypes(t *testing.T) {
	site := sample(t)
	wantTypes := []string{
		"api::category.category", "api::chef.chef", "api::dish.dish", "api::global.global",
		"api::homepage.homepage", "api::restaurant.restaurant", "api::review.review",
		schema.FileUID, schema.FolderUID, schema.RoleUID, schema.UserUID,
	}
	if got := uids(site.Types); !slices.Equal(got, wantTypes) {
		t.Errorf("types: %v", got)
	}
	wantComponents := []string{
		"place.address", "place.geo", "place.hours",
		"section.cta", "section.quote", "section.related", "shared.seo",
	}
	if got := uids(site.Components); !slices.Equal(got, wantComponents) {
		t.Errorf("components: %v", got)
	}
	if got := uids(slices.Collect(site.Served())); !slices.Equal(got, wantTypes[:7]) {
		t.Errorf("served: %v", got)
	}
	for i, ct := range site.Types {
		if site.Type(ct.UID) != ct || site.TypeOrdinal(ct) != i {
			t.Errorf("%s is not found again", ct.UID)
		}
	}
	for i, c := range site.Components {
		if site.Type(c.UID) != c || site.ComponentOrdinal(c) != i || !c.IsComponent() {
			t.Errorf("%s is not found again", c.UID)
		}
	}
}

func TestSampleSiteRoutes(t *testing.T) {
	site := sample(t)
	restaurant, homepage := site.Type("api::restaurant.restaurant"), site.Type("api::homepage.homepage")
	tests := []struct {
		name      string
		got, want *schema.Type
	}{
		{"plural of a collection", site.ByPlural("restaurants"), restaurant},
		{"singular of a single type", site.BySingular("homepage"), homepage},
		{"singular of a collection", site.BySingular("restaurant"), nil},
		{"plural of a single type", site.ByPlural("homepages"), nil},
		{"users have endpoints of their own", site.ByPlural("users"), nil},
		{"unknown", site.ByPlural("nothing"), nil},
	}
	for _, test := range tests {
		if test.got != test.want {
			t.Errorf("%s: got %v", test.name, test.got)
		}
	}
	if restaurant.Route() != "restaurants" || homepage.Route() != "homepage" || site.Type(schema.UserUID).Route() != "" {
		t.Error("routes:", restaurant.Route(), homepage.Route(), site.Type(schema.UserUID).Route())
	}
}

func TestSampleSiteAttributes(t *testing.T) {
	site := sample(t)
	r := site.Type("api::restaurant.restaurant")
	if !r.DraftAndPublish || !r.Localized || r.BuiltIn || r.Kind != schema.Collection || r.Singular != "restaurant" ||
		r.Display != "Restaurant" || r.File != "src/api/restaurant/content-types/restaurant/schema.json" {
		t.Errorf("restaurant: %+v", r)
	}
	want := "name slug description story tagline price_tier stars rating score seats vegan email founded opens_at " +
		"inspected_at meta secret_note door_code cover gallery categories chef reviews signature_dish nearby " +
		"location opening_hours seo sections"
	if got := names(r.Attributes); got != want {
		t.Errorf("attributes are not in the order of the file:\n%s", got)
	}
	if got := names(r.System); got != "id documentId createdAt updatedAt publishedAt locale localizations" {
		t.Error("system:", got)
	}
	if got := names(site.Type("api::dish.dish").System); got != "id documentId createdAt updatedAt publishedAt" {
		t.Error("system of a type without locales:", got)
	}
	if got := names(site.Type("place.geo").System); got != "id" {
		t.Error("system of a component:", got)
	}
	for i, a := range r.Attributes {
		if a.Pos != i || a.Owner != r || r.Attribute(a.Name) != a || a.System != schema.NotSystem {
			t.Errorf("%s: %+v", a.Name, a)
		}
	}
	name, tier, hours := r.Attribute("name"), r.Attribute("price_tier"), r.Attribute("opening_hours")
	if !name.Required || *name.MinLength != 2 || *name.MaxLength != 80 {
		t.Errorf("name: %+v", name)
	}
	if string(tier.Default) != `"p2"` || !slices.Equal(tier.Enum, []string{"p1", "p2", "p3", "p4"}) {
		t.Errorf("price_tier: %+v", tier)
	}
	if !hours.Repeatable || *hours.MaxItems != 7 || hours.ComponentType != site.Type("place.hours") {
		t.Errorf("opening_hours: %+v", hours)
	}
	if got := uids(r.Attribute("sections").Zone); !slices.Equal(got, []string{"section.cta", "section.quote", "section.related"}) {
		t.Error("sections:", got)
	}
	if slug := r.Attribute("slug"); slug.Kind != schema.UID || slug.TargetField != "name" || !slug.Unique {
		t.Errorf("slug: %+v", slug)
	}
	if a := r.Attribute("stars"); *a.Min != 0 || *a.Max != 5 {
		t.Errorf("stars: %+v", a)
	}
	if a := r.Attribute("secret_note"); !a.Private || !a.Hidden() {
		t.Errorf("secret_note: %+v", a)
	}
	if !r.Attribute("door_code").Hidden() {
		t.Error("a password is visible")
	}
}

// Relations and uids are per locale always; everything else only when it says so.
func TestSampleSiteLocalized(t *testing.T) {
	var localized []*schema.Attribute
	for _, a := range sample(t).Type("api::restaurant.restaurant").Attributes {
		if a.Localized {
			localized = append(localized, a)
		}
	}
	want := "name slug description story tagline categories chef reviews signature_dish nearby seo sections"
	if got := names(localized); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	for _, a := range sample(t).Type("api::category.category").Attributes {
		if a.Localized {
			t.Errorf("%s is localized in a type that is not", a.Name)
		}
	}
}

func TestSampleSiteRelations(t *testing.T) {
	site := sample(t)
	tests := []struct {
		attribute      string
		form           schema.RelationForm
		target         string
		inverse        string // attribute of the target
		owns, many, ex bool
	}{
		{"api::restaurant.restaurant/categories", schema.ManyToMany, "api::category.category", "restaurants", true, true, false},
		{"api::category.category/restaurants", schema.ManyToMany, "api::restaurant.restaurant", "categories", false, true, false},
		{"api::restaurant.restaurant/chef", schema.ManyToOne, "api::chef.chef", "restaurants", true, false, false},
		{"api::chef.chef/restaurants", schema.OneToMany, "api::restaurant.restaurant", "chef", false, true, true},
		{"api::category.category/parent", schema.ManyToOne, "api::category.category", "children", true, false, false},
		{"api::category.category/children", schema.OneToMany, "api::category.category", "parent", false, true, true},
		{"api::restaurant.restaurant/signature_dish", schema.OneToOne, "api::dish.dish", "", true, false, false},
		{"api::restaurant.restaurant/nearby", schema.OneToMany, "api::restaurant.restaurant", "", true, true, false},
		{"api::restaurant.restaurant/cover", schema.OneToOne, schema.FileUID, "", true, false, false},
		{"api::restaurant.restaurant/gallery", schema.OneToMany, schema.FileUID, "", true, true, false},
		{"api::restaurant.restaurant/localizations", schema.OneToMany, "api::restaurant.restaurant", "", false, true, false},
		{"api::review.review/author", schema.OneToOne, schema.UserUID, "", true, false, false},
		{"section.quote/chef", schema.OneToOne, "api::chef.chef", "", true, false, false},
		{schema.UserUID + "/role", schema.ManyToOne, schema.RoleUID, "users", true, false, false},
		{schema.RoleUID + "/users", schema.OneToMany, schema.UserUID, "role", false, true, true},
	}
	for _, test := range tests {
		uid, name, _ := strings.Cut(test.attribute, "/")
		r := site.Type(uid).Attribute(name).Relation
		if r.Form != test.form || r.Target != site.Type(test.target) || r.Owns != test.owns ||
			r.Many() != test.many || r.Exclusive() != test.ex || r.Morph() {
			t.Errorf("%s: %+v", test.attribute, r)
		}
		if want := site.Type(test.target).Attribute(test.inverse); r.Inverse != want {
			t.Errorf("%s: the other side is %v, want %v", test.attribute, r.Inverse, want)
		}
	}
}

func TestSampleSiteSettings(t *testing.T) {
	s := sample(t).Settings
	wantLocales := []settings.Locale{{Code: "en", Name: "English (en)"}, {Code: "fr", Name: "French (fr)"}, {Code: "it", Name: "Italian (it)"}}
	if s.DefaultLocale != "en" || !slices.Equal(s.Locales, wantLocales) || !s.HasLocale("it") || s.HasLocale("de") {
		t.Errorf("locales: %v %v", s.DefaultLocale, s.Locales)
	}
	if s.RateLimit.Enabled {
		t.Error("rate limit is on")
	}
	want := []string{"find", "findOne", "create", "update"}
	if got := s.Roles["authenticated"]["api::review.review"]; !slices.Equal(got, want) {
		t.Error("authenticated may", got)
	}
	if got := s.Roles["public"]["api::chef.chef"]; !slices.Equal(got, []string{"find"}) {
		t.Error("public may", got)
	}
	if len(s.Roles) != 2 {
		t.Error("roles:", s.Roles)
	}
}

func TestBuiltInTypes(t *testing.T) {
	site := sample(t)
	tests := []struct{ uid, attributes, hidden string }{
		{
			schema.FileUID,
			"name alternativeText caption focalPoint width height formats hash ext mime size url previewUrl provider provider_metadata folder folderPath",
			"folder folderPath",
		},
		{schema.FolderUID, "name pathId parent children files path private", ""},
		{
			schema.UserUID,
			"username email provider password resetPasswordToken confirmationToken sessionEpoch providerKey confirmed blocked role",
			"password resetPasswordToken confirmationToken sessionEpoch providerKey",
		},
		{schema.RoleUID, "name description type permissions users", "permissions users"},
	}
	for _, test := range tests {
		b := site.Type(test.uid)
		if !b.BuiltIn || b.Localized || b.DraftAndPublish || b.File != "" {
			t.Errorf("%s: %+v", test.uid, b)
		}
		if got := names(b.Attributes); got != test.attributes {
			t.Errorf("%s has %s", test.uid, got)
		}
		if got := names(hidden(b)); got != test.hidden {
			t.Errorf("%s hides %s", test.uid, got)
		}
	}
}

func hidden(t *schema.Type) []*schema.Attribute {
	return slices.DeleteFunc(slices.Clone(t.Attributes), func(a *schema.Attribute) bool { return !a.Hidden() })
}

func TestAccountSettings(t *testing.T) {
	s := mustLoad(t, folderOf(`-- src/extensions/users-permissions/content-types/user/schema.json --
{"attributes": {"nickname": {"type": "string"}}}
-- site.json --
{
  "auth": {
    "register": {"enabled": false, "role": "author", "allowedFields": ["nickname"]},
    "confirmation": {"required": true, "url": "https://api.example.org/api/auth/email-confirmation", "redirect": "https://example.org/in"},
    "reset": {"url": "http://localhost:3000/reset?from=mail"},
    "jwt": {"lifetime": "12h"},
    "refresh": {"enabled": true, "access": "90s", "idle": "1d", "longest": "2d"},
    "rateLimit": {"max": 20, "interval": "1m"},
    "trustedProxies": ["127.0.0.1", "10.1.2.3/8", "::1"]
  },
  "mail": {
    "smtp": "smtp://me@mail.example.org:587", "from": "Guide <noreply@example.org>",
    "reset": {"subject": "{username}!", "text": "{link} {code} {email}"}
  }
}
`)).Settings
	want := settings.Accounts{
		Register:     settings.Register{Role: "author", Fields: []string{"nickname"}},
		Confirmation: settings.Confirmation{Required: true, URL: "https://api.example.org/api/auth/email-confirmation", Redirect: "https://example.org/in"},
		ResetURL:     "http://localhost:3000/reset?from=mail",
		JWTLifetime:  12 * time.Hour,
		Refresh:      settings.Refresh{Enabled: true, Access: 90 * time.Second, Idle: 24 * time.Hour, Longest: 48 * time.Hour},
		Proxies:      []netip.Prefix{netip.MustParsePrefix("127.0.0.1/32"), netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")},
	}
	if !reflect.DeepEqual(s.Accounts, want) {
		t.Errorf("got %+v", s.Accounts)
	}
	if want := (settings.RateLimit{Enabled: true, Max: 20, Interval: time.Minute}); s.RateLimit != want {
		t.Errorf("got %+v", s.RateLimit)
	}
	m := s.Mail
	if m.SMTP != "smtp://me@mail.example.org:587" || m.From != "Guide <noreply@example.org>" || m.Reset != (settings.MailTemplate{Subject: "{username}!", Text: "{link} {code} {email}"}) {
		t.Errorf("got %+v", m)
	}
	if !strings.Contains(m.Confirmation.Text, "{link}") || m.Confirmation.Subject == "" {
		t.Errorf("what the site leaves out: %+v", m.Confirmation)
	}
}
