package server_test

import (
	"encoding/json"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/server"
)

// FuzzServedSite: any site that loads and that the check of sites takes can be
// served, and its description is JSON.
func FuzzServedSite(f *testing.F) {
	const name = `{"info": {"singularName": "dish", "pluralName": "dishes"}, "attributes": {"name": {"type": "string", "default": "x"}}}`
	f.Add(name, `{}`)
	f.Add(`{"kind": "singleType", "info": {"singularName": "upload", "pluralName": "users"}, "attributes": {"a\"b": {"type": "enumeration", "enum": ["x\u0000"]}}}`, `{}`)
	f.Add(name, `{"defaults": {"api::a.dish": {"populate": {"a": {"b": 1}}, "sort": "name"}}, "roles": {"public": {"plugin::upload.content-api": ["find"]}}}`)
	f.Add(`{"info": {"singularName": "docs", "pluralName": "openapi"}, "attributes": {"all": {"type": "relation", "relation": "manyToMany", "target": "api::a.docs"}}}`, `{"cache": {"api::a.docs": "1s"}}`)
	f.Fuzz(func(t *testing.T, content, settings string) {
		site, err := schema.Load(fstest.MapFS{
			"src/api/a/content-types/a/schema.json": {Data: []byte(content)},
			"site.json":                             {Data: []byte(settings)},
		})
		if err != nil || server.CheckSite(site) != nil {
			return
		}
		if description := server.OpenAPI(site); !json.Valid(description) {
			t.Errorf("the description is no JSON: %s", description)
		}
		for _, r := range server.Routes(site) {
			if r.Method == "" || r.Path == "" || r.Path[0] != '/' || !r.Open && (r.Permission.UID == "" || r.Permission.Action == "") {
				t.Errorf("a route %+v", r)
			}
		}
	})
}
