package content

import (
	"strings"
	"testing"
	"testing/fstest"
)

// conditional is a site whose attributes are hidden by conditions: of a type with drafts, of
// one without, and of a component.
func conditional(t testing.TB) *fixture {
	const attributes = `
		"kind": {"type": "enumeration", "enum": ["text", "video"]},
		"address": {"type": "string", "required": true, "minLength": 5, "conditions": {"visible": {"==": [{"var": "kind"}, "video"]}}},
		"code": {"type": "string", "unique": true, "conditions": {"visible": {"==": [{"var": "kind"}, "video"]}}}`
	kind := func(name, more string) *fstest.MapFile {
		return file(`{"kind": "collectionType", "info": {"singularName": "` + name + `", "pluralName": "` + name + `s", "displayName": "X"}, ` + more + ` "attributes": {` + attributes + `,
			"parts": {"type": "component", "component": "a.part", "repeatable": true}}}`)
	}
	return newFixture(t, loadSite(t, fstest.MapFS{
		"src/components/a/part.json":                      file(`{"info": {"displayName": "Part"}, "attributes": {` + attributes + `}}`),
		"src/api/clip/content-types/clip/schema.json":     file(strings.Replace(string(kind("clip", `"options": {"draftAndPublish": true},`).Data), `"unique": true, `, "", 1)),
		"src/api/direct/content-types/direct/schema.json": kind("direct", ""),
	}))
}

// A required value that its condition hides may be missing, as in Strapi; one that is shown
// must be there before a draft is published.
func TestHiddenAttributesAreNotRequired(t *testing.T) {
	f := conditional(t)
	f.create("clip", `{"kind": "text"}`)
	f.create("clip", `{}`)
	f.create("clip", `{"kind": "text", "address": "x", "parts": [{"kind": "text"}]}`) // too short, and hidden
	for data, want := range map[string]string{
		`{"kind": "video"}`:                                                "address must be a `string` type",
		`{"kind": "video", "address": "x"}`:                                "address must be at least 5 characters",
		`{"parts": [{"kind": "video"}]}`:                                   "parts[0].address must be a `string` type",
		`{"parts": [{"kind": "text"}, {"kind": "video", "address": "x"}]}`: "parts[1].address must be at least",
	} {
		if _, err := f.tryCreate("clip", data); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v", data, err)
		}
	}
	id := f.create("clip", `{"kind": "video"}`, asDraft)
	if _, err := f.tryUpdate("clip", id, `{}`); err == nil {
		t.Error("a video without an address was published")
	}
	f.update("clip", id, `{"kind": "text"}`)
}

// Without drafts, the values of the body alone decide what is hidden, as in Strapi.
func TestTheBodyDecidesWhatIsHidden(t *testing.T) {
	f := conditional(t)
	id := f.create("direct", `{"kind": "video", "address": "abcde"}`)
	if _, err := f.tryCreate("direct", `{"kind": "video"}`); err == nil || !strings.Contains(err.Error(), "address must be defined.") {
		t.Errorf("a video without an address: %v", err)
	}
	if _, err := f.tryUpdate("direct", id, `{"kind": "video", "address": null}`); err == nil {
		t.Error("the address was removed")
	}
	f.update("direct", id, `{"address": null}`)
}

// A unique value stays unique while it is hidden.
func TestHiddenUniqueValues(t *testing.T) {
	f := conditional(t)
	f.create("direct", `{"kind": "text", "code": "a"}`)
	if _, err := f.tryCreate("direct", `{"kind": "text", "code": "a"}`); err == nil || !strings.Contains(err.Error(), NotUnique) {
		t.Errorf("a code twice: %v", err)
	}
}
