package server

import (
	"strings"
	"testing"
	"testing/fstest"

	"quire/documents"
	"quire/query/params"
	"quire/schema"
)

func TestWithDefaults(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ requested, defaults, want string }{
		{"", `{"sort": "a", "populate": ["b"]}`, `{"sort":"a","populate":["b"]}`},
		{"sort=x", `{"sort": "a", "fields": "b"}`, `{"sort":"x","fields":"b"}`},
		{"populate[x][fields]=y", `{"populate": "*"}`, `{"populate":{"x":{"fields":"y"}}}`},
		{"sort", `{"sort": "a"}`, `{"sort":null}`},
		{"pagination[page]=2", `{"pagination": {"pageSize": 50}}`, `{"pagination":{"page":"2","pageSize":"50"}}`},
		{"pagination[pageSize]=5", `{"pagination": {"pageSize": 50}}`, `{"pagination":{"pageSize":"5"}}`},
		{"pagination[start]=2", `{"pagination": {"pageSize": 50}}`, `{"pagination":{"start":"2"}}`},
		{"pagination[page]=2", `{"pagination": {"limit": 50}}`, `{"pagination":{"page":"2"}}`},
		{"pagination=x", `{"pagination": {"limit": 50}}`, `{"pagination":"x"}`},
		{"pagination[after]=", `{"pagination": {"page": 2, "pageSize": 50}}`, `{"pagination":{"after":"","pageSize":"50"}}`},
		{"pagination[after]=c&pagination[limit]=5", `{"pagination": {"limit": 50, "start": 7, "withCount": false}}`, `{"pagination":{"after":"c","limit":"5","withCount":"false"}}`},
	} {
		requested, err := params.Parse(test.requested, params.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		defaults, err := params.FromJSON([]byte(test.defaults), params.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		before := string(valueOf(defaults).JSON())
		if got := string(valueOf(documents.WithDefaults(requested, defaults)).JSON()); got != test.want {
			t.Errorf("%s with %s: %s, want %s", test.requested, test.defaults, got, test.want)
		}
		if after := string(valueOf(defaults).JSON()); after != before {
			t.Errorf("the defaults became %s", after)
		}
	}
}

func TestDefaultsAreCheckedAgainstTheSchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ defaults, want string }{
		{`{"api::dish.dish": {"sort": ["name"], "fields": ["name"], "pagination": {"pageSize": 5}}}`, ""},
		{`{"api::dish.dish": {"sort": ["name"], "find": {"fields": ["name"]}, "findOne": {"sort": ["id"]}}}`, ""},
		{`{"api::dish.dish": {"findOne": {"populate": {"zzz": true}}}}`, "defaults of api::dish.dish: Invalid key zzz"},
		{`{"api::dish.dish": {"find": {"fields": ["zzz"]}}}`, "defaults of api::dish.dish: Invalid key zzz"},
		{`{"api::dish.dish": {"sort": ["zzz"]}}`, "defaults of api::dish.dish: Invalid key zzz"},
		{`{"api::dish.dish": {"populate": {"zzz": true}}}`, "defaults of api::dish.dish: Invalid key zzz"},
	} {
		site, err := schema.Load(fstest.MapFS{
			"src/api/dish/content-types/dish/schema.json": {Data: []byte(`{"kind": "collectionType",
				"info": {"singularName": "dish", "pluralName": "dishes", "displayName": "Dish"},
				"attributes": {"name": {"type": "string"}}}`)},
			"site.json": {Data: []byte(`{"defaults": ` + test.defaults + `}`)},
		})
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, err := range CheckSite(site) {
			got = append(got, err.Error())
		}
		if strings.Join(got, "; ") != test.want {
			t.Errorf("%s: %q, want %q", test.defaults, got, test.want)
		}
	}
}
