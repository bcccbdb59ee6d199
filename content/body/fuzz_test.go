package body

import (
	"encoding/json"
	"errors"
	"testing"

	"quire/schema"
	"quire/store"
)

// FuzzDecode decodes any bytes as the data of a body. Decode must end without a panic,
// must describe what is wrong, and may accept only values of the kinds in the schema.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		`{"name": "x", "stars": "3", "rating": 1.005, "seats": "9007199254740993", "vegan": "t", "founded": "2020-02-29", "opens_at": "10:30:00.100", "inspected_at": 1582970400000}`,
		`{"meta": "{\"a\": [1, null]}", "description": [{"type": "list", "format": "ordered", "children": [{"type": "list-item", "children": [{"type": "text", "text": "a"}]}]}]}`,
		`{"sections": [{"__component": "section.related", "restaurants": {"connect": [{"documentId": "x", "position": {"before": 5}}]}, "links": [{"id": 1, "label": "l"}]}, null]}`,
		`{"categories": {"set": [1, "x", null, {"id": "5"}], "options": {"strict": false}}, "chef": {}, "location": {"geo": {"lat": 91}}}`,
		`{"about": [{"documentId": "x", "__type": "api::note.note", "locale": "fr"}], "specs": [{"parts": [{"parts": [{}]}]}], "count": 1e400, "secret": "\u0000"}`,
		`[]`, `null`, `{`, "{\"name\": \"\xff\"}", `{"name": "\ud800"}`,
	} {
		f.Add([]byte(body))
	}
	guide, kitchen := guide(f), kitchen(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		fuzzDecode(t, guide, "api::restaurant.restaurant", data)
		fuzzDecode(t, kitchen, "api::thing.thing", data)
	})
}

func fuzzDecode(t *testing.T, site *schema.Site, uid string, data []byte) {
	in, err := Decode(site, site.Type(uid), data, nil)
	var invalid *ValidationError
	var key *KeyError
	switch {
	case errors.As(err, &invalid):
		if invalid.Error() == "" {
			t.Error("an error without a message")
		}
		for _, issue := range invalid.Issues {
			if issue.Message == "" || issue.Value != nil && !json.Valid(issue.Value) {
				t.Errorf("an issue without a message or with a broken value: %+v", issue)
			}
		}
	case errors.As(err, &key):
		if site.Type(uid).Attribute(key.Key) != nil && key.Path == "" && key.Fault == UnknownKey {
			t.Errorf("%s is an attribute", key.Key)
		}
	case err != nil:
		t.Errorf("an error of another kind: %v", err)
	default:
		checkInput(t, in)
	}
}

func checkInput(t *testing.T, in *Input) {
	_ = each(in.Given, Path{}, func(g *Given, at Path) error {
		a := g.Attribute
		switch {
		case a.Relation != nil:
			if g.Links == nil {
				t.Errorf("%s has no links", at)
			}
		case a.IsScalar():
			if k := g.Scalar.Kind; k != store.Null && k != scalars[a.Kind].kind {
				t.Errorf("%s has a value of kind %d", at, k)
			}
			if raw := AsJSON(a, g.Scalar); raw != nil && !json.Valid(raw) {
				t.Errorf("%s would read as %s", at, raw)
			}
		case !a.IsList() && len(g.Instances) > 1:
			t.Errorf("%s holds %d instances", at, len(g.Instances))
		}
		return nil
	})
}
