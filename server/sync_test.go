package server_test

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"net/url"
	"reflect"
	"strings"
	"testing"

	"quire/auth"
	"quire/schema"
	"quire/server"
	"quire/store"
)

// change is one item of a page of changes.
type change struct {
	Type       string
	DocumentID string
	Locale     *string
	Status     string
	Action     string
	Revision   uint64
	Entry      json.RawMessage
}

// page is a response of _changes.
type page struct {
	Data []change
	Meta struct {
		Revision uint64
		Since    string
		More     bool
	}
}

// name identifies the entry of a change in a copy.
func (c *change) name() string {
	if c.Locale == nil {
		return c.Type + " " + c.DocumentID
	}
	return c.Type + " " + c.DocumentID + " " + *c.Locale
}

// replica is a client's copy of the result of a query.
type replica struct {
	*accountSite
	as, query string
	entries   map[string]string
	last      page
	begun     int // how often it was begun again
}

func (h *accountSite) replica(as, query string) *replica {
	return &replica{accountSite: h, as: as, query: query, entries: map[string]string{}, begun: 1}
}

// step reads one page, and begins again after a 410.
func (r *replica) step() (more bool) {
	r.t.Helper()
	path := "/api/_changes?" + r.query
	if r.last.Meta.Since != "" {
		path += "&since=" + url.QueryEscape(r.last.Meta.Since)
	}
	a := r.send(r.as, "GET", path, "")
	switch a.status {
	case 410:
		*r = *r.replica(r.as, r.query)
		return true
	case 200:
	default:
		r.t.Fatalf("GET %s as %q: %d %s", path, r.as, a.status, a.body)
	}
	r.last = page{}
	check(r.t, json.Unmarshal([]byte(a.body), &r.last))
	for _, c := range r.last.Data {
		switch c.Action {
		case "update":
			r.entries[c.name()] = string(c.Entry)
		case "delete":
			if c.Entry != nil {
				r.t.Errorf("%s is deleted and is %s", c.name(), c.Entry)
			}
			delete(r.entries, c.name())
		default:
			r.t.Fatalf("action %q", c.Action)
		}
	}
	return r.last.Meta.More
}

// follow reads until there is no more.
func (r *replica) follow() *replica {
	r.t.Helper()
	for n := 0; r.step(); n++ {
		if n > 10_000 {
			r.t.Fatalf("%s does not come to an end", r.query)
		}
	}
	return r
}

// lists returns a copy of what the API shows of some types, in all locales.
func (h *accountSite) lists(as, more string, paths map[string]string) map[string]string {
	h.t.Helper()
	all := map[string]string{}
	for uid, path := range paths {
		t := h.site.Type(uid)
		queries := []string{"locale=*&pagination[pageSize]=100"}
		if t.Kind == schema.Single && t.Localized {
			queries = nil
			for _, l := range h.site.Settings.Locales {
				queries = append(queries, "locale="+l.Code)
			}
		}
		for _, query := range queries {
			for _, e := range h.list(as, path+"?"+query+"&"+more) {
				var c change
				check(h.t, json.Unmarshal(e, &c))
				if c.Type = uid; !t.Localized {
					c.Locale = nil
				}
				all[c.name()] = string(e)
			}
		}
	}
	return all
}

// list returns the entries of a response.
func (h *accountSite) list(as, path string) (entries []json.RawMessage) {
	h.t.Helper()
	var list struct {
		Data json.RawMessage
		Meta struct{ Pagination struct{ PageCount int } }
	}
	a := h.send(as, "GET", path, "")
	switch a.status {
	case 404:
		return nil
	case 200:
	default:
		h.t.Fatalf("%s: %d %s", path, a.status, a.body)
	}
	check(h.t, json.Unmarshal([]byte(a.body), &list))
	if list.Data[0] != '[' {
		return append(entries, list.Data)
	}
	if list.Meta.Pagination.PageCount > 1 {
		h.t.Fatalf("%s does not show all", path)
	}
	check(h.t, json.Unmarshal(list.Data, &entries))
	return entries
}

func (r *replica) equals(want map[string]string, when string) {
	r.t.Helper()
	for name, entry := range want {
		if r.entries[name] != entry {
			r.t.Errorf("%s: %q, %s: %s is %s in the copy instead of %s", when, r.as, r.query, name, r.entries[name], entry)
		}
	}
	for name, entry := range r.entries {
		if _, ok := want[name]; !ok {
			r.t.Errorf("%s: %q, %s: %s is in the copy alone: %s", when, r.as, r.query, name, entry)
		}
	}
}

func (h *accountSite) create(path, data string) string {
	h.t.Helper()
	a := h.send("full", "POST", path, `{"data": `+data+`}`)
	if a.status != 201 {
		h.t.Fatalf("POST %s: %d %s", path, a.status, a.body)
	}
	return a.documentID(h.t)
}

func (h *accountSite) must(method, path, body string) {
	h.t.Helper()
	if a := h.send("full", method, path, body); a.status >= 300 {
		h.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
}

var dishes = map[string]string{"api::dish.dish": "/api/dishes"}

func TestACopyIsMadeAndFollows(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	var ids []string
	for i := range 5 {
		ids = append(ids, h.create("/api/dishes", fmt.Sprintf(`{"name": "dish %d"}`, i)))
	}
	h.create("/api/dishes?status=draft", `{"name": "a draft"}`)
	r := h.replica("", "types=dishes&limit=2").follow()
	r.equals(h.lists("", "", dishes), "at first")
	if len(r.entries) != 5 || r.last.Meta.Revision == 0 {
		t.Errorf("%d entries, %+v", len(r.entries), r.last.Meta)
	}
	h.must("PUT", "/api/dishes/"+ids[0], `{"data": {"price": 3}}`)
	h.must("PUT", "/api/dishes/"+ids[0], `{"data": {"price": 4}}`)
	h.must("DELETE", "/api/dishes/"+ids[1], "")
	h.must("POST", "/api/dishes/"+ids[2]+"/actions/unpublish", "")
	h.must("POST", "/api/dishes/"+ids[3]+"/actions/unpublish", "")
	h.must("POST", "/api/dishes/"+ids[3]+"/actions/publish", "")
	plain := r.last.Meta.Revision
	r.query = "types=dishes&limit=100"
	if more := r.step(); more || len(r.last.Data) != 4 {
		t.Errorf("%+v", r.last)
	}
	r.equals(h.lists("", "", dishes), "after changes")
	again := h.replica("", "types=dishes&since="+fmt.Sprint(plain))
	again.step()
	if !reflect.DeepEqual(again.last.Data, r.last.Data) {
		t.Errorf("by a revision alone %+v, want %+v", again.last, r.last)
	}
	if more := r.step(); more || len(r.last.Data) != 0 {
		t.Errorf("nothing has changed: %+v", r.last)
	}
}

// Drafts that the caller may not read change nothing, not even the revision.
func TestACopyIsSilentAboutDrafts(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	id := h.create("/api/dishes", `{"name": "dish"}`)
	first := h.send("", "GET", "/api/_changes?types=dishes", "")
	r := h.replica("", "types=dishes").follow()
	h.must("PUT", "/api/dishes/"+id+"?status=draft", `{"data": {"name": "secret"}}`)
	h.create("/api/dishes?status=draft", `{"name": "another"}`)
	if a := h.send("", "GET", "/api/_changes?types=dishes", ""); a.body != first.body || a.header.Get("Etag") != first.header.Get("Etag") {
		t.Errorf("%s\n%s", first.body, a.body)
	}
	at := r.last.Meta
	if r.step(); len(r.last.Data) != 0 || r.last.Meta != at {
		t.Errorf("%+v after %+v", r.last, at)
	}
	if a := h.send("", "GET", "/api/_changes?types=dishes&status=draft", ""); a.status != 403 {
		t.Errorf("drafts for everybody: %d", a.status)
	}
	drafts := h.replica("full", "types=dishes&status=draft").follow()
	drafts.equals(h.lists("full", "status=draft", dishes), "drafts")
}

// The end of a page reveals nothing about hidden changes between two visible ones.
func TestThePagesOfACopyAreSilentAboutDrafts(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	one, other := h.create("/api/dishes", `{"name": "one"}`), h.create("/api/dishes", `{"name": "other"}`)
	r := h.replica("", "types=dishes&limit=1").follow()
	h.must("PUT", "/api/dishes/"+one, `{"data": {"price": 1}}`)
	for i := range 3 {
		h.must("PUT", "/api/dishes/"+one+"?status=draft", fmt.Sprintf(`{"data": {"price": %d}}`, 10+i))
	}
	h.must("PUT", "/api/dishes/"+other, `{"data": {"price": 2}}`)
	for range 2 {
		if r.step(); len(r.last.Data) != 1 || r.last.Meta.Revision != r.last.Data[0].Revision {
			t.Errorf("%+v", r.last)
		}
	}
	if r.last.Meta.More || r.step() || len(r.last.Data) != 0 {
		t.Errorf("%+v", r.last)
	}
	r.equals(h.lists("", "", dishes), "after drafts")
}

func TestParametersOfACopy(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	h.create("/api/dishes", `{"name": "dish"}`)
	for _, one := range []struct{ query, key string }{
		{"type=dishes", "type"}, {"filters[name]=a", "filters"}, {"sort=name", "sort"}, {"pagination[page]=1", "pagination"}, {"_q=a", "_q"}, {"lookup=1", "lookup"},
		{"types=nothing", "types"}, {"types=", "types"}, {"types=dishes,,chefs", "types"}, {"types[a]=dishes", "types"}, {"types[0][a]=dishes", "types"}, {"types=users", "types"},
		{"since=", "since"}, {"since=x", "since"}, {"since=-1", "since"}, {"since=1.0", "since"}, {"since=1-x", "since"}, {"since=1-", "since"}, {"since=w.", "since"},
		{"since=w.AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "since"}, {"since[0]=1", "since"}, {"since[a]=1", "since"},
		{"locale=xx", "locale"}, {"locale=", "locale"}, {"locale[0]=en", "locale"}, {"locale[a]=en", "locale"},
		{"status=all", "status"}, {"status[0]=draft", "status"}, {"status=", "status"},
		{"limit=0", "limit"}, {"limit=1001", "limit"}, {"limit=-1", "limit"}, {"limit=x", "limit"}, {"limit=", "limit"}, {"limit[0]=1", "limit"}, {"limit=1e2", "limit"}, {"limit=99999999999999999999", "limit"},
		{"fields=nothing", "nothing"}, {"populate=nothing", "nothing"}, {"types=dishes&populate[photo][filters][x]=1", "x"},
	} {
		a := h.send("full", "GET", "/api/_changes?"+one.query, "")
		if a.status != 400 || !strings.Contains(a.Error.Message, one.key) {
			t.Errorf("%s: %d %s", one.query, a.status, a.body)
		}
	}
	for _, query := range []string{
		"", "types=dishes", "types=dishes,chefs", "types[]=dishes&types[]=api::chef.chef", "types=homepage", "types=" + schema.UserUID, "types=" + schema.FileUID,
		"locale=*", "locale=fr", "status=draft", "status=published", "fields=id", "populate=*", "limit=1", "limit=1000",
	} {
		if a := h.send("full", "GET", "/api/_changes?"+query, ""); a.status != 200 {
			t.Errorf("%s: %d %s", query, a.status, a.body)
		}
	}
	for _, one := range []struct{ as, query string }{{"", "types=reviews"}, {"", "types=dishes,reviews"}, {"", "types=" + schema.UserUID}, {"", "status=draft&types=dishes"}} {
		if a := h.send(one.as, "GET", "/api/_changes?"+one.query, ""); a.status != 403 {
			t.Errorf("%s as %q: %d %s", one.query, one.as, a.status, a.body)
		}
	}
}

// A client that cannot continue gets an error, and no change is skipped.
func TestACopyThatCannotGoOn(t *testing.T) {
	t.Parallel()
	h := openSample(t)
	for i := range 3 {
		h.create("/api/dishes", fmt.Sprintf(`{"name": "dish %d"}`, i))
	}
	gone := func(what, query string) {
		t.Helper()
		if a := h.send("full", "GET", "/api/_changes?"+query, ""); a.status != 410 || a.Error.Name != "GoneError" {
			t.Errorf("%s: %d %s", what, a.status, a.body)
		}
	}
	r := h.replica("full", "types=dishes&limit=1")
	r.step()
	walk := r.last.Meta.Since
	r.follow()
	at, plain := r.last.Meta.Since, r.last.Meta.Revision
	gone("a revision to come", "types=dishes&since=999999")
	gone("other fields", "types=dishes&fields=name&since="+at)
	gone("other types", "types=dishes,chefs&since="+at)
	gone("another locale", "types=dishes&locale=fr&since="+at)
	gone("drafts", "types=dishes&status=draft&since="+at)
	gone("another query in a walk", "types=chefs&limit=1&since="+walk)
	check(t, h.db.Update(func(tx *store.Tx) error { _, err := tx.TrimLog(plain, 1000); return err }))
	if r.step(); len(r.last.Data) != 0 || r.begun != 1 {
		t.Errorf("what is gone had been read: %+v", r.last)
	}
	h.create("/api/dishes", `{"name": "new"}`)
	if r.follow(); r.begun != 1 || len(r.entries) != 4 {
		t.Errorf("%d entries, begun %d times", len(r.entries), r.begun)
	}
	h.create("/api/dishes", `{"name": "newer"}`)
	check(t, h.db.Update(func(tx *store.Tx) error { return tx.ResetLog() }))
	gone("what is not kept", "types=dishes&since="+r.last.Meta.Since)
	gone("a walk from before", "types=dishes&limit=1&since="+walk)
}

// A client whose rights have changed since the copy began must begin again. A client
// that stores plain revisions continues with its current rights.
func TestACopyAndRightsThatChange(t *testing.T) {
	t.Parallel()
	h := openAccountSite(t, sampleWith(t, unlimited, noRoles), options{})
	h.create("/api/dishes", `{"name": "dish"}`)
	h.create("/api/chefs", `{"name": "chef"}`)
	h.join("ana")
	role := func(actions string) {
		t.Helper()
		h.must("PUT", "/api/users-permissions/roles/1", `{"name": "Authenticated", "permissions": {"api::dish": {"controllers": {"dish": {`+actions+`}}}}}`)
	}
	role(`"find": {"enabled": true}`)
	r := h.replica("ana", "limit=1").follow()
	at, plain := r.last.Meta.Since, r.last.Meta.Revision
	r.step()
	if len(r.entries) != 1 || r.begun != 1 {
		t.Fatalf("%v, begun %d times", r.entries, r.begun)
	}
	role(`"find": {"enabled": true}, "create": {"enabled": true}`)
	if a := h.send("ana", "GET", "/api/_changes?since="+at, ""); a.status != 200 {
		t.Errorf("a right to write is none to see: %d %s", a.status, a.body)
	}
	role(`"find": {"enabled": true}, "readDraft": {"enabled": true}`)
	if a := h.send("ana", "GET", "/api/_changes?since="+at, ""); a.status != 200 {
		t.Errorf("drafts are not what the copy shows: %d %s", a.status, a.body)
	}
	h.must("PUT", "/api/users-permissions/roles/1", `{"name": "Authenticated", "permissions": {"api::dish": {"controllers": {"dish": {"find": {"enabled": true}}}}, "api::chef": {"controllers": {"chef": {"find": {"enabled": true}}}}}}`)
	if a := h.send("ana", "GET", "/api/_changes?since="+at, ""); a.status != 410 {
		t.Errorf("with another type: %d %s", a.status, a.body)
	}
	if a := h.send("ana", "GET", fmt.Sprintf("/api/_changes?since=%d", plain), ""); a.status != 200 {
		t.Errorf("a plain revision: %d %s", a.status, a.body)
	}
	if r.follow(); len(r.entries) != 2 {
		t.Errorf("%v", r.entries)
	}
	role(``)
	if a := h.send("ana", "GET", "/api/_changes?since="+at, ""); a.status != 403 {
		t.Errorf("without rights: %d %s", a.status, a.body)
	}
}

// A walk continues after a restart of the server. A response that a client has is not
// sent again.
func TestACopyOverARestart(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	first, keys, stop := open(t, folder, sampleSite(t), slog.New(slog.DiscardHandler))
	token := createToken(t, keys, "full", auth.FullAccess)
	siteOf := func(s *server.Server) *accountSite {
		return &accountSite{site: sampleSite(t), handler: s.Handler(), client: &client{t: t, tokens: map[string]string{"full": token}}}
	}
	h := siteOf(first)
	for i := range 4 {
		h.create("/api/dishes", fmt.Sprintf(`{"name": "dish %d"}`, i))
	}
	r := h.replica("full", "types=dishes&limit=2")
	if !r.step() {
		t.Fatal("there is no second page")
	}
	stop()
	second, _, _ := open(t, folder, sampleSite(t), slog.New(slog.DiscardHandler))
	r.accountSite = siteOf(second)
	r.create("/api/dishes", `{"name": "new"}`)
	if r.follow(); r.begun != 1 || len(r.entries) != 5 {
		t.Errorf("%d entries, begun %d times", len(r.entries), r.begun)
	}
	r.equals(r.lists("full", "", dishes), "after the restart")
	path := "/api/_changes?types=dishes&since=" + r.last.Meta.Since
	tag := r.send("full", "GET", path, "").header.Get("Etag")
	if a := r.send("full", "GET", path, "", "If-None-Match", tag); a.status != 304 {
		t.Errorf("asked again: %d %s", a.status, a.body)
	}
}

// A page ends before it becomes larger than a response may be.
func TestThePagesOfACopyAreBounded(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"responseBytes": 20000, "bodyBytes": 100000}`)
	long := strings.Repeat("x", 7000)
	for i := range 6 {
		h.create("/api/chefs", fmt.Sprintf(`{"name": "chef %d", "bio": %q}`, i, long))
	}
	r := h.replica("full", "types=chefs")
	pages := 1
	for r.step() {
		if pages++; len(r.last.Data) > 2 {
			t.Errorf("%d entries", len(r.last.Data))
		}
	}
	chefs := map[string]string{"api::chef.chef": "/api/chefs"}
	short := h.lists("full", "fields=name", chefs)
	if len(r.entries) != len(short) || pages < 3 {
		t.Errorf("%d entries in %d pages, want %d", len(r.entries), pages, len(short))
	}
	since := r.last.Meta.Since
	for name := range short {
		h.must("PUT", "/api/chefs/"+strings.Fields(name)[1]+"?fields=id", `{"data": {"born": "2000-01-01"}}`)
	}
	r.entries, pages, r.last.Meta.Since = map[string]string{}, 1, since
	for r.step() {
		pages++
	}
	if len(r.entries) != len(short) || pages < 3 {
		t.Errorf("changes: %d entries in %d pages, want %d", len(r.entries), pages, len(short))
	}
	if h.must("PUT", "/api/chefs/"+strings.Fields(r.last.Data[0].name())[1]+"?fields=id", fmt.Sprintf(`{"data": {"bio": %q}}`, strings.Repeat(long, 4))); len(r.last.Data) == 0 {
		t.Fatal("no changes")
	}
	for n := 0; r.step(); n++ { // an entry that is too large alone is shown alone, as a list shows it
		if n > 10 {
			t.Fatal("it does not go on")
		}
	}
}

// An expensive page needs a slot of heavy queries, and a page with too many entries ends
// early.
func TestTheCostOfACopyIsBounded(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"heavyCost": 2, "heavyQueries": 1, "responseEntries": 3}`)
	for i := range 7 {
		h.create("/api/dishes", fmt.Sprintf(`{"name": "dish %d"}`, i))
	}
	first := h.create("/api/dishes", `{"name": "first"}`)
	r := h.replica("full", "types=dishes")
	for r.step() {
		if len(r.last.Data) > 3 {
			t.Errorf("%d entries", len(r.last.Data))
		}
	}
	if len(r.entries) != 8 {
		t.Errorf("%d entries", len(r.entries))
	}
	since := r.last.Meta.Since
	for name := range r.entries {
		h.must("PUT", "/api/dishes/"+strings.Fields(name)[1], `{"data": {"price": 1}}`)
	}
	giveBack := h.server.TakeSlots()
	for _, query := range []string{"types=dishes", "types=dishes&since=" + since} {
		if a := h.send("full", "GET", "/api/_changes?"+query, ""); a.status != 503 {
			t.Errorf("%s without a place: %d %s", query, a.status, a.body)
		}
	}
	giveBack()
	if r.follow(); len(r.entries) != 8 || !strings.Contains(r.entries["api::dish.dish "+first], `"price":1`) {
		t.Errorf("%v", r.entries)
	}
	h.server.TakeSlots()() // all have been released
}

// Many changes that do not concern the copy are skipped in parts.
func TestACopyReadsSoMuchOfTheLog(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("it writes thousands of changes")
	}
	h := openSample(t)
	id := h.create("/api/dishes", `{"name": "dish"}`)
	h.must("PUT", "/api/homepage", `{"data": {"title": "t"}}`)
	r := h.replica("", "types=dishes").follow()
	requests := make([]string, 1000)
	for i := range requests {
		requests[i] = fmt.Sprintf(`{"method": "PUT", "url": "/api/dishes/%s?status=draft", "body": {"data": {"price": %d}}}`, id, i)
	}
	for range 11 {
		h.must("POST", "/api/_batch", `{"requests": [`+strings.Join(requests, ",")+`]}`)
	}
	h.must("POST", "/api/dishes/"+id+"/actions/publish", "")
	if more := r.step(); !more || len(r.last.Data) != 0 {
		t.Errorf("%+v", r.last)
	}
	r.follow()
	r.equals(h.lists("", "", dishes), "after many drafts")
}
