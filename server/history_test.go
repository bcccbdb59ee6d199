package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/schema"
	"quire/store"
)

// versionItem is a version in the list.
type versionItem struct {
	Revision uint64
	At       string
	Action   string
	Actor    struct{ Kind, ID, Name string }
	Locale   string
	Status   string
	Current  bool
	Removed  *struct{ Action string }
}

// versions returns what a caller sees of the history at a path.
func (c *client) versions(as, path string) (items []versionItem, total int) {
	c.t.Helper()
	a := c.send(as, "GET", path, "")
	var list struct {
		Data []versionItem
		Meta struct{ Pagination struct{ Total int } }
	}
	if err := json.Unmarshal([]byte(a.body), &list); err != nil || a.status != 200 {
		c.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	return list.Data, list.Meta.Pagination.Total
}

// do sends a request with the full token, which must succeed.
func (c *client) do(method, path, body string) *answer {
	c.t.Helper()
	a := c.send("full", method, path, body)
	if a.status >= 300 {
		c.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// The history of a document can be read, compared and restored.
func TestHistoryOfADocument(t *testing.T) {
	c := newClient(t)
	soup := "/api/dishes/" + c.do("POST", "/api/dishes", `{"data": {"name": "Soup", "price": 3}}`).documentID(t)
	c.do("PUT", soup, `{"data": {"name": "Broth"}}`)
	c.do("PUT", soup+"?status=draft", `{"data": {"name": "Stew", "price": 7}}`)

	items, total := c.versions("full", soup+"/history")
	var seen []string
	for _, v := range items {
		seen = append(seen, fmt.Sprint(v.Action, " ", v.Status, " ", v.Current, " ", v.Actor.Kind, " ", v.Actor.Name))
		if v.At == "" || v.Revision == 0 {
			t.Errorf("%+v has no moment or revision", v)
		}
	}
	if got := strings.Join(seen, "; "); total != 5 || got != "update draft true token full; publish published true token full; update draft false token full; publish published false token full; create draft false token full" {
		t.Fatalf("%d: %s", total, got)
	}
	if some, total := c.versions("full", soup+"/history?status=published&pagination[pageSize]=1&pagination[page]=2"); total != 2 || len(some) != 1 || some[0].Revision != items[3].Revision {
		t.Errorf("a page of the published versions: %d %+v", total, some)
	}
	first := fmt.Sprintf("%s/history/%d", soup, items[4].Revision)
	if a := c.send("full", "GET", first, ""); a.status != 200 || !strings.Contains(a.body, `"name":"Soup"`) || !strings.Contains(a.body, `"status":"draft"`) || !strings.Contains(a.body, `"gone":[]`) {
		t.Errorf("the first version: %d %s", a.status, a.body)
	}
	a := c.send("full", "GET", fmt.Sprintf("%s?diff=%d", first, items[0].Revision), "")
	if !strings.HasPrefix(a.body, `{"data":[{"path":"name","value":"Soup","other":"Stew"},{"path":"price","value":3,"other":7}],`) {
		t.Errorf("the difference: %d %s", a.status, a.body)
	}
	if a := c.do("POST", first+"/restore", ""); !strings.Contains(a.body, `"name":"Soup"`) || !strings.Contains(a.body, `"meta":{"dropped":[]}`) {
		t.Errorf("restored: %s", a.body)
	}
	if a := c.send("full", "GET", soup, ""); !strings.Contains(a.body, "Broth") {
		t.Errorf("what is published is %s", a.body)
	}
	if items, _ := c.versions("full", soup+"/history"); items[0].Action != "restore" || len(items) != 6 {
		t.Errorf("after a restore: %+v", items)
	}
}

// A deleted document has a history, from which it can be created again.
func TestHistoryOfADeletedDocument(t *testing.T) {
	c := newClient(t)
	chef := c.do("POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	made := c.do("POST", "/api/restaurants", `{"data": {"name": "Hello", "chef": "`+chef+`", "opening_hours": [{"day": "mon"}]}}`)
	path := "/api/restaurants/" + made.documentID(t)
	c.do("DELETE", path+"?locale=*", "")
	c.do("DELETE", "/api/chefs/"+chef, "")
	if a := c.send("full", "GET", path, ""); a.status != 404 {
		t.Fatalf("%d", a.status)
	}
	items, total := c.versions("full", path+"/history?status=draft")
	if total != 1 || items[0].Removed == nil || items[0].Removed.Action != "delete" || items[0].Current {
		t.Fatalf("%+v", items)
	}
	a := c.do("POST", fmt.Sprintf("%s/history/%d/restore?populate=*", path, items[0].Revision), "")
	if !strings.Contains(a.body, `"meta":{"dropped":[{"path":"chef","documentId":"`+chef+`"}]}`) || !strings.Contains(a.body, `"day":"mon"`) || a.documentID(t) != made.documentID(t) {
		t.Errorf("%s", a.body)
	}
	for _, page := range []string{"/api/homepage"} {
		if a := c.send("full", "GET", page+"/history", ""); a.status != 404 {
			t.Errorf("the history of what never was: %d %s", a.status, a.body)
		}
		c.do("PUT", page, `{"data": {"title": "Home"}}`)
		c.do("DELETE", page, "")
		items, _ := c.versions("full", page+"/history")
		c.do("POST", fmt.Sprintf("%s/history/%d/restore", page, items[0].Revision), "")
		if a := c.send("full", "GET", page+"?status=draft", ""); !strings.Contains(a.body, "Home") {
			t.Errorf("%s: %d %s", page, a.status, a.body)
		}
	}
}

func TestHistoryRefuses(t *testing.T) {
	c := newClient(t)
	soup := "/api/dishes/" + c.do("POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	version := c.do("PUT", soup, `{"data": {"name": "Broth"}}`).header.Get(versionHeader)
	one := soup + "/history/" + version
	for _, test := range []struct {
		as, method, path, body string
		status                 int
	}{
		{"", "GET", soup + "/history", "", 403},
		{"readonly", "GET", soup + "/history", "", 403},
		{"full", "GET", "/api/dishes/none/history", "", 404},
		{"full", "GET", soup + "/history/999999", "", 404},
		{"full", "GET", soup + "/history/x", "", 404},
		{"full", "GET", soup + "/history/0" + version, "", 404},
		{"full", "GET", one + "?diff=0" + version, "", 400},
		{"full", "POST", one + "/restore", "null", 400},
		{"full", "GET", soup + "/history?locale=xx", "", 200},
		{"full", "GET", "/api/restaurants/none/history?locale=xx", "", 400},
		{"full", "GET", soup + "/history?status=x", "", 400},
		{"full", "GET", soup + "/history?status[0]=draft", "", 400},
		{"full", "GET", soup + "/history?pagination[page]=1.5", "", 400},
		{"full", "GET", soup + "/history?pagination[page]=1&pagination[start]=1", "", 400},
		{"full", "GET", one + "?diff=x", "", 400},
		{"full", "GET", one + "?diff[0]=1", "", 400},
		{"full", "GET", one + "?diff=99999999999999999999", "", 400},
		{"full", "POST", one + "/restore", `{"data": {}}`, 400},
		{"full", "POST", one + "/restore?populate=nothing", "", 400},
		{"readonly", "POST", one + "/restore", "", 403},
		{"full", "PUT", one, "", 405},
	} {
		if a := c.send(test.as, test.method, test.path, test.body); a.status != test.status {
			t.Errorf("%s %s %s: %d %s", test.as, test.method, test.path, a.status, a.body)
		}
	}
	if a := c.send("full", "POST", one+"/restore", "", "If-Match", "1"); a.status != 412 {
		t.Errorf("a restore for another version: %d %s", a.status, a.body)
	}
}

const (
	toolSchema = `{"kind": "collectionType", "info": {"singularName": "tool", "pluralName": "tools", "displayName": "Tool"}, "options": {"draftAndPublish": true}, "attributes": {%s}}`
	partSchema = `{"collectionName": "parts", "info": {"displayName": "Part"}, "attributes": {%s}}`
)

// Invalid parameters of a history or a restore are refused, and the error names the
// parameter.
func TestHistoryRefusesWhatIsNoNumber(t *testing.T) {
	c := newClient(t)
	soup := "/api/dishes/" + c.do("POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	version := c.do("PUT", soup, `{"data": {"name": "Broth"}}`).header.Get(versionHeader)
	one := soup + "/history/" + version
	for _, parameter := range []string{"page=x", "page=0", "page=1.5", "page=-1", "page=01", "page=", "pageSize=-1", "pageSize=0", "pageSize=101", "pageSize=x", "pageSize=1e1", "limit=-1", "limit=x", "start=-1", "start=x", "page[]=1", "limit[a]=1"} {
		key, _, _ := strings.Cut(parameter, "=")
		key, _, _ = strings.Cut(key, "[")
		query := strings.Replace("pagination[]", "[]", "["+key+"]", 1) + strings.TrimPrefix(parameter, key)
		for _, request := range [][2]string{{"GET", soup + "/history"}, {"GET", one}, {"POST", one + "/restore"}} {
			if a := c.send("full", request[0], request[1]+"?"+query, ""); a.status != 400 || !strings.Contains(a.Error.Message, "pagination["+key+"]") {
				t.Errorf("%s %s with %s: %d %s", request[0], request[1], query, a.status, a.body)
			}
		}
	}
	for _, levels := range []string{"03", "6", "1.5", "0", "-1", "1e0", "%2B1"} {
		if a := c.send("full", "POST", one+"/restore?populate[*]="+levels, ""); a.status != 400 || !strings.Contains(a.Error.Message, "populate[*]") {
			t.Errorf("a restore with populate[*]=%s: %d %s", levels, a.status, a.body)
		}
	}
	if items, _ := c.versions("full", soup+"/history?pagination[start]=1&pagination[limit]=1"); len(items) != 1 {
		t.Errorf("a page of one has %d versions", len(items))
	}
	if items, total := c.versions("full", soup+"/history?pagination[page]=2&pagination[pageSize]=100"); len(items) != 0 || total != 4 {
		t.Errorf("the second page has %d versions of %d", len(items), total)
	}
}

// toolSite is a site with one type and one component with the given attributes.
func toolSite(t *testing.T, tool, part string) *schema.Site {
	t.Helper()
	folder := fstest.MapFS{"src/api/tool/content-types/tool/schema.json": {Data: fmt.Appendf(nil, toolSchema, tool)}}
	if part != "" {
		folder["src/components/tool/part.json"] = &fstest.MapFile{Data: fmt.Appendf(nil, partSchema, part)}
	}
	site, err := schema.Load(folder)
	check(t, err)
	return site
}

// A version is shown and restored with the current schema, which may differ from that
// of its write.
func TestHistoryOverAChangedSchema(t *testing.T) {
	folder := t.TempDir()
	c, stop := newClientOf(t, folder, toolSite(t, `"name": {"type": "string"}, "note": {"type": "string"}, "size": {"type": "integer"}, "key": {"type": "password"}, "open": {"type": "string"},
		"parts": {"type": "component", "repeatable": true, "component": "tool.part"}, "spare": {"type": "component", "component": "tool.part"}`,
		`"label": {"type": "string"}, "hint": {"type": "string"}, "count": {"type": "integer"}`), slog.Default())
	made := c.do("POST", "/api/tools?status=draft", `{"data": {"name": "Saw", "note": "SECRET-NOTE", "size": 3, "open": "x", "parts": [{"label": "blade", "hint": "SECRET-HINT", "count": 2}], "spare": {"label": "grip"}}}`)
	tool := "/api/tools/" + made.documentID(t)
	c.do("PUT", tool+"?status=draft", `{"data": {"name": "Axe", "parts": [], "note": null}}`)
	stop()

	c, stop = newClientOf(t, folder, toolSite(t, `"name": {"type": "string"}, "note": {"type": "string", "private": true}, "size": {"type": "string"}, "key": {"type": "password"},
		"parts": {"type": "component", "repeatable": true, "component": "tool.part"}`, `"label": {"type": "string"}, "hint": {"type": "string", "private": true}`), slog.Default())
	defer stop()
	items, _ := c.versions("full", tool+"/history")
	first := fmt.Sprintf("%s/history/%d", tool, items[len(items)-1].Revision)
	a := c.do("GET", first, "")
	for _, part := range []string{`"name":"Saw"`, `"size":null`, `"parts":[{"id":1,"label":"blade"}]`, `"gone":["size","parts.count","open","spare"]`} {
		if !strings.Contains(a.body, part) {
			t.Errorf("%s is not in %s", part, a.body)
		}
	}
	diff := c.do("GET", fmt.Sprintf("%s?diff=%d", first, items[0].Revision), "")
	restored := c.do("POST", first+"/restore?populate=*", "")
	if !strings.Contains(restored.body, `"name":"Saw"`) || !strings.Contains(restored.body, `"parts":[{"id":1,"label":"blade"}]`) {
		t.Errorf("restored: %s", restored.body)
	}
	for _, one := range []*answer{a, diff, restored} {
		if strings.Contains(one.body, "SECRET") || strings.Contains(one.body, "note") || strings.Contains(one.body, "hint") {
			t.Errorf("what is private is in %s", one.body)
		}
	}
}

// Passwords are in no version that is shown, and a restore does not change them.
func TestHistoryAndPasswords(t *testing.T) {
	c := newClient(t)
	made := c.do("POST", "/api/restaurants?status=draft", `{"data": {"name": "Hello", "door_code": "secret-door-1", "secret_note": "SECRET-1"}}`)
	path := "/api/restaurants/" + made.documentID(t)
	c.do("PUT", path+"?status=draft", `{"data": {"name": "Hi there", "door_code": "secret-door-2", "secret_note": "SECRET-2"}}`)
	items, _ := c.versions("full", path+"/history")
	first := fmt.Sprintf("%s/history/%d", path, items[1].Revision)
	for _, a := range []*answer{c.do("GET", first, ""), c.do("GET", fmt.Sprintf("%s?diff=%d", first, items[0].Revision), ""), c.do("POST", first+"/restore", ""), c.do("GET", path+"/history", "")} {
		for _, secret := range []string{"door", "secret", "SECRET", "$argon"} {
			if strings.Contains(a.body, secret) {
				t.Errorf("%s is in %s", secret, a.body)
			}
		}
	}
}

// Of several concurrent restores that name the same version of a document, one
// succeeds.
func TestConcurrentRestores(t *testing.T) {
	c := newClient(t)
	soup := "/api/dishes/" + c.do("POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	seen := c.do("PUT", soup, `{"data": {"name": "Broth"}}`).header.Get(versionHeader)
	items, _ := c.versions("full", soup+"/history?status=draft")
	first := fmt.Sprintf("%s/history/%d/restore", soup, items[1].Revision)
	done := make(chan int)
	for range 8 {
		go func() { done <- c.send("full", "POST", first, "", "If-Match", seen).status }()
	}
	counts := map[int]int{}
	for range 8 {
		counts[<-done]++
	}
	if counts[200] != 1 || counts[412] != 7 {
		t.Errorf("the answers are %v", counts)
	}
	if items, _ := c.versions("full", soup+"/history?status=draft"); len(items) != 3 {
		t.Errorf("%d versions", len(items))
	}
}

// A version shows and restores only values that fit the current kind of an attribute,
// and never the hash of a former password.
func TestHistoryOfRetypedAttributes(t *testing.T) {
	folder := t.TempDir()
	c, stop := newClientOf(t, folder, toolSite(t, `"name": {"type": "string"}, "day": {"type": "string"}, "at": {"type": "string"}, "hour": {"type": "string"}, "made": {"type": "string"},
		"body": {"type": "json"}, "key": {"type": "password"}`, ""), slog.Default())
	made := c.do("POST", "/api/tools?status=draft", `{"data": {"name": "Saw", "day": "abc", "at": "soon", "hour": "x", "made": "2020-02-03", "body": 5, "key": "secret-key"}}`)
	tool := "/api/tools/" + made.documentID(t)
	c.do("PUT", tool+"?status=draft", `{"data": {"name": "Axe", "day": null, "at": null, "hour": null, "made": null, "body": null, "key": null}}`)
	stop()

	c, stop = newClientOf(t, folder, toolSite(t, `"name": {"type": "string"}, "day": {"type": "date"}, "at": {"type": "datetime"}, "hour": {"type": "time"}, "made": {"type": "date"},
		"body": {"type": "blocks"}, "key": {"type": "string"}`, ""), slog.Default())
	defer stop()
	items, _ := c.versions("full", tool+"/history")
	first := fmt.Sprintf("%s/history/%d", tool, items[len(items)-1].Revision)
	const values = `"name":"Saw","day":null,"at":null,"hour":null,"made":"2020-02-03","body":null,"key":null`
	if a := c.do("GET", first, ""); !strings.Contains(a.body, values) || !strings.Contains(a.body, `"gone":["day","at","hour","body","key"]`) {
		t.Errorf("the version is %s", a.body)
	}
	if a := c.do("GET", fmt.Sprintf("%s?diff=%d", first, items[0].Revision), ""); strings.Contains(a.body, "argon2") || strings.Contains(a.body, "abc") {
		t.Errorf("the difference is %s", a.body)
	}
	if a := c.do("POST", first+"/restore", ""); !strings.Contains(a.body, values) {
		t.Errorf("restored: %s", a.body)
	}
}

// A restore does not list links in a component that nobody may see.
func TestRestoreNamesNothingPrivate(t *testing.T) {
	c, stop := newClientOf(t, t.TempDir(), toolSite(t, `"name": {"type": "string"}, "parts": {"type": "component", "repeatable": true, "component": "tool.part", "private": true},
		"other": {"type": "relation", "relation": "oneToOne", "target": "api::tool.tool"}`,
		`"spare": {"type": "relation", "relation": "oneToOne", "target": "api::tool.tool"}`), slog.Default())
	defer stop()
	spare := c.do("POST", "/api/tools", `{"data": {"name": "Spare"}}`).documentID(t)
	made := c.do("POST", "/api/tools", `{"data": {"other": "`+spare+`", "parts": [{"spare": "`+spare+`"}]}}`)
	tool := "/api/tools/" + made.documentID(t)
	c.do("DELETE", "/api/tools/"+spare, "")
	items, _ := c.versions("full", tool+"/history?status=draft")
	a := c.do("POST", fmt.Sprintf("%s/history/%d/restore", tool, items[len(items)-1].Revision), "")
	if !strings.Contains(a.body, `"meta":{"dropped":[{"path":"other","documentId":"`+spare+`"}]}`) {
		t.Errorf("restored: %s", a.body)
	}
}

// A write whose document is deleted at the same time is done, and the response says so.
func TestWritesBesideDeletes(t *testing.T) {
	c := newClient(t)
	soup := "/api/dishes/" + c.do("POST", "/api/dishes", `{"data": {"name": "Soup"}}`).documentID(t)
	items, _ := c.versions("full", soup+"/history?status=draft")
	restore := fmt.Sprintf("%s/history/%d/restore", soup, items[0].Revision)
	done := make(chan *answer)
	for i := range 8 {
		go func() {
			for range 40 {
				switch i % 4 {
				case 0:
					done <- c.send("full", "DELETE", soup, "")
				case 1:
					done <- c.send("full", "PUT", soup, `{"data": {"name": "Broth"}}`)
				default:
					done <- c.send("full", "POST", restore, "")
				}
			}
		}()
	}
	for range 8 * 40 {
		if a := <-done; a.status >= 500 || a.status == 200 && !strings.HasPrefix(a.body, `{"data":`) {
			t.Errorf("%d %s", a.status, a.body)
		}
	}
}

// The history of a document is there while the document is deleted: who has opened the data
// file before that, and sees the content in memory after it, reads what the file has.
func TestHistoryWhileADocumentIsDeleted(t *testing.T) {
	site, log := sampleSite(t), slog.New(slog.DiscardHandler)
	before, after := t.TempDir(), t.TempDir()
	c, stop := newClientOf(t, after, site, log)
	chef := "/api/chefs/" + c.do("POST", "/api/chefs", `{"data": {"name": "Ada"}}`).documentID(t)
	c.do("PUT", "/api/homepage", `{"data": {"title": "Home"}}`)
	stop()
	db, err := store.Open(filepath.Join(after, "quire.db"), store.Options{})
	check(t, err)
	check(t, db.View(func(tx *store.Tx) error { return tx.CopyTo(filepath.Join(before, "quire.db")) }))
	check(t, db.Close())
	c, stop = newClientOf(t, after, site, log)
	c.do("DELETE", chef, "")
	c.do("DELETE", "/api/homepage", "")
	stop()

	db, err = store.Open(filepath.Join(after, "quire.db"), store.Options{})
	check(t, err)
	content := buildIndex(t, db, site)
	check(t, db.Close())
	db, err = store.Open(filepath.Join(before, "quire.db"), store.Options{})
	check(t, err)
	s, keys, _ := openOn(t, before, db, content, site, log, nil)
	h := httptest.NewServer(s.Handler())
	t.Cleanup(h.Close)
	c = &client{t, h.URL, map[string]string{"reader": createToken(t, keys, "reader", auth.FullAccess)}}
	for _, path := range []string{chef, "/api/homepage"} {
		if items, _ := c.versions("reader", path+"/history"); len(items) == 0 || !items[0].Current {
			t.Errorf("%s: %+v", path, items)
		}
	}
}
