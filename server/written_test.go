package server_test

import (
	"strings"
	"testing"

	"quire/schema/settings"
)

// wrote requires the response of a write that was stored, without what the header
// names.
func (a *answer) wrote(t *testing.T, status int, omitted string) {
	t.Helper()
	if a.status != status || a.header.Get("X-Quire-Omitted") != omitted || !strings.Contains(a.body, `"documentId"`) {
		t.Errorf("%d %v %.300s, want %d without %q", a.status, a.header, a.body, status, omitted)
	}
	if omitted != "" && strings.Contains(a.body, `"children"`) {
		t.Errorf("an answer without %s: %.300s", omitted, a.body)
	}
}

// A stored write gets a success, even if it asks for more than a response may contain.
func TestAnswerToAWriteIsTooLarge(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*settings.Limits){
		"entries": func(l *settings.Limits) { l.ResponseEntries = 10 },
		"bytes":   func(l *settings.Limits) { l.ResponseBytes = 2000 },
		"time":    func(l *settings.Limits) { l.QueryTime = 1 },
		"cost":    func(l *settings.Limits) { l.HeavyCost, l.HeavyQueries = 1, 1 },
	} {
		t.Run(name, func(t *testing.T) {
			c, _ := family(t, func(s *settings.Settings) { change(&s.Limits) })
			parent := c.send("full", "GET", "/api/categories?fields=name&filters[name]=Parent", "").body
			parent = parent[strings.Index(parent, `"documentId":"`)+14:][:24]
			const all = "populate[parent][populate][children][populate][parent][populate][children][populate][parent]=true"
			omitted := "populate"
			if name == "cost" {
				omitted = ""
			}
			a := c.send("full", "POST", "/api/categories?"+all, `{"data": {"name": "Last", "parent": "`+parent+`"}}`)
			a.wrote(t, 201, omitted)
			c.send("full", "PUT", "/api/categories/"+a.documentID(t)+"?"+all, `{"data": {"code": 1}}`).wrote(t, 200, omitted)
			if a := c.send("full", "GET", "/api/categories?fields=code&filters[name]=Last", ""); strings.Count(a.body, `"documentId"`) != 1 || !strings.Contains(a.body, `"code":1`) {
				t.Errorf("stored: %s", a.body)
			}
		})
	}
}

// The same applies to users, whose responses have no envelope, and to the response to a
// new session.
func TestAnswerToAWriteOfAUserIsTooLarge(t *testing.T) {
	t.Parallel()
	c, _ := family(t, func(s *settings.Settings) { s.Limits.ResponseEntries = 1 })
	c.send("full", "POST", "/api/users", `{"username": "eva", "email": "eva@example.org", "password": "pass-word-1", "role": 1}`).wrote(t, 201, "populate")
	c.send("full", "PUT", "/api/users/1?populate=role", `{"username": "Eva"}`).wrote(t, 200, "populate")
	a := c.send("full", "POST", "/api/auth/local?populate=role", `{"identifier": "eva@example.org", "password": "pass-word-1"}`)
	if a.wrote(t, 200, "populate"); !strings.Contains(a.body, `"jwt":"`) {
		t.Error(a.body)
	}
	if a := c.send("full", "GET", "/api/users/1?populate=role", ""); a.status != 400 {
		t.Errorf("a read: %d %s", a.status, a.body)
	}
	c.send("full", "DELETE", "/api/users/1", "").wrote(t, 200, "")
}

// A write whose response is a heavy query begins only when a slot is free.
func TestWriteWaitsForAPlace(t *testing.T) {
	t.Parallel()
	c, s := family(t, func(s *settings.Settings) { s.Limits.HeavyCost = 1 })
	giveBack := s.TakeSlots()
	const path = "/api/categories?populate[parent][populate]=children"
	a := c.send("full", "POST", path, `{"data": {"name": "Last"}}`)
	if a.status != 503 || a.header.Get("Retry-After") == "" {
		t.Errorf("%d %s", a.status, a.body)
	}
	c.send("full", "POST", "/api/categories", `{"data": {"name": "Light"}}`).wrote(t, 201, "")
	giveBack()
	c.send("full", "POST", path, `{"data": {"name": "Last"}}`).wrote(t, 201, "")
	s.TakeSlots()() // all have been released
}

// A response for which there is no memory is refused before any of it is sent. Small
// responses need none, and a write gets a response with less.
func TestAnswersFindNoMemory(t *testing.T) {
	t.Parallel()
	c, s := family(t, func(s *settings.Settings) {})
	const large = "/api/categories?pagination[pageSize]=100&populate[parent][populate]=children"
	whole := c.send("full", "GET", large, "")
	if whole.status != 200 || len(whole.body) < 100<<10 {
		t.Fatalf("%d, %d bytes", whole.status, len(whole.body))
	}
	giveBack := s.TakeMemory()
	for range 20 {
		if a := c.send("full", "GET", large, ""); a.status != 503 || a.header.Get("Retry-After") != "1" || a.header.Get("Etag") != "" {
			t.Errorf("%d %v %.200s", a.status, a.header, a.body)
		}
	}
	if a := c.send("full", "GET", "/api/categories", ""); a.status != 200 {
		t.Errorf("a small answer: %d %s", a.status, a.body)
	}
	parent := whole.body[strings.Index(whole.body, `"documentId":"`)+14:][:24]
	const much = "?populate[children][populate][parent][populate]=children"
	c.send("full", "PUT", "/api/categories/"+parent+much, `{"data": {"code": 7}}`).wrote(t, 200, "populate")
	giveBack()
	c.send("full", "PUT", "/api/categories/"+parent+much, `{"data": {"code": 8}}`).wrote(t, 200, "")
	if a := c.send("full", "GET", large, ""); a.status != 200 || a.header.Get("Etag") == "" {
		t.Errorf("afterwards: %d", a.status)
	}
	s.TakeMemory()() // all has been released
}

// If the maximum number of responses is being compressed, further ones are not
// compressed.
func TestAnswersBeyondTheCoders(t *testing.T) {
	t.Parallel()
	c, s := family(t, func(s *settings.Settings) {})
	coding := func() string {
		a := c.send("full", "GET", "/api/categories", "", "Accept-Encoding", "gzip")
		if a.status != 200 || len(a.body) == 0 {
			t.Errorf("%d %q", a.status, a.body)
		}
		return a.header.Get("Content-Encoding")
	}
	giveBack := s.TakeCoders()
	if got := coding(); got != "" {
		t.Errorf("compressed with %s", got)
	}
	giveBack()
	for range 100 {
		if got := coding(); got != "gzip" {
			t.Fatalf("compressed with %q", got)
		}
	}
}
