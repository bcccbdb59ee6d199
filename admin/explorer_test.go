package admin_test

import (
	"strings"
	"testing"
)

// The page of the API is for whoever has signed in and reads content, in the own name: it
// names what the account sees and nothing else, and the description as a whole is for those
// who see all types anyway.
func TestThePageOfTheAPI(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	them := v.reader("them", "api::dish.dish", `"price"`)
	role := v.want(201, "POST", "/roles", `{"name":"Files","rights":{"files":["read"],"site":["settings"],"types":{"plugin::users-permissions.user":{"actions":["read"]}}}}`).text("data.id")
	_, files := v.addAccount("files", role)
	_, developer := v.addAccount("dev", "developer")
	_, editor := v.addAccount("ed", "editor")
	for _, path := range []string{"/content/docs", "/content/docs/types", "/content/docs/main.mjs", "/content/openapi.json"} {
		o.client().want(401, "GET", path, "")
	}
	bearer := []string{"Authorization", "Bearer " + v.want(201, "POST", "/tokens", `{"name":"t","type":"full-access"}`).text("data.token")}
	o.client().want(401, "GET", "/content/docs/types", "", bearer...)
	for _, test := range []struct {
		who              *client
		page, whole      int
		sees, doesNotSee string
	}{
		{v, 200, 200, `"api::restaurant.restaurant"`, ""},
		{developer, 200, 200, `"api::restaurant.restaurant"`, ""},
		{editor, 200, 403, `"price"`, ""},
		{them, 200, 403, `"api::dish.dish"`, `"price"`},
		{them, 200, 403, "dishes", "restaurant"},
		{files, 403, 403, "Forbidden", "restaurant"},
	} {
		page := test.who.want(test.page, "GET", "/content/docs", "", "Accept", "text/html")
		if !strings.Contains(page.body, `src="docs/main.mjs"`) || !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("the page: %s", page.body)
		}
		types := test.who.want(test.page, "GET", "/content/docs/types", "")
		if !strings.Contains(types.body, test.sees) || test.doesNotSee != "" && strings.Contains(types.body, test.doesNotSee) {
			t.Errorf("%s instead of %s is in %s", test.doesNotSee, test.sees, types.body)
		}
		test.who.want(test.whole, "GET", "/content/openapi.json", "")
		test.who.want(200, "GET", "/content/docs/main.mjs", "")
		o.client().want(403, "GET", "//api/docs/types", "", "Cookie", "quire_admin="+test.who.cookie) // which that path does not read
	}
}
