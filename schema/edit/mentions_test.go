package edit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
)

// mentioning names types and attributes in all the ways that there are, in a form of its own.
const mentioning = `{ "defaults": {"api::story.story": {"sort": ["title:asc","slug"],
      "populate": { "body": {"on": {"block.quote": {"populate": "*"}}}} },
    "api::restaurant.restaurant":{"populate":"cuisines.restaurants, cook" , "sort": {"cook": {"name":"asc"}},
      "fields": ["name"]},
    "api::cook.cook": {"populate": {"restaurants": {"fields": ["name","slug"], "filters": {"$or": [{"cook": {"name": {"$eq": "name"}}}]}}}}},
  "cache": {"api::cook.cook":   {"maxAge": 60}},
  "preview": {"api::restaurant.restaurant": "https://example.org/{locale}/{name}?secret=name"},
  "roles": {"public": {"api::cook.cook": ["find"] , "plugin::i18n.locales": ["listLocales"]}, "editors": {"api::cook.cook": []}},
  "webhooks": [{"name": "all", "url": "https://example.org/"}, {"name": "cooks", "url": "https://example.org/", "types": ["api::cook.cook"]},
    {"name": "two", "url": "https://example.org/", "types": ["api::cook.cook", "api::story.story"]}]
}`

func withSettings(t *testing.T, text string) fstest.MapFS {
	t.Helper()
	m := memory(t, guide)
	m[SettingsFile] = &fstest.MapFile{Data: []byte(text)}
	return m
}

// settingsOf is site.json as a change makes it.
func settingsOf(t *testing.T, m fstest.MapFS, text string) (after string, d *Draft) {
	t.Helper()
	d = mustMake(t, m, change(t, text))
	for _, f := range d.Files {
		if f.Path == SettingsFile {
			return string(f.After), d
		}
	}
	t.Fatalf("site.json stays: %+v", d.Mentions)
	return "", nil
}

// Whatever site.json names is called as it is from then on, and nothing else of it changes.
func TestSettingsFollowNames(t *testing.T) {
	m := withSettings(t, mentioning)
	after, d := settingsOf(t, m, `{"types": [
		{"was": "api::cook.cook", "name": "chef", "pluralName": "chefs", "attributes": [{"name": "label", "was": "name"}, {"name": "bio", "was": "bio"}, {"name": "born", "was": "born"}, {"name": "places", "was": "restaurants"}]},
		{"was": "block.quote", "name": "said.words"}]}`)
	want := strings.NewReplacer("api::cook.cook", "api::chef.chef", "block.quote", "said.words", `{"restaurants":`, `{"places":`,
		`{"name":"asc"}`, `{"label":"asc"}`, `{"name": {"$eq"`, `{"label": {"$eq"`).Replace(mentioning)
	if after != want || d.Unagreed {
		t.Errorf("it becomes\n%s\nand not\n%s", after, want)
	}
	after, _ = settingsOf(t, m, `{"types": [{"was": "api::restaurant.restaurant", "attributes": `+renamedIn(t, m, "api::restaurant.restaurant", "name", "label")+`}]}`)
	want = strings.NewReplacer(`"fields": ["name"]`, `"fields": ["label"]`, `["name","slug"]`, `["label","slug"]`, "{name}", "{label}").Replace(mentioning)
	if after != want {
		t.Errorf("it becomes\n%s\nand not\n%s", after, want)
	}
}

// renamedIn are all attributes of a type, of which one has another name.
func renamedIn(t *testing.T, m fstest.MapFS, uid, old, name string) string {
	t.Helper()
	site, err := schema.Load(m)
	check(t, err)
	var list []string
	for _, a := range unchanged(site.Type(uid)) {
		now := a.Name
		if a.Name == old {
			now = name
		}
		if now != "" {
			list = append(list, fmt.Sprintf(`{"name": %q, "was": %q, "set": {"targetField": null}}`, now, a.Name))
		}
	}
	return "[" + strings.Join(list, ",") + "]"
}

// What names something that is removed is taken out when somebody agrees to it, with what has
// no meaning without it. A webhook does not come to hear of all types.
func TestSettingsForget(t *testing.T) {
	m := withSettings(t, strings.Replace(mentioning, `, "filters": {"$or": [{"cook": {"name": {"$eq": "name"}}}]}`, "", 1))
	const remove = `{"types": [{"was": "api::cook.cook", "remove": true}, {"was": "block.quote", "attributes": [{"name": "quote", "was": "quote"}]}]`
	if _, d := settingsOf(t, m, remove+"}"); !d.Unagreed || len(d.Mentions) != 9 {
		t.Errorf("%t, %d: %+v", d.Unagreed, len(d.Mentions), d.Mentions)
	}
	after, d := settingsOf(t, m, remove+`, "dropSettings": true}`)
	for _, gone := range []string{"cook", "chef", "editors\": {\"", "\"cooks\""} {
		if strings.Contains(after, gone) {
			t.Errorf("%s is left:\n%s", gone, after)
		}
	}
	for _, kept := range []string{`"cache": {}`, `{"populate":"cuisines.restaurants" , "sort": {},`, `"types": ["api::story.story"]`, `{"public": {"plugin::i18n.locales": ["listLocales"]}, "editors": {}}`} {
		if !strings.Contains(after, kept) {
			t.Errorf("%s is not there:\n%s", kept, after)
		}
	}
	if d.Unagreed || d.Site == nil || len(d.Site.Settings.Webhooks) != 2 {
		t.Errorf("%+v", d.Problems)
	}
	one := mustMake(t, withSettings(t, `{"defaults": {"api::restaurant.restaurant": {"populate": "cuisines, cook"}}}`), change(t, remove+"}"))
	if !one.Unagreed || fmt.Sprint(one.Mentions) != "[{defaults.api::restaurant.restaurant.populate cook }]" {
		t.Errorf("one of two names goes: %t %v", one.Unagreed, one.Mentions)
	}
	one = mustMake(t, withSettings(t, `{"defaults": {"api::restaurant.restaurant": {"findOne": {"populate": "cuisines, cook"}}}}`), change(t, remove+"}"))
	if fmt.Sprint(one.Mentions) != "[{defaults.api::restaurant.restaurant.findOne.populate cook }]" {
		t.Errorf("of one action: %v", one.Mentions)
	}
	after, _ = settingsOf(t, m, `{"dropSettings": true, "types": [{"was": "api::restaurant.restaurant", "attributes": `+renamedIn(t, m, "api::restaurant.restaurant", "name", "")+`}]}`)
	if !strings.Contains(after, `"preview": {}`) || !strings.Contains(after, `"fields": ["slug"]`) || strings.Contains(after, `["name"]`) {
		t.Errorf("%s", after)
	}
}

// A condition about a removed attribute is not taken out: more would be shown without it.
func TestFiltersAreNotForgotten(t *testing.T) {
	m := withSettings(t, `{"defaults": {"api::cook.cook": {"populate": {"restaurants": {"filters": {"name": {"$eq": "x"}}}}}}}`)
	d := mustMake(t, m, change(t, `{"dropSettings": true, "types": [{"was": "api::restaurant.restaurant", "attributes": `+renamedIn(t, m, "api::restaurant.restaurant", "name", "")+`}]}`))
	if len(d.Mentions) > 0 || len(d.Files) != 1 {
		t.Errorf("%+v", d.Mentions)
	}
}

// Without schemas the names of types alone are changed.
func TestRenameInSettings(t *testing.T) {
	f, found, err := RenameInSettings(withSettings(t, mentioning), []Rename{{Old: "api::cook.cook", New: "api::chef.chef"}, {Old: "block.quote", New: "said.words"}})
	check(t, err)
	if want := strings.NewReplacer("api::cook.cook", "api::chef.chef", "block.quote", "said.words").Replace(mentioning); string(f.After) != want || len(found) != 7 {
		t.Errorf("%+v\n%s", found, f.After)
	}
	for _, text := range []string{"", "[]", "{", mentioning} {
		if f, _, err := RenameInSettings(withSettings(t, text), []Rename{{Old: "api::a.a", New: "api::b.b"}}); f != nil || err != nil {
			t.Errorf("%s: %+v %v", text, f, err)
		}
	}
	if f, _, err := RenameInSettings(fstest.MapFS{}, nil); f != nil || err != nil {
		t.Errorf("%+v %v", f, err)
	}
}

// site.json is written with the other files or not at all, and neither moved nor removed.
func TestSettingsAreInstalled(t *testing.T) {
	site, journal := filepath.Join(t.TempDir(), "site"), filepath.Join(t.TempDir(), "journal")
	check(t, os.CopyFS(site, os.DirFS(guide)))
	check(t, os.Remove(filepath.Join(site, SettingsFile)))
	check(t, os.WriteFile(filepath.Join(site, SettingsFile), []byte(mentioning), 0o640))
	before := content(t, site)
	d := mustMake(t, os.DirFS(site), change(t, `{"dropSettings": true, "types": [{"was": "api::cook.cook", "name": "chef", "pluralName": "chefs"}]}`))
	in, err := Install(site, journal, "1", d.Files)
	check(t, err)
	if _, err := schema.Load(os.DirFS(site)); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(filepath.Join(site, SettingsFile)); err != nil || info.Mode().Perm() != 0o640 {
		t.Errorf("%v %v", info, err)
	}
	check(t, in.Undo())
	requireSame(t, content(t, site), before)
	for _, f := range []File{{Path: SettingsFile, Before: []byte(mentioning)}, {Path: SettingsFile, From: "src/x.json", Before: []byte("{}"), After: []byte("{}")}} {
		if _, err := Install(site, journal, "2", []File{f}); err == nil {
			t.Errorf("%+v is written", f)
		}
	}
	elsewhere := filepath.Join(t.TempDir(), "elsewhere.json")
	check(t, os.Rename(filepath.Join(site, SettingsFile), elsewhere))
	check(t, os.Symlink(elsewhere, filepath.Join(site, SettingsFile)))
	if _, err := Install(site, journal, "3", d.Files); !errors.As(err, new(*LinkError)) {
		t.Errorf("a link: %v", err)
	}
	if _, err := os.Lstat(journal); !errors.Is(err, fs.ErrNotExist) {
		t.Error("a journal is left")
	}
}
