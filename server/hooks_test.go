package server_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"quire/content/release"
)

// call is what a hook is asked.
type call struct {
	Event, Action string
	Actor         struct{ Kind string }
	Data          map[string]any
}

// withHook is a site with a hook for categories.
func withHook(t *testing.T, answer func(w http.ResponseWriter, c *call)) (h *accountSite, stop func()) {
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
	return openAccountSite(t, sampleWith(t, siteJSON, noRoles), options{}), s.Close
}

// A hook refuses, changes or allows writes over the API, alone and in a batch.
func TestHooksOverTheAPI(t *testing.T) {
	t.Parallel()
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

// A schedule that waits for a hook shows the reason and the next attempt. A release that
// is published while a hook is down stays unchanged.
func TestWhatWaitsForHooksOverTheAPI(t *testing.T) {
	t.Parallel()
	down := httptest.NewServer(nil)
	down.Close()
	h := openAccountSite(t, sampleWith(t, unlimited+fmt.Sprintf(`, "hooks": [{"name": "prices", "url": %q, "events": ["publish"]}]`, down.URL), noRoles), options{})
	one := h.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Ro"}}`).documentID(t)
	two := h.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "Ra"}}`).documentID(t)
	at, later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339), time.Now().Add(90*time.Minute).UTC().Format(time.RFC3339)
	h.send("full", "POST", "/api/restaurants/"+one+"/actions/publish", `{"at": "`+at+`"}`)
	id := h.send("full", "POST", "/api/_releases", `{"data": {"name": "now", "at": "`+later+`", "steps": [{"type": "api::restaurant.restaurant", "documentId": "`+two+`", "action": "publish"}]}}`).text(t, "data.id")
	if a := h.send("full", "POST", "/api/_releases/"+id+"/publish", ""); a.status != 503 || a.header.Get("Retry-After") != "1" {
		t.Errorf("publishing a release: %d %s", a.status, a.body)
	}
	then := time.Now().Add(2 * time.Hour)
	calendar := release.New(h.db, h.site, h.writer, func() time.Time { return then })
	check(t, calendar.Run(t.Context(), then, func(release.Outcome) {}))
	again := then.Add(5 * time.Second)
	for path, at := range map[string]time.Time{
		"/api/restaurants/" + one + "/schedule": again, "/api/_schedules": again,
		"/api/_releases/" + id: again.Add(-time.Millisecond), // its turn is before that of the schedule, for which the hook was asked
	} {
		a, retry := h.send("full", "GET", path, ""), `"retryAt":"`+at.UTC().Format("2006-01-02T15:04:05.000Z")+`"`
		if !strings.Contains(a.body, `"state":"scheduled"`) || !strings.Contains(a.body, retry) || !strings.Contains(a.body, `The hook \"prices\" could not be asked`) {
			t.Errorf("%s: %s, want %s", path, a.body, retry)
		}
	}
}
