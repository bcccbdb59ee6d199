package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// call is what a hook is asked.
type call struct {
	Event, Action string
	Actor         struct{ Kind string }
	Data          map[string]any
}

// withHook is a site whose categories are asked about, and the hook that is asked.
func withHook(t *testing.T, answer func(w http.ResponseWriter, c *call)) (h *house, stop func()) {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var c call
		if err := json.NewDecoder(r.Body).Decode(&c); err != nil {
			t.Errorf("asked %v", err)
		}
		answer(w, &c)
	}))
	t.Cleanup(s.Close)
	siteJSON := unlimited + fmt.Sprintf(`, "hooks": [{"name": "prices", "url": %q, "types": ["api::category.category"]}]`, s.URL)
	return openHouse(t, sampleWith(t, siteJSON, noRoles), options{}), s.Close
}

// A hook refuses, changes or allows what is written over the API, alone and in a batch.
func TestHooksOverTheAPI(t *testing.T) {
	h, stop := withHook(t, func(w http.ResponseWriter, c *call) {
		if c.Actor.Kind != "token" {
			t.Errorf("asked by %+v", c.Actor)
		}
		switch c.Data["name"] {
		case "bad":
			w.WriteHeader(409)
			io.WriteString(w, `{"error": {"message": "No bad names", "details": {"name": "bad"}}}`)
		case "upper":
			io.WriteString(w, `{"data": {"name": "UPPER"}}`)
		case "wrong":
			io.WriteString(w, `{"data": {"name": 3}}`)
		case "odd":
			io.WriteString(w, `marker`)
		}
	})
	expect := func(method, path, body string, status int, shows string) *answer {
		t.Helper()
		a := h.send("full", method, path, body)
		if a.status != status || !strings.Contains(a.body, shows) || strings.Contains(a.body, "marker") {
			t.Errorf("%s %s %s: %d %s", method, path, body, a.status, a.body)
		}
		return a
	}
	created := expect("POST", "/api/categories", `{"data": {"name": "upper"}}`, 201, `"name":"UPPER"`)
	one := "/api/categories/" + created.text(t, "data.documentId")
	expect("POST", "/api/categories", `{"data": {"name": "bad"}}`, 409, `{"data":null,"error":{"status":409,"name":"ConflictError","message":"No bad names","details":{"name":"bad"}}}`)
	expect("PUT", one, `{"data": {"name": "bad"}}`, 409, `No bad names`)
	expect("PUT", one, `{"data": {"name": "wrong"}}`, 400, `"path":["name"]`)
	expect("POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/categories", "body": {"data": {"name": "fine"}}}, {"method": "PUT", "url": "`+one+`", "body": {"data": {"name": "bad"}}}]}`, 409, `"details":{"request":1,"name":"bad"}`)
	if a := expect("PUT", one, `{"data": {"name": "odd"}}`, 503, `could not be asked`); a.header.Get("Retry-After") != "1" {
		t.Errorf("to be tried again after %q", a.header.Get("Retry-After"))
	}
	stop()
	expect("PUT", one, `{"data": {"name": "fine"}}`, 503, `A hook of the site could not be asked about this write, and nothing was stored`)
	expect("DELETE", one, "", 503, `could not be asked`)
	if got := expect("GET", "/api/categories", "", 200, `"total":1`).text(t, "data.0.name"); got != "UPPER" {
		t.Errorf("name is %q", got)
	}
}
