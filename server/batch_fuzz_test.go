package server_test

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"
)

// counted are the lists whose totals show what a batch has created or deleted.
var counted = []string{"chefs", "categories", "restaurants", "reviews", "dishes"}

// totals returns the numbers of entries.
func (s *fuzzedSite) totals(t *testing.T) (all string) {
	t.Helper()
	for _, plural := range counted {
		for _, status := range []string{"draft", "published"} {
			_, total, _ := strings.Cut(string(s.must(t, "GET", "/api/"+plural+"?fields=id&locale=*&pagination[pageSize]=1&status="+status, "")), `"total":`)
			all += total
		}
	}
	return all
}

// FuzzBatch: a batch is done or refused as a whole. A refused one leaves the number of
// entries unchanged, and its error names an existing request, or the list. A completed
// one has a response for each request.
func FuzzBatch(f *testing.F) {
	const create = `{"method":"POST","url":"/api/categories","body":{"data":{"name":"a","code":2}}}`
	for i, seed := range []string{
		`{"requests":[` + create + `]}`,
		`{"requests":[{"method":"POST","url":"/api/chefs?status=draft","body":{"data":{"name":"b"}}},{"method":"POST","url":"/api/chefs/{{0.documentId}}/actions/publish?populate=*"}]}`,
		`{"requests":[` + create + `,{"method":"PUT","url":"/api/categories/{{0.documentId}}?fields=name","body":{"data":{"name":"{{0.documentId}}"}},"ifMatch":1},` + create + `]}`,
		`{"requests":[{"method":"POST","url":"/api/dishes?locale=fr","body":{"data":{"name":"c"}}},{"method":"DELETE","url":"/api/dishes/{{0.documentId}}?locale=*"},{"method":"PUT","url":"/api/homepage","body":{"data":{}}}]}`,
		`{"requests":[{"method":"POST","url":"/api/restaurants","body":{"data":{"name":"d","opening_hours":[{"day":"mon"}]}}},{"method":"POST","url":"/api/restaurants/{{0.documentId}}/actions/duplicate","body":{}}]}`,
		`{"requests":[{"method":"GET","url":"//x/api/y#z"},{"method":"POST","url":"/api/_batch"},{"METHOD":null}],"x":"\u007b{1.id}}"}`,
	} {
		f.Add([]byte(seed), uint8(i+1))
	}
	site := openFuzzed(f)
	before := ""
	f.Fuzz(func(t *testing.T, body []byte, caller uint8) {
		if before == "" {
			before = site.totals(t)
		}
		r := site.request(1, "/api/_batch", "", body, caller)
		w := httptest.NewRecorder()
		site.handler.ServeHTTP(w, r)
		checkAnswer(t, r, w, string(body))
		after := site.totals(t)
		var sent struct{ Requests []json.RawMessage }
		known := json.Unmarshal(body, &sent) == nil
		switch {
		case w.Code >= 400 && after != before:
			t.Errorf("what was refused has changed something: %s", w.Body)
		case w.Code >= 400:
			a := &answer{status: w.Code, header: w.Header(), body: w.Body.String()}
			a.checkEnvelope(t, "a batch")
			if at := a.fault(t); known && at >= len(sent.Requests) {
				t.Errorf("request %d of %d is at fault: %s", at, len(sent.Requests), a.body)
			}
		default:
			a := &answer{status: w.Code, body: w.Body.String()}
			if parts := a.parts(t); known && len(parts) != len(sent.Requests) {
				t.Errorf("%d answers to %d requests: %s", len(parts), len(sent.Requests), a.body)
			}
			site.writes++
		}
		if before = after; site.writes >= mostWrites {
			site.empty(t)
			site.fill(t)
			site.writes, before = 0, ""
		}
	})
}
