package settings_test

import (
	"slices"
	"strings"
	"testing"
)

func TestProxy(t *testing.T) {
	s := readSettings(t, `{"proxy": {"/api/reserve": "http://127.0.0.1:4000", "/api/reserve/tables": "http://localhost:4001/", "/shop": "https://shop.example.org"}}`)
	got := []string{}
	for _, r := range s.Proxy {
		got = append(got, r.Prefix+" "+r.Target)
	}
	if want := []string{"/api/reserve/tables http://localhost:4001", "/api/reserve http://127.0.0.1:4000", "/shop https://shop.example.org"}; !slices.Equal(got, want) {
		t.Errorf("got %v", got)
	}
	for text, want := range map[string]string{
		`{"/": "http://127.0.0.1:4000"}`:              `"/" is not a path`,
		`{"/api/": "http://127.0.0.1:4000"}`:          `"/api/" is not a path`,
		`{"api/x": "http://127.0.0.1:4000"}`:          `"api/x" is not a path`,
		`{"/api/../x": "http://127.0.0.1:4000"}`:      `is not a path`,
		`{"/api//x": "http://127.0.0.1:4000"}`:        `is not a path`,
		`{"/api/%41": "http://127.0.0.1:4000"}`:       `is not a path`,
		`{"/api/:id": "http://127.0.0.1:4000"}`:       `is not a path`,
		`{"/api/x": "http://127.0.0.1:4000/base"}`:    "has a path or a query",
		`{"/api/x": "http://127.0.0.1:4000?a=b"}`:     "has a path or a query",
		`{"/api/x": "http://192.168.0.1:4000"}`:       "of a private network",
		`{"/api/x": "127.0.0.1:4000"}`:                "is not an address that begins with",
		`{"/api/x": 4000}`:                            "must be a text",
		`{"/api/x": "http://169.254.169.254/latest"}`: "of the local link",
	} {
		if _, err := tryToRead(`{"proxy": ` + text + `}`); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "proxy") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}
