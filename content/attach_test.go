package content

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"quire/content/body"
	"quire/store"
)

// gallery is a fixture with files, and with a restaurant that is published and has a
// different draft.
type gallery struct {
	*fixture
	restaurant string
	files      map[string]string // documentIds
}

func newGallery(t *testing.T) *gallery {
	t.Helper()
	g := &gallery{newFixture(t, guide(t)), "", map[string]string{}}
	for name, mime := range map[string]string{"a": "image/png", "b": "image/jpeg", "text": "text/plain"} {
		g.files[name] = g.create("file", fmt.Sprintf(`{"name": %q, "hash": %q, "mime": %q, "size": 1, "url": "/x", "provider": "local"}`, name, name, mime))
	}
	g.restaurant = g.create("restaurant", `{"name": "Published"}`)
	g.update("restaurant", g.restaurant, `{"name": "Drafted"}`, func(r *Request) { r.Status = store.Draft })
	return g
}

// attach attaches files. It returns what the draft and the published version show then:
// "a b / a b".
func (g *gallery) attach(field string, status store.Status, names ...string) (shown string, err error) {
	g.Helper()
	a := Attachment{Attribute: g.kind("restaurant").Attribute(field), DocumentID: g.restaurant, Status: status}
	for _, name := range names {
		a.Files = append(a.Files, g.files[name])
	}
	_, err = g.writer.CreateAll(g.Context(), nil, &a)
	draft, live := liveOf(g.restaurant, "en"), liveOf(g.restaurant, "en")
	draft.Status = store.Draft
	shown = g.links("restaurant", draft, field) + " / " + g.links("restaurant", live, field)
	for name, id := range g.files {
		shown = strings.ReplaceAll(shown, id, name)
	}
	return shown, err
}

func TestAttach(t *testing.T) {
	g := newGallery(t)
	for _, test := range []struct {
		field  string
		status store.Status
		files  []string
		want   string
	}{
		{"gallery", store.Published, []string{"a"}, "a / a"},
		{"gallery", store.Published, []string{"text", "b"}, "a text b / a text b"},
		{"gallery", store.Published, []string{"a"}, "text b a / text b a"},
		{"cover", store.Published, []string{"a"}, "a / a"},
		{"cover", store.Draft, []string{"b"}, "b / a"},
		{"cover", store.Published, []string{"b", "a"}, "a / a"},
		{"gallery", store.Draft, []string{"text"}, "b a text / text b a"},
	} {
		got, err := g.attach(test.field, test.status, test.files...)
		if err != nil || got != test.want {
			t.Errorf("%s %v: got %q, %v, want %q", test.field, test.files, got, err, test.want)
		}
	}
	draft, live := liveOf(g.restaurant, "en"), liveOf(g.restaurant, "en")
	draft.Status = store.Draft
	d, p := g.mustRead("restaurant", draft), g.mustRead("restaurant", live)
	if d.Value("name").Text != "Drafted" || p.Value("name").Text != "Published" {
		t.Error("something else was published on the way")
	}
	if d.UpdatedAt <= p.UpdatedAt {
		t.Error("the draft no longer counts as modified")
	}
}

// A draft that equals the published version still does so afterwards.
func TestAttachKeepsUnmodified(t *testing.T) {
	g := newGallery(t)
	g.update("restaurant", g.restaurant, `{"name": "Same"}`)
	if _, err := g.attach("cover", store.Published, "a"); err != nil {
		t.Fatal(err)
	}
	draft := liveOf(g.restaurant, "en")
	draft.Status = store.Draft
	if d, p := g.mustRead("restaurant", draft), g.mustRead("restaurant", liveOf(g.restaurant, "en")); d.UpdatedAt > p.UpdatedAt {
		t.Errorf("draft %d, published %d", d.UpdatedAt, p.UpdatedAt)
	}
}

func TestAttachRefuses(t *testing.T) {
	g := newGallery(t)
	var invalid *body.ValidationError
	if got, err := g.attach("cover", store.Published, "text"); !errors.As(err, &invalid) || got != " / " || strings.Join(invalid.Issues[0].Path, ".") != "cover" {
		t.Errorf("a text for a picture: %q, %v", got, err)
	}
	g.files["gone"] = "nobody"
	if got, err := g.attach("cover", store.Published, "gone"); !errors.As(err, &invalid) || got != " / " {
		t.Errorf("a file that is not there: %q, %v", got, err)
	}
	var missing *NotFoundError
	a := Attachment{Attribute: g.kind("restaurant").Attribute("cover"), DocumentID: g.restaurant, Locale: "fr", Files: []string{g.files["a"]}}
	if _, err := g.writer.CreateAll(g.Context(), nil, &a); !errors.As(err, &missing) {
		t.Errorf("a locale that the document does not have: %v", err)
	}
	a.Locale = "xx"
	if _, err := g.writer.CreateAll(g.Context(), nil, &a); !errors.As(err, &invalid) {
		t.Errorf("a locale that the site does not have: %v", err)
	}
}

// CreateAll creates all documents or none.
func TestCreateAll(t *testing.T) {
	g := newGallery(t)
	to := &Attachment{Attribute: g.kind("restaurant").Attribute("gallery"), DocumentID: g.restaurant}
	file := func(name string) Request {
		in, err := body.Decode(g.site, g.kind("file"), json.RawMessage(fmt.Sprintf(`{"name": %q, "hash": "h", "mime": "image/png", "size": 1, "url": "/x", "provider": "local"}`, name)), nil)
		must(t, err)
		return Request{Type: g.kind("file"), Input: in}
	}
	files := func() int { return g.index.Snapshot().Table(g.kind("file"), store.Published).Len() }
	before := files()
	taken := file("y")
	taken.DocumentID = g.files["a"]
	if _, err := g.writer.CreateAll(t.Context(), []Request{file("x"), taken}, to); err == nil || files() != before {
		t.Errorf("with one that is refused: %v, there are %d files and were %d", err, files(), before)
	}
	nobody := *to
	nobody.DocumentID = "nobody"
	if _, err := g.writer.CreateAll(t.Context(), []Request{file("x")}, &nobody); err == nil || files() != before {
		t.Errorf("attached to nothing: %v, there are %d files and were %d", err, files(), before)
	}
	results, err := g.writer.CreateAll(t.Context(), []Request{file("x"), file("y")}, to)
	if err != nil || len(results) != 2 {
		t.Fatal(results, err)
	}
	g.files["x"], g.files["y"] = results[0].DocumentID, results[1].DocumentID
	if shown, err := g.attach("gallery", store.Published, "a"); err != nil || shown != "x y a / x y a" {
		t.Errorf("the gallery shows %s, %v", shown, err)
	}
}

// An operation takes its own documents into account: it does not store a unique value
// or a documentId twice.
func TestCreateAllSeesItsOwnChanges(t *testing.T) {
	f := newFixture(t, loadSite(t, fstest.MapFS{
		"src/components/part/code.json": file(`{"info": {"displayName": "Code"}, "attributes": {"number": {"type": "integer", "unique": true}}}`),
		"src/api/note/content-types/note/schema.json": file(`{"kind": "collectionType",
			"info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"},
			"options": {"draftAndPublish": true}, "attributes": {
			"title": {"type": "string", "unique": true}, "code": {"type": "component", "component": "part.code"}}}`),
		"src/api/front/content-types/front/schema.json": file(`{"kind": "singleType",
			"info": {"singularName": "front", "pluralName": "fronts", "displayName": "Front"}, "attributes": {"title": {"type": "string"}}}`),
	}))
	ask := func(kind, body string, options ...func(*Request)) Request {
		r, err := f.ask(kind, body)
		must(t, err)
		for _, o := range options {
			o(&r)
		}
		return r
	}
	for _, c := range []struct {
		name     string
		requests []Request
		want     string
	}{
		{"a value", []Request{ask("note", `{"title": "a"}`), ask("note", `{"title": "a"}`)}, NotUnique},
		{"a value in a component", []Request{ask("note", `{"code": {"number": 1}}`), ask("note", `{"code": {"number": 1}}`)}, NotUnique},
		{"a documentId", []Request{ask("note", `{"title": "a"}`, called("x")), ask("note", `{"title": "b"}`, called("x"))}, "already has the document x"},
		{"the document of a single type", []Request{ask("front", `{"title": "a"}`, called("x")), ask("front", `{"title": "b"}`, called("y"))}, "already has the document x"},
		{"another value", []Request{ask("note", `{"title": "a", "code": {"number": 1}}`), ask("note", `{"title": "b", "code": {"number": 2}}`)}, ""},
		{"a draft", []Request{ask("note", `{"title": "c"}`), ask("note", `{"title": "c"}`, asDraft)}, ""},
	} {
		before := f.index.Snapshot().Table(f.kind("note"), store.Draft).Len()
		_, err := f.writer.CreateAll(t.Context(), c.requests, nil)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
		if after := f.index.Snapshot().Table(f.kind("note"), store.Draft).Len(); c.want != "" && after != before {
			t.Errorf("%s: there are %d notes and were %d", c.name, after, before)
		}
	}
}
