package server_test

import (
	"strings"
	"testing"

	"quire/auth"
)

// act sends an action.
func (h *accountSite) act(as, path, action string) *answer {
	return h.send(as, "POST", path+"/actions/"+action, "")
}

func TestActions(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, unlimited, noRoles), options{})
	for name, permissions := range map[string][]string{
		"publisher": {"find", "findOne", "publish"},
		"drafter":   {"find", "findOne", "readDraft", "createDraft", "updateDraft", "duplicate"},
	} {
		var list []string
		for _, p := range permissions {
			list = append(list, "api::restaurant.restaurant."+p)
		}
		var err error
		h.tokens[name], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(t, err)
	}
	made := h.send("drafter", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Hello", "slug": "hello"}}`)
	one := "/api/restaurants/" + made.documentID(t)
	h.send("drafter", "PUT", one+"?status=draft&locale=fr", `{"data": {"name": "Bonjour"}}`)
	for _, test := range []struct {
		as, action string
		status     int
		shows      string // part of the body
	}{
		{"", "publish", 403, "Forbidden"},
		{"drafter", "publish", 403, "Forbidden"},
		{"publisher", "unpublish", 403, "Forbidden"},
		{"publisher", "duplicate", 403, "Forbidden"},
		{"full", "discard-draft", 400, "no published version"},
		{"full", "unpublish", 200, `"publishedAt":null`},
		{"publisher", "publish", 200, `"name":"Hello"`},
		{"publisher", "publish?locale=fr,en", 200, `"name":"Bonjour"`},
		{"publisher", "publish?locale=*&fields=name", 200, `"name":"Hello"`},
		{"publisher", "publish?locale[]=fr", 200, `"locale":"fr"`},
		{"publisher", "publish?locale=it", 400, "it"},
		{"publisher", "publish?locale=", 400, "locale"},
		{"publisher", "publish?locale[x]=fr", 400, "locale"},
		{"publisher", "publish?status=draft", 400, "status"},
		{"full", "unpublish?discardDraft=maybe", 400, "discardDraft"},
		{"full", "publish", 200, `"publishedAt":"`},
		{"full", "unpublish?locale=fr", 200, `"publishedAt":null`},
		{"full", "discard-draft", 200, `"publishedAt":null`},
		{"full", "duplicate", 201, `"slug":"hello-2"`},
		{"drafter", "duplicate", 201, `"slug":"hello-3"`},
		{"full", "duplicate?locale=fr", 400, "all locales"},
		{"full", "duplicate?locale=*,en", 400, "all locales"},
		{"full", "duplicate?locale=*", 201, `"slug":"hello-4"`},
		{"full", "burn", 404, "Not Found"},
	} {
		a := h.act(test.as, one, test.action)
		if a.status != test.status || !strings.Contains(a.body, test.shows) {
			t.Errorf("%s by %q: %d %s", test.action, test.as, a.status, a.body)
		}
		if a.status < 300 && a.header.Get(versionHeader) == "" {
			t.Errorf("%s by %q has no version", test.action, test.as)
		}
	}
	for _, test := range []struct {
		method, path, body string
		status             int
		names              string
	}{
		{"POST", "/api/restaurants", `{"data": {"name": "Live"}}`, 403, "api::restaurant.restaurant.create"},
		{"PUT", one, `{"data": {"name": "Live"}}`, 403, "api::restaurant.restaurant.update"},
		{"PUT", one + "?status=published", `{"data": {"name": "Live"}}`, 403, "status=draft"},
		{"PUT", one + "?status=draft", `{"data": {"name": "Hi"}}`, 200, `"name":"Hi"`},
		{"DELETE", one, "", 403, "Forbidden"},
		{"POST", "/api/chefs?status=draft", `{"data": {"name": "Ada"}}`, 403, "Forbidden"},
	} {
		if a := h.send("drafter", test.method, test.path, test.body); a.status != test.status || !strings.Contains(a.body, test.names) {
			t.Errorf("%s %s: %d %s", test.method, test.path, a.status, a.body)
		}
	}
}

// A caller who may unpublish a document but not read its draft gets only its ids.
func TestUnpublishShowsNoDraft(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, unlimited, noRoles), options{})
	var err error
	h.tokens["censor"], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: "censor", Kind: auth.Custom, Permissions: []string{"api::dish.dish.unpublish"}})
	check(t, err)
	dish := "/api/dishes/" + h.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	h.send("full", "PUT", dish+"?status=draft", `{"data": {"name": "Secret"}}`)
	if a := h.act("censor", dish, "unpublish"); a.status != 200 || strings.Contains(a.body, "updatedAt") || !strings.Contains(a.body, "documentId") || a.header.Get(versionHeader) != "" {
		t.Errorf("%d %v %s", a.status, a.header, a.body)
	}
	if a := h.act("censor", dish, "unpublish"); a.status != 404 {
		t.Errorf("of a document that has a draft alone: %d %s", a.status, a.body)
	}
}

// Types without drafts have none of their actions. Bodies have no effect here.
func TestActionsThatAreNone(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	category := "/api/categories/" + c.send("full", "POST", "/api/categories", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, action := range []string{"publish", "unpublish", "discard-draft"} {
		if a := c.send("full", "POST", category+"/actions/"+action, ""); a.status != 405 {
			t.Errorf("%s: %d %s", action, a.status, a.body)
		}
	}
	if a := c.send("full", "POST", category+"/actions/duplicate", ""); a.status != 201 || !strings.Contains(a.body, `"Soup (2)"`) {
		t.Errorf("duplicate: %d %s", a.status, a.body)
	}
	dish := "/api/dishes/" + c.send("full", "POST", "/api/dishes?status=draft", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, body := range []string{`{"data": {}}`, `[]`, `{`, `1`} {
		if a := c.send("full", "POST", dish+"/actions/publish", body); a.status != 400 {
			t.Errorf("%s: %d %s", body, a.status, a.body)
		}
	}
	if a := c.send("full", "POST", dish+"/actions/publish", "{}"); a.status != 200 {
		t.Errorf("{}: %d %s", a.status, a.body)
	}
	if a := c.send("full", "POST", "/api/homepage/actions/publish", ""); a.status != 404 {
		t.Errorf("a single type that was never written: %d %s", a.status, a.body)
	}
	c.send("full", "PUT", "/api/homepage?status=draft", `{"data": {"title": "Home"}}`)
	if a := c.send("full", "POST", "/api/homepage/actions/publish", ""); a.status != 200 || !strings.Contains(a.body, `"Home"`) {
		t.Errorf("a single type: %d %s", a.status, a.body)
	}
	version := c.send("full", "GET", dish, "").header.Get(versionHeader)
	c.send("full", "PUT", dish, `{"data": {"name": "Stew"}}`)
	if a := c.send("full", "POST", dish+"/actions/unpublish", "", "If-Match", version); a.status != 412 {
		t.Errorf("the version before: %d %s", a.status, a.body)
	}
}
