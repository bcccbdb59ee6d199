package edit

import (
	"os"
	"strings"
	"testing"
	"testing/fstest"
)

// sidesOf are the files of restaurants and cooks as a change makes them.
func sidesOf(t *testing.T, m fstest.MapFS, text string) (restaurant, cook string, d *Draft) {
	t.Helper()
	d = mustMake(t, m, change(t, text))
	after := with(m, d)
	for name, file := range map[string]*string{"restaurant": &restaurant, "cook": &cook} {
		if f := after["src/api/"+name+"/content-types/"+name+"/schema.json"]; f != nil {
			*file = string(f.Data)
		}
	}
	return restaurant, cook, d
}

// A form is that of both sides, and the side of many stores the links, whichever of the two a
// change names.
func TestFormsOfBothSides(t *testing.T) {
	m := memory(t, guide)
	attributes := renamedIn(t, m, "api::cook.cook", "", "")
	at := func(form string) string {
		return `{"types": [{"was": "api::cook.cook", "attributes": ` + strings.Replace(attributes, `"was": "restaurants", "set": {`, `"was": "restaurants", "set": {"relation": "`+form+`", `, 1) + `}]}`
	}
	for form, want := range map[string][2]string{ // of the restaurants' cook, and the cook's restaurants
		"manyToMany": {`"relation": "manyToMany", "target": "api::cook.cook", "inversedBy": "restaurants"`, `"relation": "manyToMany", "target": "api::restaurant.restaurant", "mappedBy": "cook"`},
		"oneToOne":   {`"relation": "oneToOne", "target": "api::cook.cook", "inversedBy": "restaurants"`, `"relation": "oneToOne", "target": "api::restaurant.restaurant", "mappedBy": "cook"`},
		"manyToOne":  {`"relation": "oneToMany", "target": "api::cook.cook", "mappedBy": "restaurants"`, `"relation": "manyToOne", "target": "api::restaurant.restaurant", "inversedBy": "cook"`},
	} {
		restaurant, cook, d := sidesOf(t, m, at(form))
		for i, text := range []string{restaurant, cook} {
			if !strings.Contains(strings.Join(strings.Fields(text), " "), want[i]) {
				t.Errorf("%s: %s is not in %s", form, want[i], text)
			}
		}
		if len(d.Files) != 2 || len(d.Removed) > 0 {
			t.Errorf("%s: %+v", form, d.Removed)
		}
	}
}

// A relation that leads to another type is a new one, and its other side goes. One whose
// target is called otherwise is the same.
func TestTargetsOfRelations(t *testing.T) {
	m := memory(t, guide)
	attributes := renamedIn(t, m, "api::restaurant.restaurant", "", "")
	to := func(uid string) string {
		return `{"was": "api::restaurant.restaurant", "attributes": ` + strings.Replace(attributes, `"was": "cook", "set": {`, `"was": "cook", "set": {"target": "`+uid+`", `, 1) + `}`
	}
	restaurant, cook, d := sidesOf(t, m, `{"types": [`+to("api::cuisine.cuisine")+`]}`)
	if len(d.Removed) != 2 || d.Removed[0] != (Removed{"api::restaurant.restaurant", "cook"}) || d.Removed[1] != (Removed{"api::cook.cook", "restaurants"}) {
		t.Errorf("%+v", d.Removed)
	}
	if strings.Contains(cook, `"mappedBy"`) || strings.Count(restaurant, `"inversedBy"`) != 1 {
		t.Errorf("%s %s", restaurant, cook)
	}
	_, _, d = sidesOf(t, m, `{"dropSettings": true, "types": [`+to("api::chef.chef")+`, {"was": "api::cook.cook", "name": "chef", "pluralName": "chefs"}]}`)
	if len(d.Removed) > 0 {
		t.Errorf("%+v", d.Removed)
	}
	// The same site again, with a side that leads to nothing.
	if d, err := Make(os.DirFS(guide), change(t, `{"types": [`+to("api::none.none")+`]}`), noChecks); err != nil || d.Site != nil {
		t.Errorf("%v %+v", err, d)
	}
}
