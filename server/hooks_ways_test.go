package server_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"quire/auth"
)

// Hooks can refuse every kind of write over HTTP.
func TestEveryWayToWriteAsks(t *testing.T) {
	t.Parallel()
	var refuses atomic.Bool
	var requested atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		if requested.Add(1); refuses.Load() {
			w.WriteHeader(409)
			io.WriteString(w, `{"message": "Not today"}`)
		}
	}))
	t.Cleanup(s.Close)
	h := openAccountSite(t, sampleWith(t, unlimited+fmt.Sprintf(`, "hooks": [{"name": "closed", "url": %q}]`, s.URL), noRoles), options{})
	id := h.send("full", "POST", "/api/restaurants", `{"data": {"name": "Ro"}}`).documentID(t)
	one := "/api/restaurants/" + id
	h.send("full", "PUT", one, `{"data": {"name": "Sal"}}`)
	first := h.send("full", "GET", one+"/history?status=draft", "").text(t, "data.1.revision")
	past := one + "/history/" + first + "/restore"
	release := h.send("full", "POST", "/api/_releases", `{"data": {"name": "now", "steps": [{"type": "api::restaurant.restaurant", "documentId": "`+id+`", "action": "unpublish"}]}}`).text(t, "data.id")
	linking, linkingKind := form(t, part{"files", "a.txt", "text"}, part{"ref", "", "api::restaurant.restaurant"}, part{"refId", "", id}, part{"field", "", "gallery"})
	refuses.Store(true)
	for _, write := range []struct{ method, path, body, kind string }{
		{"POST", "/api/restaurants", `{"data": {"name": "Biscotte"}}`, ""},
		{"POST", "/api/restaurants?status=draft", `{"data": {"name": "Biscotte"}}`, ""},
		{"PUT", one, `{"data": {"name": "Biscotte"}}`, ""},
		{"PUT", one + "?locale=fr", `{"data": {"name": "Biscotte"}}`, ""},
		{"DELETE", one, "", ""},
		{"DELETE", one + "?locale=*", "", ""},
		{"PUT", "/api/homepage", `{"data": {}}`, ""},
		{"DELETE", "/api/homepage", "", ""},
		{"POST", one + "/actions/publish", "", ""},
		{"POST", one + "/actions/unpublish", "", ""},
		{"POST", one + "/actions/discard-draft", "", ""},
		{"POST", one + "/actions/duplicate", "", ""},
		{"POST", past, "", ""},
		{"POST", "/api/_batch", `{"requests": [{"method": "DELETE", "url": "` + one + `"}]}`, ""},
		{"POST", "/api/_releases/" + release + "/publish", "", ""},
		{"POST", "/api/upload", linking, linkingKind},
	} {
		before, kind := requested.Load(), write.kind
		if kind == "" {
			kind = "application/json"
		}
		a := h.send("full", write.method, write.path, write.body, "Content-Type", kind)
		if requested.Load() != before+1 || a.status != 409 && a.status != 400 || !strings.Contains(a.body, "Not today") {
			t.Errorf("%s %s: asked %d times, answered %d %s", write.method, write.path, requested.Load()-before, a.status, a.body)
		}
	}
	if a := h.send("full", "GET", "/api/restaurants?locale=*", ""); a.text(t, "data.0.name") != "Sal" || !strings.Contains(a.body, `"total":1`) {
		t.Errorf("left is %s", a.body)
	}
}

// A caller who loses a right while a hook is asked can no longer write.
func TestRightsThatEndWhileAHookIsAsked(t *testing.T) {
	t.Parallel()
	var during func()
	s := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		if during != nil {
			during()
		}
	}))
	t.Cleanup(s.Close)
	h := openAccountSite(t, sampleWith(t, unlimited+fmt.Sprintf(`, "hooks": [{"name": "slow", "url": %q, "types": ["api::category.category"]}]`, s.URL), noRoles), options{})
	id := h.send("full", "POST", "/api/categories", `{"data": {"name": "Breton"}}`).documentID(t)
	for name, write := range map[string][3]string{
		"update": {"PUT", "/api/categories/" + id, `{"data": {"name": "Norman"}}`},
		"delete": {"DELETE", "/api/categories/" + id, ""},
		"batch":  {"POST", "/api/_batch", `{"requests": [{"method": "DELETE", "url": "/api/categories/` + id + `"}]}`},
	} {
		h.tokens[name] = createToken(t, h.auth, name, auth.FullAccess)
		during = func() { check(t, h.auth.RevokeToken(context.Background(), name)) }
		if a := h.send(name, write[0], write[1], write[2]); a.status != 401 {
			t.Errorf("%s: %d %s", name, a.status, a.body)
		}
	}
	if got := h.send("full", "GET", "/api/categories", "").text(t, "data.0.name"); got != "Breton" {
		t.Errorf("name is %q", got)
	}
}
