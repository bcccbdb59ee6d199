package replay

import (
	"strings"
	"testing"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// A comparison that finds nothing would let every suite pass.
func TestDifferences(t *testing.T) {
	tests := []struct{ want, got, rows string }{
		{`{"data": [1, "a", null]}`, `{"data": [1.0, "a", null]}`, ``},
		{`{"a": 1, "b": 2}`, `{"b": 2, "a": 1}`, ``},
		{`{"data": 1}`, `{"data": "1"}`, `body.data: "1", want 1`},
		{`{"data": 1}`, `{"data": true}`, `body.data: true, want 1`},
		{`{"data": null}`, `{"data": {}}`, `body.data: {}, want null`},
		{`{"data": []}`, `{"data": {}}`, `body.data: {}, want []`},
		{`{"data": [1]}`, `{"data": [1, 2]}`, `body.data: 2 items, want 1`},
		{`{"data": {"a": [[0]]}}`, `{"data": {"b": 2}}`, `body.data.a: missing, want [[0]]; body.data.b: unexpected 2`},
		{`null`, `{}`, `body: {}, want null`},
		{`{"error": {"status": 404, "name": "N", "message": "x"}}`, `{"data": null, "error": {"status": 404, "name": "N", "message": "y"}}`, ``},
		{`{"error": {"status": 404, "name": "N"}}`, `{"data": null, "error": {"status": 400, "name": "N"}}`, `body.status: 400, want 404`},
		{`{"error": {"status": 404}}`, `{"data": {}}`, `body: {"data":{}}, want an error`},
		{`{"error": {"details": {"key": "k", "source": "query"}}}`, `{"error": {"details": {"key": "z", "source": "query"}}}`, `body.key: "z", want "k"`},
		{`{"error": {"details": {"key": "k"}}}`, `{"error": {}}`, `body.key: missing, want "k"; body.source: missing, want null`},
		{`{"error": {}}`, `{"error": {"details": {"key": "k", "source": "body"}}}`, ``},
		{`{"error": {"details": {"errors": [{"path": ["a", "0"]}]}}}`, `{"error": {"details": {"errors": [{"path": ["a", "0"]}, {"path": ["b"]}]}}}`, ``},
		{`{"error": {"details": {"errors": [{"path": ["a"]}, {"path": []}]}}}`, `{"error": {"details": {"errors": [{"path": ["b"]}]}}}`, `body.error.details.errors: no error at "a"; body.error.details.errors: no error at ""`},
	}
	for _, test := range tests {
		var want, got any
		check(t, Decode([]byte(test.want), &want))
		check(t, Decode([]byte(test.got), &got))
		if rows := strings.Join(differences(want, got), "; "); rows != test.rows {
			t.Errorf("%s from %s\n got %s\nwant %s", test.got, test.want, rows, test.rows)
		}
	}
}

// What a session has saved, and what no two servers share, is named.
func TestPlain(t *testing.T) {
	s := Session{saved: map[string]any{}}
	var former, answer any
	check(t, Decode([]byte(`{"data": {"documentId": "abcdefghijklmnopqrstuvwx", "id": 7}}`), &former))
	s.Keep("r", former)
	check(t, Decode([]byte(`{
		"id": 7, "size": 7, "createdAt": "2024-01-02T03:04:05.678Z", "publishedAt": "yesterday", "jwt": "x",
		"documentId": "abcdefghijklmnopqrstuvwx", "name": "bcdefghijklmnopqrstuvwxy", "url": "/uploads/a.png",
		"other": {"documentId": "bcdefghijklmnopqrstuvwxy", "id": "7"},
		"cover": {"hash": "h", "mime": "m", "size": 1.5, "name": "wide_0123456789.jpg", "formats": {"small": {"path": null, "url": "u"}}}
	}`), &answer))
	want := `{"cover":{"formats":{"small":{"path":null,"url":"<url>"}},"hash":"<hash>","mime":"m","name":"wide_<hash>.jpg","size":"<size>"},` +
		`"createdAt":"<timestamp>","documentId":"{{r}}","id":"<id>","jwt":"<jwt>","name":"bcdefghijklmnopqrstuvwxy",` +
		`"other":{"documentId":"<documentId>","id":"<id in text>"},"publishedAt":"yesterday","size":7,"url":"<url>"}`
	got, err := encodeJSON(s.plain(answer, valuePath{}))
	check(t, err)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
