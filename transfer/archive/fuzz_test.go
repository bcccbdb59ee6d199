package archive_test

import (
	"bytes"
	"io"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"quire/store"
	"quire/transfer/archive"
)

// sampleEntities and sampleLinks are small beginnings for fuzzing.
var (
	sampleEntities = lines(
		entity("api::category.category", 1, "vegan", `,"name":"Vegan","code":1`),
		entity("api::restaurant.restaurant", 2, "bistro", `,"locale":"en","name":"Bistro","meta":{"a":[1]},"location":{"id":1,"street":"Main","geo":{"id":1,"lat":1.5}},"opening_hours":[{"id":1,"day":"mon"}],"sections":[{"id":1,"__component":"section.cta","label":"x"}]`),
		entity("plugin::upload.file", 1, "afile", `,"name":"a","hash":"a_1","ext":".txt","mime":"text/plain","size":1,"url":"/uploads/a_1.txt","provider":"local","formats":{"small":{"hash":"small_a_1","ext":".txt","url":"/uploads/small_a_1.txt"}}`),
		entity("plugin::users-permissions.role", 1, "arole", `,"name":"Editor","type":"editor"`),
		entity("plugin::users-permissions.permission", 1, "perm", `,"action":"api::dish.dish.find"`),
		entity("plugin::users-permissions.user", 1, "ana", `,"username":"ana","email":"ana@example.org","password":"$2a$10$x"`),
	)
	sampleLinks = lines(
		`{"kind":"relation.basic","relation":"manyToMany","left":{"type":"api::restaurant.restaurant","field":"categories","ref":2,"pos":1},"right":{"type":"api::category.category","field":"restaurants","ref":1,"pos":1.5}}`,
		`{"kind":"relation.morph","relation":"morphToMany","left":{"type":"plugin::upload.file","field":"related","ref":1},"right":{"type":"section.cta","ref":1,"pos":1,"field":"image"}}`,
		`{"kind":"relation.basic","relation":"manyToOne","left":{"type":"plugin::users-permissions.permission","field":"role","ref":1},"right":{"type":"plugin::users-permissions.role","ref":1}}`,
		`{"kind":"relation.basic","relation":"manyToOne","left":{"type":"plugin::users-permissions.user","field":"role","ref":1},"right":{"type":"plugin::users-permissions.role","field":"users","ref":1,"pos":1}}`,
	)
)

// importHostile imports bytes that may be anything. Either all is well, and what
// came in can go out again, or nothing has changed.
func importHostile(t *testing.T, s *site, archiveBytes []byte, o archive.Options) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "archive")
	check(t, os.WriteFile(path, archiveBytes, 0o600))
	before := s.files()
	if _, err := s.importArchive(path, "", o); err != nil {
		if !maps.Equal(before, s.files()) {
			t.Errorf("the import failed with %v, and changed the data folder", err)
		}
		return
	}
	for name := range s.files() {
		if dir, _ := filepath.Split(name); dir != "/" && dir != "/uploads/" {
			t.Errorf("the import made a file %s", name)
		}
	}
	check(t, s.open(func(db *store.DB) error {
		_, err := archive.ExportArchive(t.Context(), s.origin(db), io.Discard, archive.Packing{}, nil)
		return err
	}))
}

func FuzzImportArchive(f *testing.F) {
	f.Add(tarOf(f, map[string]string{
		"entities/entities_00001.jsonl": sampleEntities, "links/links_00001.jsonl": sampleLinks,
		"schemas/schemas_00001.jsonl": `{"uid":"api::dish.dish","options":{"draftAndPublish":true}}`, "assets/uploads/a_1.txt": "a",
		"configuration/configuration_00001.jsonl": `{"type":"core-store","value":{"key":"x","value":1}}`,
	}))
	packed, err := os.ReadFile(guide)
	check(f, err)
	f.Add(packed[:1000])
	s := guideSite(f)
	f.Fuzz(func(t *testing.T, archiveBytes []byte) {
		importHostile(t, s.in(t), archiveBytes, archive.Options{Existing: archive.Replace})
	})
}

func FuzzImportEntities(f *testing.F) {
	f.Add(sampleEntities, sampleLinks, false)
	s := guideSite(f)
	f.Fuzz(func(t *testing.T, entities, links string, skip bool) {
		archiveBytes := tarOf(t, map[string]string{"entities/entities_00001.jsonl": entities, "links/links_00001.jsonl": links, "assets/uploads/a_1.txt": "a"})
		importHostile(t, s.in(t), archiveBytes, archive.Options{Existing: archive.Replace, SkipErrors: skip})
	})
}

func FuzzImportLines(f *testing.F) {
	f.Add(lines(chefAna, category, bistro, bistroFr, review), true)
	f.Add(lines(bistro, category, chefBo), false)
	s := guideSite(f)
	f.Fuzz(func(t *testing.T, text string, skip bool) {
		s := s.in(t)
		before := s.files()
		_, err := s.importLines(archive.Options{Existing: archive.Replace, SkipErrors: skip}, text)
		if err != nil && !maps.Equal(before, s.files()) {
			t.Errorf("the import failed with %v, and changed the data folder", err)
		}
		if err != nil && skip && bytes.ContainsRune([]byte(text), '\n') {
			t.Errorf("lines that cannot be taken should be skipped: %v", err)
		}
	})
}

func FuzzSchemaFiles(f *testing.F) {
	f.Add(`{"uid":"api::dish.dish","kind":"collectionType","info":{"singularName":"dish"},"attributes":{"name":{"type":"string"},"locale":{}}}`)
	f.Add(`{"uid":"a.b","modelType":"component","attributes":{"c":{"type":"relation","target":"admin::user"}}}`)
	f.Fuzz(func(t *testing.T, schemas string) {
		path := archiveOf(t, map[string]string{"schemas/schemas_00001.jsonl": schemas})
		files, _, err := archive.SchemaFiles(t.Context(), path, "")
		if err != nil {
			return
		}
		for name := range files {
			if !filepath.IsLocal(name) {
				t.Errorf("a file %q", name)
			}
		}
	})
}
