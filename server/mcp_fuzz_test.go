package server_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// Whatever an assistant sends, the answer is one of the protocol, and no fault of the server.
func FuzzMCP(f *testing.F) {
	for _, seed := range []struct{ tool, arguments string }{
		{"describe", `{"type": "api::restaurant.restaurant"}`},
		{"find", `{"type": "api::restaurant.restaurant", "filters": {"$or": [{"name": {"$eq": "x"}}]}, "populate": "*", "sort": ["name:desc"], "page": 2}`},
		{"find", `{"type": "api::restaurant.restaurant", "aggregate": {"groupBy": "name", "max": ["stars"]}, "locale": "*"}`},
		{"get", `{"type": "api::homepage.homepage", "show": "history"}`},
		{"get", `{"type": "api::homepage.homepage", "attribute": "a.0.b", "from": -1}`},
		{"search", `{"text": "x\u0000", "types": ["api::chef.chef"], "most": 3}`},
		{"write", `{"items": [{"type": "api::chef.chef", "data": {"name": "A"}}, {"type": "api::homepage.homepage", "locale": "fr", "version": 0, "data": {"title": "{{0.documentId}}"}}]}`},
		{"act", `{"action": "publish", "items": [{"type": "api::homepage.homepage", "locale": "*"}], "at": "2030-01-01T00:00:00Z"}`},
		{"files", `{"action": "upload", "name": "../x", "data": "AAAA", "files": [{"id": 1}]}`},
	} {
		f.Add(seed.tool, []byte(seed.arguments))
	}
	site := sampleSite(f)
	limits := &site.Settings.MCP.Limits
	site.Settings.MCP.Enabled, limits.Calls, limits.Documents, limits.Bytes = true, 1<<30, 1<<30, 1<<40
	h, tokens := openTokens(f, f.TempDir(), site)
	f.Fuzz(func(t *testing.T, tool string, arguments []byte) {
		name, err := json.Marshal(tool)
		check(t, err)
		for _, token := range tokens {
			r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":`+string(name)+`,"arguments":`+string(arguments)+`}}`))
			r.Header.Set("Content-Type", "application/json")
			r.Header.Set("Accept", "*/*")
			r.Header.Set("Authorization", "Bearer "+token)
			w := httptest.NewRecorder()
			h.ServeHTTP(w, r)
			if body := w.Body.String(); w.Code >= 500 || !json.Valid(w.Body.Bytes()) || strings.Contains(body, "InternalServerError") || strings.Contains(body, `"code":-32603`) {
				t.Errorf("%s %s: %d %s", tool, arguments, w.Code, body)
			}
		}
	})
}
