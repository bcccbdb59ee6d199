package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// batched is one request of a batch.
type batched map[string]any

// batchOf returns the body of a batch.
func batchOf(t *testing.T, requests []batched) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"requests": requests})
	check(t, err)
	return string(text)
}

// batch sends requests as a batch.
func (c *client) batch(as string, requests ...batched) *answer {
	c.t.Helper()
	return c.send(as, "POST", "/api/_batch", batchOf(c.t, requests))
}

func (h *accountSite) batch(as string, requests ...batched) *answer {
	h.t.Helper()
	return h.send(as, "POST", "/api/_batch", batchOf(h.t, requests))
}

// parts returns the responses to the requests of a batch.
func (a *answer) parts(t *testing.T) (parts []batchPart) {
	t.Helper()
	var whole struct {
		Data []batchPart `json:"data"`
	}
	if err := json.Unmarshal([]byte(a.body), &whole); err != nil || a.status != 200 {
		t.Fatalf("%v: %d %s", err, a.status, a.body)
	}
	return whole.Data
}

type batchPart struct {
	Status  int    `json:"status"`
	Version int    `json:"version"`
	Omitted string `json:"omitted"`
	Body    struct {
		Data map[string]any `json:"data"`
	} `json:"body"`
}

// fault returns the index of the request that an error is about, -1 for none.
func (a *answer) fault(t *testing.T) int {
	t.Helper()
	details := struct {
		Request *int `json:"request"`
	}{}
	check(t, json.Unmarshal(a.Error.Details, &details))
	if details.Request == nil {
		return -1
	}
	return *details.Request
}

// total returns the number of entries in a list.
func (a *answer) total() string {
	_, total, _ := strings.Cut(a.body, `"total":`)
	return strings.TrimRight(total, "}")
}

// The requests of a batch are done in their order, and each sees the results of those
// before it.
func TestABatchIsDoneInItsOrder(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	parts := c.batch("full",
		batched{"method": "POST", "url": "/api/chefs?status=draft", "body": map[string]any{"data": map[string]any{"name": "Ada"}}},
		batched{"method": "POST", "url": "/api/restaurants?status=draft&populate=chef", "body": map[string]any{"data": map[string]any{"name": "One", "chef": "{{0.documentId}}"}}},
		batched{"method": "POST", "url": "/api/chefs/{{0.documentId}}/actions/publish"},
		batched{"method": "PUT", "url": "/api/restaurants/{{1.documentId}}?status=draft&fields=name", "body": map[string]any{"data": map[string]any{"name": "Two"}}},
		batched{"method": "POST", "url": "/api/restaurants/{{3.documentId}}/actions/duplicate"},
		batched{"method": "PUT", "url": "/api/restaurants/{{4.documentId}}?status=draft", "body": map[string]any{"data": map[string]any{"name": "Copy of {{4.documentId}}"}}},
		batched{"method": "PUT", "url": "/api/homepage", "body": map[string]any{"data": map[string]any{"title": "Home"}}},
		batched{"method": "POST", "url": "/api/categories", "body": map[string]any{"data": map[string]any{"name": "gone"}}},
		batched{"method": "DELETE", "url": "/api/categories/{{7.documentId}}"},
	).parts(t)
	statuses := ""
	for _, p := range parts {
		statuses += fmt.Sprint(p.Status, " ")
	}
	if statuses != "201 201 200 200 201 200 200 201 204 " {
		t.Errorf("statuses %s", statuses)
	}
	ada, one, copied := parts[0].Body.Data["documentId"], parts[1].Body.Data["documentId"], parts[4].Body.Data["documentId"]
	if chef, _ := parts[1].Body.Data["chef"].(map[string]any); chef["documentId"] != ada || parts[2].Body.Data["publishedAt"] == nil {
		t.Errorf("the chef %v is not linked or published: %v", ada, parts)
	}
	if parts[3].Body.Data["documentId"] != one || parts[1].Body.Data["name"] != "Two" || copied == one || parts[5].Body.Data["name"] != fmt.Sprint("Copy of ", copied) {
		t.Errorf("the restaurant %v was not changed and copied: %v", one, parts)
	}
	if parts[7].Body.Data != nil || parts[0].Version == 0 || parts[6].Version <= parts[0].Version {
		t.Errorf("versions, or what was deleted: %v", parts)
	}
	if n := c.send("full", "GET", "/api/categories", "").total(); n != "0" {
		t.Errorf("there are %s categories", n)
	}
}

// A refused request undoes all others, and the error names it.
func TestABatchIsDoneWholeOrNotAtAll(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	soup := c.send("full", "POST", "/api/categories", `{"data": {"name": "Soup"}}`)
	good := func(name string) batched {
		return batched{"method": "POST", "url": "/api/categories", "body": map[string]any{"data": map[string]any{"name": name}}}
	}
	for name, test := range map[string]struct {
		bad     batched
		status  int
		message string
	}{
		"a value that is taken":         {good("Soup"), 400, `"path":["name"]`},
		"a value given twice in it":     {good("0"), 400, `"path":["name"]`},
		"no document":                   {batched{"method": "PUT", "url": "/api/categories/none", "body": map[string]any{"data": map[string]any{}}}, 404, "Not Found"},
		"a key that there is not":       {batched{"method": "POST", "url": "/api/categories", "body": map[string]any{"data": map[string]any{"zzz": 1}}}, 400, `"key":"zzz"`},
		"a parameter that there is not": {batched{"method": "POST", "url": "/api/categories?filters[zzz]=1", "body": map[string]any{"data": map[string]any{}}}, 400, `"key":"zzz"`},
		"another version":               {batched{"method": "DELETE", "url": "/api/categories/" + soup.documentID(t), "ifMatch": "999"}, 412, `"version":`},
		"an unknown tag":                {batched{"method": "DELETE", "url": "/api/categories/" + soup.documentID(t), "ifMatch": `W/"zzz"`}, 412, `"version":`},
		"a path that there is not":      {batched{"method": "POST", "url": "/api/nothing"}, 404, "Not Found"},
		"a method that it has not":      {batched{"method": "PUT", "url": "/api/categories"}, 405, "Method"},
		"an action of drafts":           {batched{"method": "POST", "url": "/api/categories/" + soup.documentID(t) + "/actions/publish"}, 405, "Method"},
	} {
		for at := range 3 {
			requests := []batched{good("0"), good("1"), good("2")}
			if at == 0 && strings.Contains(name, "twice") {
				continue
			}
			requests[at] = test.bad
			a := c.batch("full", requests...)
			if a.status != test.status || a.fault(t) != at || !strings.Contains(a.body, test.message) {
				t.Errorf("%s, in place %d: %d %s", name, at, a.status, a.body)
			}
			if n := c.send("full", "GET", "/api/categories", "").total(); n != "1" {
				t.Fatalf("%s, in place %d: there are %s categories", name, at, n)
			}
		}
	}
}

// A request can name the version of the document that it is based on.
func TestVersionsInABatch(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	soup := c.send("full", "POST", "/api/categories", `{"data": {"name": "Soup"}}`)
	rename := func(to string, version any) batched {
		return batched{"method": "PUT", "url": "/api/categories/" + soup.documentID(t), "ifMatch": version, "body": map[string]any{"data": map[string]any{"name": to}}}
	}
	parts := c.batch("full", rename("Stew", soup.header.Get(versionHeader))).parts(t)
	if a := c.batch("full", rename("Broth", parts[0].Version)); a.status != 200 {
		t.Errorf("the version of the answer before: %d %s", a.status, a.body)
	}
	now := c.send("full", "GET", "/api/categories/"+soup.documentID(t), "").header.Get(versionHeader)
	if a := c.batch("full", rename("a", now), rename("b", now)); a.status != 412 || a.fault(t) != 1 {
		t.Errorf("a version that the batch itself has changed: %d %s", a.status, a.body)
	}
}

// A body that is not a batch is refused, and the error names the place.
func TestBatchesThatAreNone(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	create := `{"method": "POST", "url": "/api/categories", "body": {"data": {"name": "x"}}}`
	for body, message := range map[string]string{
		``:                                       "JSON",
		`{`:                                      "not valid JSON",
		`[]`:                                     "requests is missing",
		`{}`:                                     "requests must be a list",
		`{"requests": null}`:                     "requests must be a list",
		`{"requests": {}}`:                       "requests must be a list",
		`{"requests": []}`:                       "requests is empty",
		`{"requests": [` + create + `], "x": 1}`: `\"x\" is no member`,
		`{"requests": [` + strings.Repeat(create+",", 1000) + create + `]}`:                                                                            "more than 1000 requests",
		`{"requests": [` + create + `, 1]}`:                                                                                                            "requests[1] must be an object",
		`{"requests": [{}]}`:                                                                                                                           "requests[0].method is missing",
		`{"requests": [{"method": null}]}`:                                                                                                             "requests[0].method must be a text",
		`{"requests": [{"method": "GET", "url": "/api/categories"}]}`:                                                                                  "requests[0].method must be",
		`{"requests": [{"method": "post", "url": "/api/categories"}]}`:                                                                                 "requests[0].method must be",
		`{"requests": [{"METHOD": "POST"}]}`:                                                                                                           "requests[0].METHOD is not known",
		`{"requests": [{"method": "POST"}]}`:                                                                                                           "requests[0].url is missing",
		`{"requests": [{"method": "POST", "url": 1}]}`:                                                                                                 "requests[0].url must be a text",
		`{"requests": [{"method": "POST", "url": "http://elsewhere.example/api/categories"}]}`:                                                         "requests[0].url must begin",
		`{"requests": [{"method": "POST", "url": "//elsewhere.example/api/categories"}]}`:                                                              "requests[0].url must begin",
		`{"requests": [{"method": "POST", "url": "/admin/x"}]}`:                                                                                        "requests[0].url must begin",
		`{"requests": [{"method": "POST", "url": "/api/categories#x"}]}`:                                                                               "requests[0].url holds a character",
		`{"requests": [{"method": "POST", "url": "/api/%zz"}]}`:                                                                                        "escape",
		`{"requests": [{"method": "POST", "url": "/api/categories", "body": []}]}`:                                                                     "requests[0].body must be an object",
		`{"requests": [{"method": "POST", "url": "/api/categories", "headers": {}}]}`:                                                                  "requests[0].headers is not known",
		`{"requests": [{"method": "DELETE", "url": "/api/categories/x", "ifMatch": {}}]}`:                                                              "requests[0].ifMatch must be a text",
		`{"requests": [{"method": "POST", "url": "/api/_batch", "body": {"requests": []}}]}`:                                                           "cannot be part of a batch",
		`{"requests": [{"method": "POST", "url": "/api/upload"}]}`:                                                                                     "cannot be part of a batch",
		`{"requests": [{"method": "POST", "url": "/api/auth/local"}]}`:                                                                                 "cannot be part of a batch",
		`{"requests": [{"method": "PUT", "url": "/api/users/1"}]}`:                                                                                     "cannot be part of a batch",
		`{"requests": [{"method": "POST", "url": "/api/categories", "body": {"data": {"name": "{{0.documentId}}"}}}]}`:                                 "requests[0].body refers to {{0.documentId}}, which does not come before",
		`{"requests": [` + create + `, {"method": "PUT", "url": "/api/categories/{{2.documentId}}"}, ` + create + `]}`:                                 "requests[1].url refers to {{2.documentId}}, which does not come before",
		`{"requests": [` + create + `, {"method": "PUT", "url": "/api/categories/{{9.documentId}}"}]}`:                                                 "there is no such request",
		`{"requests": [` + create + `, {"method": "PUT", "url": "/api/categories/{{0.id}}"}]}`:                                                         "documentId alone",
		`{"requests": [{"method": "DELETE", "url": "/api/categories/x"}, {"method": "PUT", "url": "/api/categories/{{0.documentId}}"}]}`:               "deletes its document",
		`{"requests": [{"method": "POST", "url": "/api/dishes/x/actions/publish", "body": {"at": "2099-01-01T00:00:00Z"}}]}`:                           `take no \"at\"`,
		`{"requests": [{"method": "POST", "url": "/api/_releases", "body": {}}]}`:                                                                      "cannot be part of a batch",
		`{"requests": [{"method": "DELETE", "url": "/api/dishes/x/schedule/1"}]}`:                                                                      "cannot be part of a batch",
		`{"requests": [{"method": "PUT", "url": "/api/homepage", "body": {"data": {}}}, {"method": "DELETE", "url": "/api/dishes/{{0.documentId}}"}]}`: "single type",
	} {
		a := c.send("full", "POST", "/api/_batch", body)
		if a.status != 400 || !strings.Contains(a.body, message) {
			t.Errorf("%.300s: %d %s", body, a.status, a.body)
		}
		if at := strings.Contains(message, "requests["); at && a.fault(t) < 0 {
			t.Errorf("%.300s: no request is named: %s", body, a.body)
		}
	}
	if a := c.send("full", "POST", "/api/_batch", `requests=1`, "Content-Type", "application/x-www-form-urlencoded"); a.status != 400 {
		t.Errorf("a form: %d %s", a.status, a.body)
	}
	for _, h := range [][3]string{{"If-Match", "1", ""}, {"X", "", "?status=draft"}} {
		if a := c.send("full", "POST", "/api/_batch"+h[2], `{"requests": [`+create+`]}`, h[0], h[1]); a.status != 400 {
			t.Errorf("%v: %d %s", h, a.status, a.body)
		}
	}
	if n := c.send("full", "GET", "/api/categories", "").total(); n != "0" {
		t.Errorf("there are %s categories", n)
	}
}

// Braces that are not a reference stay unchanged.
func TestBracesInABatch(t *testing.T) {
	t.Parallel()
	c := newClient(t)
	for _, name := range []string{"{{name}}", "{{0}}", "{{{0.x1}}", "{{0.documentId", "{{0.documentId }}", "{{0.}}", "{{0x.a}}", "{{.documentId}}", "{{", "{ {0.documentId}}"} {
		got := c.batch("full", batched{"method": "POST", "url": "/api/dishes", "body": map[string]any{"data": map[string]any{"name": name}}}).parts(t)[0].Body.Data["name"]
		if got != name {
			t.Errorf("%q became %q", name, got)
		}
	}
	a := c.send("full", "POST", "/api/_batch", `{"requests": [{"method": "POST", "url": "/api/dishes", "body": {"data": {"name": "\u007b{0.documentId}}"}}}]}`)
	if got := a.parts(t)[0].Body.Data["name"]; got != "{{0.documentId}}" {
		t.Errorf("an escaped brace became %q", got)
	}
}
