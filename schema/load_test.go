package schema_test

import (
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/schema/source"
)

var update = flag.Bool("update", false, "write the problems that are found into testdata/broken")

// Each file in testdata/broken is a site folder in one file, "-- path --" lines
// before each file in it, and ends with the problems that Load reports; if there are none, with its
// notes.
func TestLoadReportsEveryProblem(t *testing.T) {
	files, err := filepath.Glob("testdata/broken/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal("no broken sites found", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			site, want := readBroken(t, file)
			got := problemsOf(t, site) + "\n"
			if *update {
				writeBroken(t, file, got)
				return
			}
			if got != want {
				t.Errorf("got:\n%s\nwant:\n%s", got, want)
			}
		})
	}
}

const problemsMark = "-- problems --\n"

func readBroken(t *testing.T, file string) (site fstest.MapFS, problems string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, problems, _ := strings.Cut(string(data), problemsMark)
	return folderOf(folder), problems
}

func writeBroken(t *testing.T, file, problems string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	folder, _, _ := strings.Cut(string(data), problemsMark)
	if err := os.WriteFile(file, []byte(folder+problemsMark+problems), 0o644); err != nil {
		t.Fatal(err)
	}
}

// folderOf makes a folder of a text with a "-- path --" line before each file.
func folderOf(text string) fstest.MapFS {
	folder := fstest.MapFS{}
	var file *fstest.MapFile
	for line := range strings.Lines(text) {
		name, marked := strings.CutPrefix(strings.TrimSuffix(line, " --\n"), "-- ")
		switch {
		case marked:
			file = &fstest.MapFile{}
			folder[name] = file
		case file != nil:
			file.Data = append(file.Data, line...)
		}
	}
	return folder
}

func problemsOf(t *testing.T, folder fs.FS) string {
	t.Helper()
	site, err := schema.Load(folder)
	var problems *source.Problems
	if err == nil {
		problems = &source.Problems{List: site.Notes}
	} else if !errors.As(err, &problems) {
		t.Fatalf("want *Problems, got site %v, error %v", site != nil, err)
	}
	for _, p := range problems.List {
		if p.File == "" || p.Message == "" || p.Fix == "" {
			t.Errorf("incomplete problem: %#v", p)
		}
	}
	return problems.Error()
}

func mustLoad(t *testing.T, folder fs.FS) *schema.Site {
	t.Helper()
	site, err := schema.Load(folder)
	if err != nil {
		t.Fatal(err)
	}
	return site
}

func TestEmptyFolderIsNoSite(t *testing.T) {
	got := problemsOf(t, fstest.MapFS{})
	if !strings.Contains(got, "neither src nor site.json") {
		t.Error(got)
	}
}

func TestUnreadableFileIsReported(t *testing.T) {
	folder := folderOf("-- src/api/a/content-types/a/schema.json/oops --\nx\n" +
		"-- src/components/c/d.json --\n{\"attributes\": {}}\n")
	got := problemsOf(t, folder)
	if !strings.Contains(got, "src/api/a/content-types/a/schema.json\n  cannot be read") {
		t.Error(got)
	}
}

func TestOtherFilesAreLeftAlone(t *testing.T) {
	site := mustLoad(t, folderOf(`-- src/api/a/content-types/a/schema.json --
{"info": {"singularName": "a", "pluralName": "as"}, "attributes": {}}
-- src/api/a/content-types/a/lifecycles.js --
module.exports = {};
-- src/api/a/controllers/a.js --
-- src/api/.gitkeep --
-- src/components/x/readme.md --
-- src/components/.DS_Store --
-- src/extensions/documentation/config/settings.json --
not read
-- src/index.js --
`))
	if site.Type("api::a.a") == nil || len(site.Components) != 0 {
		t.Error("want the one content type and no component")
	}
}

// Descriptions of a type for people are loaded with it, and are optional.
func TestDescriptionsAndIcons(t *testing.T) {
	schemaOf := func(info string) *fstest.MapFile {
		return &fstest.MapFile{Data: []byte(`{"kind": "collectionType", "info": {` + info + `}, "attributes": {"title": {"type": "string"}}}`)}
	}
	site, err := schema.Load(fstest.MapFS{
		"src/api/book/content-types/book/schema.json": schemaOf(`"singularName": "book", "pluralName": "books", "displayName": "Book", "description": "What is read"`),
		"src/api/pen/content-types/pen/schema.json":   schemaOf(`"singularName": "pen", "pluralName": "pens", "displayName": "Pen", "description": null`),
		"src/components/book/part.json":               schemaOf(`"displayName": "Part", "icon": "bulletList"`),
	})
	if err != nil {
		t.Fatal(err)
	}
	if site.Type("api::book.book").Description != "What is read" || site.Type("api::pen.pen").Description != "" || site.Type("book.part").Icon != "bulletList" {
		t.Error("they are not as the files say")
	}
}

// The main field is the first string that is no id.
func TestMainField(t *testing.T) {
	for attributes, want := range map[string]string{
		`"code": {"type": "uid"}, "title": {"type": "string"}`:                              "title",
		`"externalId": {"type": "string"}, "user_id": {"type": "string"}`:                   "documentId",
		`"id2": {"type": "string"}`:                                                         "id2",
		`"body": {"type": "richtext"}, "note": {"type": "text"}, "mail": {"type": "email"}`: "mail",
		`"n": {"type": "integer"}`:                                                          "documentId",
		`"secret": {"type": "string", "private": true}, "name": {"type": "string"}`:         "name",
	} {
		site, err := schema.Load(fstest.MapFS{"src/api/book/content-types/book/schema.json": {Data: []byte(
			`{"kind": "collectionType", "info": {"singularName": "book", "pluralName": "books", "displayName": "Book"}, "attributes": {` + attributes + `}}`)}})
		if err != nil {
			t.Fatal(err)
		}
		if got := site.Type("api::book.book").MainField((*schema.Sight)(nil).Sees).Name; got != want {
			t.Errorf("%s: the main field is %s, want %s", attributes, got, want)
		}
	}
}

// siteWithChoices is a site with one type, which has one choice of these.
func siteWithChoices(choices []string) fstest.MapFS {
	return fstest.MapFS{"src/api/book/content-types/book/schema.json": {Data: []byte(
		`{"kind": "collectionType", "info": {"singularName": "book", "pluralName": "books", "displayName": "Book"}, "attributes": {` +
			`"shelf": {"type": "enumeration", "enum": ["` + strings.Join(choices, `", "`) + `"]}}}`)}}
}

// numbered are so many choices.
func numbered(n int) (choices []string) {
	for i := range n {
		choices = append(choices, fmt.Sprintf("shelf-%06d", i))
	}
	return choices
}

// Choices may be many, and each stands there once.
func TestManyChoices(t *testing.T) {
	choices := numbered(200_000)
	site := mustLoad(t, siteWithChoices(choices))
	if got := site.Type("api::book.book").Attribute("shelf").Enum; !slices.Equal(got, choices) {
		t.Errorf("%d choices, want %d", len(got), len(choices))
	}
	again := append(choices, choices[7])
	if got := problemsOf(t, siteWithChoices(again)); !strings.Contains(got, `enum[200000]: "shelf-000007" occurs twice`) {
		t.Errorf("got %s", got)
	}
}

func BenchmarkChoices(b *testing.B) {
	folder := siteWithChoices(numbered(100_000))
	for b.Loop() {
		if _, err := schema.Load(folder); err != nil {
			b.Fatal(err)
		}
	}
}
