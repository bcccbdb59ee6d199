package server_test

import (
	"fmt"
	"log/slog"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/schema/settings"
	"quire/store/storetest"
)

// openWith opens the sample site with more members in site.json.
func openWith(t *testing.T, members string) *accountSite {
	t.Helper()
	folder := sampleWith(t, unlimited, noRoles).(fstest.MapFS)
	text := strings.Replace(string(folder["site.json"].Data), `"auth":`, members+`, "auth":`, 1)
	folder["site.json"] = &fstest.MapFile{Data: []byte(text)}
	return openAccountSite(t, folder, options{})
}

// creating returns a batch of creates, whose data depends on their numbers.
func creating(path string, many int, data func(i int) map[string]any) (requests []batched) {
	for i := range many {
		requests = append(requests, batched{"method": "POST", "url": path, "body": map[string]any{"data": data(i)}})
	}
	return requests
}

func named(i int) map[string]any { return map[string]any{"name": fmt.Sprint("n", i)} }

// Each request of a batch needs the same permissions as alone.
func TestWhoMayDoWhatInABatch(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"rest": {"maxLimit": 100}`)
	for name, permissions := range map[string][]string{
		"reader":    {"find", "findOne", "readDraft"},
		"drafter":   {"createDraft", "updateDraft"},
		"publisher": {"publish"},
		"creator":   {"create"},
	} {
		var list []string
		for _, p := range permissions {
			list = append(list, "api::dish.dish."+p)
		}
		var err error
		h.tokens[name], err = h.auth.CreateToken(t.Context(), auth.TokenSpec{Name: name, Kind: auth.Custom, Permissions: list})
		check(t, err)
	}
	soup := h.send("full", "POST", "/api/dishes?status=draft", `{"data": {"name": "Soup"}}`).documentID(t)
	create := batched{"method": "POST", "url": "/api/dishes", "body": map[string]any{"data": named(0)}}
	other := batched{"method": "POST", "url": "/api/dishes", "body": map[string]any{"data": named(9)}}
	draft := batched{"method": "POST", "url": "/api/dishes?status=draft", "body": map[string]any{"data": named(1)}}
	change := batched{"method": "PUT", "url": "/api/dishes/{{0.documentId}}?status=draft", "body": map[string]any{"data": named(2)}}
	publish := batched{"method": "POST", "url": "/api/dishes/" + soup + "/actions/publish"}
	remove := batched{"method": "DELETE", "url": "/api/dishes/" + soup}
	chef := batched{"method": "POST", "url": "/api/chefs?status=draft", "body": map[string]any{"data": named(3)}}
	for _, test := range []struct {
		as       string
		requests []batched
		status   int
		fault    int
	}{
		{"", []batched{draft}, 403, -1},
		{"reader", []batched{draft}, 403, -1},
		{"drafter", []batched{draft, change}, 200, -1},
		{"drafter", []batched{draft, create}, 403, 1},
		{"drafter", []batched{draft, publish}, 403, 1},
		{"drafter", []batched{draft, change, remove}, 403, 2},
		{"drafter", []batched{chef, draft}, 403, 0},
		{"publisher", []batched{publish}, 200, -1},
		{"publisher", []batched{publish, draft}, 403, 1},
		{"creator", []batched{create, other}, 200, -1},
		{"creator", []batched{other}, 400, 0},
		{"creator", []batched{create, change}, 403, 1},
	} {
		before := h.send("full", "GET", "/api/dishes?status=draft", "").total()
		a := h.batch(test.as, test.requests...)
		if a.status != test.status {
			t.Errorf("%v by %q: %d %s", test.requests, test.as, a.status, a.body)
			continue
		}
		if test.status == 200 {
			continue
		}
		if at := a.fault(t); at != test.fault {
			t.Errorf("%v by %q: request %d is at fault, not %d: %s", test.requests, test.as, at, test.fault, a.body)
		}
		if after := h.send("full", "GET", "/api/dishes?status=draft", "").total(); after != before {
			t.Errorf("%v by %q: there were %s dishes, and there are %s", test.requests, test.as, before, after)
		}
	}
	a := h.batch("drafter", draft, batched{"method": "PUT", "url": "/api/dishes/" + soup + "?status=draft", "body": map[string]any{"data": map[string]any{"price": 3}}})
	if a.status != 200 || strings.Contains(a.body, "Soup") {
		t.Errorf("who may not read drafts: %d %s", a.status, a.body)
	}
	if a := h.batch("full", draft, change, publish, remove, chef); a.status != 200 {
		t.Errorf("who may do all: %d %s", a.status, a.body)
	}
}

// The body of a caller who may do no write at all is refused before it is read.
func TestABatchOfAStrangerIsNotRead(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"batchBytes": 1000}`)
	long := `{"requests": [` + strings.Repeat(" ", 2000) + `]}`
	if a := h.send("", "POST", "/api/_batch", long); a.status != 403 {
		t.Errorf("by nobody: %d %s", a.status, a.body)
	}
	if a := h.send("full", "POST", "/api/_batch", long); a.status != 413 {
		t.Errorf("beyond the bound: %d %s", a.status, a.body)
	}
}

// The requests of a batch share their limits. Beyond a limit, nothing is stored, and the
// error names the first request beyond it.
func TestWhatABatchMayTake(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"batchRequests": 30, "writeLinks": 10, "bodyBytes": 2000000, "urlBytes": 400}`)
	var cats []string
	for _, p := range h.batch("full", creating("/api/categories", 6, named)...).parts(t) {
		cats = append(cats, fmt.Sprint(p.Body.Data["documentId"]))
	}
	large := h.send("full", "POST", "/api/dishes", `{"data": {"name": "x", "description": "`+strings.Repeat("x", 900_000)+`"}}`)
	story := h.send("full", "POST", "/api/restaurants?status=draft", `{"data": {"name": "large", "story": "`+strings.Repeat("x", 900_000)+`"}}`)
	if story.status != 201 {
		t.Fatal(large.status, story.status, story.body)
	}
	copying := func(many int) (requests []batched) {
		for range many {
			requests = append(requests, batched{"method": "POST", "url": "/api/restaurants/" + story.documentID(t) + "/actions/duplicate"})
		}
		return requests
	}
	linked := func(i int) map[string]any { return map[string]any{"name": fmt.Sprint("l", i), "categories": cats} }
	before := h.send("full", "GET", "/api/restaurants?status=draft", "").total()
	for name, test := range map[string]struct {
		requests []batched
		status   int
		fault    int
	}{
		"requests":  {creating("/api/restaurants?status=draft", 31, named), 400, -1},
		"links":     {creating("/api/restaurants?status=draft", 3, linked), 400, 1},
		"passwords": {creating("/api/restaurants?status=draft", 20, func(int) map[string]any { return map[string]any{"name": "p", "door_code": "secret-1"} }), 400, 16},
		"a password": {creating("/api/restaurants?status=draft", 3, func(i int) map[string]any {
			return map[string]any{"name": "p", "door_code": strings.Repeat("x", 72+i/2)}
		}), 400, 2},
		"what stays":  {copying(20), 413, 13},
		"elements":    {[]batched{{"method": "POST", "url": "/api/restaurants", "body": map[string]any{"data": make([]int, 100_010)}}}, 413, -1},
		"a long URL":  {append(creating("/api/restaurants?status=draft", 1, named), batched{"method": "POST", "url": "/api/restaurants?fields=" + strings.Repeat("x", 400), "body": map[string]any{}}), 414, 1},
		"a long body": {append(creating("/api/restaurants?status=draft", 1, named), batched{"method": "POST", "url": "/api/restaurants", "body": map[string]any{"data": map[string]any{"story": strings.Repeat("x", 2_000_000)}}}), 413, 1},
	} {
		a := h.batch("full", test.requests...)
		if a.status != test.status || a.fault(t) != test.fault {
			t.Errorf("%s: %d %.500s", name, a.status, a.body)
		}
		if after := h.send("full", "GET", "/api/restaurants?status=draft", "").total(); after != before {
			t.Errorf("%s: there were %s restaurants, and there are %s", name, before, after)
		}
	}
	if a := h.batch("full", copying(10)...); a.status != 200 {
		t.Errorf("ten copies: %d %.500s", a.status, a.body)
	}
}

// References cannot make a batch larger than the body may be.
func TestReferencesDoNotMakeABatchLarge(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"batchBytes": 20000}`)
	long := strings.Repeat("x", 250)
	text := strings.Repeat("{{0.documentId}}", 200)
	a := h.batch("full", batched{"method": "DELETE", "url": "/api/dishes/x"}, batched{"method": "PUT", "url": "/api/dishes/" + long, "body": map[string]any{"data": map[string]any{}}},
		batched{"method": "POST", "url": "/api/dishes", "body": map[string]any{"data": map[string]any{"name": strings.ReplaceAll(text, "0.", "1.")}}})
	if a.status != 413 || a.fault(t) != 2 {
		t.Errorf("many references to a long name: %d %.300s", a.status, a.body)
	}
	a = h.batch("full", batched{"method": "PUT", "url": "/api/dishes/" + long + long, "body": map[string]any{"data": map[string]any{}}}, batched{"method": "DELETE", "url": "/api/dishes/{{0.documentId}}"})
	if a.status != 400 || !strings.Contains(a.body, "names no document that there can be") {
		t.Errorf("a name that is too long: %d %.300s", a.status, a.body)
	}
}

// If the responses are too large together, they show less and say so. Everything has been
// done.
func TestAnswersToABatchAreBounded(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"limits": {"responseBytes": 4000}`)
	parts := h.batch("full", creating("/api/categories?populate=*", 100, named)...).parts(t)
	if parts[0].Omitted != "" || parts[0].Body.Data["name"] != "n0" {
		t.Errorf("the first: %v", parts[0])
	}
	last := parts[len(parts)-1]
	if last.Omitted == "" || last.Body.Data["name"] != nil || last.Body.Data["documentId"] == nil || last.Status != 201 {
		t.Errorf("the last: %v", last)
	}
	if n := h.send("full", "GET", "/api/categories?pagination[pageSize]=1", "").total(); n != "100" {
		t.Errorf("there are %s categories", n)
	}
}

// Each request of a batch counts against the rate of its address.
func TestTheRateOfBatches(t *testing.T) {
	t.Parallel()
	h := openWith(t, `"rateLimit": {"max": 12, "interval": "24h"}`)
	if a := h.batch("full", creating("/api/categories", 13, named)...); a.status != 429 || !strings.Contains(a.body, "12 may come at once") {
		t.Errorf("more than may come at once: %d %s", a.status, a.body)
	}
	if a := h.batch("full", creating("/api/categories", 10, named)...); a.status != 200 {
		t.Errorf("as many as may: %d %s", a.status, a.body)
	}
	if a := h.batch("full", creating("/api/categories", 2, named)...); a.status != 429 || a.header.Get("Retry-After") == "" {
		t.Errorf("one more: %d %s", a.status, a.body)
	}
}

// openWithJournal is a sample site that is one of several nodes.
func openWithJournal(t *testing.T) *client {
	t.Helper()
	s, keys, _ := openNode(t, t.TempDir(), sampleSite(t), slog.New(slog.DiscardHandler), storetest.NewMemory())
	listener := httptest.NewServer(s.Handler())
	t.Cleanup(listener.Close)
	return &client{t, listener.URL, map[string]string{"full": createToken(t, keys, "full", auth.FullAccess)}}
}

// If a batch has more values or bytes than the journal accepts at once, it is refused,
// and nothing of it is stored.
func TestABatchThatAJournalDoesNotTake(t *testing.T) {
	t.Parallel()
	c := openWithJournal(t)
	one := "/api/restaurants/" + c.do("POST", "/api/restaurants", `{"data": {"name": "Hello"}}`).documentID(t)
	large := "/api/restaurants/" + c.do("POST", "/api/restaurants", `{"data": {"name": "Large", "story": "`+strings.Repeat("x", 900_000)+`"}}`).documentID(t)
	for _, locale := range []string{"fr", "it"} {
		c.do("PUT", one+"?locale="+locale, `{"data": {"name": "Hello"}}`)
	}
	changing := func(many int) (requests []batched) { // a shared value, in three locales
		for i := range many {
			requests = append(requests, batched{"method": "PUT", "url": one + "?locale=fr", "body": map[string]any{"data": map[string]any{"stars": i % 5}}})
		}
		return requests
	}
	copying := func(many int) (requests []batched) {
		for range many {
			requests = append(requests, batched{"method": "POST", "url": large + "/actions/duplicate?fields=id"})
		}
		return requests
	}
	before := [2]string{c.send("full", "GET", one, "").body, c.send("full", "GET", "/api/restaurants?status=draft&locale=*", "").total()}
	for name, test := range map[string]struct {
		requests []batched
		message  string
	}{
		"values": {append(creating("/api/categories", 10, named), changing(900)...), "more than can be written at once"},
		"bytes":  {append(creating("/api/categories", 10, named), copying(20)...), "send it in several"},
	} {
		a := c.batch("full", test.requests...)
		if a.status != 413 || a.Error.Name != "PayloadTooLargeError" || !strings.Contains(a.Error.Message, test.message) {
			t.Errorf("%s: %d %.300s", name, a.status, a.body)
		}
		after := [2]string{c.send("full", "GET", one, "").body, c.send("full", "GET", "/api/restaurants?status=draft&locale=*", "").total()}
		if n := c.send("full", "GET", "/api/categories", "").total(); after != before || n != "0" {
			t.Errorf("%s: something was stored: %s categories, %s restaurants", name, n, after[1])
		}
	}
	for name, requests := range map[string][]batched{"values": changing(20), "bytes": copying(5)} {
		if a := c.batch("full", requests...); a.status != 200 {
			t.Errorf("fewer %s: %d %.300s", name, a.status, a.body)
		}
	}
}

// A batch can have a thousand requests, and no more. The server reads no more of the body
// than the limit.
func TestTheSizeOfABatch(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*client{"alone": newClient(t), "one of several nodes": openWithJournal(t)} {
		a := c.batch("full", creating("/api/categories", 1001, named)...)
		if a.status != 400 || !strings.Contains(a.Error.Message, "more than 1000 requests") || a.fault(t) != -1 {
			t.Errorf("%s: 1,001 requests: %d %.300s", name, a.status, a.body)
		}
		long := creating("/api/categories", 1, named)
		long[0]["ifMatch"] = strings.Repeat("x", 5<<20)
		if a := c.batch("full", long...); a.status != 413 || a.Error.Name != "PayloadTooLargeError" {
			t.Errorf("%s: a body of 5 MiB: %d %.300s", name, a.status, a.body)
		}
		if n := c.send("full", "GET", "/api/categories", "").total(); n != "0" {
			t.Errorf("%s: there are %s categories", name, n)
		}
		if parts := c.batch("full", creating("/api/categories", 1000, named)...).parts(t); len(parts) != 1000 || parts[999].Body.Data["name"] != "n999" {
			t.Errorf("%s: %d answers", name, len(parts))
		}
	}
}

// If the responses take too long, they show only ids. The whole batch has been done.
func TestAnswersToABatchHaveATime(t *testing.T) {
	t.Parallel()
	c, _ := family(t, func(s *settings.Settings) { s.Limits.QueryTime = 1 })
	requests := creating("/api/categories?"+strings.TrimPrefix(inCircles, "pagination[pageSize]=100&"), 3, named)
	parent := c.list("full", "/api/categories?filters[name]=Parent").Data[0].DocumentID
	for _, r := range requests {
		r["body"].(map[string]any)["data"].(map[string]any)["parent"] = parent
	}
	parts := c.batch("full", requests...).parts(t)
	for i, p := range parts {
		if p.Status != 201 || p.Body.Data["documentId"] == nil || p.Version == 0 {
			t.Errorf("answer %d is %+v", i, p)
		}
	}
	if last := parts[2]; last.Omitted == "" || last.Body.Data["name"] != nil {
		t.Errorf("the last answer shows %+v", last)
	}
	if n := c.send("full", "GET", "/api/categories?pagination[pageSize]=1", "").total(); n != "44" {
		t.Errorf("there are %s categories", n)
	}
}
