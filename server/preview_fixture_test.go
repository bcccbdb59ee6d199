package server_test

import (
	"io/fs"
	"strings"
	"sync"
	"testing"
	"testing/fstest"
	"time"
)

// handClock is a clock that a test moves.
type handClock struct {
	mu  sync.Mutex
	now time.Time
}

func (c *handClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *handClock) advance(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// previewFolder is the sample site with addresses for previews.
func previewFolder(t *testing.T, addresses string) fs.FS {
	t.Helper()
	folder := draftFolder(t, `{"editor": {"api::restaurant.restaurant": ["find", "findOne", "readDraft", "previewLink"], "api::chef.chef": ["find"], "plugin::users-permissions.auth": ["logout"]}, "plain": {"api::restaurant.restaurant": ["find"]},
		"authenticated": {}}`)
	config := string(folder["site.json"].Data)
	folder["site.json"] = &fstest.MapFile{Data: []byte(strings.Replace(config, `{"i18n"`, `{"preview": `+addresses+`, "i18n"`, 1))}
	return folder
}

const restaurantAddress = `{"api::restaurant.restaurant": "https://front.example.org/{locale}/{slug}?id={documentId}&v={status}"}`

// previewSite is a site with two restaurants of one chef in one category. {r} has a link,
// and {other} contains SECRET wherever possible.
type previewSite struct {
	*accountSite
	clock *handClock
	names map[string]string
}

func openPreviews(t *testing.T, addresses string) *previewSite {
	t.Helper()
	clock := &handClock{now: time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)}
	s := &previewSite{openAccountSite(t, previewFolder(t, addresses), options{Now: clock.Now}), clock, map[string]string{}}
	s.make("chef", "/api/chefs", `{"name": "Ada"}`)
	s.make("cat", "/api/categories", `{"name": "soups"}`)
	s.make("r", "/api/restaurants", `{"name": "Public", "slug": "public", "chef": "{chef}", "categories": ["{cat}"]}`)
	s.put("/api/restaurants/{r}?status=draft", `{"name": "Draft", "slug": "draft", "stars": 3}`)
	s.put("/api/restaurants/{r}?status=draft&locale=fr", `{"name": "Brouillon"}`)
	s.make("other", "/api/restaurants?status=draft", `{"name": "SECRET", "slug": "SECRET", "tagline": "SECRET", "chef": "{chef}", "categories": ["{cat}"]}`)
	s.make("review", "/api/reviews", `{"note": 5, "restaurant": "{r}"}`)
	s.put("/api/homepage?status=draft", `{"title": "SECRET"}`)
	return s
}

func (s *previewSite) named(text string) string {
	for name, id := range s.names {
		text = strings.ReplaceAll(text, "{"+name+"}", id)
	}
	return text
}

func (s *previewSite) make(name, path, data string) {
	s.t.Helper()
	a := s.send("full", "POST", path, `{"data": `+s.named(data)+`}`)
	if a.status != 201 {
		s.t.Fatalf("POST %s: %d %s", path, a.status, a.body)
	}
	s.names[name] = a.documentID(s.t)
}

func (s *previewSite) put(path, data string) {
	s.t.Helper()
	if a := s.send("full", "PUT", s.named(path), `{"data": `+s.named(data)+`}`); a.status != 200 {
		s.t.Fatalf("PUT %s: %d %s", path, a.status, a.body)
	}
}

// link makes a preview link, and returns its token.
func (s *previewSite) link(as, path, body string) string {
	s.t.Helper()
	return s.send(as, "POST", s.named(path)+"/actions/preview-link", body).text(s.t, "data.token")
}

// show sends a request of the holder of a link.
func (s *previewSite) show(token, method, path, body string, headers ...string) *answer {
	s.t.Helper()
	sign := "?"
	if strings.Contains(path, "?") {
		sign = "&"
	}
	return s.send("", method, s.named(path)+sign+"previewToken="+token, body, headers...)
}
