package archive_test

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

// mixedSite has what testdata/site has not: links to several types, and links
// from types without locales to localized ones.
var mixedSite = fstest.MapFS{
	"site.json":                                                       file(`{"i18n":{"defaultLocale":"en","locales":[{"code":"en"},{"code":"fr"}]}}`),
	"src/components/page/part.json":                                   file(`{"info":{"displayName":"Part"},"attributes":{"title":{"type":"string"},"about":{"type":"relation","relation":"morphToOne"},"inner":{"type":"component","repeatable":true,"component":"page.bit"}}}`),
	"src/components/page/bit.json":                                    file(`{"info":{"displayName":"Bit"},"attributes":{"text":{"type":"text"},"to":{"type":"relation","relation":"oneToOne","target":"api::page.page"}}}`),
	"src/api/page/content-types/page/schema.json":                     file(`{"kind":"collectionType","info":{"singularName":"page","pluralName":"pages","displayName":"Page"},"options":{"draftAndPublish":true},"pluginOptions":{"i18n":{"localized":true}},"attributes":{"title":{"type":"string","pluginOptions":{"i18n":{"localized":true}}},"parts":{"type":"dynamiczone","components":["page.part","page.bit"]},"notes":{"type":"relation","relation":"morphMany","target":"api::note.note","morphBy":"on"},"twin":{"type":"relation","relation":"oneToOne","target":"api::page.page"},"tags":{"type":"relation","relation":"manyToMany","target":"api::tag.tag","mappedBy":"shown"}}}`),
	"src/api/tag/content-types/tag/schema.json":                       file(`{"kind":"collectionType","info":{"singularName":"tag","pluralName":"tags","displayName":"Tag"},"attributes":{"name":{"type":"string"},"code":{"type":"password"},"big":{"type":"biginteger"},"ratio":{"type":"float","default":1},"pages":{"type":"relation","relation":"oneToMany","target":"api::page.page"},"shown":{"type":"relation","relation":"manyToMany","target":"api::page.page","inversedBy":"tags"},"rival":{"type":"relation","relation":"oneToOne","target":"api::tag.tag","inversedBy":"rivalOf"},"rivalOf":{"type":"relation","relation":"oneToOne","target":"api::tag.tag","mappedBy":"rival"}}}`),
	"src/api/note/content-types/note/schema.json":                     file(`{"kind":"collectionType","info":{"singularName":"note","pluralName":"notes","displayName":"Note"},"options":{"draftAndPublish":true},"attributes":{"text":{"type":"text"},"on":{"type":"relation","relation":"morphToMany"},"main":{"type":"relation","relation":"morphToOne"}}}`),
	"src/extensions/users-permissions/content-types/user/schema.json": file(`{"kind":"collectionType","info":{"singularName":"user","pluralName":"users","displayName":"User"},"attributes":{"nick":{"type":"string"}}}`),
}

func file(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }

var mixedLines = lines(
	`{"type":"api::tag.tag","documentId":"t1","data":{"name":"One \" \u2028 é 👩","big":"9007199254740993","ratio":null,"pages":[{"documentId":"p2","locale":"fr"},"p1"],"rival":"t2","shown":[{"documentId":"p1","status":"published"},"p2",{"documentId":"p1","status":"draft"}]}}`,
	`{"type":"api::tag.tag","documentId":"t2","data":{"ratio":0.0000001,"pages":["p2"],"shown":[{"documentId":"p1","status":"draft"},{"documentId":"p2","locale":"fr"}]}}`,
	`{"type":"api::page.page","documentId":"p1","locale":"en","data":{"title":"First","twin":"p1","parts":[{"__component":"page.part","title":"a","about":{"documentId":"t1","__type":"api::tag.tag"},"inner":[{"text":"x","to":"p2"},{}]},{"__component":"page.bit","text":"y"}]}}`,
	`{"type":"api::page.page","documentId":"p1","locale":"en","status":"draft","data":{"title":null,"parts":[{"__component":"page.bit","to":"p1"}]}}`,
	`{"type":"api::page.page","documentId":"p2","locale":"en","data":{"title":"Second"}}`,
	`{"type":"api::page.page","documentId":"p2","locale":"fr","data":{"title":"Deuxième","parts":[]}}`,
	`{"type":"api::page.page","documentId":"p3","locale":"fr","status":"draft","data":{}}`,
	`{"type":"api::note.note","documentId":"n1","data":{"text":"n","on":[{"documentId":"p1","__type":"api::page.page"},{"documentId":"t2","__type":"api::tag.tag"}],"main":{"documentId":"n2","__type":"api::note.note"}}}`,
	`{"type":"api::note.note","documentId":"n2","status":"draft","data":{"on":[{"documentId":"p1","__type":"api::page.page"}]}}`,
)

func mixed(t *testing.T) *site {
	t.Helper()
	s := siteOf(t, mixedSite)
	_, err := s.importLines(archive.Options{}, mixedLines)
	check(t, err)
	return s
}

// What is exported and imported again is what it was: every entry with its ids,
// times, links and their order on both sides.
func TestExportedArchiveBringsEverythingBack(t *testing.T) {
	for name, from := range map[string]func(*testing.T) *site{"guide": func(t *testing.T) *site { return guideSite(t) }, "mixed": mixed} {
		for _, p := range []struct {
			archive.Packing
			key string
		}{{archive.Packing{}, ""}, {archive.Packing{Plain: true}, ""}, {archive.Packing{Key: "k"}, "k"}, {archive.Packing{Plain: true, Key: "k"}, "k"}} {
			t.Run(fmt.Sprintf("%s %+v", name, p.Packing), func(t *testing.T) {
				s := from(t)
				to := siteOf(t, s.folder)
				_, err := to.importArchive(s.export(p.Packing), p.key, archive.Options{})
				check(t, err)
				if was, is := s.comparable(), to.comparable(); was != is {
					t.Errorf("what was\n%s\nis now\n%s", was, is)
				}
				if was, is := s.uploads(), to.uploads(); !maps.Equal(was, is) {
					t.Errorf("the files %v are now %v", slices.Sorted(maps.Keys(was)), slices.Sorted(maps.Keys(is)))
				}
			})
		}
	}
}

// oneWay are the places of links that nobody sees from their other side.
var oneWay = regexp.MustCompile(` (pages|twin|featured|nearby|signature_dish|parent|cover|gallery|restaurants|rival)\d+`)

// comparable is everything but what an archive does not say: the places of links
// that are seen from one side only.
func (s *site) comparable() string { return oneWay.ReplaceAllString(s.everything(), "") }

func (s *site) uploads() map[string]string {
	all := s.files()
	maps.DeleteFunc(all, func(name, _ string) bool { return !strings.HasPrefix(name, "/uploads/") })
	return all
}

// An import of exported lines restores the content.
func TestExportedLinesBringContentBack(t *testing.T) {
	s := mixed(t)
	text := s.exportLines()
	to := siteOf(t, mixedSite)
	_, err := to.importLines(archive.Options{}, text)
	check(t, err)
	if was, is := s.entries(), to.entries(); was != is {
		t.Errorf("by\n%s\nwhat was\n%s\nis now\n%s", text, was, is)
	}
	again := guideSite(t)
	_, err = again.importLines(archive.Options{Existing: archive.Replace}, guideSite(t).exportLines())
	check(t, err)
	if was, is := guideSite(t).entries(), again.entries(); was != is {
		t.Errorf("what was\n%s\nis now\n%s", was, is)
	}
}

// An export of what Strapi exported says the same as Strapi did,
// but for the ids of published component instances.
func TestExportIsLikeTheReference(t *testing.T) {
	theirs, ours := archiveLines(t, unpack(t, guide)), archiveLines(t, guideSite(t).export(archive.Packing{Plain: true}))
	if d := difference(theirs["schemas"], ours["schemas"]); d != "" {
		t.Errorf("schemas: %s", d)
	}
	known := func(line string) bool {
		none := func(word string) bool { return !strings.Contains(line, word) }
		return none("localizations") && none("plugin::i18n.locale") && none("plugin::users-permissions.permission")
	}
	for _, part := range []string{"entities", "links"} {
		if d := difference(slices.DeleteFunc(theirs[part], func(l string) bool { return !known(l) }), slices.DeleteFunc(ours[part], func(l string) bool { return !known(l) })); d != "" {
			t.Errorf("%s: %s", part, d)
		}
	}
	if len(theirs["files"]) == 0 || !slices.Equal(theirs["files"], ours["files"]) {
		t.Errorf("the files are %v and not %v", ours["files"], theirs["files"])
	}
}

// archiveLines are the lines of an archive by folder, each in one form and all
// in one order, and the names of its files.
func archiveLines(t *testing.T, path string) map[string][]string {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	all := map[string][]string{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if err == io.EOF {
			break
		}
		check(t, err)
		text, err := io.ReadAll(r)
		check(t, err)
		folder, name, _ := strings.Cut(h.Name, "/")
		if folder == "assets" {
			all["files"] = append(all["files"], fmt.Sprint(name, " ", len(text)*strings.Count(name, "uploads/")))
			continue
		}
		if !strings.HasSuffix(name, ".jsonl") {
			continue
		}
		for line := range bytes.Lines(text) {
			all[folder] = append(all[folder], canonical(t, line))
		}
	}
	for _, list := range all {
		slices.Sort(list)
	}
	return all
}

var instanceID = regexp.MustCompile(`(\{"__component":"[a-z.]+",|\{|,)"id":\d+`)

// canonical sorts the keys, and leaves out nulls and what links say of the rows
// of components.
func canonical(t *testing.T, line []byte) string {
	t.Helper()
	var v map[string]any
	check(t, json.Unmarshal(line, &v))
	for _, side := range []string{"left", "right"} {
		if end, ok := v[side].(map[string]any); ok && !strings.Contains(end["type"].(string), "::") {
			delete(end, "ref")
		}
	}
	if data, ok := v["data"].(map[string]any); ok {
		for key, value := range data {
			if value == nil {
				delete(data, key)
			}
		}
		text, err := json.Marshal(data)
		check(t, err)
		return fmt.Sprint(v["type"], v["id"], instanceID.ReplaceAllString(string(text), "$1"))
	}
	text, err := json.Marshal(v)
	check(t, err)
	return string(text)
}

// difference returns the first lines that only one of two lists has.
func difference(a, b []string) string {
	var out []string
	for _, side := range []struct {
		name        string
		list, other []string
	}{{"only there: ", a, b}, {"only here: ", b, a}} {
		for _, line := range side.list {
			if !slices.Contains(side.other, line) && len(out) < 6 {
				out = append(out, side.name+line)
			}
		}
	}
	return strings.Join(out, "\n")
}

// The schema files of an archive are those that the site had.
func TestSchemaFiles(t *testing.T) {
	files, _, err := archive.SchemaFiles(t.Context(), guide, "")
	check(t, err)
	for name, text := range files {
		want, err := os.ReadFile(filepath.Join("../../testdata/site", name))
		check(t, err)
		if name == "site.json" {
			var got, all struct{ I18n json.RawMessage }
			check(t, json.Unmarshal(text, &got))
			check(t, json.Unmarshal(want, &all))
			text, want = got.I18n, all.I18n
		}
		if !sameJSON(t, text, want) {
			t.Errorf("%s is\n%s\nwant\n%s", name, text, want)
		}
	}
	if len(files) != 15 {
		t.Errorf("there are %d files: %v", len(files), slices.Sorted(maps.Keys(files)))
	}
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y bytes.Buffer
	check(t, json.Compact(&x, a))
	check(t, json.Compact(&y, b))
	return x.String() == y.String()
}

// A site whose users have attributes of their own takes them along.
func TestSchemaFilesOfExtendedUsers(t *testing.T) {
	files, _, err := archive.SchemaFiles(t.Context(), mixed(t).export(archive.Packing{}), "")
	check(t, err)
	if user := string(files["src/extensions/users-permissions/content-types/user/schema.json"]); !strings.Contains(user, `"nick"`) {
		t.Errorf("the extension is %q", user)
	}
}

func TestSchemaFilesRefuses(t *testing.T) {
	for name, test := range map[string]struct{ line, want string }{
		"a path as uid":      {`{"uid":"api::../../etc.passwd","attributes":{}}`, "is not the uid"},
		"a component's path": {`{"uid":"../x.y","attributes":{},"modelType":"component"}`, "is not the uid"},
		"no attributes":      {`{"uid":"api::a.a"}`, "api::a.a"},
		"no JSON":            {`{"uid"`, "cannot be read"},
		"nothing":            {"", "no schemas"},
	} {
		_, _, err := archive.SchemaFiles(t.Context(), archiveOf(t, map[string]string{"schemas/schemas_00001.jsonl": test.line}), "")
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
		}
	}
}

// A file that was replaced here has another name on disk than its url says; in
// an archive they agree.
func TestExportOfAReplacedFile(t *testing.T) {
	s := guideSite(t)
	check(t, os.Rename(filepath.Join(s.data, "uploads", "dot_5923dca61e.png"), filepath.Join(s.data, "uploads", "other_1234567890.png")))
	check(t, s.open(func(db *store.DB) error {
		return db.Update(func(tx *store.Tx) error {
			before, err := tx.Entry("plugin::upload.file", store.Key{DocumentID: "exo1d3j4xp7fmcfmcgl9eahj", Status: store.Published})
			check(t, err)
			after := *before
			after.Fields = slices.Clone(before.Fields)
			for i := range after.Fields {
				if after.Fields[i].Name == "hash" {
					after.Fields[i].Value.Text = "other_1234567890"
				}
			}
			return tx.Apply(store.Change{Type: "plugin::upload.file", Before: before, After: &after})
		})
	}))
	to := newSite(t)
	_, err := to.importArchive(s.export(archive.Packing{}), "", archive.Options{})
	check(t, err)
	if content, err := os.ReadFile(filepath.Join(to.data, "uploads", "dot_5923dca61e.png")); err != nil || len(content) != 195 {
		t.Errorf("the file is %d bytes, %v", len(content), err)
	}
}

// An archive says which folders are private, and of others nothing that Strapi does not know.
func TestArchivesOfPrivateFolders(t *testing.T) {
	s := guideSite(t)
	folder := func(s *site) (e *store.Entry) {
		check(t, s.open(func(db *store.DB) error {
			return db.View(func(tx *store.Tx) error {
				return tx.Scan(schema.FolderUID, func(one *store.Entry) error { e = one; return nil })
			})
		}))
		return e
	}
	before := folder(s)
	check(t, s.open(func(db *store.DB) error {
		return db.Update(func(tx *store.Tx) error {
			after := *before
			after.Fields = slices.Clone(before.Fields).Set("private", store.Value{Kind: store.Bool, Num: 1})
			return tx.Apply(store.Change{Type: schema.FolderUID, Before: before, After: &after})
		})
	}))
	to := newSite(t)
	_, err := to.importArchive(s.export(archive.Packing{}), "", archive.Options{})
	check(t, err)
	if after := folder(to); after == nil || after.Value("private").Num != 1 {
		t.Errorf("the folder is %+v", after)
	}
}

// An archive says nothing of the original of an edited picture, which it does not have, and
// one that does is not believed: it could name any other file. What other providers say of
// a file stays.
func TestArchivesNameNoOriginals(t *testing.T) {
	const ours, others = `{"quire":{"original":{"hash":"victim","ext":".txt"},"edit":{"rotate":90,"crop":null}}}`, `{"public_id":"victim"}`
	for metadata, stays := range map[string]bool{ours: false, others: true} {
		s := newSite(t)
		e := entity("plugin::upload.file", 1, "afile", `,"name":"a","hash":"x","ext":"","mime":"text/plain","size":1,"url":"/uploads/x","provider":"local","provider_metadata":`+metadata)
		_, err := s.importArchive(archiveOf(t, with(entities(e), "assets/uploads/x", "1")), "", archive.Options{})
		check(t, err)
		if got := s.everything(); strings.Contains(got, "victim") != stays || !strings.Contains(got, "afile") {
			t.Errorf("%s is imported as %s", metadata, got)
		}
		check(t, s.open(func(db *store.DB) error {
			return db.Update(func(tx *store.Tx) error {
				before, err := tx.Entry("plugin::upload.file", store.Key{DocumentID: "afile", Status: store.Published})
				check(t, err)
				after := *before
				after.Fields = slices.DeleteFunc(slices.Clone(before.Fields), func(f store.Field) bool { return f.Name == "provider_metadata" })
				after.Fields = append(after.Fields, store.Field{Name: "provider_metadata", Value: store.Value{Kind: store.JSON, Text: metadata}})
				return tx.Apply(store.Change{Type: "plugin::upload.file", Before: before, After: &after})
			})
		}))
		content, err := os.ReadFile(s.export(archive.Packing{Plain: true}))
		if check(t, err); bytes.Contains(content, []byte("victim")) != stays {
			t.Errorf("%s is exported", metadata)
		}
	}
}
