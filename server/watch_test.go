package server_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"
)

var explained = []string{"X-Quire-Explain", "1"}

func TestExplain(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	fillDishes(c)
	id := c.send("full", "POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	c.send("full", "PUT", "/api/homepage", `{"data": {"title": "Home"}}`)
	for path, want := range map[string]string{
		"/api/dishes": "all of api::dish.dish; in order of ids; visited 0, matched 20, returned 20; ",
		"/api/dishes?filters[name][$contains]=12": "name contains: words; in order of ids; visited 1, matched 1, returned 1; ",
		"/api/chefs/" + id:                        "look-up of the document; visited 1, matched 1, returned 1; ",
		"/api/homepage":                           "look-up of the document; visited 1, matched 1, returned 1; ",
		"/api/users/count":                        "all of plugin::users-permissions.user; visited 0, matched 0, returned 0; ",
		"/api/upload/files":                       "all of plugin::upload.file; visited 0, matched 0, returned 0; ",
	} {
		got := c.send("full", "GET", path, "", explained...)
		plan := got.header.Get("X-Quire-Plan")
		if got.status != 200 || !strings.HasPrefix(plan, want) {
			t.Errorf("%s: %d %q, want %q", path, got.status, plan, want)
		}
		for _, stage := range []string{"select ", "order ", "encode ", "parse ", "compile "} {
			if !strings.Contains(plan, stage) {
				t.Errorf("%s: no %sin %q", path, stage, plan)
			}
		}
		if again := c.send("full", "GET", path, "", append(held(got.header.Get("ETag")), explained...)...); again.status != 200 || again.header.Get("X-Quire-Plan") == "" {
			t.Errorf("%s: a condition keeps the plan back: %d", path, again.status)
		}
	}
}

func TestWhoSeesPlans(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, test := range []struct {
		as, path string
		headers  []string
	}{
		{"full", "/api/dishes", nil},
		{"full", "/api/dishes", []string{"X-Quire-Explain", "0"}},
		{"full", "/api/dishes", []string{"X-Quire-Explain", "true"}},
		{"full", "/api/dishes?filters[zzz]=1", explained},
		{"full", "/api/dishes/nope", explained},
		{"full", "/api/i18n/locales", explained},
		{"readonly", "/api/dishes", explained},
		{"", "/api/dishes", explained},
		{"", "/api/nothing", explained},
	} {
		if plan := c.send(test.as, "GET", test.path, "", test.headers...).header.Get("X-Quire-Plan"); test.path == "/api/dishes/nope" {
			if !strings.Contains(plan, "matched 0") {
				t.Errorf("%s: %q", test.path, plan)
			}
		} else if plan != "" {
			t.Errorf("%s as %q %v: %q", test.path, test.as, test.headers, plan)
		}
	}
}

// However long the query and the names of attributes, the plan fits a header.
func TestPlanFitsAHeader(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	var query []string
	for i := range 100 {
		query = append(query, fmt.Sprintf("filters[$or][%d][$and][0][opening_hours][day][$containsi]=%%C3%%A9%%0A", i))
	}
	got := c.send("full", "GET", "/api/restaurants?"+strings.Join(query, "&"), "", explained...)
	plan := got.header.Get("X-Quire-Plan")
	if got.status != 200 || len(plan) < 1000 || len(plan) > 4000 {
		t.Errorf("%d, %d bytes: %q", got.status, len(plan), plan)
	}
	if strings.ContainsFunc(plan, func(r rune) bool { return r < ' ' || r > '~' }) {
		t.Errorf("%q", plan)
	}
}

// journal is a log that can be read.
type journal struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.text.Write(p)
}

// slow returns the lines about slow requests.
func (j *journal) slow(t *testing.T) (lines []map[string]any) {
	t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for line := range strings.Lines(j.text.String()) {
		var each map[string]any
		check(t, json.Unmarshal([]byte(line), &each))
		if each["msg"] == "slow request" {
			lines = append(lines, each)
		}
	}
	return lines
}

func TestSlowRequestsAreLogged(t *testing.T) {
	t.Parallel()
	site, j := sampleSite(t), &journal{}
	site.Settings.Log.Slow = 1 // a nanosecond
	c, stop := newClientOf(t, t.TempDir(), site, slog.New(slog.NewJSONHandler(j, nil)))
	c.send("full", "GET", "/_health", "")
	c.send("full", "GET", "/api/nothing", "")
	c.send("full", "GET", "/api/dishes?filters[zzz]=1", "")
	c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`)
	c.send("readonly", "GET", "/api/dishes?filters[name][$containsi]=secret&sort=price", "")
	c.send("", "GET", "/api/dishes/nope", "")
	stop()
	lines := j.slow(t)
	if len(lines) != 3 {
		t.Fatalf("%d lines: %v", len(lines), lines)
	}
	write, list, none := lines[0], lines[1], lines[2]
	if list["level"] != "WARN" || list["path"] != "/api/dishes" || list["status"] != 200.0 ||
		list["plan"] != "name contains: words" || list["matched"] != 0.0 || list["returned"] != 0.0 {
		t.Errorf("%v", list)
	}
	for _, stage := range []string{"took", "parse", "compile", "select", "order", "encode", "receive", "write"} {
		if n, ok := list[stage].(float64); !ok || stage != "receive" && stage != "order" && n <= 0 {
			t.Errorf("%s: %v", stage, list[stage])
		}
	}
	if none["status"] != 404.0 || write["method"] != "POST" || write["receive"].(float64) <= 0 {
		t.Errorf("%v", lines)
	}
	if text, _ := json.Marshal(lines); strings.Contains(string(text), "secret") {
		t.Errorf("the log repeats a value: %s", text)
	}
}

func TestFastRequestsAreNotSlow(t *testing.T) {
	t.Parallel()
	for _, slow := range []time.Duration{0, time.Hour} {
		site, j := sampleSite(t), &journal{}
		site.Settings.Log.Slow = slow
		c, stop := newClientOf(t, t.TempDir(), site, slog.New(slog.NewJSONHandler(j, nil)))
		if plan := c.send("full", "GET", "/api/dishes", "", explained...).header.Get("X-Quire-Plan"); plan == "" {
			t.Errorf("a threshold of %s keeps the plan back", slow)
		}
		stop()
		if lines := j.slow(t); lines != nil {
			t.Errorf("a threshold of %s: %v", slow, lines)
		}
	}
}

// Every read is weighed before it runs, on every endpoint.
func TestReadsAreWeighed(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	id := c.send("full", "POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	c.send("full", "PUT", "/api/homepage", `{"data": {"title": "Home"}}`)
	stored := c.uploaded(part{"files", "a.txt", "text"})[0]
	for _, path := range []string{
		"/api/dishes", "/api/dishes/" + id, "/api/homepage", "/api/upload/files", "/api/upload/files/page", fmt.Sprintf("/api/upload/files/%d", stored.ID),
	} {
		if plan := c.send("full", "GET", path, "", "X-Quire-Explain", "1").header.Get("X-Quire-Plan"); !strings.HasSuffix(plan, "; expected to cost 1") {
			t.Errorf("%s: %q", path, plan)
		}
	}
}
