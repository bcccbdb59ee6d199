package edit

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
)

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func noChecks(*schema.Site) []error { return nil }

// folders are the site folders of the repository.
func folders(t *testing.T) (all []string) {
	t.Helper()
	for _, pattern := range []string{"../../app/templates/*/src", "../../testdata/*/src", "../../examples/*/src", "../../*/testdata/*/src"} {
		found, err := filepath.Glob(pattern)
		check(t, err)
		for _, name := range found {
			all = append(all, filepath.Dir(name))
		}
	}
	if len(all) < 3 {
		t.Fatalf("there are %d site folders", len(all))
	}
	return all
}

// A file that is read and written is the same, byte for byte, whatever is in it: all of it
// where it is written as Strapi writes it, and what nobody has opened in any case.
func TestFilesStayAsTheyAre(t *testing.T) {
	files := 0
	for _, folder := range folders(t) {
		check(t, fs.WalkDir(os.DirFS(folder), "src", func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !ours.MatchString(name) {
				return err
			}
			text, err := os.ReadFile(filepath.Join(folder, name))
			check(t, err)
			file, err := parse(text)
			if err != nil {
				return nil // a folder for tests of what is wrong
			}
			var formatted bytes.Buffer
			check(t, json.Indent(&formatted, bytes.TrimSpace(text), "", "  "))
			if formatted.String()+"\n" != string(text) {
				return nil
			}
			files++
			file.open("info")
			for _, one := range file.open("attributes").members {
				file.open("attributes").open(one.key)
			}
			if again := append(file.write(nil, ""), '\n'); !bytes.Equal(again, text) {
				t.Errorf("%s/%s becomes\n%s", folder, name, again)
			}
			return nil
		}))
	}
	if files < 20 {
		t.Errorf("only %d files are written as Strapi writes them", files)
	}
}

// A change that changes nothing writes no file; a change and the one that takes it back lead
// to the same bytes.
func TestThereAndBack(t *testing.T) {
	seed := rand.Uint64()
	r := rand.New(rand.NewPCG(seed, 0))
	for _, folder := range folders(t) {
		site, err := schema.Load(os.DirFS(folder))
		if err != nil {
			continue
		}
		before := memory(t, folder)
		delete(before, "site.json") // it names attributes
		for _, s := range append(site.Types, site.Components...) {
			if s.BuiltIn || len(s.Attributes) == 0 {
				continue
			}
			draft := mustMake(t, before, Change{Types: []Type{{Was: s.UID, Attributes: unchanged(s)}}})
			if len(draft.Files) != 0 {
				t.Fatalf("%s %s: nothing changes %s", folder, s.UID, draft.Files[0].After)
			}
			there, back := unchanged(s), unchanged(s)
			for i := range there {
				if r.IntN(2) == 0 {
					there[i].Name += "x"
					back[i].Was = there[i].Name
				}
			}
			r.Shuffle(len(there), func(i, j int) { there[i], there[j] = there[j], there[i] })
			there = append(there, Attribute{Name: "brand_new", Set: map[string]json.RawMessage{"type": []byte(`"string"`)}})
			one := mustMake(t, before, Change{Types: []Type{{Was: s.UID, Attributes: there}}})
			between := with(before, one)
			two := mustMake(t, between, Change{Types: []Type{{Was: s.UID, Attributes: back}}})
			after := with(between, two)
			for name, file := range before {
				var formatted bytes.Buffer
				if json.Indent(&formatted, bytes.TrimSpace(file.Data), "", "  ") == nil && formatted.String()+"\n" == string(file.Data) && !bytes.Equal(after[name].Data, file.Data) {
					t.Fatalf("seed %d: %s %s: %s comes back as\n%s", seed, folder, s.UID, name, after[name].Data)
				}
			}
		}
	}
}

// unchanged are the attributes of a type as they are.
func unchanged(t *schema.Type) (list []Attribute) {
	for _, a := range t.Attributes {
		list = append(list, Attribute{Name: a.Name, Was: a.Name})
	}
	return list
}

// memory is a site folder that can be changed.
func memory(t *testing.T, folder string) fstest.MapFS {
	t.Helper()
	m := fstest.MapFS{}
	check(t, fs.WalkDir(os.DirFS(folder), ".", func(name string, d fs.DirEntry, err error) error {
		switch ext := filepath.Ext(name); {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "node_modules":
			return fs.SkipDir
		case d.IsDir() || ext != ".json" && ext != ".js" && ext != ".ts": // code has actions that roles may name
			return nil
		}
		text, err := os.ReadFile(filepath.Join(folder, name))
		m[name] = &fstest.MapFile{Data: text}
		return err
	}))
	return m
}

// with is a folder after a draft.
func with(m fstest.MapFS, d *Draft) fstest.MapFS {
	after := fstest.MapFS{}
	for name, file := range m {
		after[name] = file
	}
	for _, f := range d.Files {
		delete(after, f.From)
		delete(after, f.Path)
	}
	for _, f := range d.Files {
		if f.After != nil {
			after[f.Path] = &fstest.MapFile{Data: f.After}
		}
	}
	return after
}

func mustMake(t *testing.T, folder fs.FS, c Change) *Draft {
	t.Helper()
	d, err := Make(folder, c, noChecks)
	check(t, err)
	if len(d.Problems) > 0 {
		t.Fatalf("%+v", d.Problems)
	}
	return d
}

// change reads a change as a client writes it.
func change(t *testing.T, text string) (c Change) {
	t.Helper()
	check(t, json.Unmarshal([]byte(text), &c))
	return c
}

const guide = "../../app/templates/guide"

// A new type is a file that Strapi could have written.
func TestNewType(t *testing.T) {
	d := mustMake(t, os.DirFS(guide), change(t, `{"types": [
		{"kind": "collectionType", "name": "blog-post", "pluralName": "blog-posts", "displayName": "Blog <post>", "draftAndPublish": true, "localized": true,
			"attributes": [
				{"name": "title", "set": {"required": true, "type": "string", "maxLength": 80, "localized": true}},
				{"name": "mood", "set": {"type": "enumeration", "enum": ["good", "bad"]}}]},
		{"kind": "component", "name": "shared.hint", "displayName": "SEO", "icon": "search", "attributes": [{"name": "title", "set": {"type": "string"}}]}]}`))
	if len(d.Files) != 2 || d.Files[0].Path != "src/api/blog-post/content-types/blog-post/schema.json" || d.Files[1].Path != "src/components/shared/hint.json" {
		t.Fatalf("%+v", d.Files)
	}
	const want = `{
  "kind": "collectionType",
  "collectionName": "blog_posts",
  "info": {
    "singularName": "blog-post",
    "pluralName": "blog-posts",
    "displayName": "Blog <post>"
  },
  "options": {
    "draftAndPublish": true
  },
  "pluginOptions": {
    "i18n": {
      "localized": true
    }
  },
  "attributes": {
    "title": {
      "type": "string",
      "required": true,
      "maxLength": 80,
      "pluginOptions": {
        "i18n": {
          "localized": true
        }
      }
    },
    "mood": {
      "type": "enumeration",
      "enum": [
        "good",
        "bad"
      ]
    }
  }
}
`
	if string(d.Files[0].After) != want {
		t.Errorf("%s", d.Files[0].After)
	}
	if s := d.Site.Type("api::blog-post.blog-post"); s == nil || !s.Localized || s.Attribute("title").MaxLength == nil {
		t.Errorf("%+v", s)
	}
}

// What names a renamed type or attribute names it as it is called now, and the other side of
// a relation that goes, goes too.
func TestNamesAreFollowed(t *testing.T) {
	m := memory(t, guide)
	delete(m, "site.json") // it names types
	file := m["src/api/cuisine/content-types/cuisine/schema.json"]
	m["src/api/cuisine/content-types/cuisine/schema.json"] = &fstest.MapFile{Data: bytes.Replace(file.Data, []byte(`"options"`), []byte(`"unknown": {"b": 1.50, "a": [ 1 ]}, "options"`), 1)}
	d := mustMake(t, m, change(t, `{"types": [{"was": "api::cuisine.cuisine", "name": "kitchen", "pluralName": "kitchens",
		"attributes": [{"name": "label", "was": "name"}, {"name": "places", "was": "restaurants"}]}]}`))
	if len(d.Files) != 2 || d.Files[0].From != "src/api/cuisine/content-types/cuisine/schema.json" || d.Files[0].Path != "src/api/kitchen/content-types/kitchen/schema.json" {
		t.Fatalf("%+v", d.Files)
	}
	if text := string(d.Files[0].After); !strings.Contains(text, `"unknown": {"b": 1.50, "a": [ 1 ]}`) || !strings.Contains(text, `"collectionName": "cuisines"`) {
		t.Errorf("what nobody changes: %s", text)
	}
	lines := fmt.Sprint(Difference(d.Files[1].Before, d.Files[1].After))
	if !strings.Contains(lines, `{+       "target": "api::kitchen.kitchen",}`) || !strings.Contains(lines, `{+       "inversedBy": "places"}`) || strings.Count(lines, "{+") != 2 {
		t.Errorf("the other side: %s", lines)
	}
	if fmt.Sprint(d.Types, d.Attributes) != "[{ api::cuisine.cuisine api::kitchen.kitchen}] [{api::kitchen.kitchen name label} {api::kitchen.kitchen restaurants places}]" {
		t.Errorf("%v %v", d.Types, d.Attributes)
	}
	gone := mustMake(t, m, change(t, `{"types": [{"was": "api::cuisine.cuisine", "attributes": [{"name": "name", "was": "name"}]}]}`))
	if fmt.Sprint(gone.Removed) != "[{api::cuisine.cuisine restaurants} {api::restaurant.restaurant cuisines}]" {
		t.Errorf("%v", gone.Removed)
	}
	all := mustMake(t, m, change(t, `{"types": [{"was": "api::cuisine.cuisine", "remove": true}]}`))
	if len(all.Files) != 2 || all.Files[0].After != nil || all.Site.Type("api::cuisine.cuisine") != nil {
		t.Errorf("%+v", all.Removed)
	}
}

// What is wrong is said at its attribute, and nothing of it becomes a path.
func TestProblems(t *testing.T) {
	for text, want := range map[string]string{
		`{"kind": "collectionType", "name": "../../etc"}`:                                                                                       `"../../etc" cannot be the name`,
		`{"kind": "collectionType", "name": "a/b"}`:                                                                                             `cannot be the name`,
		`{"kind": "collectionType", "name": "..", "attributes": []}`:                                                                            `cannot be the name`,
		`{"kind": "component", "name": "a.b.c"}`:                                                                                                `cannot be the name`,
		`{"kind": "component", "name": "../x.y"}`:                                                                                               `cannot be the name`,
		`{"kind": "component", "name": "plain"}`:                                                                                                `cannot be the name`,
		`{"kind": "collectionType", "name": "` + strings.Repeat("a", 61) + `"}`:                                                                 `cannot be the name`,
		`{"kind": "collectionType", "name": "con"}`:                                                                                             `Windows keeps "con"`,
		`{"kind": "component", "name": "shared.nul"}`:                                                                                           `Windows keeps "nul"`,
		`{"kind": "component", "name": "com1.seo"}`:                                                                                             `Windows keeps "com1"`,
		`{"was": "api::cook.cook", "name": "lpt9"}`:                                                                                             `api::cook.cook  info.singularName Windows keeps "lpt9"`,
		`{"was": "plugin::users-permissions.user"}`:                                                                                             `there is no type`,
		`{"was": "api::cook.cook", "name": "restaurant"}`:                                                                                       `a type of this name`,
		`{"kind": "collectionType", "name": "cook", "pluralName": "cooks"}`:                                                                     `a type of this name`,
		`{"was": "api::cook.cook", "attributes": [{"name": "../x"}]}`:                                                                           `cannot be the name of an attribute`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "set": {"type": "stringy"}}]}`:                                                  `api::cook.cook x type "stringy" is not a type of attribute`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "set": {"type": "string", "pluginOptions": {}}}]}`:                              `cannot be set here`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "set": {"type": "string", "minLength": 3, "maxLength": 1}}]}`:                   `api::cook.cook x minLength`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "was": "nothing"}]}`:                                                            `there is no attribute nothing`,
		`{"was": "api::cook.cook", "attributes": [{"name": "bio", "set": {"type": "string"}}]}`:                                                 `removed at the same time`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "was": "bio"}, {"name": "y", "was": "bio"}]}`:                                   `two attributes`,
		`{"was": "api::cook.cook", "attributes": [{"name": "x", "set": {"type": "relation", "relation": "oneToOne", "target": "api::no.no"}}]}`: `api::cook.cook x target`,
	} {
		d, err := Make(os.DirFS(guide), change(t, `{"types": [`+text+`]}`), noChecks)
		check(t, err)
		got := ""
		for _, p := range d.Problems {
			got += fmt.Sprintln(p.Type, p.Attribute, p.Key, p.Message)
		}
		if !strings.Contains(got, want) || d.Site != nil {
			t.Errorf("%s: %s; want %s", text, got, want)
		}
	}
}

// A name that only begins as that of a device is one.
func TestNamesLikeDevices(t *testing.T) {
	mustMake(t, os.DirFS(guide), change(t, `{"types": [{"kind": "collectionType", "name": "console", "pluralName": "consoles", "attributes": []},
		{"kind": "component", "name": "com10.aux-seo", "attributes": []}]}`))
}

// More than the bounds is refused.
func TestBounds(t *testing.T) {
	many := Change{Types: make([]Type, MaxTypes+1)}
	attributes := Change{Types: []Type{{Was: "api::cook.cook"}}}
	for i := range MaxAttributes + 1 {
		attributes.Types[0].Attributes = append(attributes.Types[0].Attributes, Attribute{Name: fmt.Sprint("a", i)})
	}
	for _, c := range []Change{many, attributes} {
		d, err := Make(os.DirFS(guide), c, noChecks)
		check(t, err)
		if len(d.Problems) != 1 || !strings.Contains(d.Problems[0].Message, "more than") {
			t.Errorf("%+v", d.Problems)
		}
	}
}

// A value that is nested deeply would be written with more spaces than all else together.
func TestNestedValues(t *testing.T) {
	folder := memory(t, folders(t)[0])
	for levels, fits := range map[int]bool{deepestValue: true, deepestValue + 1: false, 9000: false} {
		nested := strings.Repeat("[", levels) + strings.Repeat("]", levels)
		d, err := Make(folder, change(t, `{"types":[{"kind":"singleType","name":"pg","displayName":"Page","pluralName":"pgs","attributes":[{"name":"body","set":{"type":"json","default":`+nested+`}}]}]}`), noChecks)
		check(t, err)
		refused := strings.Contains(fmt.Sprint(d.Problems), "in each other")
		if refused == fits || refused && (len(d.Files) > 0 || d.Problems[0].Key != "default") {
			t.Errorf("%d levels: %v", levels, d.Problems)
		}
	}
}

// A fingerprint is that of one change: to remove all attributes is not to leave them.
func TestFingerprintsDiffer(t *testing.T) {
	folder := memory(t, folders(t)[0])
	page := change(t, `{"types":[{"kind":"singleType","name":"pg","displayName":"Page","pluralName":"pgs","attributes":[{"name":"body","set":{"type":"json"}}]}]}`)
	folder = with(folder, mustMake(t, folder, page))
	const uid = `{"types":[{"was":"api::pg.pg"`
	kept, emptied := mustMake(t, folder, change(t, uid+`}]}`)), mustMake(t, folder, change(t, uid+`,"attributes":[]}]}`))
	if kept.Fingerprint == emptied.Fingerprint || len(kept.Files) > 0 || len(emptied.Files) != 1 {
		t.Errorf("%+v, %+v", kept.Files, emptied.Files)
	}
	if again := mustMake(t, folder, change(t, uid+`}]}`)); again.Fingerprint != kept.Fingerprint {
		t.Error("the same change has another fingerprint")
	}
}
