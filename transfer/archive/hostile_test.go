package archive_test

import (
	"archive/tar"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/media"
	"quire/store"
	"quire/transfer/archive"
)

func (s *site) target(db *store.DB) archive.Target {
	s.t.Helper()
	files, err := media.Open(filepath.Join(s.data, "uploads"))
	check(s.t, err)
	return archive.Target{Site: s.Site, DB: db, Files: files}
}

// tarOf is a tar file of the files, after a metadata.json unless they have one.
func tarOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	put := func(name, text string) {
		check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text)), Mode: 0o600}))
		_, err := w.Write([]byte(text))
		check(t, err)
	}
	if _, ok := files["metadata.json"]; !ok {
		put("metadata.json", `{"strapi":{"version":"5.54.0"}}`)
	}
	for _, name := range []string{"metadata.json", "schemas/schemas_00001.jsonl", "entities/entities_00001.jsonl", "links/links_00001.jsonl"} {
		if text, ok := files[name]; ok {
			put(name, text)
		}
	}
	for name, text := range files {
		if !strings.HasSuffix(name, "_00001.jsonl") && name != "metadata.json" {
			put(name, text)
		}
	}
	check(t, w.Close())
	return out.Bytes()
}

// archiveOf writes tarOf to a file.
func archiveOf(t testing.TB, files map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive.tar")
	check(t, os.WriteFile(path, tarOf(t, files), 0o600))
	return path
}

func entities(list ...string) map[string]string {
	return map[string]string{"entities/entities_00001.jsonl": lines(list...)}
}

// with is the files with another one.
func with(files map[string]string, name, text string) map[string]string {
	files = maps.Clone(files)
	files[name] = text
	return files
}

func entity(uid string, row int, documentID, values string) string {
	return fmt.Sprintf(`{"type":%q,"id":%d,"data":{"documentId":%q,"createdAt":"2026-01-02T03:04:05.006Z","updatedAt":"2026-01-02T03:04:05.006Z","publishedAt":"2026-01-02T03:04:05.006Z","locale":null%s}}`, uid, row, documentID, values)
}

func fileEntity(name string) string {
	return entity("plugin::upload.file", 1, "afile", fmt.Sprintf(`,"name":"a","hash":%q,"ext":"","mime":"text/plain","size":1,"url":"/uploads/x","provider":"local"`, name))
}

func TestImportArchiveRefuses(t *testing.T) {
	dish := entity("api::dish.dish", 1, "soup", `,"name":"Soup"`)
	link := func(text string) map[string]string {
		return with(entities(dish), "links/links_00001.jsonl", text)
	}
	for name, test := range map[string]struct {
		files map[string]string
		want  string
	}{
		"a name that leads out":        {map[string]string{"../evil": "x"}, `"../evil"`},
		"a name that leads out inside": {map[string]string{"assets/uploads/../../evil": "x"}, "assets/uploads/../../evil"},
		"an absolute name":             {map[string]string{"/etc/passwd": "x"}, "/etc/passwd"},
		"a name with a backslash":      {map[string]string{`assets\uploads\x`: "x"}, `\\uploads`},
		"a file's name that leads out": {entities(fileEntity("../../evil")), `cannot be called "../../evil"`},
		"a hidden file's name":         {entities(fileEntity(".htaccess")), `cannot be called ".htaccess"`},
		"no archive of Strapi":         {map[string]string{"metadata.json": "{}"}, `made by Strapi ""`},
		"an older version":             {map[string]string{"metadata.json": `{"strapi":{"version":"4.25.1"}}`}, "upgrade there first"},
		"metadata that is no JSON":     {map[string]string{"metadata.json": `{`}, "metadata.json cannot be read"},
		"an entity that is no JSON":    {entities(`{"type":`), "line 1: it is not valid JSON"},
		"an entity that is no object":  {entities(`[]`), "it is not an object"},
		"an entity without a type":     {entities(`{"id":1,"data":{}}`), "no type"},
		"an entity without data":       {entities(`{"type":"api::dish.dish","id":1}`), "no data"},
		"an entity without documentId": {entities(`{"type":"api::dish.dish","id":1,"data":{}}`), "documentId"},
		"an id beyond 2^53":            {entities(`{"type":"api::dish.dish","id":9007199254740999,"data":{"documentId":"x"}}`), "no id"},
		"a documentId like a word":     {entities(entity("api::dish.dish", 1, "_count", "")), `"_count" cannot be a documentId`},
		"a documentId with a newline":  {entities(entity("api::dish.dish", 1, "a\nb", "")), "documentId"},
		"a type that the site lacks":   {entities(entity("api::pet.pet", 1, "rex", "")), "api::pet.pet (1 in the archive): the site has no such content type"},
		"an attribute it lacks":        {entities(entity("api::dish.dish", 1, "soup", `,"name":"Soup","colour":"red"`)), "api::dish.dish.colour (1 in the archive)"},
		"an attribute of a component":  {entities(entity("api::global.global", 1, "g", `,"site_name":"x","default_seo":{"id":1,"meta_title":"x","robots":"no"}`)), "api::global.global.default_seo.robots (1 in the archive)"},
		"a component it lacks":         {entities(entity("api::homepage.homepage", 1, "home", `,"locale":"en","title":"x","sections":[{"id":1,"__component":"section.map"}]`)), `"section.map"`},
		"a locale it lacks":            {entities(entity("api::homepage.homepage", 1, "home", `,"locale":"xx","title":"x"`)), `no locale "xx"`},
		"a value of another kind":      {entities(entity("api::dish.dish", 1, "soup", `,"name":["Soup"],"price":"x"`)), "api::dish.dish, row 1: name must be a `string`"},
		"a time that is none":          {entities(strings.Replace(dish, "2026-01-02T03:04:05.006Z", "soon", 1)), "createdAt"},
		"two rows of one id":           {entities(dish, entity("api::dish.dish", 1, "other", `,"name":"Other"`)), "row 1 occurs twice"},
		"two rows of one document":     {entities(dish, entity("api::dish.dish", 2, "soup", `,"name":"Soup 2"`)), "api::dish.dish soup (published) occurs twice"},
		"a document in two locales":    {entities(entity("api::dish.dish", 1, "soup", `,"locale":"en","name":"Soup"`), entity("api::dish.dish", 2, "soup", `,"locale":"fr","name":"Soupe"`)), `occurs twice: row 2 is its version in the locale "fr", and the type is not localized in the site`},
		"text with a null character":   {entities(entity("api::dish.dish", 1, "soup", `,"name":"So\u0000up"`)), "null character"},
		"nesting without end":          {entities(entity("api::chef.chef", 1, "ana", `,"awards":`+strings.Repeat("[", 2000)+strings.Repeat("]", 2000))), "nested deeper"},
		"a link that is no JSON":       {link(`{`), "links, line 1"},
		"a link without rows":          {link(`{"kind":"relation.basic","relation":"oneToOne","left":{"type":"api::dish.dish","field":"photo"},"right":{"type":"x"}}`), "which rows"},
		"a link that it lacks":         {link(`{"kind":"relation.basic","relation":"oneToOne","left":{"type":"api::dish.dish","ref":1,"field":"cook"},"right":{"type":"api::chef.chef","ref":1}}`), "links of api::dish.dish.cook (1 in the archive)"},
		"a link to another type":       {link(`{"kind":"relation.basic","relation":"oneToOne","left":{"type":"api::review.review","ref":1,"field":"restaurant"},"right":{"type":"api::chef.chef","ref":1}}`), "links of api::review.review.restaurant to api::chef.chef"},
		"other drafts in the schema":   {with(entities(dish), "schemas/schemas_00001.jsonl", `{"uid":"api::dish.dish","options":{"draftAndPublish":false}}`), "options.draftAndPublish false in the archive and true in the site"},
		"a schema that is no JSON":     {map[string]string{"schemas/schemas_00001.jsonl": "{"}, "a schema that cannot be read"},
		"the content of a file twice":  {with(map[string]string{"assets/uploads/x": "1"}, "./assets/uploads/x", "2"), "the file x occurs twice"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.importLines(archive.Options{}, `{"type":"api::dish.dish","documentId":"was","data":{"name":"Was here"}}`)
			check(t, err)
			before := s.files()
			_, err = s.importArchive(archiveOf(t, test.files), "", archive.Options{Existing: archive.Replace})
			var problems *archive.Problems
			var format *archive.FormatError
			if !errors.As(err, &problems) && !errors.As(err, &format) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want one with %q", err, test.want)
			}
			if !maps.Equal(before, s.files()) {
				t.Error("the data folder has changed")
			}
		})
	}
}

func TestImportArchiveSkipsErrors(t *testing.T) {
	s := newSite(t)
	report, err := s.importArchive(archiveOf(t, entities(
		entity("api::dish.dish", 1, "soup", `,"name":"Soup","colour":"red"`),
		entity("api::dish.dish", 2, "stew", `,"name":7`),
		entity("api::pet.pet", 3, "rex", ""),
		`nonsense`,
		fileEntity("../x"),
	)), "", archive.Options{SkipErrors: true})
	check(t, err)
	if got, want := s.entries(), "api::dish.dish soup (published) name=\"Soup\"\n"; got != want {
		t.Errorf("the site holds %s", got)
	}
	text := printed(t, report)
	for _, want := range []string{"1  api::dish.dish\n", "api::dish.dish.colour: the site's schema has no such attribute", "api::pet.pet: the site has no such content type", "3 skipped:", "line 4: it is not valid JSON", "row 2: name must be", `cannot be called "../x"`} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

func TestImportArchiveRefusesLinksAndDevices(t *testing.T) {
	for _, kind := range []byte{tar.TypeSymlink, tar.TypeLink, tar.TypeChar, tar.TypeFifo} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		check(t, w.WriteHeader(&tar.Header{Typeflag: kind, Name: "assets/uploads/x", Linkname: "/etc/passwd"}))
		check(t, w.Close())
		path := filepath.Join(t.TempDir(), "x.tar")
		check(t, os.WriteFile(path, out.Bytes(), 0o600))
		if _, err := newSite(t).importArchive(path, "", archive.Options{}); err == nil || !strings.Contains(err.Error(), "no plain file") {
			t.Errorf("type %c: %v", kind, err)
		}
	}
}

// The header of a file may say any size; nothing is made as large as that.
func TestImportArchiveOfAbsurdSizes(t *testing.T) {
	for _, name := range []string{"assets/uploads/x", "metadata.json", "entities/entities_00001.jsonl", "other"} {
		var out bytes.Buffer
		w := tar.NewWriter(&out)
		check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: 1 << 50, Format: tar.FormatGNU}))
		_, err := w.Write(make([]byte, 1000))
		check(t, err)
		path := filepath.Join(t.TempDir(), "x.tar")
		check(t, os.WriteFile(path, out.Bytes(), 0o600))
		if _, err := newSite(t).importArchive(path, "", archive.Options{}); err == nil || !strings.Contains(err.Error(), "damaged") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestImportArchiveKeys(t *testing.T) {
	for _, test := range []struct{ path, key, want string }{
		{guide + ".enc", "", "give its key with --key-file"},
		{guide + ".enc", "wrong key", "the key is wrong"},
		{guide, guideKey, "is not encrypted"},
		{"../../testdata/export/none.tar.gz", "", "no such file"},
		{"../../go.mod", "", "is not an archive"},
		{"../../go.mod", "x", "the key is wrong"},
	} {
		if _, err := newSite(t).importArchive(test.path, test.key, archive.Options{}); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s with %q: %v, want %q", test.path, test.key, err, test.want)
		}
	}
}

// sparse is a tar file that says in a few bytes that a file of zeros is as large
// as can be.
func sparse(t *testing.T, name string) []byte {
	t.Helper()
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	record := func(key, value string) string { // "LENGTH key=value\n", where the length counts itself
		text := " " + key + "=" + value + "\n"
		return fmt.Sprint(len(text)+2) + text
	}
	pax := record("GNU.sparse.major", "0") + record("GNU.sparse.minor", "1") + record("GNU.sparse.numblocks", "0") + record("GNU.sparse.size", "999999999999999999")
	for _, one := range []struct{ name, text string }{{"pax", pax}, {name, ""}} {
		check(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: one.name, Size: int64(len(one.text)), Format: tar.FormatUSTAR}))
		_, err := w.Write([]byte(one.text))
		check(t, err)
	}
	check(t, w.Close())
	b := out.Bytes()
	b[156] = tar.TypeXHeader
	copy(b[148:156], "        ")
	sum := 0
	for _, c := range b[:512] {
		sum += int(c)
	}
	copy(b[148:], fmt.Sprintf("%06o\x00 ", sum))
	return b
}

// A file with holes would be read for years.
func TestArchivesWithHolesAreRefused(t *testing.T) {
	for _, name := range []string{"assets/uploads/x", "entities/entities_00001.jsonl", "schemas/x", "other/x.jsonl"} {
		path := filepath.Join(t.TempDir(), "x.tar")
		check(t, os.WriteFile(path, sparse(t, name), 0o600))
		h, err := tar.NewReader(bytes.NewReader(sparse(t, name))).Next()
		check(t, err)
		if h.Size < 1<<50 {
			t.Fatalf("the file that this test makes is of %d bytes", h.Size)
		}
		_, err = newSite(t).importArchive(path, "", archive.Options{SkipErrors: true})
		_, _, schemaErr := archive.SchemaFiles(t.Context(), path, "")
		for _, err := range []error{err, schemaErr} {
			if err == nil || !strings.Contains(err.Error(), "no plain file") {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}
