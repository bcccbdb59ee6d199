package admin_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"quire/store"
)

// arrange stores an arrangement of a type in place of the one there is.
func (v *client) arrange(status int, uid, arrangement string) *answer {
	v.t.Helper()
	version := v.want(200, "GET", "/arrangements/"+uid, "").text("data.version")
	return v.want(status, "PUT", "/arrangements/"+uid, `{"version":"`+version+`","arrangement":`+arrangement+`}`)
}

// An arranged form has its tabs, groups, widths and words, an arranged list its columns, and
// entries their title in all lists.
func TestArrangedFormsAndLists(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.make("restaurants", `{"name":"Soup","tagline":"We cook"}`)
	const uid = "api::restaurant.restaurant"
	a := v.arrange(200, uid, `{"title":"tagline","columns":["tagline","stars","status"],"hidden":["meta"],
		"tabs":[{"label":"Text","groups":[{"label":"First","fields":[{"name":"tagline","size":8},{"name":"stars","size":4},{"name":"name","size":12}]}]},
			{"label":"More","groups":[{"fields":[{"name":"vegan","size":4}]}]}],
		"attributes":{"name":{"label":"House name","hint":"As on the door","placeholder":"The Blue Door","visible":{"==":[{"var":"vegan"},true]}}}}`)
	if a.text("data.arrangement.title") != "tagline" || a.text("data.version") == "" {
		t.Errorf("stored: %s", a.body)
	}
	body := v.want(200, "GET", "/schema", "").body
	for _, part := range []string{
		`"mainField":"tagline"`, `"list":["tagline","stars","status"]`, `"tabs":[{"label":"Text","groups":[{"label":"First","rows":[[{"name":"tagline","size":8},{"name":"stars","size":4}],[{"name":"name","size":12}]]},{"label":"","rows":[[{"name":"slug"`,
		`{"label":"More","groups":[{"label":"","rows":[[{"name":"vegan","size":4}]]}]}`,
		`"label":"House name"`, `"hint":"As on the door"`, `"placeholder":"The Blue Door"`, `"shown":{"==":[{"var":"vegan"},true]}`,
	} {
		if !strings.Contains(body, part) {
			t.Errorf("there is no %s in %s", part, body)
		}
	}
	for _, row := range typeIn(v.schema(), uid).Layout.Edit {
		for _, cell := range row {
			if cell.Name == "meta" {
				t.Error("a hidden attribute is in the form")
			}
		}
	}
	if recent := v.want(200, "GET", "/home", "").body; !strings.Contains(recent, `"title":"We cook"`) {
		t.Errorf("the home page has %s", recent)
	}
	v.arrange(200, uid, `{}`)
	if again := typeIn(v.schema(), uid); again.MainField != "name" || v.want(200, "GET", "/arrangements/"+uid, "").text("data.version") != "" {
		t.Errorf("the usual form is %+v", again)
	}
}

func typeIn(s shownSchema, uid string) shownType {
	return s.Data.Types[slices.IndexFunc(s.Data.Types, func(t shownType) bool { return t.UID == uid })]
}

// Two people who arrange one form do not overwrite each other.
func TestTwoArrangeOneForm(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	v.want(200, "PUT", "/arrangements/api::dish.dish", `{"version":"","arrangement":{"columns":["name"]}}`)
	v.want(409, "PUT", "/arrangements/api::dish.dish", `{"version":"","arrangement":{"columns":["price"]}}`)
	if a := v.want(200, "GET", "/arrangements/api::dish.dish", ""); !strings.Contains(a.body, `"columns":["name"]`) {
		t.Errorf("stored: %s", a.body)
	}
}

// Whoever may not arrange reads and changes nothing, and an arrangement shows no attribute,
// label or condition that a role hides.
func TestArrangementsAndRights(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	const uid = "api::dish.dish"
	v.arrange(200, uid, `{"title":"name","columns":["name","price"],"tabs":[{"label":"Money","groups":[{"label":"Costs","fields":[{"name":"price","size":4}]}]},{"groups":[{"fields":[{"name":"name","size":12},{"name":"allergens","size":6},{"name":"photo","size":6}]}]}],
		"attributes":{"price":{"label":"Secret label"},"name":{"visible":{">":[{"var":"price"},5]}}}}`)
	editor := v.reader("Reads", uid, `"price"`)
	editor.want(403, "GET", "/arrangements/"+uid, "")
	editor.want(403, "PUT", "/arrangements/"+uid, `{"version":"","arrangement":{}}`)
	body := editor.want(200, "GET", "/schema", "").body
	for _, part := range []string{"price", "Secret label", "Money", "Costs"} {
		if strings.Contains(body, part) {
			t.Errorf("%s is in %s", part, body)
		}
	}
	role := v.want(201, "POST", "/roles", `{"name":"Arranger","rights":{"types":{"*":{"actions":["read"]}},"site":["arrange"]}}`).text("data.id")
	_, arranger := v.addAccount("arranger", role)
	arranger.arrange(200, uid, `{"columns":["name"]}`)
}

// What an arrangement cannot mean is refused with its key, and nothing is stored.
func TestArrangementsThatAreRefused(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	long, many := strings.Repeat("x", 256), strings.Repeat(`{"groups":[]},`, 20)+`{"groups":[]}`
	groups := strings.Repeat(`{"fields":[]},`, 100) + `{"fields":[]}`
	for _, test := range []struct{ uid, arrangement, key string }{
		{"api::dish.dish", `{"title":"nothing"}`, "arrangement.title"},
		{"api::dish.dish", `{"title":"price"}`, "arrangement.title"},
		{"api::dish.dish", `{"columns":["name","nothing"]}`, "arrangement.columns[1]"},
		{"api::dish.dish", `{"columns":["name","name"]}`, "arrangement.columns[1]"},
		{"api::dish.dish", `{"columns":[` + strings.Repeat(`"name",`, 50) + `"name"]}`, "arrangement.columns"},
		{"api::dish.dish", `{"tabs":[{"groups":[{"fields":[{"name":"nothing","size":6}]}]}]}`, "arrangement.tabs[0].groups[0].fields[0].name"},
		{"api::dish.dish", `{"tabs":[{"groups":[{"fields":[{"name":"name","size":6},{"name":"name","size":6}]}]}]}`, "arrangement.tabs[0].groups[0].fields[1].name"},
		{"api::dish.dish", `{"tabs":[{"groups":[{"fields":[{"name":"name","size":13}]}]}]}`, "arrangement.tabs[0].groups[0].fields[0].size"},
		{"api::dish.dish", `{"tabs":[{"label":"` + long + `","groups":[]}]}`, "arrangement.tabs[0].label"},
		{"api::dish.dish", `{"tabs":[` + many + `]}`, "arrangement.tabs"},
		{"api::dish.dish", `{"tabs":[{"groups":[` + groups + `]}]}`, "arrangement.tabs[0].groups"},
		{"place.geo", `{"tabs":[{"groups":[]},{"groups":[]}]}`, "arrangement.tabs"},
		{"api::dish.dish", `{"hidden":["nothing"]}`, "arrangement.hidden[0]"},
		{"api::dish.dish", `{"attributes":{"nothing":{"label":"x"}}}`, "arrangement.attributes.nothing"},
		{"api::dish.dish", `{"attributes":{"name":{"label":"a\nb"}}}`, "arrangement.attributes.name.label"},
		{"api::dish.dish", `{"attributes":{"name":{"hint":"` + strings.Repeat("x", 1001) + `"}}}`, "arrangement.attributes.name.hint"},
		{"api::dish.dish", `{"attributes":{"name":{"visible":{"map":[1]}}}}`, "arrangement.attributes.name.visible"},
		{"api::dish.dish", `{"attributes":{"name":{"visible":{"var":"nothing"}}}}`, "arrangement.attributes.name.visible"},
		{"api::dish.dish", `{"attributes":{"name":{"visible":{"var":"name"}}}}`, "arrangement.attributes.name.visible"},
		{"api::dish.dish", `{"other":1}`, "other"},
	} {
		if a := v.arrange(400, test.uid, test.arrangement); a.text("error.details.key") != test.key {
			t.Errorf("%.100s: %s", test.arrangement, a.body)
		}
		if v.want(200, "GET", "/arrangements/"+test.uid, "").text("data.version") != "" {
			t.Fatalf("%.100s was stored", test.arrangement)
		}
	}
	v.want(400, "PUT", "/arrangements/api::dish.dish", `{"version":""}`)
	v.want(413, "PUT", "/arrangements/api::dish.dish", `{"version":"","arrangement":{"title":"`+strings.Repeat("x", 400<<10)+`"}}`)
	for _, uid := range []string{"api::no.no", "plugin::users-permissions.user"} {
		v.want(404, "GET", "/arrangements/"+uid, "")
	}
}

// A view asks the list what its account may ask, and only those see it who see all that it
// asks about.
func TestViewsAndRoles(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	const path = "/views/api::restaurant.restaurant"
	own := v.want(201, "POST", path, `{"name":"Mine","shared":false,"search":"soup","order":"-name"}`).text("data.id")
	v.want(201, "POST", path, `{"name":"Secret","shared":true,"filters":[{"path":["secret_note"],"operator":"contains","values":["whispered"]}]}`)
	v.want(201, "POST", path, `{"name":"By chef","shared":true,"filters":[{"path":["chef","name"],"operator":"equals","values":["Ada"]}]}`)
	v.want(201, "POST", path, `{"name":"Cheap","shared":true,"status":"draft","columns":[{"key":"name","width":200},{"key":"secret_note"}]}`)
	names := func(v *client) (names string) {
		var list struct{ Data []struct{ Name string } }
		check(t, json.Unmarshal([]byte(v.want(200, "GET", path, "").body), &list))
		for _, one := range list.Data {
			names += one.Name + " "
		}
		return names
	}
	if got := names(v); !strings.HasPrefix(got, "Mine ") || strings.Count(got, " ") != 5 { // "By chef" has one
		t.Errorf("an owner sees %s", got)
	}
	reader := v.reader("Reads", "api::restaurant.restaurant", `"secret_note"`)
	if got := names(reader); got != "Cheap " {
		t.Errorf("a reader sees %s", got)
	}
	if body := reader.want(200, "GET", path, "").body; strings.Contains(body, "secret_note") || strings.Contains(body, "whispered") {
		t.Errorf("a reader gets %s", body)
	}
	reader.want(403, "POST", path, `{"name":"All","shared":true}`)
	reader.want(400, "POST", path, `{"name":"No","filters":[{"path":["secret_note"],"operator":"contains","values":["a"]}]}`)
	reader.want(404, "DELETE", path+"/"+own, "")
	reader.want(403, "DELETE", path+"/"+own+"?shared=true", "")
	reader.want(404, "GET", "/views/api::chef.chef", "")
	theirs := reader.want(201, "POST", path, `{"name":"Theirs"}`).text("data.id")
	v.want(404, "DELETE", path+"/"+theirs, "")
	v.want(200, "PUT", path+"/"+own, `{"name":"Renamed"}`)
	v.want(404, "PUT", path+"/"+theirs, `{"name":"Renamed"}`)
	v.want(204, "DELETE", path+"/"+own, "")
	if got := names(v); strings.Contains(got, "Renamed") {
		t.Errorf("an owner sees %s", got)
	}
}

// What is no view is refused with its key; nobody has more than fifty of a list.
func TestViewsThatAreRefused(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	const path = "/views/api::dish.dish"
	filter := `{"path":["name"],"operator":"contains","values":["a"]}`
	for body, key := range map[string]string{
		`{"name":" "}`: "name",
		`{"name":"` + strings.Repeat("x", 256) + `"}`:                                                                  "name",
		`{"name":"a","order":"nothing"}`:                                                                               "order",
		`{"name":"a","filters":[{"path":["nothing"],"operator":"contains","values":["a"]}]}`:                           "filters[0].path",
		`{"name":"a","filters":[{"path":[],"operator":"contains","values":["a"]}]}`:                                    "filters[0].path",
		`{"name":"a","filters":[` + strings.Repeat(filter+",", 20) + filter + `]}`:                                     "filters",
		`{"name":"a","filters":[{"path":["name"],"operator":"in","values":[` + strings.Repeat(`"a",`, 100) + `"a"]}]}`: "filters[0].values",
		`{"name":"a","columns":[{"key":"nothing"}]}`:                                                                   "columns[0].key",
		`{"name":"a","columns":[{"key":"name","width":2001}]}`:                                                         "columns[0].width",
		`{"name":"a","columns":[` + strings.Repeat(`{"key":"name"},`, 50) + `{"key":"name"}]}`:                         "columns",
		`{"name":"a","filters":[` + strings.Repeat(`{"path":["name"],"operator":"contains","values":["`+strings.Repeat("x", 250)+`","`+strings.Repeat("y", 250)+`","`+strings.Repeat("z", 250)+`","`+strings.Repeat("w", 250)+`"]},`, 19) + filter + `]}`: "filters",
	} {
		if a := v.want(400, "POST", path, body); a.text("error.details.key") != key {
			t.Errorf("%.100s: %s", body, a.body)
		}
	}
	for range 50 {
		v.want(201, "POST", path, `{"name":"one"}`)
	}
	v.want(507, "POST", path, `{"name":"one more"}`)
	v.want(201, "POST", path, `{"name":"shared","shared":true}`)
}

// The views of an account go with it, the shared ones stay.
func TestViewsGoWithTheirAccount(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	id, them := v.addAccount("them", "developer")
	them.want(201, "POST", "/views/api::dish.dish", `{"name":"own"}`)
	them.want(201, "POST", "/views/api::dish.dish", `{"name":"shared","shared":true}`)
	v.want(204, "DELETE", "/accounts/"+id, "")
	if n := v.records("admin.views"); n != 1 {
		t.Errorf("%d views are left", n)
	}
}

// records counts the records of a bucket.
func (o *testAdmin) records(bucket string) (n int) {
	o.t.Helper()
	check(o.t, o.db.View(func(tx *store.Tx) (err error) {
		n, err = tx.CountRecords(bucket, "")
		return err
	}))
	return n
}
