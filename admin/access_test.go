package admin_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"quire/auth"
)

// A token is made, shown once, used, listed without itself, and revoked.
func TestTokens(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	token := v.want(201, "POST", "/tokens", `{"name":" shop/front ","type":"custom","permissions":["api::category.category.find"],"days":2}`).text("data.token")
	list := v.want(200, "GET", "/tokens", "")
	if !strings.Contains(list.body, `"name":"shop/front","type":"custom","permissions":["api::category.category.find"],"createdAt":"2026-05-04T09:00:00Z","expiresAt":"2026-05-06T09:00:00Z"`) || strings.Contains(list.body, token) {
		t.Errorf("the list: %s", list.body)
	}
	client := o.client()
	client.want(200, "GET", "//api/categories", "", "Authorization", "Bearer "+token)
	client.want(403, "GET", "//api/reviews", "", "Authorization", "Bearer "+token)
	o.clock.pass(48 * time.Hour)
	client.want(401, "GET", "//api/categories", "", "Authorization", "Bearer "+token)

	v.want(200, "POST", "/session", `{"email":"ana@example.org","password":"`+secret+`"}`)
	ever := v.want(201, "POST", "/tokens", `{"name":"all","type":"full-access"}`).text("data.token")
	client.want(200, "GET", "//api/reviews", "", "Authorization", "Bearer "+ever)
	v.want(204, "POST", "/tokens/revoke", `{"name":"all"}`)
	client.want(401, "GET", "//api/reviews", "", "Authorization", "Bearer "+ever)
	v.want(404, "POST", "/tokens/revoke", `{"name":"all"}`)
}

// Only owners make tokens that download backups: these hold what roles do not reach.
func TestTokensForBackups(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	const form = `{"name":"edge","type":"custom","permissions":["api::category.category.find","plugin::quire.backups.read"]}`
	_, developer := v.addAccount("dev", "developer")
	developer.want(403, "POST", "/tokens", form)
	if list := v.want(200, "GET", "/tokens", ""); strings.Contains(list.body, "edge") {
		t.Errorf("a developer has made %s", list.body)
	}
	for who, offered := range map[*client]bool{v: true, developer: false} {
		a := who.want(200, "GET", "/permissions", "")
		if all := a.text("data.permissions"); strings.Contains(all, "backups") || strings.Contains(a.body, `"plugin::quire.backups.read"`) != offered {
			t.Errorf("offered: %s", a.body)
		}
	}
	token := v.want(201, "POST", "/tokens", form).text("data.token")
	o.client().want(404, "GET", "//api/_backup", "", "Authorization", "Bearer "+token)
}

// What is wrong with a token is named.
func TestTokenForms(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(201, "POST", "/tokens", `{"name":"x","type":"read-only"}`)
	for body, key := range map[string]string{
		`{"type":"read-only"}`:                                                          "name",
		`{"name":"x","type":"read-only"}`:                                               "name",
		`{"name":"y","type":"king"}`:                                                    "type",
		`{"name":"y","type":"custom"}`:                                                  "permissions",
		`{"name":"y","type":"custom","permissions":[1]}`:                                "permissions",
		`{"name":"y","type":"custom","permissions":["api::category.category.fly"]}`:     "permissions",
		`{"name":"y","type":"custom","permissions":["plugin::quire.admin.accounts"]}`:   "permissions",
		`{"name":"y","type":"read-only","permissions":["api::category.category.find"]}`: "permissions",
		`{"name":"y","type":"read-only","days":0}`:                                      "days",
		`{"name":"y","type":"read-only","days":99999999999}`:                            "days",
		`{"name":"y","type":"read-only","king":true}`:                                   "king",
		fmt.Sprintf(`{"name":%q,"type":"read-only"}`, strings.Repeat("y", 101)):         "name",
		`{"name":"y\u001b[2J","type":"read-only"}`:                                      "name",
		`{"name":"y\nz","type":"read-only"}`:                                            "name",
	} {
		if a := v.want(400, "POST", "/tokens", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
}

// A site has a bounded number of tokens, however they are made.
func TestMostTokens(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	for i := range auth.MostTokens {
		_, err := o.auth.CreateToken(t.Context(), auth.TokenSpec{Name: fmt.Sprint(i), Kind: auth.ReadOnly})
		check(t, err)
	}
	if a := v.want(400, "POST", "/tokens", `{"name":"one more","type":"read-only"}`); !strings.Contains(a.body, "1000 tokens already") {
		t.Error(a.body)
	}
	v.want(204, "POST", "/tokens/revoke", `{"name":"7"}`)
	v.want(201, "POST", "/tokens", `{"name":"one more","type":"read-only"}`)
}

// Access is for roles that may do everything with content: whoever gives tokens and roles
// to others gives nothing that they do not have.
func TestAccessNeedsAllOfContent(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	const all = `"actions":["read","create","update","delete","publish","unpublish"]`
	role := func(types, files, releases string) string {
		return fmt.Sprintf(`{"name":"r%s","rights":{"types":{%s},"files":[%s],"releases":%s,"site":["access"]}}`, auth.RandomText(4), types, files, releases)
	}
	const files = `"read","upload","delete"`
	v.want(201, "POST", "/roles", role(`"*":{`+all+`}`, files, "true"))
	for _, body := range []string{
		role(`"*":{`+all+`}`, files, "false"),
		role(`"*":{`+all+`}`, `"read","read","read"`, "true"),
		role(`"*":{"actions":["read"]}`, files, "true"),
		role(`"*":{`+all+`,"own":true}`, files, "true"),
		role(`"*":{`+all+`,"locales":["en"]}`, files, "true"),
		role(`"*":{`+all+`},"api::category.category":{"actions":[]}`, files, "true"),
		role(`"*":{`+all+`},"api::category.category":{`+all+`,"hidden":["name"]}`, files, "true"),
		role(`"*":{`+all+`},"api::category.category":{`+all+`,"readOnly":["name"]}`, files, "true"),
		role(`"api::category.category":{`+all+`}`, files, "true"),
	} {
		if a := v.want(400, "POST", "/roles", body); a.text("error.details.key") != "rights.site" {
			t.Errorf("%s: %s", body, a.body)
		}
	}
}

// Only those with the right reach what gives access.
func TestAccessIsForThoseWithTheRight(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	_, dev := v.addAccount("dev", "developer")
	dev.want(200, "GET", "/tokens", "")
	dev.want(200, "GET", "/content/users-permissions/roles", "")
	dev.want(200, "GET", "/content/users", "")
	_, ed := v.addAccount("ed", "editor")
	for _, one := range [][3]string{
		{"GET", "/tokens", ""}, {"POST", "/tokens", `{"name":"x","type":"full-access"}`}, {"POST", "/tokens/revoke", `{"name":"x"}`},
		{"GET", "/permissions", ""}, {"GET", "/as/public/categories", ""},
		{"GET", "/content/users-permissions/roles", ""}, {"POST", "/content/users", `{}`},
	} {
		ed.want(403, one[0], one[1], one[2])
		o.client().want(401, one[0], one[1], one[2])
	}
}

// The answer for a role is what a caller with that role gets, and reads alone are answered.
func TestAnswerAsRole(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	v := o.owner()
	v.want(201, "POST", "/content/categories", `{"data":{"name":"quay"}}`)
	for _, path := range []string{"/categories", "/reviews", "/nothing", "/categories?filters[king]=1", "/users/me"} {
		want := o.client().ask("GET", "//api"+path, "")
		got := v.ask("GET", "/as/public"+path, "")
		if got.status != want.status || got.body != want.body {
			t.Errorf("%s as public: %d %s, want %d %s", path, got.status, got.body, want.status, want.body)
		}
	}
	v.want(404, "GET", "/as/king/categories", "")
	v.want(404, "GET", "/as/public/auth/local", "")
	v.want(405, "POST", "/as/public/categories", `{"data":{"name":"mole"}}`)
}

// A stream in the name of a role ends with the session, the right, the account and the role:
// nobody goes on listening by it.
func TestStreamAsRoleEnds(t *testing.T) {
	t.Parallel()
	o := openAdmin(t)
	at, v := o.online(), o.owner()
	v.want(200, "POST", "/content/users-permissions/roles", `{"name":"Ears","description":"x","permissions":{"api::category":{"controllers":{"category":{"find":{"enabled":true}}}}}}`)
	of := "ears"
	for _, one := range []struct {
		name string
		end  func(id string, dev *client)
	}{
		{"session", func(_ string, dev *client) { dev.want(204, "DELETE", "/session", "") }},
		{"right", func(id string, _ *client) { v.want(200, "PUT", "/accounts/"+id, `{"role":"editor"}`) }},
		{"account", func(id string, _ *client) { v.want(204, "DELETE", "/accounts/"+id, "") }},
		{"role", func(string, *client) {
			v.want(200, "DELETE", "/content/users-permissions/roles/"+o.auth.Role(of).DocumentID, "")
		}},
	} {
		id, dev := v.addAccount(one.name, "developer")
		e := dev.hear(at, "/as/"+of+"/_events")
		v.want(201, "POST", "/content/categories", `{"data":{"name":"before the `+one.name+`"}}`)
		if data := e.next(""); data == "" {
			t.Errorf("nothing was heard before the %s ended", one.name)
		}
		one.end(id, dev)
		v.want(201, "POST", "/content/categories", `{"data":{"name":"after the `+one.name+`"}}`)
		if data := e.next(""); data != "" {
			t.Errorf("heard after the %s ended: %s", one.name, data)
		}
	}
}
