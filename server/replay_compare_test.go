package server_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Values that no two servers share, by the shapes they have on every server.
var (
	timestamp  = regexp.MustCompile(`^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$`)
	documentID = regexp.MustCompile(`^[a-z0-9]{24}$`)
	fileHash   = regexp.MustCompile(`_[0-9a-f]{10}`)

	timestampKeys = []string{"createdAt", "updatedAt", "publishedAt", "firstPublishedAt"}
	mediaKeys     = []string{"hash", "url", "previewUrl", "size", "sizeInBytes", "path", "provider_metadata", "folderPath"}
	secretKeys    = []string{"jwt", "refreshToken"}
)

// savedLength is how long a saved text must be to be looked for in answers: the
// length of tokens and document ids, not of names.
const savedLength = 20

// place is where in an answer a value stands.
type place struct {
	key   string // of the object that holds it, or that holds its list
	keyed bool
	media bool // somewhere inside a stored file
}

// plain is the value with everything that servers need not share named by its
// kind, and with what was saved by its name.
func (s *session) plain(value any, at place) any {
	switch value := value.(type) {
	case map[string]any:
		at.media = at.media || isMedia(value)
		object := make(map[string]any, len(value))
		for key, item := range value {
			object[key] = s.plain(item, place{key, true, at.media})
		}
		return object
	case []any:
		list := make([]any, len(value))
		for i, item := range value {
			list[i] = s.plain(item, at)
		}
		return list
	case json.Number:
		if at.key == "id" && isInteger(value) {
			return "<id>"
		}
	}
	if at.media && value != nil && slices.Contains(mediaKeys, at.key) {
		return "<" + at.key + ">"
	}
	if text, ok := value.(string); ok {
		return s.plainText(text, at)
	}
	return value
}

// isMedia tells stored files and their formats from other objects.
func isMedia(object map[string]any) bool {
	_, hash := object["hash"]
	_, mime := object["mime"]
	_, url := object["url"]
	return hash && (mime || url)
}

func isInteger(n json.Number) bool { return !strings.ContainsAny(n.String(), ".eE") }

func (s *session) plainText(text string, at place) string {
	switch {
	case at.key == "url" && strings.HasPrefix(text, "/uploads/"):
		return "<url>"
	case slices.Contains(timestampKeys, at.key) && timestamp.MatchString(text):
		return "<timestamp>"
	case slices.Contains(secretKeys, at.key):
		return "<" + at.key + ">"
	}
	for _, name := range s.names {
		if saved, ok := s.saved[name].(string); ok && len(saved) >= savedLength {
			text = strings.ReplaceAll(text, saved, "{{"+name+"}}")
		}
	}
	switch {
	case documentID.MatchString(text) && (at.key == "documentId" || !at.keyed):
		return "<documentId>"
	case at.media && at.key == "name":
		return fileHash.ReplaceAllString(text, "_<hash>")
	}
	return text
}

// at follows a path such as "data.0.id"; it ends in nil where there is no way.
func at(value any, path string) any {
	for part := range strings.SplitSeq(path, ".") {
		switch holder := value.(type) {
		case map[string]any:
			value = holder[part]
		case []any:
			i, err := strconv.Atoi(part)
			if err != nil || i < 0 || i >= len(holder) {
				return nil
			}
			value = holder[i]
		default:
			return nil
		}
	}
	return value
}

// differences compares an answer with the recorded one. Of errors it compares
// what clients can rely on and no more than the recording names.
func differences(want, got any) []string {
	if _, isError := at(want, "error").(map[string]any); !isError {
		return difference(want, got, "body")
	}
	if _, isError := at(got, "error").(map[string]any); !isError {
		return []string{"body: " + short(got) + ", want an error"}
	}
	wanted, wantedPaths := essentials(want)
	given, givenPaths := essentials(got)
	maps.DeleteFunc(given, func(key string, _ any) bool {
		_, named := wanted[key]
		return !named
	})
	rows := difference(wanted, given, "body")
	for _, path := range wantedPaths {
		if !slices.Contains(givenPaths, path) {
			rows = append(rows, fmt.Sprintf("body.error.details.errors: no error at %q", path))
		}
	}
	return rows
}

// essentials are an error's data, status and name, the key that it refuses, and
// the paths of the attributes at fault.
func essentials(body any) (members map[string]any, paths []string) {
	members = map[string]any{"data": at(body, "data"), "status": at(body, "error.status"), "name": at(body, "error.name")}
	if details, _ := at(body, "error.details").(map[string]any); details != nil {
		if key, ok := details["key"]; ok {
			members["key"], members["source"] = key, details["source"]
		}
	}
	errors, _ := at(body, "error.details.errors").([]any)
	for _, each := range errors {
		var parts []string
		path, _ := at(each, "path").([]any)
		for _, part := range path {
			parts = append(parts, fmt.Sprint(part))
		}
		paths = append(paths, strings.Join(parts, "."))
	}
	return members, paths
}

// difference lists the places where two plain values differ.
func difference(want, got any, where string) []string {
	wantObject, ok1 := want.(map[string]any)
	gotObject, ok2 := got.(map[string]any)
	if ok1 && ok2 {
		return objectDifference(wantObject, gotObject, where)
	}
	wantList, ok1 := want.([]any)
	gotList, ok2 := got.([]any)
	switch {
	case ok1 && ok2 && len(wantList) != len(gotList):
		return []string{fmt.Sprintf("%s: %d items, want %d", where, len(gotList), len(wantList))}
	case ok1 && ok2:
		var rows []string
		for i := range wantList {
			rows = append(rows, difference(wantList[i], gotList[i], fmt.Sprintf("%s.%d", where, i))...)
		}
		return rows
	case sameScalar(want, got):
		return nil
	}
	return []string{fmt.Sprintf("%s: %s, want %s", where, short(got), short(want))}
}

func objectDifference(want, got map[string]any, where string) []string {
	var rows []string
	for _, key := range slices.Sorted(maps.Keys(want)) {
		if value, ok := got[key]; ok {
			rows = append(rows, difference(want[key], value, where+"."+key)...)
		} else {
			rows = append(rows, fmt.Sprintf("%s.%s: missing, want %s", where, key, short(want[key])))
		}
	}
	for _, key := range slices.Sorted(maps.Keys(got)) {
		if _, ok := want[key]; !ok {
			rows = append(rows, fmt.Sprintf("%s.%s: unexpected %s", where, key, short(got[key])))
		}
	}
	return rows
}

// sameScalar compares numbers by value: 1 is 1.0.
func sameScalar(want, got any) bool {
	a, ok1 := want.(json.Number)
	b, ok2 := got.(json.Number)
	if ok1 && ok2 {
		x, ok1 := new(big.Rat).SetString(a.String())
		y, ok2 := new(big.Rat).SetString(b.String())
		return ok1 && ok2 && x.Cmp(y) == 0
	}
	switch want.(type) {
	case map[string]any, []any:
		return false
	}
	switch got.(type) {
	case map[string]any, []any:
		return false
	}
	return want == got
}

// short is a value as JSON, cut to what fits in a line.
func short(value any) string {
	const most = 120
	text, err := encodeJSON(value)
	if err != nil {
		return err.Error()
	}
	if len(text) > most {
		return text[:most] + "…"
	}
	return text
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
		check(t, decodeJSON([]byte(test.want), &want))
		check(t, decodeJSON([]byte(test.got), &got))
		if rows := strings.Join(differences(want, got), "; "); rows != test.rows {
			t.Errorf("%s from %s\n got %s\nwant %s", test.got, test.want, rows, test.rows)
		}
	}
}

// What a session has saved, and what no two servers share, is named.
func TestPlain(t *testing.T) {
	s := session{saved: map[string]any{}}
	var former, answer any
	check(t, decodeJSON([]byte(`{"data": {"documentId": "abcdefghijklmnopqrstuvwx", "id": 7}}`), &former))
	s.keep("r", former)
	check(t, decodeJSON([]byte(`{
		"id": 7, "size": 7, "createdAt": "2024-01-02T03:04:05.678Z", "publishedAt": "yesterday", "jwt": "x",
		"documentId": "abcdefghijklmnopqrstuvwx", "name": "bcdefghijklmnopqrstuvwxy", "url": "/uploads/a.png",
		"other": {"documentId": "bcdefghijklmnopqrstuvwxy", "id": "7"},
		"cover": {"hash": "h", "mime": "m", "size": 1.5, "name": "wide_0123456789.jpg", "formats": {"small": {"path": null, "url": "u"}}}
	}`), &answer))
	want := `{"cover":{"formats":{"small":{"path":null,"url":"<url>"}},"hash":"<hash>","mime":"m","name":"wide_<hash>.jpg","size":"<size>"},` +
		`"createdAt":"<timestamp>","documentId":"{{r}}","id":"<id>","jwt":"<jwt>","name":"bcdefghijklmnopqrstuvwxy",` +
		`"other":{"documentId":"<documentId>","id":"7"},"publishedAt":"yesterday","size":7,"url":"<url>"}`
	got, err := encodeJSON(s.plain(answer, place{}))
	check(t, err)
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func encodeJSON(value any) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return strings.TrimSpace(b.String()), err
}
