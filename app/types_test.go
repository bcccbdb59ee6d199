package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"quire/content/migrate"
	edits "quire/schema/edit"
)

// startModelled serves the guide with its content; site.json has no settings for its types.
func startModelled(t *testing.T) (a *App, full string) {
	t.Helper()
	a, _ = startGuide(t)
	check(t, os.WriteFile(filepath.Join(a.at.Site, "site.json"), []byte(`{"i18n": {"locales": [{"code": "en", "name": "English"}, {"code": "de", "name": "German"}], "defaultLocale": "en"}}`), 0o600))
	check(t, a.reload())
	raw, err := a.do(t.Context(), "token create", []byte(`{"name": "full", "kind": "full-access"}`))
	check(t, err)
	return a, fmt.Sprint(raw)
}

func changeOf(t *testing.T, text string) (c edits.Change) {
	t.Helper()
	check(t, json.Unmarshal([]byte(text), &c))
	return c
}

// planned returns the plan of a change without problems.
func planned(t *testing.T, a *App, c edits.Change) (*edits.Draft, *migrate.Plan) {
	t.Helper()
	draft, plan, err := a.Types().Plan(t.Context(), c)
	if err != nil || plan == nil {
		t.Fatalf("%v %+v", err, draft)
	}
	return draft, plan
}

// applied carries out a change.
func applied(t *testing.T, a *App, text string) *migrate.Plan {
	t.Helper()
	c := changeOf(t, text)
	draft, plan := planned(t, a, c)
	saved, err := a.Types().Apply(t.Context(), c, draft.Fingerprint)
	check(t, err)
	if _, err := os.Stat(saved); err != nil {
		t.Errorf("the backup: %v", err)
	}
	return plan
}

// A type is created, gets content, changes with it, and is removed. Each change is served at
// once.
func TestLifeOfAType(t *testing.T) {
	a, full := startModelled(t)
	applied(t, a, `{"types": [{"kind": "collectionType", "name": "recipe", "pluralName": "recipes", "displayName": "Recipe", "attributes": [
		{"name": "title", "set": {"type": "string"}},
		{"name": "cook", "set": {"type": "relation", "relation": "manyToOne", "target": "api::cook.cook"}}]}]}`)
	cook := call(t, a, full, "POST", "/api/cooks", `{"data": {"name": "Ada"}}`)["data"].(map[string]any)["documentId"].(string)
	call(t, a, full, "POST", "/api/recipes", fmt.Sprintf(`{"data": {"title": "Soup", "cook": %q}}`, cook))
	call(t, a, full, "POST", "/api/recipes", `{"data": {}}`)
	plan := applied(t, a, `{"types": [{"was": "api::recipe.recipe", "name": "dish", "pluralName": "dishes", "attributes": [{"name": "by", "was": "cook"}, {"name": "name", "was": "title", "set": {"required": true}}]}]}`)
	failing := plan.Of(migrate.Failing)
	if len(failing) != 1 || failing[0].Documents != 1 || len(failing[0].Examples) != 1 {
		t.Errorf("%s", plan.Text())
	}
	list := fmt.Sprint(call(t, a, full, "GET", "/api/dishes?populate=by&sort=id", "")["data"])
	if !strings.Contains(list, "name:Soup") || !strings.Contains(list, "name:Ada") {
		t.Errorf("%s", list)
	}
	if now := planFile(t, a, "src/api/dish/content-types/dish/schema.json"); !strings.Contains(now, `"singularName": "dish"`) {
		t.Errorf("%s", now)
	}
	applied(t, a, `{"types": [{"was": "api::dish.dish", "remove": true}]}`)
	if status, _ := ask(a, "/api/dishes"); status != 404 || len(mentions(t, a, "api::recipe.recipe", "Soup")) > 0 {
		t.Errorf("the removed type: %d", status)
	}
	if edits.Pending(a.at.schemaJournal()) {
		t.Error("the journal is left")
	}
}

func planFile(t *testing.T, a *App, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(a.at.Site, name))
	check(t, err)
	return string(text)
}

// If two users apply a change at the same time, one succeeds, and the other must plan again. So
// must a user whose plan is older than a change of the site or the content.
func TestOutdatedPlans(t *testing.T) {
	a, full := startModelled(t)
	c := changeOf(t, `{"types": [{"was": "api::cook.cook", "attributes": [{"name": "name", "was": "name"}, {"name": "life", "was": "bio"}, {"name": "born", "was": "born"}, {"name": "restaurants", "was": "restaurants"}]}]}`)
	draft, _ := planned(t, a, c)
	var race sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		race.Go(func() { _, errs[i] = a.Types().Apply(t.Context(), c, draft.Fingerprint) })
	}
	race.Wait()
	if (errs[0] == nil) == (errs[1] == nil) {
		t.Fatalf("%v and %v", errs[0], errs[1])
	}
	if lost := errors.Join(errs...); !errors.Is(lost, migrate.ErrOutdated) {
		t.Error(lost)
	}
	back := changeOf(t, `{"types": [{"was": "api::cook.cook", "attributes": [{"name": "name", "was": "name"}]}]}`)
	draft, _ = planned(t, a, back)
	call(t, a, full, "POST", "/api/cooks", `{"data": {"name": "Eve", "life": "long"}}`)
	before := planFile(t, a, "src/api/cook/content-types/cook/schema.json")
	if _, err := a.Types().Apply(t.Context(), back, draft.Fingerprint); !errors.Is(err, migrate.ErrOutdated) {
		t.Errorf("other content: %v", err)
	}
	draft, _ = planned(t, a, back)
	edit(t, a.at.Site, "src/api/cook/content-types/cook/schema.json", `"displayName": "Cook"`, `"displayName": "Chef"`)
	if _, err := a.Types().Apply(t.Context(), back, draft.Fingerprint); !errors.Is(err, migrate.ErrOutdated) {
		t.Errorf("another file: %v", err)
	}
	if now := planFile(t, a, "src/api/cook/content-types/cook/schema.json"); now != strings.Replace(before, `"Cook"`, `"Chef"`, 1) || a.db.Suspended() {
		t.Errorf("something has changed: %s", now)
	}
}

// If the files cannot be written, nothing changes.
func TestTypesThatCannotBeWritten(t *testing.T) {
	a, full := startModelled(t)
	c := changeOf(t, `{"types": [{"was": "api::cook.cook", "attributes": [{"name": "label", "was": "name"}, {"name": "restaurants", "was": "restaurants"}]}]}`)
	draft, _ := planned(t, a, c)
	if err := os.WriteFile(a.at.schemaJournal(), []byte("{}"), 0o600); err != nil { // prevents every installation
		t.Fatal(err)
	}
	if _, err := a.Types().Apply(t.Context(), c, draft.Fingerprint); err == nil || a.db.Suspended() {
		t.Errorf("%v", err)
	}
	if list := fmt.Sprint(call(t, a, full, "GET", "/api/cooks", "")["data"]); !strings.Contains(list, "bio:") || !strings.Contains(list, "name:") {
		t.Errorf("%s", list)
	}
	call(t, a, full, "POST", "/api/cooks", `{"data": {"name": "Eve"}}`)
	link := filepath.Join(a.at.Site, "src/api/cook")
	check(t, errors.Join(os.Rename(link, filepath.Join(a.at.Site, "cook")), os.Symlink("../../cook", link)))
	if _, _, err := a.Types().Plan(t.Context(), c); !errors.As(err, new(*edits.LinkError)) {
		t.Errorf("a link: %v", err)
	}
}

// allBut returns a change that keeps the attributes of a type, one of them with other members.
func allBut(t *testing.T, a *App, uid, name, set string) string {
	t.Helper()
	var list []string
	for _, one := range a.site.Type(uid).Attributes {
		members := "{}"
		if one.Name == name {
			members = set
		}
		list = append(list, fmt.Sprintf(`{"name": %q, "was": %q, "set": %s}`, one.Name, one.Name, members))
	}
	return fmt.Sprintf(`{"was": %q, "attributes": [%s]}`, uid, strings.Join(list, ","))
}

// Changing the form of a relation changes both sides. Links are kept. Those that no longer fit
// are counted, and removed if the user agrees.
func TestFormOfARelation(t *testing.T) {
	a, full := startModelled(t)
	ids := map[string]string{}
	for _, name := range []string{"Ada", "Eve"} {
		ids[name] = call(t, a, full, "POST", "/api/cooks", fmt.Sprintf(`{"data": {"name": %q}}`, name))["data"].(map[string]any)["documentId"].(string)
	}
	place := call(t, a, full, "POST", "/api/restaurants", fmt.Sprintf(`{"data": {"name": "Here", "cook": %q}}`, ids["Ada"]))["data"].(map[string]any)["documentId"].(string)
	names := func(path, key string) string {
		data := call(t, a, full, "GET", path, "")["data"].(map[string]any)[key]
		if one, ok := data.(map[string]any); ok {
			data = []any{one}
		}
		found := ""
		for _, one := range data.([]any) {
			found += " " + one.(map[string]any)["name"].(string)
		}
		return found
	}
	const restaurants = "api::restaurant.restaurant"
	applied(t, a, `{"types": [`+strings.Replace(allBut(t, a, "api::cook.cook", "", ""), `"name": "restaurants"`, `"name": "places"`, 1)+`]}`) // which sees the links
	applied(t, a, `{"types": [`+allBut(t, a, restaurants, "cook", `{"relation": "manyToMany"}`)+`]}`)
	if now := planFile(t, a, "src/api/cook/content-types/cook/schema.json"); !strings.Contains(now, `"relation": "manyToMany"`) {
		t.Errorf("the other side is %s", now)
	}
	call(t, a, full, "PUT", "/api/restaurants/"+place, fmt.Sprintf(`{"data": {"cook": {"connect": [%q]}}}`, ids["Eve"]))
	if found := names("/api/restaurants/"+place+"?populate=cook&status=draft", "cook"); found != " Ada Eve" {
		t.Errorf("many have%s", found)
	}
	back := changeOf(t, `{"types": [`+allBut(t, a, restaurants, "cook", `{"relation": "manyToOne"}`)+`]}`)
	draft, plan := planned(t, a, back)
	if cut := plan.Of(migrate.Cut); len(cut) == 0 || cut[0].Path != "cook" || len(cut[0].Examples) == 0 {
		t.Errorf("%s", plan.Text())
	}
	if _, err := a.Types().Apply(t.Context(), back, draft.Fingerprint); !errors.Is(err, migrate.ErrOutdated) {
		t.Errorf("nobody has agreed: %v", err)
	}
	applied(t, a, `{"lossy": true, "types": [`+allBut(t, a, restaurants, "cook", `{"relation": "manyToOne"}`)+`]}`)
	if found := names("/api/restaurants/"+place+"?populate=cook&status=draft", "cook"); found != " Ada" {
		t.Errorf("one has%s", found)
	}
	applied(t, a, `{"lossy": true, "types": [`+allBut(t, a, restaurants, "cook", `{"relation": "oneToMany"}`)+`]}`)
	if now := planFile(t, a, "src/api/cook/content-types/cook/schema.json"); !strings.Contains(now, `"relation": "manyToOne"`) || !strings.Contains(now, `"inversedBy": "cook"`) {
		t.Errorf("the links are stored where there are many: %s", now)
	}
	if found := names("/api/restaurants/"+place+"?populate=cook&status=draft", "cook"); found != " Ada" {
		t.Errorf("turned, it has%s", found)
	}
}

// A relation with another target is a new relation: its links are deleted, with the other side.
func TestTargetOfARelation(t *testing.T) {
	a, full := startModelled(t)
	plan := applied(t, a, `{"types": [`+allBut(t, a, "api::restaurant.restaurant", "cook", `{"target": "api::cuisine.cuisine"}`)+`]}`)
	if gone := plan.Of(migrate.Dropped); len(gone) != 1 || gone[0].Path != "cook" || gone[0].Documents == 0 || len(plan.Of(migrate.Unconvertible)) > 0 {
		t.Errorf("%s", plan.Text())
	}
	if now := planFile(t, a, "src/api/restaurant/content-types/restaurant/schema.json"); strings.Contains(now, `"inversedBy": "restaurants",
      "target": "api::cuisine`) || a.site.Type("api::cook.cook").Attribute("restaurants") != nil {
		t.Errorf("the other side is left: %s", now)
	}
	call(t, a, full, "GET", "/api/restaurants?populate=cook", "")
}

// A type is renamed and localized in one step, and changed back in another. Links to it stay.
func TestRenamedAndLocalizedAtOnce(t *testing.T) {
	a, full := startModelled(t)
	before := call(t, a, full, "GET", "/api/cooks?sort=name&populate=restaurants", "")["data"].([]any)
	plan := applied(t, a, `{"types": [{"was": "api::cook.cook", "name": "chef", "pluralName": "chefs", "localized": true}]}`)
	if moved := plan.Of(migrate.Relocated); len(moved) != 1 || moved[0].Type != "api::chef.chef" || moved[0].Entries != len(before) || moved[0].Detail != "is localized from now on" {
		t.Errorf("%s", plan.Text())
	}
	linked := func(list []any) (names []string) {
		for _, one := range list {
			cook := one.(map[string]any)
			names = append(names, fmt.Sprint(cook["documentId"], " ", cook["name"], " ", len(cook["restaurants"].([]any))))
		}
		return names
	}
	now := call(t, a, full, "GET", "/api/chefs?sort=name&populate=restaurants", "")["data"].([]any)
	if len(now) == 0 || now[0].(map[string]any)["locale"] != "en" || fmt.Sprint(linked(now)) != fmt.Sprint(linked(before)) {
		t.Errorf("it has\n%v\nand had\n%v", linked(now), linked(before))
	}
	applied(t, a, `{"types": [{"was": "api::chef.chef", "name": "cook", "pluralName": "cooks", "localized": false}]}`)
	now = call(t, a, full, "GET", "/api/cooks?sort=name&populate=restaurants", "")["data"].([]any)
	if fmt.Sprint(linked(now)) != fmt.Sprint(linked(before)) {
		t.Errorf("back, it has\n%v\nand had\n%v", linked(now), linked(before))
	}
}

// Text becomes blocks and text again in the builder, and nothing is lost.
func TestTextAndBlocks(t *testing.T) {
	a, full := startModelled(t)
	id := call(t, a, full, "POST", "/api/cooks", `{"data": {"name": "Ada", "bio": "One\n\nTwo"}}`)["data"].(map[string]any)["documentId"].(string)
	plan := applied(t, a, `{"types": [`+allBut(t, a, "api::cook.cook", "bio", `{"type": "blocks"}`)+`]}`)
	if len(plan.Of(migrate.Converted)) != 1 {
		t.Errorf("%s", plan.Text())
	}
	bio := fmt.Sprint(call(t, a, full, "GET", "/api/cooks/"+id, "")["data"].(map[string]any)["bio"])
	if strings.Count(bio, "paragraph") != 3 {
		t.Errorf("it is %s", bio)
	}
	plan = applied(t, a, `{"types": [`+allBut(t, a, "api::cook.cook", "bio", `{"type": "text"}`)+`]}`)
	if bio := call(t, a, full, "GET", "/api/cooks/"+id, "")["data"].(map[string]any)["bio"]; bio != "One\n\nTwo" || len(plan.Of(migrate.Cut, migrate.Unconvertible)) > 0 {
		t.Errorf("it is %q\n%s", bio, plan.Text())
	}
}

// The settings of a type in site.json follow it: to its new name and, if the user agrees, they
// are removed with it.
func TestSettingsFollowTypes(t *testing.T) {
	a, _ := startGuide(t)
	settings := planFile(t, a, "site.json")
	applied(t, a, `{"types": [{"was": "api::story.story", "name": "tale", "pluralName": "tales"}]}`)
	if now := planFile(t, a, "site.json"); now != strings.ReplaceAll(settings, "api::story.story", "api::tale.tale") {
		t.Errorf("site.json is %s", now)
	}
	if status, body := ask(a, "/api/tales"); status != 200 || !strings.Contains(body, `"body":`) {
		t.Errorf("everybody may read them no more, or the default is gone: %d %s", status, body)
	}
	gone := changeOf(t, `{"types": [{"was": "api::tale.tale", "remove": true}]}`)
	draft, _ := planned(t, a, gone)
	if _, err := a.Types().Apply(t.Context(), gone, draft.Fingerprint); !errors.Is(err, migrate.ErrOutdated) {
		t.Errorf("nobody has agreed: %v", err)
	}
	applied(t, a, `{"dropSettings": true, "types": [{"was": "api::tale.tale", "remove": true}]}`)
	if now := planFile(t, a, "site.json"); strings.Contains(now, "tale") || !strings.Contains(now, `"api::restaurant.restaurant": "http://localhost`) {
		t.Errorf("site.json is %s", now)
	}
}

// Locales are added, put in order and removed while the site is served. One that has content
// is not removed.
func TestLocalesOfASite(t *testing.T) {
	a, full := startModelled(t)
	applied(t, a, `{"locales": {"default": "fr", "list": [{"code": "fr", "name": "French"}, {"code": "de", "name": "German"}, {"code": "en", "name": "English"}]}}`)
	call(t, a, full, "POST", "/api/restaurants?locale=fr", `{"data": {"name": "Conte", "slug": "conte"}}`)
	if list := fmt.Sprint(call(t, a, full, "GET", "/api/restaurants?fields=name&filters[slug]=conte&status=draft", "")["data"]); !strings.Contains(list, "Conte") {
		t.Errorf("the default locale: %s", list)
	}
	without := changeOf(t, `{"locales": {"default": "en", "list": [{"code": "en", "name": "English"}, {"code": "de", "name": "German"}]}}`)
	draft, plan := planned(t, a, without)
	stranded := plan.Of(migrate.Stranded)
	if len(stranded) != 1 || stranded[0].Type != "api::restaurant.restaurant" || stranded[0].Detail != "fr" || stranded[0].Documents != 1 {
		t.Errorf("%s", plan.Text())
	}
	if _, err := a.Types().Apply(t.Context(), without, draft.Fingerprint); !errors.Is(err, migrate.ErrOutdated) {
		t.Errorf("a locale with content: %v", err)
	}
	found := call(t, a, full, "GET", "/api/restaurants?filters[slug]=conte&status=draft", "")["data"].([]any)[0].(map[string]any)["documentId"].(string)
	call(t, a, full, "DELETE", "/api/restaurants/"+found+"?locale=fr", "")
	applied(t, a, `{"locales": {"default": "en", "list": [{"code": "en", "name": "English"}, {"code": "de", "name": "German"}]}}`)
	if a.site.Settings.HasLocale("fr") || a.site.Settings.DefaultLocale != "en" {
		t.Errorf("the site has %v", a.site.Settings.Locales)
	}
}

// After the server is killed while it changes files, it starts with the files that fit its
// content.
func TestKilledWhileTypesChange(t *testing.T) {
	for _, followed := range []bool{false, true} {
		site, log := newFilledGuide(t), slog.New(slog.DiscardHandler)
		a, err := Open(Location{Site: site}, Options{Log: log})
		if err = errors.Join(err, a.Start()); err != nil {
			t.Fatal(err)
		}
		c := changeOf(t, `{"types": [{"was": "api::cook.cook", "attributes": [{"name": "name", "was": "name"}, {"name": "label", "was": "bio"}, {"name": "restaurants", "was": "restaurants"}]}]}`)
		draft, e, err := a.Types().draft(c)
		check(t, err)
		before := planFile(t, a, "src/api/cook/content-types/cook/schema.json")
		e.From, e.Mark = a.site, "the change"
		install := func() error {
			_, err := edits.Install(a.at.Site, a.at.schemaJournal(), e.Mark, draft.Files)
			return err
		}
		if followed {
			_, err = e.Migrate(t.Context(), a.db, install)
		} else {
			err = install()
		}
		if err = errors.Join(err, a.Close()); err != nil {
			t.Fatal(err)
		}
		again := startApp(t, site, log)
		now := planFile(t, again, "src/api/cook/content-types/cook/schema.json")
		if (now == before) == followed || edits.Pending(again.at.schemaJournal()) {
			t.Errorf("followed %t: %s", followed, now)
		}
		if again.site.Type("api::cook.cook").Attribute("label") == nil == followed {
			t.Errorf("followed %t: the site is not that of the files", followed)
		}
	}
}

// If somebody edits a file between the crash and the next start, the start fails. The error
// names the file and what to do, and the file stays unchanged.
func TestEditedBeforeTheNextStart(t *testing.T) {
	site, log := newGuide(t), slog.New(slog.DiscardHandler)
	a, err := Open(Location{Site: site}, Options{Log: log})
	if err = errors.Join(err, a.Start()); err != nil {
		t.Fatal(err)
	}
	draft, _, err := a.Types().draft(changeOf(t, `{"types": [{"was": "api::cook.cook", "displayName": "Chef"}]}`))
	if err == nil {
		_, err = edits.Install(a.at.Site, a.at.schemaJournal(), "the change", draft.Files)
	}
	if err = errors.Join(err, a.Close()); err != nil {
		t.Fatal(err)
	}
	const file = "src/api/cook/content-types/cook/schema.json"
	edit(t, site, file, `"Chef"`, `"Cook of mine"`)
	_, err = Open(Location{Site: site}, Options{Log: log})
	if !errors.As(err, new(*edits.EditedError)) || !strings.Contains(err.Error(), file) || !strings.Contains(err.Error(), "Move it out of the site folder") {
		t.Fatalf("the start says %v", err)
	}
	if now := planFile(t, a, file); !strings.Contains(now, "Cook of mine") {
		t.Errorf("the edit is gone: %s", now)
	}
	check(t, os.Rename(filepath.Join(site, file), filepath.Join(t.TempDir(), "mine.json")))
	startApp(t, site, log)
	if now := planFile(t, a, file); !strings.Contains(now, `"displayName": "Cook"`) {
		t.Errorf("the former file is not back: %s", now)
	}
}

// Types can be edited during development, unless site.json says otherwise.
func TestWhereTypesMayChange(t *testing.T) {
	a, _ := startModelled(t)
	for text, want := range map[string][2]bool{
		`{}`:                                  {false, true},
		`{"admin": {"schemaEditing": true}}`:  {true, true},
		`{"admin": {"schemaEditing": false}}`: {false, false},
	} {
		check(t, os.WriteFile(filepath.Join(a.at.Site, "site.json"), []byte(text), 0o600))
		site, err := a.at.Load()
		check(t, err)
		for i, develops := range []bool{false, true} {
			a.develops.Store(develops)
			if got := a.Types().MayEdit(site); got != want[i] {
				t.Errorf("%s, developing %t: %t", text, develops, got)
			}
		}
	}
}
