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

// guide is the site of the recordings.
func guide(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../../testdata/site")) }

// kitchen is a site with features that the guide lacks.
func kitchen(t testing.TB) *schema.Site { return loadSite(t, os.DirFS("../../testdata/kitchen")) }

// mapSite is a site with the type "one", which has drafts and the given attributes.
func mapSite(attributes string) fs.FS {
	return fstest.MapFS{"src/api/one/content-types/one/schema.json": {Data: []byte(`{"kind": "collectionType",
		"info": {"singularName": "one", "pluralName": "ones", "displayName": "One"},
		"options": {"draftAndPublish": true}, "attributes": {` + attributes + `}}`)}}
}

// pathsOf returns the wrong paths of an error, with dots. It fails for errors of
// another kind.
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
