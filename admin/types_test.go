package admin_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"quire/content/migrate"
	"quire/schema"
	"quire/schema/edit"
)

// modeller stands for the part of the program that changes types: it answers what a test
// says, and keeps what it was asked.
type modeller struct {
	forbids   bool
	draft     edit.Draft
	plan      *migrate.Plan
	err       error
	requested []string
}

func (m *modeller) MayEdit(*schema.Site) bool { return !m.forbids }

func (m *modeller) Definitions() ([]edit.Definition, error) {
	return []edit.Definition{{UID: "api::dish.dish", Kind: "collectionType", File: "src/api/dish/content-types/dish/schema.json", Text: []byte(`{"attributes": {}}`)}}, nil
}

func (m *modeller) Plan(_ context.Context, c edit.Change) (*edit.Draft, *migrate.Plan, error) {
	m.requested = append(m.requested, fmt.Sprint("plan ", len(c.Types)))
	if m.err != nil {
		return nil, nil, m.err
	}
	return &m.draft, m.plan, nil
}

func (m *modeller) Apply(_ context.Context, c edit.Change, fingerprint string) (string, error) {
	m.requested = append(m.requested, fmt.Sprint("apply ", len(c.Types), " ", fingerprint))
	return "/var/backups/site.tar.zst", m.err
}

// Types are seen and changed by those alone who have the right, from the admin's own pages,
// and where the site allows it.
func TestWhoMayChangeTypes(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.types.plan = &migrate.Plan{}
	const plan, apply = `{"types":[{"was":"api::dish.dish","remove":true}]}`, `{"change":{"types":[]},"fingerprint":"f"}`
	routes := [][3]string{{"GET", "/types", ""}, {"POST", "/types/plan", plan}, {"POST", "/types/apply", apply}}
	role := v.want(201, "POST", "/roles", `{"name":"Most","rights":{"types":{"*":{"actions":["read","create","update","delete","publish"]}},"files":["read"],"site":["settings"]}}`).text("data.id")
	_, most := v.addAccount("most", role)
	_, editor := v.addAccount("editor", "editor")
	_, developer := v.addAccount("developer", "developer")
	for _, r := range routes {
		o.client().want(401, r[0], r[1], r[2])
		most.want(403, r[0], r[1], r[2])
		editor.want(403, r[0], r[1], r[2])
		if r[0] == "POST" {
			v.want(403, r[0], r[1], r[2], "X-Quire-Admin", "-")
			v.want(403, r[0], r[1], r[2], "Sec-Fetch-Site", "cross-site")
		}
	}
	o.types.forbids = true
	for _, r := range routes[1:] {
		if a := v.want(403, r[0], r[1], r[2]); !strings.Contains(a.body, "admin.schemaEditing") {
			t.Errorf("%s", a.body)
		}
	}
	if a := v.want(200, "GET", "/types", ""); a.text("data.editable") != "false" || !strings.Contains(a.body, `"uid":"api::dish.dish"`) {
		t.Errorf("%s", a.body)
	}
	if len(o.types.requested) > 0 {
		t.Errorf("it came through: %v", o.types.requested)
	}
	o.types.forbids = false
	for _, r := range routes {
		developer.want(200, r[0], r[1], r[2])
	}
	if fmt.Sprint(o.types.requested) != "[plan 1 apply 0 f]" {
		t.Errorf("%v", o.types.requested)
	}
}

// A body that is no change is refused with the key, and one without end is not read.
func TestBodiesOfTypes(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	for body, want := range map[string]string{
		`{"types":[{"path":"../x"}]}`: "path",
		`{"typs":[]}`:                 "typs",
		`{"types":"all"}`:             "types",
		`[]`:                          "one JSON object",
		`{"types":[{"attributes":[{"name":"x","set":[]}]}]}`: "types",
	} {
		if a := v.want(400, "POST", "/types/plan", body); !strings.Contains(a.body, want) {
			t.Errorf("%s: %s", body, a.body)
		}
	}
	v.want(413, "POST", "/types/plan", `{"types":[`+strings.Repeat(" ", 1<<20)+`]}`)
	v.want(413, "POST", "/types/apply", `{"fingerprint":"`+strings.Repeat("x", 1<<20)+`"}`)
}

// A plan that would be refused has no fingerprint, with which it could be carried out; one
// that is outdated is a conflict, and an error quotes no content.
func TestPlansOfTypes(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.types.draft = edit.Draft{Fingerprint: "f", Files: []edit.File{{Path: "src/components/a/b.json", After: []byte("{}\n")}}}
	o.types.plan = &migrate.Plan{Effects: []migrate.Effect{{Kind: migrate.Unconvertible, Type: "api::dish.dish", Path: "name", Values: 2}}}
	a := v.want(200, "POST", "/types/plan", `{"types":[]}`)
	if a.text("data.fingerprint") != "" || a.text("data.blocked") != `[\"unconvertible\"]` && !strings.Contains(a.body, `"blocked":["unconvertible"]`) {
		t.Errorf("%s", a.body)
	}
	if !strings.Contains(a.body, `"state":"created","lines":[{"op":"+","text":"{}"}]`) {
		t.Errorf("%s", a.body)
	}
	if a := v.want(200, "POST", "/types/plan", `{"types":[],"lossy":true}`); a.text("data.fingerprint") != "f" {
		t.Errorf("%s", a.body)
	}
	o.types.draft = edit.Draft{Fingerprint: "f", Unagreed: true, Mentions: []edit.Mention{{Place: "cache.api::dish.dish", Was: "api::dish.dish"}}, Files: []edit.File{
		{Path: edit.SettingsFile, Before: []byte(`{"mail": "whispered"}`), After: []byte(`{"mail": "whispered" }`)}}}
	a = v.want(200, "POST", "/types/plan", `{"types":[],"lossy":true}`)
	if a.text("data.fingerprint") != "" || !strings.Contains(a.body, `"blocked":["settings"]`) || !strings.Contains(a.body, `"lines":[{"op":"-","text":"cache.api::dish.dish: api::dish.dish"}]`) || strings.Contains(a.body, "whispered") {
		t.Errorf("%s", a.body)
	}
	o.types.draft = edit.Draft{Fingerprint: "f"}
	o.types.plan = &migrate.Plan{Effects: []migrate.Effect{{Kind: migrate.Stranded, Type: "api::dish.dish", Detail: "fr", Documents: 1, Entries: 1}}}
	a = v.want(200, "POST", "/types/plan", `{"types":[],"lossy":true,"locales":{"list":[{"code":"en","name":"English"}],"default":"en"}}`)
	if a.text("data.fingerprint") != "" || !strings.Contains(a.body, `"blocked":["stranded"]`) {
		t.Errorf("%s", a.body)
	}
	o.types.err = fmt.Errorf("a file: %w", edit.ErrTouched)
	v.want(409, "POST", "/types/apply", `{"change":{"types":[]},"fingerprint":"f"}`)
	o.types.err = migrate.ErrOutdated
	v.want(409, "POST", "/types/apply", `{"change":{"types":[]},"fingerprint":"f"}`)
	o.types.err = &edit.LinkError{Path: "src/api"}
	v.want(400, "POST", "/types/plan", `{"types":[]}`)
	o.types.err = &migrate.MigrationError{Problem: "a value, whispered"}
	if a := v.want(400, "POST", "/types/apply", `{"change":{"types":[]},"fingerprint":"f"}`); strings.Contains(a.body, "whispered") {
		t.Errorf("%s", a.body)
	}
}

// Examples quote content: they are for accounts that see all of a type.
func TestPlansOfTypesAndHiddenContent(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	whispered := migrate.Effect{Kind: migrate.Failing, Type: "api::restaurant.restaurant", Path: "name", Values: 1, Examples: []migrate.Example{{Place: "x (draft)", DocumentID: "x", Status: "draft", Value: "whispered"}}}
	for rights, sees := range map[string]bool{
		`"*":{"actions":["read"]}`:              true,
		``:                                      false,
		`"api::dish.dish":{"actions":["read"]}`: false,
		`"api::restaurant.restaurant":{"actions":["read"],"hidden":["name"]}`:  false,
		`"api::restaurant.restaurant":{"actions":["read"],"hidden":["seats"]}`: false,
	} {
		o.types.plan = &migrate.Plan{Effects: []migrate.Effect{whispered}}
		role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{`+rights+`},"site":["schemas"]}}`).text("data.id")
		_, them := v.addAccount("them"+role, role)
		a := them.want(200, "POST", "/types/plan", `{"types":[]}`)
		if strings.Contains(a.body, "whispered") != sees || !strings.Contains(a.body, `"values":1`) {
			t.Errorf("with %s: %s", rights, a.body)
		}
		v.want(204, "DELETE", "/accounts/"+them.ask("GET", "/session", "").text("data.account.id"), "")
		v.want(204, "DELETE", "/roles/"+role, "")
	}
	o.types.plan = &migrate.Plan{Effects: []migrate.Effect{whispered}}
	o.types.draft.Types = []edit.Rename{{Old: "api::restaurant.restaurant", New: "api::place.place"}}
	o.types.plan.Effects[0].Type = "api::place.place"
	if a := v.want(200, "POST", "/types/plan", `{"types":[]}`); !strings.Contains(a.body, "whispered") {
		t.Errorf("of a renamed type: %s", a.body)
	}
}

// A type that gets the name of another one does not show its values to whoever sees that
// other one, in whatever order the names are given.
func TestPlansOfTypesThatExchangeNames(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	role := v.want(201, "POST", "/roles", `{"name":"R","rights":{"types":{"api::dish.dish":{"actions":["read"]}},"site":["schemas"]}}`).text("data.id")
	_, them := v.addAccount("them", role)
	const dish, restaurant, place = "api::dish.dish", "api::restaurant.restaurant", "api::place.place"
	for name, c := range map[string]struct {
		of      string
		renames []edit.Rename
	}{
		"a chain":              {place, []edit.Rename{{Old: restaurant, New: place}, {Old: dish, New: restaurant}}},
		"a chain, from behind": {restaurant, []edit.Rename{{Old: restaurant, New: dish}, {Old: "api::story.story", New: restaurant}}},
		"a removed type":       {restaurant, []edit.Rename{{Old: dish, New: restaurant}}},
	} {
		o.types.draft.Types = c.renames
		o.types.plan = &migrate.Plan{Effects: []migrate.Effect{{Kind: migrate.Failing, Type: c.of, Path: "name", Values: 1, Examples: []migrate.Example{{Place: "x", DocumentID: "x", Value: "whispered"}}}}}
		if a := them.want(200, "POST", "/types/plan", `{"types":[]}`); strings.Contains(a.body, "whispered") || !strings.Contains(a.body, `"values":1`) {
			t.Errorf("%s: %s", name, a.body)
		}
	}
}
