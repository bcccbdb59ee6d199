package edit

import (
	"encoding/json"
	"testing"
)

// A setting changes its place in a file, and nothing around it; objects on the way come to
// be. A file that says the same already stays the same to the byte.
func TestSet(t *testing.T) {
	settings := []Setting{
		{[]string{"rest", "maxLimit"}, json.RawMessage(`50`)},
		{[]string{"defaults", "api::a.a", "populate"}, json.RawMessage(`{"b":true}`)},
	}
	for before, want := range map[string]string{
		"": "{\n  \"rest\": {\n    \"maxLimit\": 50\n  },\n  \"defaults\": {\n    \"api::a.a\": {\n      \"populate\": {\n        \"b\": true\n      }\n    }\n  }\n}\n",
		"{ \"z\": [1,  2], \"rest\": { \"maxLimit\": 9, \"x\": {} } }":               "{\n  \"z\": [1,  2],\n  \"rest\": {\n    \"maxLimit\": 50,\n    \"x\": {}\n  },\n  \"defaults\": {\n    \"api::a.a\": {\n      \"populate\": {\n        \"b\": true\n      }\n    }\n  }\n}\n",
		`{"rest":{"maxLimit": 50},"defaults":{"api::a.a":{"populate":{"b": true}}}}`: `{"rest":{"maxLimit": 50},"defaults":{"api::a.a":{"populate":{"b": true}}}}`,
	} {
		got, err := Set([]byte(before), settings)
		if err != nil || string(got) != want {
			t.Errorf("%s became %s, %v", before, got, err)
		}
	}
	for _, broken := range []string{"[]", "{", "null", "x"} {
		if _, err := Set([]byte(broken), settings); err == nil {
			t.Errorf("%s was changed", broken)
		}
	}
}
