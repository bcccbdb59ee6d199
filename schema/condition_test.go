package schema_test

import (
	"encoding/json"
	"strings"
	"testing"

	"quire/schema"
)

// Each condition gives what json-logic-js 2.0.5 gives, which Strapi evaluates conditions with.
func TestConditions(t *testing.T) {
	values := map[string]any{
		"on": true, "off": false, "kind": "video", "stars": 3.0, "none": nil, "empty": "", "many": []any{"a"}, "no": []any{},
		"seo": map[string]any{"title": "T"}, "digits": "3",
	}
	tests := []struct {
		condition string
		want      bool
	}{
		{`{"==": [{"var": "on"}, true]}`, true},
		{`{"==": [{"var": "off"}, true]}`, false},
		{`{"==": [{"var": "missing"}, true]}`, false},
		{`{"!=": [{"var": "missing"}, true]}`, true},
		{`{"==": [{"var": "kind"}, "video"]}`, true},
		{`{"!=": [{"var": "kind"}, "video"]}`, false},
		{`{"==": [{"var": "none"}, null]}`, true},
		{`{"==": [{"var": "off"}, null]}`, false},
		{`{"==": [{"var": "digits"}, 3]}`, true},
		{`{"===": [{"var": "digits"}, 3]}`, false},
		{`{"==": [{"var": "on"}, 1]}`, true},
		{`{"==": [{"var": "many"}, {"var": "many"}]}`, false},
		{`{">": [{"var": "stars"}, 2]}`, true},
		{`{"<=": [{"var": "stars"}, 2]}`, false},
		{`{"<": [{"var": "kind"}, "z"]}`, true},
		{`{"in": [{"var": "kind"}, ["audio", "video"]]}`, true},
		{`{"in": ["vid", {"var": "kind"}]}`, true},
		{`{"in": ["b", {"var": "many"}]}`, false},
		{`{"and": [{"var": "on"}, {"!": [{"var": "off"}]}]}`, true},
		{`{"or": [{"var": "off"}, {"var": "no"}]}`, false},
		{`{"!!": [{"var": "empty"}]}`, false},
		{`{"!!": {"var": "many"}}`, true},
		{`{"!": {"var": "no"}}`, true},
		{`{"if": [{"var": "off"}, false, {"var": "on"}, true, false]}`, true},
		{`{"==": [{"var": "seo.title"}, "T"]}`, true},
		{`{"var": "seo"}`, true},
		{`true`, true},
	}
	for _, test := range tests {
		c, err := schema.ReadCondition(json.RawMessage(test.condition))
		if err != nil {
			t.Errorf("%s: %v", test.condition, err)
		} else if got := c.Holds(func(name string) any { return values[name] }); got != test.want {
			t.Errorf("%s is %v", test.condition, got)
		}
	}
}

// A condition that cannot be evaluated is a problem of the schema, at its place, before a
// write finds out.
func TestConditionsThatCannotBeEvaluated(t *testing.T) {
	for condition, message := range map[string]string{
		`{"map": [{"var": "tags"}, true]}`: `no operation "map"`,
		`{"==": [1, 2, 3]}`:                "another number of operands than 3",
		`{"==": [1, 1], "!=": [1, 2]}`:     "one operation",
		`{"var": 1}`:                       "name of an attribute",
		`{"var": ""}`:                      "name of an attribute",
		strings.Repeat(`{"!": `, 17) + "1" + strings.Repeat("}", 17): "at most 16 levels",
		`"` + strings.Repeat("x", 4<<10) + `"`:                       "at most 4096 bytes",
	} {
		got := problemsOf(t, folderOf(article("", `"title": {"type": "string", "conditions": {"visible": `+condition+`}}`)))
		if !strings.Contains(got, message) || !strings.Contains(got, "attributes.title.conditions.visible") {
			t.Errorf("%.60s: %s", condition, got)
		}
	}
}
