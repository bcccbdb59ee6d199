package params

import (
	"errors"
	"reflect"
	"strings"
	"testing"
)

// Defaults in JSON and the query that asks for the same are one tree.
func TestFromJSONAgreesWithParse(t *testing.T) {
	tests := []struct{ json, query string }{
		{`{}`, ``},
		{`{"populate": "*"}`, `populate=*`},
		{`{"sort": ["name", "stars:desc"]}`, `sort[0]=name&sort[1]=stars:desc`},
		{`{"populate": {"chef": true, "cover": {"fields": ["url"]}}}`, `populate[chef]=true&populate[cover][fields][]=url`},
		{`{"filters": {"stars": {"$gt": 3.50}, "chef": null}}`, `filters[stars][$gt]=3.50&filters[chef]`},
		{`{"b": 1, "a": -12345678901234567890, "c": false, "d": ""}`, `b=1&a=-12345678901234567890&c=false&d=`},
		{`{"a": [["x"], [{"b": "y"}]]}`, `a[0][0]=x&a[1][0][b]=y`},
	}
	for _, test := range tests {
		got, err := FromJSON([]byte(test.json), Limits{})
		if err != nil {
			t.Errorf("%s: %v", test.json, err)
			continue
		}
		want, err := Parse(test.query, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(plain(got), plain(want)) || !reflect.DeepEqual(got.Keys, want.Keys) {
			t.Errorf("%s\n got %v\nwant %v", test.json, plain(got), plain(want))
		}
	}
}

// A default may be any value, such as the populate of one content type.
func TestFromJSONOfOneValue(t *testing.T) {
	for text, want := range map[string]any{`"*"`: "*", `null`: nil, `12`: "12", `["a", null]`: []any{"a", nil}} {
		got, err := FromJSON([]byte(text), Limits{})
		if err != nil {
			t.Errorf("%s: %v", text, err)
		} else if !reflect.DeepEqual(plain(got), want) {
			t.Errorf("%s: got %v", text, plain(got))
		}
	}
}

func TestFromJSONRefuses(t *testing.T) {
	list := func(n int) string { return `["x"` + strings.Repeat(`, "x"`, n-1) + `]` }
	deep := func(n int) string { return `{"p": ` + strings.Repeat("[", n) + `1` + strings.Repeat("]", n) + `}` }
	many := `{"a": [` + strings.Repeat(list(100)+", ", 10) + `"x"]}`
	tests := []struct{ json, param, message string }{
		{``, "", `The parameters are not valid JSON: unexpected EOF`},
		{`{"a": `, "", `The parameters are not valid JSON: unexpected EOF`},
		{`{"a": "b"`, "", `The parameters are not valid JSON: unexpected EOF`},
		{`{} {}`, "", `The parameters are not valid JSON: more than one value`},
		{`{"a": tru}`, "", `The parameters are not valid JSON: invalid character '}' in literal true (expecting 'e')`},
		{"\"\xff\"", "", `The parameters are not valid UTF-8`},
		{`{"a": {"b": 1, "c": 2, "b": 3}}`, "a", `The key "a[b]" is given twice`},
		{`{"a": {"b": [` + list(101) + `]}}`, "a", `The list at "a[b][0]" has more than 100 entries`},
		{deep(21), "p", `The key "p` + strings.Repeat("[0]", 20) + `" is nested deeper than 20 levels`},
		{many, "", `The query has more than 1000 parameters`},
	}
	for _, test := range tests {
		_, err := FromJSON([]byte(test.json), Limits{})
		var refused *ParamError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v, want a *ParamError", test.json, err)
		} else if refused.Param != test.param || refused.Message != test.message {
			t.Errorf("%s\n got %q: %s\nwant %q: %s", test.json, refused.Param, refused.Message, test.param, test.message)
		}
	}
	for _, text := range []string{list(100), deep(20)} {
		if _, err := FromJSON([]byte(text), Limits{}); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}
