package body

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
)

func loadSite(t testing.TB, fsys fs.FS) *schema.Site {
	t.Helper()
	site, err := schema.Load(fsys)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

// guide is the site that the recordings were made on.
func guide(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../../testdata/site")) }

// kitchen is a site with what the guide does not have.
func kitchen(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../../testdata/kitchen")) }

// mapSite is a site with one draft-and-publish type "one" of the given attributes.
func mapSite(attributes string) fs.FS {
	return fstest.MapFS{"src/api/one/content-types/one/schema.json": {Data: []byte(`{"kind": "collectionType",
		"info": {"singularName": "one", "pluralName": "ones", "displayName": "One"},
		"options": {"draftAndPublish": true}, "attributes": {` + attributes + `}}`)}}
}

// pathsOf are the paths at fault, dotted; it fails for errors of another kind.
func pathsOf(t testing.TB, err error) []string {
	t.Helper()
	var invalid *ValidationError
	if !errors.As(err, &invalid) {
		t.Fatalf("got error %v, want a ValidationError", err)
	}
	paths := []string{}
	for _, issue := range invalid.Issues {
		paths = append(paths, strings.Join(issue.Path, "."))
	}
	return paths
}
