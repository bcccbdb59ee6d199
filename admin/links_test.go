package admin_test

import (
	"fmt"
	"strings"
	"testing"
)

// What links to several documents is named once, without those that were asked about.
func TestLinksToMany(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	o.client().want(401, "GET", "/links/api::chef.chef?documentIds=a", "")
	ada, bob, eve := v.make("chefs", `{"name":"Ada"}`), v.make("chefs", `{"name":"Bob"}`), v.make("chefs", `{"name":"Eve"}`)
	door := v.make("restaurants", `{"name":"Blue Door","chef":"`+ada+`","sections":[{"__component":"section.quote","text":"q","chef":"`+bob+`"}]}`)
	v.want(200, "PUT", "/content/restaurants/"+door+"?locale=fr&status=draft", `{"data":{"name":"Porte","chef":"`+ada+`"}}`)
	hut := v.make("restaurants?status=draft", `{"name":"Hut","chef":"`+bob+`"}`)
	const path = "/links/api::chef.chef?documentIds="
	for ids, want := range map[string]string{
		ada + "," + bob: door + " " + hut, ada: door, bob + "," + bob: door + " " + hut, eve: "", "gone," + ada: door, "..": "",
	} {
		a := v.want(200, "GET", path+ids, "")
		var got []string
		for _, part := range strings.Split(a.body, `"documentId":"`)[1:] {
			id, _, _ := strings.Cut(part, `"`)
			got = append(got, id)
		}
		if strings.Join(got, " ") != want || a.text("meta.more") != "false" {
			t.Errorf("to %s link %v: %s", ids, got, a.body)
		}
	}
	for _, bad := range []string{"", ada + ",", "_count", "a/b", strings.Repeat("x,", 100) + "x"} {
		if a := v.want(400, "GET", path+bad, ""); a.text("error.details.key") != "documentIds" {
			t.Errorf("%q: %s", bad, a.body)
		}
	}
	v.want(200, "GET", path+strings.Repeat("x,", 99)+"x", "")
	v.want(404, "GET", "/links/api::none.none?documentIds=a", "")

	them := v.reader("them", "api::chef.chef", "")
	if a := them.want(200, "GET", path+ada, ""); a.text("data") != "[]" {
		t.Errorf("who may not read restaurants hears of them: %s", a.body)
	}
	them.want(404, "GET", "/links/api::restaurant.restaurant?documentIds="+door, "")
	blind := v.reader("blind", "api::restaurant.restaurant", `"chef","sections"`)
	blind.want(404, "GET", path+ada, "")
}

// Where many link to a document, a part is named and it is said that there are more.
func TestLinksToManyAreBounded(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	ada := v.make("chefs", `{"name":"Ada"}`)
	for i := range 51 { // each links with its draft and what is published
		v.make("restaurants", fmt.Sprintf(`{"name":"R%d","chef":%q}`, i, ada))
	}
	a := v.want(200, "GET", "/links/api::chef.chef?documentIds="+ada, "")
	if a.text("meta.more") != "true" || strings.Count(a.body, `"documentId"`) != 50 {
		t.Errorf("%d are named: %.200s", strings.Count(a.body, `"documentId"`), a.body)
	}
}
