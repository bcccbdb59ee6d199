package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"quire/store"
)

// promised compares requests and responses of a client with the description.
type promised struct {
	*client
	promise   *promise
	requested map[string]bool // the operations that have succeeded
}

func newPromised(t *testing.T) *promised {
	c := newClient(t)
	return &promised{c, readPromise(t, []byte(c.send("full", "GET", "/api/openapi.json", "").body)), map[string]bool{}}
}

// ask sends a request. The response must have that status, and fit the description.
func (c *promised) ask(status int, method, path, body string, headers ...string) *answer {
	c.t.Helper()
	a := c.send("full", method, path, body, headers...)
	request := method + " " + path
	if a.status != status {
		c.t.Fatalf("%s: %d %s, want %d", request, a.status, a.body, status)
	}
	operation, err := c.promise.operation(method, path)
	check(c.t, err)
	if operation == nil {
		if status != 405 && status != 404 {
			c.t.Errorf("%s is not described", request)
		}
		return a
	}
	if status < 300 {
		c.requested[method+" "+operation[1]] = true
		c.takes(request, operation, body, headers)
	}
	c.answers(request, operation, a)
	return a
}

// takes compares a request with the description.
func (c *promised) takes(request string, operation []string, body string, headers []string) {
	c.t.Helper()
	if body != "" {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(body))
		check(c.t, err)
		if err := c.promise.takes(operation, value); err != nil {
			c.t.Errorf("%s: the body %s: %v", request, body, err)
		}
	}
	known := c.promise.parameters(operation)
	_, query, _ := strings.Cut(request, "?")
	for part := range strings.SplitSeq(query, "&") {
		name, _, _ := strings.Cut(part, "=")
		name, _, _ = strings.Cut(name, "[")
		if query != "" && !slices.Contains(known, "query "+name) {
			c.t.Errorf("%s: the parameter %s is not described", request, name)
		}
	}
	for i := 0; i < len(headers); i += 2 {
		if !slices.Contains(known, "header "+headers[i]) {
			c.t.Errorf("%s: the header %s is not described", request, headers[i])
		}
	}
}

// answers compares a response with the description. A caller who may do everything gets all
// described headers, except the one that names what was left out.
func (c *promised) answers(request string, operation []string, a *answer) {
	c.t.Helper()
	var value any
	if a.body != "" {
		var err error
		value, err = jsonschema.UnmarshalJSON(strings.NewReader(a.body))
		check(c.t, err)
	}
	if err := c.promise.answers(operation, a.status, value); err != nil {
		c.t.Errorf("%s: %v", request, err)
	}
	if err := c.promise.announces(operation, a.status, a.header); err != nil {
		c.t.Errorf("%s: %v", request, err)
	}
	_, answer := c.promise.response(operation, a.status)
	described, _ := answer["headers"].(map[string]any)
	for name := range described {
		if a.header.Get(name) == "" && name != "X-Quire-Omitted" {
			c.t.Errorf("%s: the header %s of the answer %d is described and not sent", request, name, a.status)
		}
	}
}

// parameters returns the parameters of an operation, such as "query locale".
func (p *promise) parameters(operation []string) (names []string) {
	list, _ := p.at(below(operation, "parameters")).([]any)
	for _, one := range list {
		parameter, _ := one.(map[string]any)
		if reference, ok := parameter["$ref"].(string); ok {
			parameter, _ = p.at(strings.Split(strings.TrimPrefix(reference, "#/"), "/")).(map[string]any)
		}
		names = append(names, fmt.Sprint(parameter["in"], " ", parameter["name"]))
	}
	return names
}

// lifeOf matches the paths of the description for the life of a document.
var lifeOf = regexp.MustCompile(`^\w+ /api/(_|(restaurants|categories)/(_|\{documentId\}/)|homepage/)`)

// The life of documents fits the description: documents of a type with drafts and locales,
// of one without, and of a single type.
func TestLifeFitsTheDescription(t *testing.T) {
	t.Parallel()
	c := newPromised(t)
	category := c.ask(201, "POST", "/api/categories", `{"data": {"name": "Soup"}}`)
	restaurant := c.ask(201, "POST", "/api/restaurants?locale=en", `{"data": {"name": "One", "stars": 3, "categories": ["`+category.documentID(t)+`"], "opening_hours": [{"day": "mon"}], "sections": [{"__component": "section.quote", "by": "Ana"}]}}`)
	c.ask(200, "PUT", "/api/homepage", `{"data": {"title": "Home"}}`, "If-None-Match", "*")
	one, plain := "/api/restaurants/"+restaurant.documentID(t), "/api/categories/"+category.documentID(t)
	c.conditions(one)
	c.actions(one, plain)
	c.schedules(one)
	c.history(one, plain)
	c.releases(restaurant.documentID(t))
	c.batches(plain)
	c.webhooks()
	c.ask(200, "GET", "/api/_changes?types=api::category.category", "")
	c.ask(400, "GET", "/api/_events?status=both", "")
	c.ask(410, "GET", "/api/_events?since=99999999", "")
	c.requested["GET /api/_events"] = true // the response does not end
	c.ask(403, "GET", "/api/_backup", "")
	c.requested["GET /api/_backup"] = true // needs a special token, see TestPartsOfABackup
	c.follows()
	c.reads()
	c.searches()
	c.copies(plain)
	c.previews(one, plain)
	for _, path := range []string{one, plain, "/api/homepage"} {
		c.ask(200, "GET", path+"/links", "")
	}
	for _, path := range []string{one, plain} {
		c.ask(204, "DELETE", path, "", "If-Match", "*")
	}
	c.everyOperation()
}

// everyOperation requires that every operation of lifeOf was used.
func (c *promised) everyOperation() {
	paths, _ := c.promise.at([]string{"paths"}).(map[string]any)
	most := 0
	for path, methods := range paths {
		for method := range methods.(map[string]any) {
			if strings.HasSuffix(path, "/{delivery}/resend") {
				continue // no delivery was sent, so none can be sent again
			}
			if key := strings.ToUpper(method) + " " + path; lifeOf.MatchString(key) {
				if most++; !c.requested[key] {
					c.t.Errorf("%s was not asked for", key)
				}
			}
		}
	}
	if most < 33 {
		c.t.Errorf("only %d operations", most)
	}
}

// follows requests what only a special token may have; test/follow and command have one.
func (c *promised) follows() {
	c.t.Helper()
	for _, request := range []string{"GET /api/_follow", "GET /api/_follow/batches", "GET /api/_follow/image", "GET /api/_follow/files/{name}", "GET /api/_follow/site", "POST /api/_follow/fence", "POST /api/_push",
		"GET /api/_streams/{name}", "GET /api/_streams/{name}/{object}", "PUT /api/_streams/{name}/{object}", "DELETE /api/_streams/{name}/{object}"} {
		method, path, _ := strings.Cut(request, " ")
		c.ask(403, method, strings.NewReplacer("{name}", "a.png", "{object}", "a").Replace(path), "")
		c.requested[request] = true
	}
}

func (c *promised) searches() {
	c.t.Helper()
	c.ask(200, "GET", "/api/_search?q=soup", "")
	c.ask(200, "GET", "/api/_suggest?q=so", "")
	for path, facet := range map[string]string{"/api/restaurants": "stars", "/api/categories": "name"} {
		c.ask(200, "GET", path+"/_search?q=one&facets="+facet+"&explain=true&populate=*&pagination[pageSize]=1", "")
		c.ask(400, "GET", path+"/_search?q=one&facets=nope", "")
		c.ask(200, "GET", path+"/_suggest?q=on", "")
		c.ask(400, "GET", path+"/_suggest?q[]=on", "")
	}
}

func (c *promised) copies(plain string) {
	c.t.Helper()
	page := c.ask(200, "GET", "/api/_changes?types=restaurants,categories&status=draft&locale=en&populate=*&limit=1", "")
	for more := true; more; {
		var answer struct {
			Meta struct {
				Since string
				More  bool
			}
		}
		check(c.t, json.Unmarshal([]byte(page.body), &answer))
		more = answer.Meta.More
		page = c.ask(200, "GET", "/api/_changes?types=restaurants,categories&status=draft&locale=en&populate=*&limit=1&since="+url.QueryEscape(answer.Meta.Since), "")
	}
	c.ask(200, "PUT", plain, `{"data": {}}`)
	c.ask(200, "GET", "/api/_changes?types=categories&fields=name", "")
	c.ask(400, "GET", "/api/_changes?since=yesterday", "")
	c.ask(410, "GET", "/api/_changes?since=99999999", "")
}

func (c *promised) previews(one, plain string) {
	c.t.Helper()
	c.ask(200, "POST", one+"/actions/preview-link?locale=en&status=draft", `{"expiresIn": "12h"}`)
	c.ask(200, "POST", "/api/homepage/actions/preview-link", "")
	c.ask(400, "POST", one+"/actions/preview-link", `{"expiresIn": "30d"}`)
	c.ask(404, "POST", "/api/restaurants/nope/actions/preview-link", "")
	c.ask(405, "POST", plain+"/actions/preview-link", "")
	c.ask(401, "GET", one+"?previewToken=x", "")
}

func (c *promised) conditions(one string) {
	c.t.Helper()
	version := c.ask(200, "GET", one, "").header.Get(versionHeader)
	tag := c.ask(200, "GET", "/api/homepage", "").header.Get("Etag")
	c.ask(304, "GET", "/api/homepage", "", "If-None-Match", tag)
	c.ask(304, "GET", "/api/restaurants", "", "If-None-Match", "*")
	c.ask(200, "PUT", "/api/homepage", `{"data": {"title": "Welcome"}}`, "If-Match", tag)
	c.ask(412, "PUT", "/api/homepage", `{"data": {"title": "Home"}}`, "If-None-Match", "*")
	c.ask(412, "DELETE", "/api/homepage", "", "If-Match", tag)
	c.ask(200, "PUT", one, `{"data": {"name": "Two"}}`, "If-Match", version)
	changed := c.ask(412, "PUT", one, `{"data": {"name": "Three"}}`, "If-Match", version)
	if !strings.Contains(changed.body, `"paths":["name"]`) {
		c.t.Errorf("it says %s", changed.body)
	}
	for _, path := range []string{"/actions/publish", "/actions/unpublish", "/actions/discard-draft", "/actions/duplicate", "/history/" + version + "/restore"} {
		c.ask(412, "POST", one+path, "", "If-Match", version)
	}
}

func (c *promised) actions(one, plain string) {
	c.t.Helper()
	for _, at := range []string{one, "/api/homepage"} {
		c.ask(200, "POST", at+"/actions/publish?fields=createdAt", "")
		c.ask(200, "POST", at+"/actions/discard-draft", "{}")
		c.ask(200, "POST", at+"/actions/unpublish?discardDraft=true", "", "If-Match", "*")
	}
	c.ask(200, "PUT", one+"?status=draft&locale=fr", `{"data": {"name": "Deux"}}`)
	c.ask(200, "POST", one+"/actions/publish?locale=fr,en&populate=categories", "")
	c.ask(201, "POST", one+"/actions/duplicate", "")
	c.ask(201, "POST", plain+"/actions/duplicate", "")
	c.ask(400, "POST", one+"/actions/publish?status=draft", "")
	c.ask(404, "POST", "/api/restaurants/none/actions/publish", "")
	info, _ := c.promise.at([]string{"info", "description"}).(string)
	for _, word := range []string{"publish", "unpublish", "discard-draft"} {
		c.ask(405, "POST", plain+"/actions/"+word, "")
		if !strings.Contains(info, word) || !strings.Contains(info, "405") {
			c.t.Errorf("the description does not say that %s may be 405: %s", word, info)
		}
	}
}

func (c *promised) schedules(one string) {
	c.t.Helper()
	for _, at := range []string{one, "/api/homepage"} {
		made := c.ask(202, "POST", at+"/actions/publish", `{"at": "2030-01-01T00:00:00Z"}`)
		c.ask(202, "POST", at+"/actions/unpublish?discardDraft=true", `{"at": "2031-01-01T00:00:00Z"}`)
		c.ask(400, "POST", at+"/actions/publish", `{"at": "2001-01-01T00:00:00Z"}`)
		c.ask(200, "GET", at+"/schedule", "")
		c.ask(200, "GET", "/api/_schedules?state=scheduled&pagination[page]=1&pagination[pageSize]=10", "")
		c.ask(204, "DELETE", at+"/schedule/"+made.madeID(c.t), "")
		c.ask(404, "DELETE", at+"/schedule/"+made.madeID(c.t), "")
		another := c.ask(202, "POST", at+"/actions/publish", `{"at": "2030-01-01T00:00:00Z"}`)
		c.ask(204, "DELETE", "/api/_schedules/"+another.madeID(c.t), "")
		c.ask(404, "DELETE", "/api/_schedules/"+another.madeID(c.t), "")
	}
}

// madeID returns the id in the response.
func (a *answer) madeID(t *testing.T) string {
	t.Helper()
	var made struct{ Data struct{ ID string } }
	check(t, json.Unmarshal([]byte(a.body), &made))
	return made.Data.ID
}

func (c *promised) history(one, plain string) {
	c.t.Helper()
	c.ask(200, "PUT", plain, `{"data": {"name": "Broth"}}`)
	for _, at := range []string{one, plain, "/api/homepage"} {
		a := c.ask(200, "GET", at+"/history?status=published&pagination[pageSize]=50", "")
		if at == "/api/homepage" {
			a = c.ask(200, "GET", at+"/history?pagination[start]=0&pagination[limit]=50", "")
		}
		var list struct{ Data []versionItem }
		check(c.t, json.Unmarshal([]byte(a.body), &list))
		newest, oldest := strconv.FormatUint(list.Data[0].Revision, 10), strconv.FormatUint(list.Data[len(list.Data)-1].Revision, 10)
		c.ask(200, "GET", at+"/history/"+oldest, "")
		c.ask(200, "GET", at+"/history/"+oldest+"?diff="+newest, "")
		c.ask(200, "POST", at+"/history/"+oldest+"/restore?fields=createdAt", "", "If-Match", "*")
		c.ask(404, "GET", at+"/history/999999", "")
		c.ask(404, "POST", at+"/history/999999/restore", "")
	}
	c.ask(200, "GET", one+"/history?locale=en", "")
	c.ask(404, "GET", "/api/restaurants/none/history", "")
	c.ask(400, "GET", one+"/history?status=x", "")
}

func (c *promised) releases(documentID string) {
	c.t.Helper()
	step := func(action string) string {
		return `{"type": "api::restaurant.restaurant", "documentId": "` + documentID + `", "action": "` + action + `", "locales": ["*"]}`
	}
	body := `{"data": {"name": "Winter", "at": "2030-01-01T00:00:00Z", "steps": [` + step("publish") + `, {"type": "api::homepage.homepage", "action": "unpublish", "discardDraft": true}]}}`
	at := "/api/_releases/" + c.ask(201, "POST", "/api/_releases", body).madeID(c.t)
	c.ask(200, "GET", "/api/_releases?state=scheduled&pagination[page]=1&pagination[pageSize]=10", "")
	c.ask(200, "GET", at, "")
	c.ask(200, "PUT", at, `{"data": {"at": null, "steps": [`+step("publish")+`]}}`)
	c.ask(200, "GET", at+"/check", "")
	c.ask(200, "POST", at+"/publish", "")
	c.ask(400, "POST", "/api/_releases", `{"data": {"name": ""}}`)
	c.ask(404, "GET", "/api/_releases/none", "")
	gone := `{"data": {"name": "Gone", "steps": [{"type": "api::restaurant.restaurant", "documentId": "none", "action": "publish"}]}}`
	failing := "/api/_releases/" + c.ask(201, "POST", "/api/_releases", gone).madeID(c.t)
	c.ask(200, "GET", failing+"/check", "")
	c.ask(400, "POST", failing+"/publish", "")
	c.ask(200, "GET", failing, "")
	c.ask(204, "DELETE", failing, "")
}

func (c *promised) webhooks() {
	c.t.Helper()
	made := c.ask(201, "POST", "/api/_webhooks", `{"data": {"name": "a", "url": "https://hooks.invalid/", "events": ["entry.publish"], "headers": {"X-A": "b"}}}`)
	at := "/api/_webhooks/" + made.madeID(c.t)
	c.ask(200, "GET", "/api/_webhooks", "")
	c.ask(200, "GET", at, "")
	c.ask(200, "PUT", at, `{"data": {"headers": {"X-A": null}, "enabled": false}}`)
	c.ask(200, "POST", at+"/rotate", "")
	c.ask(200, "GET", at+"/deliveries?state=waiting&pagination[page]=1&pagination[pageSize]=10", "")
	c.ask(200, "POST", at+"/resend", "")
	c.ask(200, "GET", at+"/deliveries", "")
	c.ask(200, "POST", at+"/test", "")
	c.ask(404, "POST", at+"/deliveries/none/resend", "")
	c.ask(200, "GET", at+"/attempts", "")
	c.ask(200, "GET", at+"/attempts?outcome=failed&event=entry.publish&type=api::tag.tag&pagination[page]=1", "")
	c.ask(400, "POST", "/api/_webhooks", `{"data": {"name": "a"}}`)
	c.ask(404, "GET", "/api/_webhooks/none", "")
	c.ask(204, "DELETE", at, "")
}

func (c *promised) batches(plain string) {
	c.t.Helper()
	c.ask(200, "POST", "/api/_batch", `{"requests": [
		{"method": "POST", "url": "/api/categories", "body": {"data": {"name": "Stew"}}},
		{"method": "PUT", "url": "/api/categories/{{0.documentId}}", "body": {"data": {"name": "Ragout"}}, "ifMatch": "*"},
		{"method": "DELETE", "url": "/api/categories/{{0.documentId}}"}]}`)
	for status, request := range map[int]string{
		400: `{"method": "POST", "url": "/api/categories", "body": {"data": {"name": 5}}}`,
		404: `{"method": "PUT", "url": "/api/categories/none", "body": {"data": {}}}`,
		405: `{"method": "POST", "url": "` + plain + `/actions/publish"}`,
		412: `{"method": "DELETE", "url": "` + plain + `", "ifMatch": 1}`,
	} {
		if a := c.ask(status, "POST", "/api/_batch", `{"requests": [`+request+`]}`); !strings.Contains(a.body, `"request":0`) {
			c.t.Errorf("%s: %s", request, a.body)
		}
	}
}

func (c *promised) reads() {
	c.t.Helper()
	c.ask(200, "GET", "/api/restaurants?pagination[after]=&pagination[limit]=1&sort=name", "")
	c.ask(200, "GET", "/api/restaurants?pagination[after]=&pagination[pageSize]=1&pagination[withCount]=false", "")
	c.ask(200, "GET", "/api/restaurants?_q=two&sort=_rank,name", "")
	c.ask(200, "GET", "/api/restaurants?locale=fr&fallbackLocale=en&populate[*]=3", "")
	for _, plural := range []string{"restaurants", "categories"} {
		c.ask(200, "GET", "/api/"+plural+"/_count?_q=o", "")
		c.ask(200, "GET", "/api/"+plural+"/_aggregate?groupBy=name&count=true&max=createdAt&sort=count:desc&pagination[page]=1", "")
		c.ask(200, "GET", "/api/"+plural+"/_aggregate?min=name", "")
	}
	c.ask(200, "GET", "/api/restaurants/_aggregate?groupBy=categories.name&sum=stars&avg=stars&status=draft", "")
	c.ask(400, "GET", "/api/restaurants/_aggregate?sum=name", "")
}

// The description contains everything that a stamp can contain.
func TestStampsAreDescribed(t *testing.T) {
	t.Parallel()
	c := newPromised(t)
	version := func(action, kind string) any {
		return map[string]any{
			"revision": json.Number("1"), "at": "2026-01-01T00:00:00.000Z", "action": action, "actor": map[string]any{"kind": kind},
			"locale": nil, "status": "draft", "current": true,
		}
	}
	place := []string{"components", "schemas", "QuireVersion"}
	actions := 0
	for a := store.ActionCreate; !strings.HasPrefix(a.String(), "action "); a++ {
		actions++
		if err := c.promise.fits(place, version(a.String(), store.ByToken)); err != nil {
			t.Errorf("%s: %v", a, err)
		}
	}
	for _, kind := range []string{store.ByToken, store.ByUser, store.ByAdmin, store.ByAssistant, store.ByCommand, store.BySchedule, store.ByPublic} {
		if err := c.promise.fits(place, version("create", kind)); err != nil {
			t.Errorf("%s: %v", kind, err)
		}
	}
	if err := c.promise.fits(place, version("burn", store.ByToken)); err == nil || actions < 10 {
		t.Errorf("anything is an action, or there are only %d", actions)
	}
}

// Every GET with a JSON response has a tag, and the description says so.
func TestTagsAreDescribed(t *testing.T) {
	t.Parallel()
	c := newPromised(t)
	for _, path := range []string{"/api/restaurants", "/api/i18n/locales", "/api/openapi.json", "/api/upload/files", "/api/users", "/api/users/count", "/api/users-permissions/roles", "/api/users-permissions/permissions"} {
		a := c.ask(http.StatusOK, "GET", path, "")
		c.ask(http.StatusNotModified, "GET", path, "", "If-None-Match", a.header.Get("Etag"))
	}
}
