package admin_test

import (
	"fmt"
	"strings"
	"testing"
)

// What was deleted is listed until it is there again, with who and when.
func TestDeleted(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, bob := v.addAccount("bob", "editor")
	const path = "/deleted/api::restaurant.restaurant"
	o.client().want(401, "GET", path, "")
	door, hut := v.make("restaurants", `{"name":"Door"}`), v.make("restaurants?status=draft", `{"name":"Hut"}`)
	v.want(200, "PUT", "/content/restaurants/"+door+"?locale=fr&status=draft", `{"data":{"name":"Porte"}}`)
	inn := v.make("restaurants", `{"name":"Inn"}`)
	v.want(200, "PUT", "/content/restaurants/"+inn+"?locale=fr&status=draft", `{"data":{"name":"Auberge"}}`)
	v.want(204, "DELETE", "/content/restaurants/"+inn+"?locale=fr", "")
	if a := v.want(200, "GET", path, ""); a.text("data") != "[]" {
		t.Errorf("a document that is there in a locale is listed: %s", a.body)
	}
	v.want(204, "DELETE", "/content/restaurants/"+door+"?locale=*", "")
	bob.want(204, "DELETE", "/content/restaurants/"+hut, "")
	a := v.want(200, "GET", path, "")
	if a.titles(t, "data") != "Hut, Door" || !strings.Contains(a.body, `"name":"bob"`) || strings.Contains(a.body, `"at":""`) {
		t.Errorf("deleted: %s", a.body)
	}
	past, revision := v.want(200, "GET", "/content/restaurants/"+hut+"/history", ""), 0
	if _, err := fmt.Sscanf(past.body, `{"data":[{"revision":%d`, &revision); err != nil {
		t.Fatal(err)
	}
	v.want(200, "POST", fmt.Sprintf("/content/restaurants/%s/history/%d/restore", hut, revision), `{}`)
	if got := v.want(200, "GET", path, "").titles(t, "data"); strings.Contains(got, "Hut") {
		t.Errorf("what was restored is listed: %s", got)
	}
	v.want(200, "GET", "/deleted/api::homepage.homepage", "")
	v.want(404, "GET", "/deleted/api::none.none", "")
}

// An account that may not read the type learns nothing about deleted documents, and no
// account sees hidden attributes of them.
func TestDeletedAndRights(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	id := v.make("restaurants", `{"name":"Blue Door"}`)
	v.want(204, "DELETE", "/content/restaurants/"+id+"?locale=*", "")
	v.reader("them", "api::chef.chef", "").want(404, "GET", "/deleted/api::restaurant.restaurant", "")
	blind := v.reader("blind", "api::restaurant.restaurant", `"name"`)
	if a := blind.want(200, "GET", "/deleted/api::restaurant.restaurant", ""); strings.Contains(a.body, "Blue") || !strings.Contains(a.body, id) {
		t.Errorf("who may not see names sees %s", a.body)
	}
}

// However much was deleted, the last of it is listed.
func TestDeletedIsBounded(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	for i := range 27 {
		id := v.make("chefs", fmt.Sprintf(`{"name":"Chef %d"}`, i))
		v.want(204, "DELETE", "/content/chefs/"+id, "")
	}
	got := v.want(200, "GET", "/deleted/api::chef.chef", "").titles(t, "data")
	if strings.Count(got, ",") != 24 || !strings.HasPrefix(got, "Chef 26, Chef 25,") {
		t.Errorf("deleted: %s", got)
	}
}
