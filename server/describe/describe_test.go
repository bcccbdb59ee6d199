package describe_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/server/describe"
)

var update = flag.Bool("update", false, "write the golden files anew")

// sites are those whose descriptions are kept as golden files.
var sites = map[string]string{"site": "../../testdata/site", "guide": "../../app/templates/guide", "odd": "testdata/odd"}

func load(t *testing.T, files fs.FS) *schema.Site {
	t.Helper()
	site, err := schema.Load(files)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// golden compares with a file of testdata.
func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s differs from what is described now; see what changed with: go test ./server/describe -update && git diff", file)
	}
}

func TestTypeScript(t *testing.T) {
	for name, folder := range sites {
		t.Run(name, func(t *testing.T) {
			golden(t, name+".ts", []byte(describe.TypeScript(load(t, os.DirFS(folder)))))
		})
	}
}

// contentRoutes are those of the content types of a site; anybody may read them.
func contentRoutes(site *schema.Site) []describe.Route {
	var routes []describe.Route
	for t := range site.Served() {
		add := func(method, path string, action schema.Action) {
			routes = append(routes, describe.Route{
				Method: method, Path: "/api/" + t.Route() + path, Type: t,
				Permission: t.UID + "." + string(action), Public: method == http.MethodGet,
			})
		}
		one := ""
		add(http.MethodGet, "", schema.Find)
		if t.Kind == schema.Collection {
			one = "/:documentId"
			add(http.MethodGet, "/_count", schema.Find)
			add(http.MethodGet, "/_aggregate", schema.Find)
			add(http.MethodPost, "", schema.Create)
			add(http.MethodGet, one, schema.FindOne)
		}
		add(http.MethodPut, one, schema.Update)
		add(http.MethodDelete, one, schema.Delete)
	}
	return routes
}

func TestOpenAPI(t *testing.T) {
	for name, folder := range sites {
		t.Run(name, func(t *testing.T) {
			site := load(t, os.DirFS(folder))
			golden(t, name+".json", indented(t, describe.OpenAPI(site, contentRoutes(site), describe.V5)))
		})
	}
}

func indented(t *testing.T, document []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, document, "", "  "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// Nobody reads private attributes and passwords; who may write them does.
func TestHiddenAttributesAreOnlyWritten(t *testing.T) {
	site := load(t, os.DirFS("../../testdata/site"))
	types := describe.TypeScript(site)
	var d struct {
		Components struct {
			Schemas    map[string]struct{ Properties map[string]json.RawMessage }
			Parameters map[string]json.RawMessage
		}
	}
	if err := json.Unmarshal(describe.OpenAPI(site, contentRoutes(site), describe.V5), &d); err != nil {
		t.Fatal(err)
	}
	for name, written := range map[string]bool{"Restaurant": false, "RestaurantFilters": false, "RestaurantCreate": true, "RestaurantUpdate": true} {
		properties := d.Components.Schemas[name].Properties
		for _, hidden := range []string{"secret_note", "door_code"} {
			if _, has := properties[hidden]; has != written || len(properties) < 20 {
				t.Errorf("%s of %d properties has %s: %v", name, len(properties), hidden, has)
			}
		}
	}
	for name, parameter := range d.Components.Parameters {
		if bytes.Contains(parameter, []byte("secret_note")) {
			t.Errorf("the parameter %s names secret_note", name)
		}
	}
	for _, block := range strings.Split(types, "\n\n") {
		if strings.Contains(block, "secret_note") != strings.Contains(block, "type RestaurantCreate ") {
			t.Errorf("secret_note and:\n%s", block)
		}
	}
}

func TestDescriptionsStayTheSame(t *testing.T) {
	for name, folder := range sites {
		first, second := load(t, os.DirFS(folder)), load(t, os.DirFS(folder))
		if describe.TypeScript(first) != describe.TypeScript(second) {
			t.Errorf("the types of %s differ from one run to the next", name)
		}
		a, b := describe.OpenAPI(first, contentRoutes(first), describe.V4), describe.OpenAPI(second, contentRoutes(second), describe.V4)
		if !bytes.Equal(a, b) {
			t.Errorf("the document of %s differs from one run to the next", name)
		}
	}
}

// An endpoint without a description of its own is described as far as its route allows.
func TestUnknownEndpointIsDescribed(t *testing.T) {
	site := load(t, os.DirFS("../../app/templates/blank"))
	document := string(describe.OpenAPI(site, []describe.Route{{Method: "POST", Path: "/api/things/:id", Permission: "plugin::things.thing.make"}}, describe.V5))
	for _, part := range []string{`"/api/things/{id}":{"post":`, `"operationId":"things/post/things_by_id"`, `"requestBody"`, `"security":[{"bearer":[]}]`, `"name":"id","in":"path"`} {
		if !strings.Contains(document, part) {
			t.Errorf("no %s in %s", part, document)
		}
	}
}

// A required attribute that a condition can hide may be null, in answers and in bodies.
func TestHiddenAttributesMayBeMissing(t *testing.T) {
	types := describe.TypeScript(load(t, fstest.MapFS{"src/api/clip/content-types/clip/schema.json": &fstest.MapFile{Data: []byte(`{"kind": "collectionType",
		"info": {"singularName": "clip", "pluralName": "clips", "displayName": "Clip"}, "attributes": {"always": {"type": "string", "required": true},
		"sometimes": {"type": "string", "required": true, "conditions": {"visible": {"==": [{"var": "always"}, "x"]}}}}}`)}}))
	for part, times := range map[string]int{"  always: string;": 2, "  sometimes: string | null;": 1, "  sometimes?: string | null;": 1} {
		if got := strings.Count(types, part); got != times {
			t.Errorf("%q is there %d times, not %d, in\n%s", part, got, times, types[:min(len(types), 3000)])
		}
	}
}
