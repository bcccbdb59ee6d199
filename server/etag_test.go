package server_test

import (
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/auth"
	"quire/schema"
)

// newClientOf serves a site with the data in a folder, until stop is called.
func newClientOf(t *testing.T, folder string, site *schema.Site, log *slog.Logger) (c *client, stop func()) {
	t.Helper()
	s, keys, closed := open(t, folder, site, log)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	c = &client{t, h.URL, map[string]string{}}
	known := map[string]bool{}
	infos, err := keys.Tokens()
	check(t, err)
	for _, info := range infos {
		known[info.Name] = true
	}
	for name, kind := range map[string]auth.TokenKind{"full": auth.FullAccess, "readonly": auth.ReadOnly, "other": auth.ReadOnly} {
		if known[name] {
			check(t, keys.RevokeToken(t.Context(), name))
		}
		c.tokens[name] = createToken(t, keys, name, kind)
	}
	return c, func() {
		h.Close() // waits for requests in progress
		closed()
	}
}

// held is a header with the tags that a client has.
func held(tags ...string) []string { return []string{"If-None-Match", strings.Join(tags, ", ")} }

// plain is a header that asks for no compression.
var plain = []string{"Accept-Encoding", "identity"}

const (
	keepForAll = "no-cache"
	keepForOne = "private, no-cache"
	keepNever  = "no-store"
	variesBy   = "Authorization, Accept-Encoding, Strapi-Response-Format"
)

var strongTag = regexp.MustCompile(`^"([0-9]+\.)?[A-Za-z0-9_-]{20}"$`)

func TestEveryAnswerToAGetHasATag(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	c.send("full", "PUT", "/api/homepage", `{"data": {"title": "Home"}}`)
	for _, test := range []struct{ as, path, control string }{
		{"", "/api/dishes", keepForAll},
		{"", "/api/dishes/" + id, keepForAll},
		{"", "/api/homepage", keepForAll},
		{"full", "/api/dishes?filters[name]=none", keepForOne},
		{"full", "/api/dishes/" + id, keepForOne},
		{"full", "/api/homepage", keepForOne},
		{"full", "/api/users", keepForOne},
		{"full", "/api/users/count", keepForOne},
		{"full", "/api/users-permissions/roles", keepForOne},
		{"full", "/api/users-permissions/permissions", keepForOne},
		{"full", "/api/upload/files", keepForOne},
		{"full", "/api/upload/files/page", keepForOne},
		{"full", "/api/i18n/locales", keepForOne},
	} {
		got := c.send(test.as, "GET", test.path, "", plain...)
		tag := got.header.Get("ETag")
		if got.status != 200 || !strongTag.MatchString(tag) || got.header.Get("Cache-Control") != test.control || got.header.Get("Vary") != variesBy {
			t.Errorf("%s: %d %v", test.path, got.status, got.header)
		}
		for _, method := range []string{"GET", "HEAD"} {
			again := c.send(test.as, method, test.path, "", append(held(tag), plain...)...)
			if again.status != 304 || again.body != "" || again.header.Get("Content-Type") != "" {
				t.Errorf("%s %s: %d %q %v, want 304 and nothing else", method, test.path, again.status, again.body, again.header)
			}
			for _, name := range []string{"ETag", "Cache-Control", "Vary"} {
				if again.header.Get(name) != got.header.Get(name) {
					t.Errorf("%s %s: the 304 has %s %q, the 200 %q", method, test.path, name, again.header.Get(name), got.header.Get(name))
				}
			}
		}
		if head := c.send(test.as, "HEAD", test.path, "", plain...); head.status != 200 || head.header.Get("ETag") != tag {
			t.Errorf("HEAD %s: %d, tag %s, want %s", test.path, head.status, head.header.Get("ETag"), tag)
		}
	}
}

func TestOtherAnswersHaveNoTag(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		as, method, path string
		status           int
	}{
		{"full", "GET", "/api/dishes/nope", 404},
		{"full", "GET", "/api/homepage", 404},
		{"full", "GET", "/api/nothing", 404},
		{"full", "GET", "/api/dishes?filters[zzz]=1", 400},
		{"", "GET", "/api/reviews", 403},
		{"full", "PATCH", "/api/dishes", 405},
		{"full", "GET", "/api/dishes?" + strings.Repeat("x", 1<<16), 414},
		{"full", "GET", "/api/users/7", 204},
		{"", "GET", "/_health", 204},
	} {
		for _, headers := range [][]string{nil, held("*"), held(`"x"`)} {
			got := c.send(test.as, test.method, test.path, "", headers...)
			if got.status != test.status || got.header.Get("ETag") != "" || got.header.Get("Cache-Control") != keepNever {
				t.Errorf("%.40s %v: %d, want %d: %v", test.path, headers, got.status, test.status, got.header)
			}
		}
	}
	created := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`, held("*")...)
	if created.status != 201 || created.header.Get("ETag") != "" {
		t.Errorf("POST: %d %v", created.status, created.header)
	}
}

func TestIfNoneMatch(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, path := range []string{"/api/dishes", "/api/dishes/" + id, "/api/i18n/locales"} {
		tag := c.send("full", "GET", path, "").header.Get("ETag")
		opaque := strings.Trim(tag, `"`)
		for _, test := range []struct {
			value  string
			status int
		}{
			{tag, 304},
			{"W/" + tag, 304},
			{`"other", ` + tag, 304},
			{`W/"a,b",` + tag + `,"c"`, 304},
			{`"", ` + tag, 304},
			{" \t" + tag + " ,", 304},
			{"*", 304},
			{"", 200},
			{`"other"`, 200},
			{opaque, 200},
			{`"` + opaque, 200},
			{opaque + `"`, 200},
			{`w/` + tag, 200},
			{"x, " + tag, 200},
			{`"` + opaque + `x"`, 200},
			{`"` + opaque + `-br"`, 200},
			{`"` + opaque[1:] + `"`, 200},
			{"*, " + tag, 200},
			{strings.Repeat(`"x",`, 1000) + tag, 304},
		} {
			if got := c.send("full", "GET", path, "", "If-None-Match", test.value); got.status != test.status {
				t.Errorf("%s, If-None-Match %.60s: %d, want %d", path, test.value, got.status, test.status)
			}
		}
	}
	if got := c.send("readonly", "GET", "/api/users", "", held("*")...); got.status != 304 {
		t.Errorf("no users are a list too: %d", got.status)
	}
}

// The checks that come before a 304.
func TestConditionsComeAfterPermissions(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	tag := c.send("full", "GET", "/api/reviews", "").header.Get("ETag")
	c.tokens["bad"] = strings.Repeat("0", 256)
	for as, want := range map[string]int{"": 403, "bad": 401, "readonly": 200, "full": 304} {
		if got := c.send(as, "GET", "/api/reviews", "", held(tag)...); got.status != want {
			t.Errorf("%q: %d, want %d", as, got.status, want)
		}
	}
	if got := c.send("full", "GET", "/api/reviews?sort=zzz", "", held("*")...); got.status != 400 {
		t.Errorf("a query that makes no sense: %d", got.status)
	}
}

func TestTagsTellRequestsApart(t *testing.T) {
	t.Parallel()
	c, _ := newClientOf(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler))
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	seen := map[string]string{}
	for _, request := range []struct {
		as, path string
		headers  []string
	}{
		{"full", "/api/dishes", nil},
		{"readonly", "/api/dishes", nil},
		{"", "/api/dishes", nil},
		{"full", "/api/dishes", []string{"Strapi-Response-Format", "v4"}},
		{"full", "/api/dishes?sort=name", nil},
		{"full", "/api/dishes?sort=Name", nil},
		{"full", "/api/dishes/" + id, nil},
		{"full", "/api/dishes/" + id + "?fields=name", nil},
		{"full", "/api/restaurants", nil},
	} {
		got := c.send(request.as, "GET", request.path, "", request.headers...)
		tag := got.header.Get("ETag")
		name := fmt.Sprintf("%s as %q %v", request.path, request.as, request.headers)
		if got.status == 200 && seen[tag] != "" {
			t.Errorf("%s has the tag of %s", name, seen[tag])
		}
		seen[tag] = name
	}
	if one, other := c.send("readonly", "GET", "/api/dishes", ""), c.send("other", "GET", "/api/dishes/", ""); one.header.Get("ETag") != other.header.Get("ETag") {
		t.Error("callers that may do the same get different tags")
	}
}

// A tag changes with each write to what the response shows, and with no other. Work on
// a draft changes no tag of a published version.
func TestTagsFollowWhatIsRead(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	dish := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	chef := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	place := c.send("full", "POST", "/api/restaurants", `{"data": {"name": "Biscotte", "chef": "`+chef+`"}}`).documentID(t)
	writes := map[string]func() *answer{
		"dish":   func() *answer { return c.send("full", "PUT", "/api/dishes/"+dish, `{"data": {"price": 7}}`) },
		"chef":   func() *answer { return c.send("full", "PUT", "/api/chefs/"+chef, `{"data": {"name": "Eve"}}`) },
		"review": func() *answer { return c.send("full", "POST", "/api/reviews", `{"data": {"note": 5}}`) },
		"draft": func() *answer {
			return c.send("full", "PUT", "/api/chefs/"+chef+"?status=draft", `{"data": {"name": "Al"}}`)
		},
	}
	for path, followed := range map[string]string{
		"/api/dishes":                                    "dish",
		"/api/dishes/" + dish:                            "dish",
		"/api/chefs":                                     "chef",
		"/api/restaurants/" + place:                      "",
		"/api/restaurants/" + place + "?populate=*":      "dish chef review",
		"/api/restaurants?populate=chef":                 "chef",
		"/api/restaurants?sort=chef.name":                "chef",
		"/api/restaurants?filters[chef][name]=Ada":       "chef",
		"/api/restaurants?filters[reviews][note]=5":      "review",
		"/api/restaurants?populate[reviews][count]=true": "review",
		"/api/chefs?status=draft":                        "chef draft",
		"/api/restaurants?status=draft&populate=chef":    "chef draft",
		"/api/chefs?publicationFilter=modified":          "chef draft",
		"/api/i18n/locales":                              "",
		"/api/upload/files":                              "",
	} {
		for name, write := range writes {
			before := c.send("full", "GET", path, "").header.Get("ETag")
			if got := write(); got.status >= 300 {
				t.Fatal(name, got.body)
			}
			after := c.send("full", "GET", path, "").header.Get("ETag")
			if changed := before != after; changed != strings.Contains(followed, name) {
				t.Errorf("%s: a write of a %s changes the tag: %t", path, name, changed)
			}
		}
	}
}

// Tags depend on the permissions of a role.
func TestTagsFollowPermissions(t *testing.T) {
	t.Parallel()
	site := sampleSite(t)
	delete(site.Settings.Roles, "public")
	c, _ := newClientOf(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	role := func() string {
		body := c.send("full", "GET", "/api/users-permissions/roles?filters[type]=public", "").body
		return regexp.MustCompile(`"id":(\d+)`).FindStringSubmatch(body)[1]
	}()
	allow := func(permissions string) {
		t.Helper()
		if got := c.send("full", "PUT", "/api/users-permissions/roles/"+role, `{"name": "Public", "permissions": `+permissions+`}`); got.status != 200 {
			t.Fatal(got.status, got.body)
		}
	}
	const few = `{"api::restaurant": {"controllers": {"restaurant": {"find": {"enabled": true}}}}}`
	const more = `{"api::restaurant": {"controllers": {"restaurant": {"find": {"enabled": true}}}}, "api::chef": {"controllers": {"chef": {"find": {"enabled": true}}}}}`
	const path = "/api/restaurants?populate=*"
	allow(few)
	first := c.send("", "GET", path, "").header.Get("ETag")
	allow(more)
	if got := c.send("", "GET", path, "", held(first)...); got.status != 200 {
		t.Errorf("with more rights: %d", got.status)
	}
	allow(few)
	if got := c.send("", "GET", path, "", held(first)...); got.status != 304 {
		t.Errorf("with the rights of before: %d", got.status)
	}
}

// During concurrent writes, a tag always identifies one body.
func TestATagNamesOneBody(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	paths := []string{"/api/dishes?sort=id", "/api/chefs?populate=restaurants", "/api/restaurants?populate=chef&sort=id"}
	chef := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	var wait sync.WaitGroup
	for w := range 2 {
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(w)))
			for i := range 40 {
				switch rng.IntN(3) {
				case 0:
					c.send("full", "POST", "/api/dishes", fmt.Sprintf(`{"data": {"name": "Dish %d %d"}}`, w, i))
				case 1:
					c.send("full", "PUT", "/api/chefs/"+chef, fmt.Sprintf(`{"data": {"name": "Chef %d %d"}}`, w, i))
				case 2:
					c.send("full", "POST", "/api/restaurants", fmt.Sprintf(`{"data": {"name": "Place %d %d", "chef": %q}}`, w, i, chef))
				}
			}
		})
	}
	bodies := make([]map[string]string, 3)
	for r := range bodies {
		bodies[r] = map[string]string{}
		wait.Go(func() {
			rng := rand.New(rand.NewPCG(seed, uint64(10+r)))
			last := map[string]*answer{}
			for range 120 {
				path := paths[rng.IntN(len(paths))]
				var headers []string
				switch {
				case rng.IntN(2) == 0:
					headers = []string{"X-Quire-Explain", "1"} // not from the cache
				case last[path] != nil:
					headers = held(last[path].header.Get("ETag"))
				}
				got := c.send("full", "GET", path, "", headers...)
				if got.status == 304 {
					continue
				}
				tag := got.header.Get("ETag")
				if body, ok := bodies[r][tag]; ok && body != got.body {
					t.Errorf("%s: the tag %s names two bodies", path, tag)
				}
				bodies[r][tag], last[path] = got.body, got
			}
		})
	}
	wait.Wait()
	all := map[string]string{}
	for _, each := range bodies {
		for tag, body := range each {
			if other, ok := all[tag]; ok && other != body {
				t.Errorf("the tag %s names two bodies", tag)
			}
		}
		maps.Copy(all, each)
	}
}

func TestMaxAgeOfPublicAnswers(t *testing.T) {
	t.Parallel()
	site := sampleSite(t)
	site.Settings.Cache = map[string]time.Duration{"api::dish.dish": time.Minute}
	c, _ := newClientOf(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	for _, test := range []struct {
		as, path, control string
		headers           []string
	}{
		{"", "/api/dishes", "public, max-age=60", nil},
		{"", "/api/dishes/" + id, "public, max-age=60", nil},
		{"", "/api/dishes/nope", keepNever, nil},
		{"", "/api/restaurants", keepForAll, nil},
		{"full", "/api/dishes", keepForOne, nil},
		{"", "/api/dishes", keepForOne, []string{"Authorization", "Basic abc"}},
	} {
		got := c.send(test.as, "GET", test.path, "", test.headers...)
		if control := got.header.Get("Cache-Control"); control != test.control {
			t.Errorf("%s as %q: Cache-Control %q, want %q", test.path, test.as, control, test.control)
		}
		if tag := got.header.Get("ETag"); tag != "" {
			again := c.send(test.as, "GET", test.path, "", append(test.headers, held(tag)...)...)
			if again.status != 304 || again.header.Get("Cache-Control") != test.control {
				t.Errorf("%s as %q, asked again: %d %q", test.path, test.as, again.status, again.header.Get("Cache-Control"))
			}
		}
	}
}
