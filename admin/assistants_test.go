package admin_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"quire/auth"
	"quire/schema"
)

// openWithAssistants serves the test site with assistants.
func openWithAssistants(t *testing.T) *testAdmin {
	t.Helper()
	return openAdmin(t, `"auth": {`, `"mcp": { "enabled": true }, "auth": {`)
}

const claude = `{"name":"Claude","days":30,"limits":{"publish":"ask","types":["api::dish.dish"]}}`

func TestAssistantsOfAnAccount(t *testing.T) {
	t.Parallel()
	v := openWithAssistants(t).owner()
	if none := v.want(200, "GET", "/assistants", ""); none.text("data") != "[]" || none.text("meta.enabled") != "true" || none.text("meta.address") != "http://example.com/mcp" {
		t.Errorf("at first: %s", none.body)
	}
	made := v.want(201, "POST", "/assistants", claude)
	token, id := made.text("data.token"), made.text("data.id")
	a, err := v.people.Assistant(token)
	check(t, err)
	if !a.Caller().HasPermission(auth.Permission{UID: "api::dish.dish", Action: schema.UpdateDraft}) || a.Caller().HasPermission(auth.Permission{UID: "api::chef.chef", Action: schema.Find}) {
		t.Error("its rights are not what was chosen")
	}
	list := v.want(200, "GET", "/assistants", "")
	if strings.Contains(list.body, token) || !strings.Contains(list.body, `"expiresAt":"2026-06-03T09:00:00Z"`) || !strings.Contains(list.body, `"publish":"ask"`) {
		t.Errorf("the list: %s", list.body)
	}
	v.want(204, "DELETE", "/assistants/"+id, "")
	v.want(404, "DELETE", "/assistants/"+id, "")
	if _, err := v.people.Assistant(token); err == nil {
		t.Error("an ended assistant acts")
	}
}

func TestAssistantForms(t *testing.T) {
	t.Parallel()
	v := openWithAssistants(t).owner()
	for body, key := range map[string]string{
		`{"name":"","days":30,"limits":{}}`:                                 "name",
		`{"name":"A","days":0,"limits":{}}`:                                 "days",
		`{"name":"A","days":366,"limits":{}}`:                               "days",
		`{"name":"A","days":30,"limits":{"publish":"always"}}`:              "limits.publish",
		`{"name":"A","days":30,"limits":{"delete":"x"}}`:                    "limits.delete",
		`{"name":"A","days":30,"limits":{"most":-1}}`:                       "limits.most",
		`{"name":"A","days":30,"limits":{"types":["api::gone.gone"]}}`:      "limits.types",
		`{"name":"A","days":30,"limits":{"files":"yes"}}`:                   "limits.files",
		`{"name":"A","days":30,"limits":{"accounts":true}}`:                 "accounts",
		`{"name":"A","days":30,"limits":{},"account":"0123456789abcdef"}`:   "account",
		`{"name":"A","days":30,"limits":{"types":["admin::user","x","y"]}}`: "limits.types",
	} {
		if a := v.want(400, "POST", "/assistants", body); a.text("error.details.key") != key {
			t.Errorf("%s: %s", body, a.body)
		}
	}
}

func TestNoAssistantsWithoutMCP(t *testing.T) {
	t.Parallel()
	v := openAdmin(t).owner()
	if a := v.want(200, "GET", "/assistants", ""); a.text("meta.enabled") != "false" {
		t.Errorf("the list: %s", a.body)
	}
	v.want(400, "POST", "/assistants", claude)
	for _, path := range []string{"//oauth/authorize", "//.well-known/oauth-authorization-server", "//.well-known/oauth-protected-resource/mcp"} {
		v.want(404, "GET", path, "")
	}
	v.want(404, "POST", "//oauth/register", `{}`)
	v.want(400, "POST", "/assistants/connect", `{"query":"client_id=x","allow":true,"name":"A","days":1,"limits":{}}`)
}

// Who may change an account may see and end its assistants, and nobody else.
func TestAssistantsOfSomebodyElse(t *testing.T) {
	t.Parallel()
	v := openWithAssistants(t).owner()
	id, bob := v.addAccount("bob", "editor")
	_, eve := v.addAccount("eve", "editor")
	made := bob.want(201, "POST", "/assistants", claude)
	path := "/accounts/" + id + "/assistants"
	for _, other := range []*client{bob, eve} {
		other.want(403, "GET", path, "")
		other.want(403, "DELETE", path+"/"+made.text("data.id"), "")
	}
	eve.want(404, "DELETE", "/assistants/"+made.text("data.id"), "")
	if list := v.want(200, "GET", path, ""); !strings.Contains(list.body, made.text("data.id")) || strings.Contains(list.body, made.text("data.token")) {
		t.Errorf("the list: %s", list.body)
	}
	v.want(204, "DELETE", path+"/"+made.text("data.id"), "")
	v.want(404, "DELETE", path+"/"+made.text("data.id"), "")
	v.want(404, "GET", "/accounts/none/assistants", "")
	if list := bob.want(200, "GET", "/assistants", ""); list.text("data") != "[]" {
		t.Errorf("after its end: %s", list.body)
	}
}

// The token of an assistant opens nothing but the protocol: neither the content API nor the
// admin takes it.
func TestAssistantTokenOpensNothingElse(t *testing.T) {
	t.Parallel()
	v := openWithAssistants(t).owner()
	token := v.want(201, "POST", "/assistants", claude).text("data.token")
	v.want(401, "GET", "//api/dishes", "", "Authorization", "Bearer "+token, "Cookie", "-")
	stranger := v.client()
	stranger.cookie = token
	stranger.want(401, "GET", "/session", "")
	stranger.want(401, "GET", "/assistants", "")
	stranger.want(401, "GET", "/session", "", "Authorization", "Bearer "+token, "Cookie", "-")
}

func TestAuditLogNamesAssistants(t *testing.T) {
	t.Parallel()
	o := openWithAssistants(t)
	v := o.owner()
	o.watchAccess()
	id := v.want(201, "POST", "/assistants", claude).text("data.id")
	o.clock.pass(time.Second)
	v.want(204, "DELETE", "/assistants/"+id, "")
	var said []string
	for _, e := range o.lines() {
		if e.Target.Type == "assistant" {
			details, err := json.Marshal(e.Details)
			check(t, err)
			said = append(said, e.By.Name+" "+e.Action+" "+e.Target.Name+" "+string(details))
		}
	}
	want := `ana@example.org assistant.create Claude {"delete":"no","expires":"2026-06-03T09:00:00Z","publish":"ask","types":"api::dish.dish"}, ana@example.org assistant.end Claude null`
	if got := strings.Join(said, ", "); got != want {
		t.Errorf("the log says %s", got)
	}
}
