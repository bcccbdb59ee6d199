package archive_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"quire/content/arrange"
	stages "quire/content/review"
	"quire/store"
	"quire/transfer/archive"
)

// arranged returns how a type is arranged, and the names of its shared views.
func (s *site) arranged(uid string) (r *arrange.Arrangement, views string) {
	s.t.Helper()
	check(s.t, s.open(func(db *store.DB) (err error) {
		all := arrange.NewStore(db)
		if r, _, err = all.Of(uid); err != nil {
			return err
		}
		list, err := all.Views("", uid)
		for _, v := range slices.CompactFunc(list, func(a, b *arrange.View) bool { return a.ID == b.ID }) {
			views += v.Name + " "
		}
		return err
	}))
	return r, views
}

func text(v any) string {
	out, _ := json.Marshal(v)
	return string(out)
}

// What people have made of the forms and lists of a Strapi project comes along with its
// archive: order, widths, labels, hints, columns, the title. What nobody has changed stays as
// it is here.
func TestArrangementsOfStrapiComeAlong(t *testing.T) {
	const setting = `{"type":"core-store","value":{"id":1,"key":"plugin_content_manager_configuration_%","type":"object","environment":null,"tag":null,"value":`
	words := func(name, label, hint string) string {
		return `"` + name + `":{"edit":{"label":"` + label + `","description":"` + hint + `","placeholder":"","visible":true,"editable":true},"list":{"label":"` + label + `","searchable":true,"sortable":true}}`
	}
	line := func(key, value string) string { return strings.Replace(setting, "%", key, 1) + value + "}}\n" }
	dish := `{"uid":"api::dish.dish","settings":{"bulkable":true,"mainField":"allergens","pageSize":10},
		"metadatas":{` + words("id", "id", "") + "," + words("name", "Dish", "As on the menu") + "," + words("price", "price", "") + "," + words("allergens", "allergens", "") + "," + words("photo", "photo", "") + `},
		"layouts":{"list":["id","price","name","createdBy"],"edit":[[{"name":"price","size":6},{"name":"gone","size":6}],[{"name":"name","size":12}],[{"name":"allergens","size":6}]]}}`
	configuration := line("content_types::api::dish.dish", strings.ReplaceAll(dish, "\n", "")) +
		line("components::place.geo", text(`{"uid":"place.geo","isComponent":true,"settings":{"mainField":"documentId"},"metadatas":{`+words("lat", "Latitude", "")+","+words("lng", "lng", "")+`},"layouts":{"list":["id","lat","lng"],"edit":[[{"name":"lat","size":4},{"name":"lng","size":4}]]}}`)) +
		line("content_types::api::chef.chef", `{"layouts":7}`) +
		line("content_types::admin::user", `{}`)
	s := newSite(t)
	report, err := s.importArchive(archiveOf(t, map[string]string{"configuration/configuration_00002.jsonl": strings.ReplaceAll(configuration, "\t", "")}), "", archive.Options{})
	check(t, err)
	got, _ := s.arranged("api::dish.dish")
	want := `{"title":"allergens","columns":["price","name"],"tabs":[{"groups":[{"fields":[{"name":"price","size":6},{"name":"name","size":12},{"name":"allergens","size":6}]}]}],"hidden":["photo"],"attributes":{"name":{"label":"Dish","hint":"As on the menu"}}}`
	if text(got) != want {
		t.Errorf("dishes are arranged as\n%s\nnot\n%s", text(got), want)
	}
	if got, _ := s.arranged("place.geo"); text(got) != `{"attributes":{"lat":{"label":"Latitude"}}}` {
		t.Errorf("a component is arranged as %s", text(got))
	}
	if left := text(report.Left); !strings.Contains(left, `"What":"arrangements","N":1`) || !strings.Contains(left, `"What":"settings","N":1`) {
		t.Errorf("left out: %s", left)
	}
	guide := guideSite(t)
	for _, uid := range []string{"api::restaurant.restaurant", "api::dish.dish", "api::homepage.homepage", "section.cta", "place.hours", "shared.seo"} {
		if got, _ := guide.arranged(uid); text(got) != `{}` {
			t.Errorf("%s, which nobody has arranged, is now %s", uid, text(got))
		}
	}
}

// An archive has the arrangements and the shared views of a site, in the form of Strapi and
// whole for Quire. A view of one account stays with it.
func TestArrangementsAreExported(t *testing.T) {
	s := guideSite(t)
	made := &arrange.Arrangement{
		Title: "allergens", Columns: []string{"name", "status"}, Hidden: []string{"photo"},
		Tabs:       []arrange.Tab{{Label: "A", Groups: []arrange.FieldGroup{{Label: "B", Fields: []arrange.Cell{{Name: "price", Size: 4}, {Name: "allergens", Size: 8}}}}}, {Groups: []arrange.FieldGroup{{Fields: []arrange.Cell{{Name: "name", Size: 12}}}}}},
		Attributes: map[string]arrange.Wording{"name": {Label: "Dish", Hint: "H", Placeholder: "P", Visible: json.RawMessage(`{"!!":[{"var":"price"}]}`)}},
	}
	check(t, s.open(func(db *store.DB) error {
		all := arrange.NewStore(db)
		_, err := all.Put("api::dish.dish", "", made)
		check(t, err)
		check(t, all.AddView("ana", "api::dish.dish", &arrange.View{Name: "own"}))
		return all.AddView("ana", "api::dish.dish", &arrange.View{Name: "shared", Shared: true})
	}))
	path := s.export(archive.Packing{Plain: true})
	config := strings.Join(archiveLines(t, path)["configuration"], "\n")
	for _, part := range []string{"plugin_content_manager_configuration_content_types::api::dish.dish", `"mainField":"allergens"`, `"list":["id","name"]`, `"description":"H"`, `"edit":[[{"name":"price","size":4},{"name":"allergens","size":8}],[{"name":"name","size":12}]]`} {
		if !strings.Contains(config, part) {
			t.Errorf("there is no %s in %s", part, config)
		}
	}
	to := siteOf(t, s.folder)
	_, err := to.importArchive(path, "", archive.Options{})
	check(t, err)
	if got, views := to.arranged("api::dish.dish"); text(got) != text(made) || views != "shared " {
		t.Errorf("%s\nis now\n%s, and the views are %s", text(made), text(got), views)
	}
}

// An import into a site with content keeps how that site is arranged, unless it replaces
// everything.
func TestImportedArrangementsAndThoseOfTheSite(t *testing.T) {
	path := archiveOf(t, map[string]string{"configuration/configuration_00002.jsonl": `{"type":"core-store","value":{"key":"plugin_content_manager_configuration_content_types::api::dish.dish","value":{"quire":{"arrangement":{"columns":["price"]}}}}}` + "\n"})
	for existing, want := range map[archive.Existing]string{archive.Merge: `{"columns":["name"]}`, archive.Replace: `{"columns":["price"]}`} {
		s := newSite(t)
		check(t, s.open(func(db *store.DB) error {
			_, err := arrange.NewStore(db).Put("api::dish.dish", "", &arrange.Arrangement{Columns: []string{"name"}})
			return err
		}))
		_, err := s.importArchive(path, "", archive.Options{Existing: existing})
		check(t, err)
		if got, _ := s.arranged("api::dish.dish"); text(got) != want {
			t.Errorf("%d: %s", existing, text(got))
		}
	}
}

// An archive has the stages of types. Those that do not fit are left out, and reported.
func TestStagesAreExported(t *testing.T) {
	s := guideSite(t)
	const uid = "api::restaurant.restaurant"
	w := &stages.Workflow{Stages: []stages.Stage{{ID: "a", Name: "Writing"}, {ID: "b", Name: "Ready", From: []string{"a"}, Roles: []string{"editor"}}}, Publish: "b"}
	check(t, s.open(func(db *store.DB) error {
		return db.Update(func(tx *store.Tx) error { return stages.SetWorkflow(tx, uid, w) })
	}))
	path := s.export(archive.Packing{Plain: true})
	to := siteOf(t, s.folder)
	_, err := to.importArchive(path, "", archive.Options{})
	check(t, err)
	check(t, to.open(func(db *store.DB) error {
		got, _, err := stages.NewBoard(db, nil).Workflow(uid)
		if text(got) != text(w) {
			t.Errorf("%s is now %s", text(w), text(got))
		}
		return err
	}))
	wrong := archiveOf(t, map[string]string{"configuration/configuration_00002.jsonl": `{"type":"core-store","value":{"key":"quire_review_workflow::api::dish.dish","value":{"stages":[],"publish":"x"}}}` + "\n"})
	report, err := newSite(t).importArchive(wrong, "", archive.Options{})
	if check(t, err); !strings.Contains(text(report.Left), `"What":"stages of types","N":1`) {
		t.Errorf("left out: %s", text(report.Left))
	}
}

// Review stages of Strapi come along: their order, the one that publishing needs, and where each
// draft is. What an archive does not have, and what does not fit, is reported.
func TestStagesOfStrapiComeAlong(t *testing.T) {
	const flow, stage, dish, restaurant = "plugin::review-workflows.workflow", "plugin::review-workflows.workflow-stage", "api::dish.dish", "api::restaurant.restaurant"
	link := func(left string, ref int, field, right string, to int, pos string) string {
		return fmt.Sprintf(`{"kind":"relation.basic","relation":"manyToOne","left":{"type":%q,"ref":%d,"field":%q},"right":{"type":%q,"ref":%d%s}}`, left, ref, field, right, to, pos)
	}
	draft := strings.Replace(entity(restaurant, 3, "blue", `,"name":"Blue"`), `"publishedAt":"2026-01-02T03:04:05.006Z","locale":null`, `"publishedAt":null,"locale":"en"`, 1)
	files := with(entities(
		entity(flow, 1, "w", `,"name":"Default","contentTypes":["api::restaurant.restaurant","api::none.none"]`),
		entity(flow, 2, "v", `,"name":"Broken","contentTypes":["api::dish.dish"]`),
		entity(stage, 11, "a", `,"name":"Ready","color":"#4945FF"`), entity(stage, 12, "b", `,"name":"To do"`), entity(stage, 13, "c", ``),
		draft,
	), "links/links_00001.jsonl", lines(
		link(stage, 11, "workflow", flow, 1, `,"field":"stages","pos":2`), link(stage, 12, "workflow", flow, 1, `,"field":"stages","pos":1`),
		link(stage, 13, "workflow", flow, 2, `,"field":"stages","pos":1`), link(flow, 1, "stageRequiredToPublish", stage, 11, ""),
		link(restaurant, 3, "strapi_stage", stage, 11, ""), link(restaurant, 99, "strapi_stage", stage, 11, ""), link(restaurant, 3, "strapi_assignee", "admin::user", 1, ""),
	))
	s := newSite(t)
	report, err := s.importArchive(archiveOf(t, files), "", archive.Options{})
	check(t, err)
	check(t, s.open(func(db *store.DB) error {
		board := stages.NewBoard(db, nil)
		w, _, err := board.Workflow(restaurant)
		check(t, err)
		if text(w) != `{"stages":[{"id":"s12","name":"To do"},{"id":"s11","name":"Ready"}],"publish":"s11"}` {
			t.Errorf("the stages are %s", text(w))
		}
		st, _, err := board.Read(stages.Place{UID: restaurant, DocumentID: "blue", Locale: "en"})
		if st.Stage != "s11" {
			t.Errorf("the document is in %+v", st)
		}
		return err
	}))
	for _, part := range []string{`"What":"stages of types","N":1`, `"What":"roles that may move documents","N":2`, `"What":"links of api::restaurant.restaurant to admin::user","N":1`} {
		if !strings.Contains(text(report.Left), part) {
			t.Errorf("there is no %s in %s", part, text(report.Left))
		}
	}
}
