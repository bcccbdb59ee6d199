package describe

import (
	"testing"
	"testing/fstest"

	"quire/schema"
)

// Where no value is known to be taken there is no example, rather than a wrong one.
// What is optional is left out.
func TestNoExampleIsBetterThanAWrongOne(t *testing.T) {
	for attributes, want := range map[string]string{
		`"a": {"type": "string", "required": true, "regex": "^x$", "minLength": 2}`:                     ``,
		`"a": {"type": "string", "required": true, "regex": "^\\bz\\B$"}`:                               ``,
		`"a": {"type": "string", "regex": "^x$", "minLength": 2}, "b": {"type": "boolean"}`:             `{"data":{"b":true}}`,
		`"a": {"type": "integer", "required": true, "min": 4.2, "max": 4.8}`:                            ``,
		`"a": {"type": "decimal", "min": 0.121, "max": 0.129}, "b": {"type": "string", "maxLength": 1}`: `{"data":{"b":"b"}}`,
		`"a": {"type": "string", "required": true, "regex": "^((((a*)*)*)*)*$", "minLength": 2}`:        `{"data":{"a":"aa"}}`,
	} {
		site := load(t, fstest.MapFS{"src/api/a/content-types/a/schema.json": {Data: []byte(
			`{"kind": "collectionType", "info": {"singularName": "a", "pluralName": "as", "displayName": "A"}, "attributes": {` + attributes + `}}`)}})
		made := newDocument(site).exampleOf(site.Type("api::a.a"))
		var got string
		if made != nil {
			got = string(appendJSON(nil, made))
		}
		if got != want {
			t.Errorf("%s: %s, want %s", attributes, got, want)
		}
	}
}

func load(t *testing.T, files fstest.MapFS) *schema.Site {
	t.Helper()
	site, err := schema.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return site
}
