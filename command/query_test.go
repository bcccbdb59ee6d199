package command

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

// querySite creates a site with a published cuisine, and a draft of another one.
func querySite(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	succeed(t, "new", site)
	succeed(t, "import", write(t, `{"type": "api::restaurant.restaurant", "status": "draft", "data": {"name": "Hidden"}}
{"type": "api::restaurant.restaurant", "documentId": "k4hxw0ou2mv3ta9c1b8dzqeg", "status": "published", "data": {"name": "Shown", "slug": "shown"}}
{"type": "api::restaurant.restaurant", "documentId": "k4hxw0ou2mv3ta9c1b8dzqeg", "status": "draft", "data": {"name": "Shown", "slug": "shown"}}
`), site)
	succeed(t, "token", "create", "--name", "find", "--type", "custom", "--permission", "api::cuisine.cuisine.find", site)
	return site
}

// names returns the names in the result of a query.
func names(t *testing.T, args ...string) string {
	t.Helper()
	var list struct{ Data []struct{ Name string } }
	out := succeed(t, append([]string{"query"}, args...)...)
	if err := json.Unmarshal([]byte(out), &list); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	all := []string{}
	for _, one := range list.Data {
		all = append(all, one.Name)
	}
	return strings.Join(all, " ")
}

// A query shows exactly what the API shows to the chosen caller, with and without a
// running server.
func TestQueryReadsAsTheCaller(t *testing.T) {
	site := querySite(t)
	look := func(by string) {
		t.Helper()
		for _, test := range []struct{ args, want string }{
			{"restaurants", "Shown"},
			{"/api/restaurants/?sort=name", "Shown"},
			{"restaurants?status=draft&sort=name", "Hidden Shown"},
			{"--as public restaurants", "Shown"},
			{"--as find cuisines", ""},
		} {
			if got := names(t, append(strings.Fields(test.args), site)...); got != test.want {
				t.Errorf("%s: quire query %s: %q, want %q", by, test.args, got, test.want)
			}
		}
		for _, test := range []struct{ args, want string }{
			{"--as public restaurants?status=draft", "403 ForbiddenError"},
			{"--as public users", "403 ForbiddenError"},
			{"--as find restaurants", "403 ForbiddenError"},
			{"--as nobody restaurants", `there is no token "nobody"`},
			{"nothings", "404 NotFoundError"},
			{"../_health", "404 NotFoundError"},
			{"restaurants?filters[none]=1", "400 ValidationError: Invalid key none"},
			{"restaurants?filters[secret][$contains]=" + strings.Repeat("x", 70_000), "414 URITooLongError"},
			{"http://example.org/api/restaurants", "is no path of the content API"},
			{"_events", "400 ValidationError: A stream cannot be part of another request"},
			{"docs", "the response is not JSON"},
			{"--as public --explain restaurants", "--explain is for --as full-access"},
		} {
			code, stdout, stderr := command(t, append(append([]string{"query"}, strings.Fields(test.args)...), site)...)
			if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, test.want) {
				t.Errorf("%s: quire query %.80s: exit %d, stdout %q, stderr %.200q, want %q", by, test.args, code, stdout, stderr, test.want)
			}
		}
	}
	look("the data file")
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	look("a server")
	code, _, stderr := command(t, "query", "--as", "public", "restaurants", site)
	if code != 0 || stderr != "quire: done by the running server, as public\n" {
		t.Errorf("exit %d, %s", code, stderr)
	}
	p.end()
}

// The plan says how the query was executed.
func TestQueryIsExplained(t *testing.T) {
	site := querySite(t)
	got := succeed(t, "query", "--explain", "restaurants?filters[name]=Shown", site)
	if !strings.Contains(got, "name equals: ") || !strings.Contains(got, "matched 1, returned 1") {
		t.Error(got)
	}
	var plan struct{ Plan []string }
	if err := json.Unmarshal([]byte(succeed(t, "query", "--json", "--explain", "restaurants", site)), &plan); err != nil || len(plan.Plan) < 2 {
		t.Error(plan, err)
	}
}

// A query of a site that was never served creates no data file.
func TestQueryMakesNoDataFile(t *testing.T) {
	site := newGuide(t)
	code, stdout, stderr := command(t, "query", "cuisines", site)
	if code != 1 || stdout != "" || !strings.Contains(stderr, "there is no data file") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
	succeed(t, "token", "create", "--name", "a", "--type", "read-only", site) // creates the data file
	code, stdout, stderr = command(t, "query", "cuisine?sort=name", site)
	if code != 1 || stdout != "" || !strings.Contains(stderr, "404 NotFoundError: Not Found; `quire routes` lists the paths\n") {
		t.Errorf("exit %d, %s%s", code, stdout, stderr)
	}
}
