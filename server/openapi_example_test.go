package server_test

import (
	"encoding/json"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"quire/auth"
	"quire/schema"
)

// strictSite has types that refuse nearly everything.
func strictSite(t *testing.T) *schema.Site {
	t.Helper()
	files := fstest.MapFS{
		"site.json": {Data: []byte(`{}`)},
		"src/api/strict/content-types/strict/schema.json": {Data: []byte(`{
			"kind": "collectionType", "info": {"singularName": "strict", "pluralName": "stricts", "displayName": "Strict"},
			"attributes": {
				"short": {"type": "string", "required": true, "maxLength": 2},
				"long": {"type": "string", "required": true, "minLength": 60, "maxLength": 61},
				"code": {"type": "string", "required": true, "regex": "^[A-Z]{3}-\\d{4,6}(x|y)$", "unique": true},
				"digits": {"type": "string", "required": true, "regex": "^\\d+$", "minLength": 20, "maxLength": 20},
				"ending": {"type": "text", "required": true, "regex": "!$", "minLength": 5},
				"mail": {"type": "email", "required": true, "unique": true, "minLength": 30},
				"brief_mail": {"type": "email", "required": true, "maxLength": 6},
				"Slug_": {"type": "uid", "required": true, "minLength": 10},
				"pass": {"type": "password", "required": true, "minLength": 12, "regex": "[A-Z].*[0-9]"},
				"few": {"type": "integer", "required": true, "min": 7, "max": 7},
				"less": {"type": "integer", "required": true, "max": -3, "unique": true},
				"part": {"type": "decimal", "required": true, "min": 0.125, "max": 0.135},
				"real": {"type": "float", "required": true, "min": -2.75, "max": -2.5},
				"big": {"type": "biginteger", "required": true, "min": "9007199254740993"},
				"small": {"type": "biginteger", "required": true, "max": "-9007199254740993", "unique": true},
				"flag": {"type": "boolean", "required": true},
				"one": {"type": "enumeration", "enum": ["the only one"], "required": true},
				"day": {"type": "date", "required": true, "unique": true},
				"at": {"type": "time", "required": true},
				"when": {"type": "datetime", "required": true},
				"stamp": {"type": "timestamp", "required": true},
				"any": {"type": "json", "required": true},
				"body": {"type": "blocks", "required": true},
				"prose": {"type": "richtext", "required": true, "minLength": 300},
				"photo": {"type": "media", "required": true, "allowedTypes": ["images"]},
				"next": {"type": "relation", "relation": "oneToOne", "target": "api::strict.strict", "required": true},
				"friends": {"type": "relation", "relation": "manyToMany", "target": "api::strict.strict"},
				"anything": {"type": "relation", "relation": "morphToMany"},
				"box": {"type": "component", "component": "deep.box", "required": true},
				"boxes": {"type": "component", "component": "deep.box", "repeatable": true, "required": true, "min": 4, "max": 5},
				"none": {"type": "component", "component": "deep.box", "repeatable": true, "max": 0},
				"zone": {"type": "dynamiczone", "components": ["deep.box", "deep.leaf"], "required": true, "min": 5}
			}}`)},
		"src/api/other/content-types/other/schema.json": {Data: []byte(`{
			"kind": "singleType", "info": {"singularName": "other", "pluralName": "others", "displayName": "Other"},
			"options": {"draftAndPublish": true},
			"attributes": {
				"box": {"type": "component", "component": "deep.box", "required": true},
				"strict": {"type": "relation", "relation": "oneToOne", "target": "api::strict.strict"}
			}}`)},
		"src/components/deep/box.json": {Data: []byte(`{
			"collectionName": "components_deep_boxes", "info": {"displayName": "Box"},
			"attributes": {
				"key": {"type": "string", "required": true, "unique": true, "maxLength": 6},
				"leaf": {"type": "component", "component": "deep.leaf", "required": true},
				"inner": {"type": "component", "component": "deep.box", "repeatable": true}
			}}`)},
		"src/components/deep/leaf.json": {Data: []byte(`{
			"collectionName": "components_deep_leaves", "info": {"displayName": "Leaf"},
			"attributes": {"mood": {"type": "enumeration", "enum": ["a", "b"], "required": true}, "file": {"type": "media", "multiple": true}}}`)},
	}
	site, err := schema.Load(files)
	check(t, err)
	return site
}

// examplesOf returns the examples of the bodies of content types, by method and path.
func examplesOf(t *testing.T, document []byte, types map[string]bool) map[string]string {
	t.Helper()
	var d struct {
		Paths map[string]map[string]struct {
			Tags        []string
			RequestBody struct {
				Content map[string]struct{ Example json.RawMessage }
			}
		}
	}
	check(t, json.Unmarshal(document, &d))
	examples := map[string]string{}
	for path, methods := range d.Paths {
		for method, o := range methods {
			if types[o.Tags[0]] && (method == "post" || method == "put") {
				examples[strings.ToUpper(method)+" "+path] = string(o.RequestBody.Content["application/json"].Example)
			}
		}
	}
	return examples
}

// The server accepts and publishes each example body of the description.
func TestExamplesAreTaken(t *testing.T) {
	t.Parallel()
	sites := map[string]*schema.Site{"strict": strictSite(t)}
	for _, folder := range []string{"../testdata/site", "../app/templates/guide", "../app/templates/blank", "../server/describe/testdata/odd", "testdata/docs"} {
		sites[folder] = siteIn(t, folder)
	}
	for name, site := range sites {
		t.Run(name, func(t *testing.T) {
			served, keys, _ := open(t, t.TempDir(), site, slog.New(slog.DiscardHandler))
			h, token := served.Handler(), createToken(t, keys, "full", auth.FullAccess)
			send := func(method, path, body string) *httptest.ResponseRecorder {
				r := httptest.NewRequest(method, path, strings.NewReader(body))
				r.Header.Set("Authorization", "Bearer "+token)
				r.Header.Set("Content-Type", "application/json")
				w := httptest.NewRecorder()
				h.ServeHTTP(w, r)
				return w
			}
			types := map[string]bool{}
			for ty := range site.Served() {
				types[ty.Singular] = true
			}
			examples := examplesOf(t, fetch(h, "/api/openapi.json", token, "").Body.Bytes(), types)
			for ty := range site.Served() {
				path, change := "/api/"+ty.Route(), "PUT /api/"+ty.Route()
				if ty.Kind == schema.Collection {
					w := send(http.MethodPost, path, examples["POST "+path])
					if w.Code != http.StatusCreated {
						t.Errorf("POST %s %s: %d %s", path, examples["POST "+path], w.Code, w.Body)
						continue
					}
					var made struct{ Data struct{ DocumentID string } }
					check(t, json.Unmarshal(w.Body.Bytes(), &made))
					path, change = path+"/"+made.Data.DocumentID, change+"/{documentId}"
				}
				if w := send(http.MethodPut, path, examples[change]); w.Code != http.StatusOK {
					t.Errorf("%s %s: %d %s", change, examples[change], w.Code, w.Body)
				}
			}
		})
	}
}

// The page shows the examples as text.
func TestDocsPageShowsExamples(t *testing.T) {
	t.Parallel()
	script, err := os.ReadFile("docs/reference.mjs")
	check(t, err)
	if !strings.Contains(string(script), "JSON.stringify(example") {
		t.Error("the page shows no examples")
	}
}
