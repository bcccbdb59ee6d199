package archive_test

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/media"
	"quire/schema"
	"quire/store"
	"quire/transfer/archive"
)

func TestImportArchive(t *testing.T) {
	s := newSite(t)
	report, err := s.importArchive(guide, "", archive.Options{})
	check(t, err)
	got := s.entries()
	for _, want := range []string{
		// scalars of every kind, components, and links in their order
		`p41df27r26xk0srw5372dosd (draft, en) categories=->zxvrbvqcrptabp753u8wyd87->gn1vx293wplte59s1foz1b81`,
		`location=place.address{ city="Paris" geo=place.geo{ lat=0 40 lng=0 0} street="0 Main"} meta="{\"rank\":0,\"tags\":[\"t0\"]}"`,
		// a link between categories, one to a dish and one in a dynamic zone
		`vz6j93gx7q37rwbwydmt71jn (published) code=4 0 name="Bistro" parent=->zxvrbvqcrptabp753u8wyd87`,
		`signature_dish=->ybxjfuwn6dlgmb3pnnmum23w`,
		`section.quote{ by="Critic 8" chef=->yoy57igje8bdn1rqeu0aw7xe text="Great"}`,
		// files: single, and several in their order
		`cover=->x9u3y81s1xudrbkoq0ee3bsq`, `gallery=->vcmqdlcols9vkk8a35rvp8l5->ua1akvqqb0kzbtopx6uwq8gi`,
		// where the owner has no locales and the target does, the link says which
		`restaurant=->p41df27r26xk0srw5372dosden`,
		// users keep their hash and their role; roles what they may do
		`email="ana@example.org" password="$2a$10$/l1GyHGQlsdTOCCVvMgtbOgHA3qLQ6mCHJo.H76QIOsiRKuXN3Hke"`,
		`role=->gsgatczzgtcykpj8g2vxl2ra`, `type="public"`, `\"api::chef.chef.find\"`,
		// the draft of a document that has been changed since
		"vhr3wbyimybj72xg4b5ax213 (draft, en)",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("there is no %s", want)
		}
	}
	text := printed(t, report)
	for _, want := range []string{"27  api::restaurant.restaurant\n", "11  files and their formats\n", "41  plugin::users-permissions.permission\n", "1  plugin::upload.folder\n", "role public: site.json sets them"} {
		if !strings.Contains(text, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
	if dot, err := os.ReadFile(filepath.Join(s.data, "uploads", "dot_5923dca61e.png")); err != nil || len(dot) != 195 {
		t.Errorf("a file of %d bytes, %v", len(dot), err)
	}
}

// The three ways in which an archive is packed say the same.
func TestImportArchiveHoweverPacked(t *testing.T) {
	want := guideSite(t).everything()
	encrypted := newSite(t)
	_, err := encrypted.importArchive(guide+".enc", guideKey, archive.Options{})
	check(t, err)
	if encrypted.everything() != want {
		t.Error("the encrypted archive holds something else")
	}
	plain := newSite(t)
	_, err = plain.importArchive(unpack(t, guide), "", archive.Options{})
	check(t, err)
	if plain.everything() != want {
		t.Error("the tar file holds something else")
	}
}

// unpack is gunzip.
func unpack(t testing.TB, path string) string {
	t.Helper()
	f, err := os.Open(path)
	check(t, err)
	defer f.Close()
	z, err := gzip.NewReader(f)
	check(t, err)
	text, err := io.ReadAll(z)
	check(t, err)
	to := filepath.Join(t.TempDir(), "guide.tar")
	check(t, os.WriteFile(to, text, 0o600))
	return to
}

// A draft that is as it was published shares its component instances with the
// published version.
func TestImportArchivePairsVersions(t *testing.T) {
	s := guideSite(t)
	paired := 0
	check(t, s.open(func(db *store.DB) error {
		return db.View(func(tx *store.Tx) error {
			return tx.Scan("api::restaurant.restaurant", func(e *store.Entry) error {
				k := e.Key()
				k.Status = store.Published
				twin, err := tx.Entry("api::restaurant.restaurant", k)
				if e.Status == store.Draft && twin != nil && e.Value("name").Text == "Biscotte" {
					paired++
					if a, b := e.Value("location").Instances[0].ID, twin.Value("location").Instances[0].ID; a != b {
						t.Errorf("the draft's location is %d, the published one's %d", a, b)
					}
				}
				return err
			})
		})
	}))
	if paired == 0 {
		t.Error("the archive should have such a document")
	}
}

func TestImportArchiveIntoASiteWithContent(t *testing.T) {
	mine := `{"type":"api::chef.chef","documentId":"mine","data":{"name":"Mine"}}`
	old := `{"type":"api::chef.chef","documentId":"yoy57igje8bdn1rqeu0aw7xe","data":{"name":"Newer here"}}`
	for name, test := range map[string]struct {
		existing archive.Existing
		want     []string
		not      string
	}{
		"replace": {archive.Replace, []string{`name="Ana"`, `name="Bo"`}, `"Mine"`},
		"merge":   {archive.Merge, []string{`name="Newer here"`, `name="Mine"`, `name="Bo"`}, `name="Ana"`},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSite(t)
			_, err := s.importLines(archive.Options{}, lines(mine, old))
			check(t, err)
			_, err = s.importArchive(guide, "", archive.Options{Existing: test.existing})
			check(t, err)
			got := s.entries()
			for _, want := range test.want {
				if !strings.Contains(got, want) {
					t.Errorf("there is no %s", want)
				}
			}
			if strings.Contains(got, test.not) {
				t.Errorf("there is %s", test.not)
			}
		})
	}
	t.Run("keep", func(t *testing.T) {
		s := newSite(t)
		_, err := s.importLines(archive.Options{}, mine)
		check(t, err)
		before := s.files()
		if _, err := s.importArchive(guide, "", archive.Options{}); !errors.Is(err, archive.ErrNotEmpty) {
			t.Errorf("the error is %v", err)
		}
		if !maps.Equal(before, s.files()) {
			t.Error("the data folder has changed")
		}
	})
}

// What an archive says again is not taken again.
func TestImportArchiveTwice(t *testing.T) {
	s := guideSite(t)
	before := s.everything()
	report, err := s.importArchive(guide, "", archive.Options{Existing: archive.Merge})
	check(t, err)
	if s.everything() != before {
		t.Error("merging the same archive again changed something")
	}
	if text := printed(t, report); !strings.Contains(text, "63  entries: the site has the same or a newer version") {
		t.Errorf("the report is %s", text)
	}
	_, err = s.importArchive(guide, "", archive.Options{Existing: archive.Replace})
	check(t, err)
	if s.everything() != before {
		t.Error("replacing by the same archive changed something")
	}
}

// Merging gives what is new here ids that nothing has, and a role the documentId
// that the role of that type has here.
func TestMergeKeepsIDsApart(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, lines(chefAna, category2))
	check(t, err)
	check(t, s.open(func(db *store.DB) error {
		return db.Update(func(tx *store.Tx) error {
			role := &store.Entry{ID: 9, DocumentID: "authenticatedhere", Status: store.Published, UpdatedAt: 1, Fields: []store.Field{{Name: "type", Value: store.Value{Kind: store.Text, Text: "authenticated"}}}}
			return tx.Apply(store.Change{Type: schema.RoleUID, After: role})
		})
	}))
	_, err = s.importArchive(guide, "", archive.Options{Existing: archive.Merge})
	check(t, err)
	ids := map[uint64]bool{}
	check(t, s.open(func(db *store.DB) error {
		return db.View(func(tx *store.Tx) error {
			return tx.Scan("api::chef.chef", func(e *store.Entry) error {
				if ids[e.ID] {
					t.Errorf("the id %d is used twice", e.ID)
				}
				ids[e.ID] = true
				return nil
			})
		})
	}))
	if got := s.entries(); !strings.Contains(got, "role=->authenticatedhere") || strings.Contains(got, "gsgatczzgtcykpj8g2vxl2ra") {
		t.Errorf("users should have the role that is here:\n%s", got)
	}
}

const category2 = `{"type":"api::category.category","documentId":"other","data":{"name":"Other","code":77}}`

func TestMergeRefusesClashes(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, `{"type":"api::category.category","documentId":"other","data":{"name":"French","code":77}}`)
	check(t, err)
	before := s.files()
	_, err = s.importArchive(guide, "", archive.Options{Existing: archive.Merge})
	var problems *archive.Problems
	if !errors.As(err, &problems) || !strings.Contains(err.Error(), "[name]: This attribute must be unique") {
		t.Errorf("the error is %v", err)
	}
	if !maps.Equal(before, s.files()) {
		t.Error("the data folder has changed")
	}
}

// A file that has the name of another content here gets another name on disk, and
// keeps its url. What nobody names any more is removed.
func TestImportArchiveKeepsFilesApart(t *testing.T) {
	s := newSite(t)
	uploads := filepath.Join(s.data, "uploads")
	check(t, os.Mkdir(uploads, 0o700))
	check(t, os.WriteFile(filepath.Join(uploads, "dot_5923dca61e.png"), []byte("another"), 0o600))
	_, err := s.importArchive(guide, "", archive.Options{})
	check(t, err)
	other, err := os.ReadFile(filepath.Join(uploads, "dot_5923dca61e.png"))
	if err != nil || string(other) != "another" {
		t.Errorf("the file that was there is %q, %v", other, err)
	}
	got := s.entries()
	_, after, _ := strings.Cut(got, `hash="dot_5923dca61e_`)
	hash, rest, _ := strings.Cut(after, `"`)
	if content, err := os.ReadFile(filepath.Join(uploads, "dot_5923dca61e_"+hash+".png")); err != nil || len(content) != 195 {
		t.Errorf("the imported file is %d bytes, %v", len(content), err)
	}
	if line, _, _ := strings.Cut(rest, "\n"); !strings.Contains(line, `url="/uploads/dot_5923dca61e.png"`) {
		t.Errorf("its url should stay: %s", line)
	}
	_, err = s.importArchive(archiveOf(t, nil), "", archive.Options{Existing: archive.Replace})
	check(t, err)
	left, err := os.ReadDir(uploads)
	check(t, err)
	if len(left) != 1 || left[0].Name() != "dot_5923dca61e.png" {
		t.Errorf("the folder still holds %v", left)
	}
}

// Nothing stays of an import that fails at its very end.
func TestImportArchiveFailsAtTheEnd(t *testing.T) {
	s := newSite(t)
	_, err := s.importLines(archive.Options{}, chefAna)
	check(t, err)
	before := s.files()
	failure := errors.New("no")
	err = s.open(func(db *store.DB) error {
		_, err := archive.ImportArchive(t.Context(), s.target(db), guide, "", archive.Options{Existing: archive.Replace, Ready: func() error { return failure }})
		return err
	})
	if !errors.Is(err, failure) {
		t.Errorf("the error is %v", err)
	}
	if !maps.Equal(before, s.files()) {
		t.Error("the data folder has changed")
	}
}

// An archive that is cut off anywhere changes nothing.
func TestImportArchiveCutOff(t *testing.T) {
	for _, file := range []struct{ path, key string }{{guide, ""}, {guide + ".enc", guideKey}, {unpack(t, guide), ""}} {
		whole, err := os.ReadFile(file.path)
		check(t, err)
		s := newSite(t)
		_, err = s.importLines(archive.Options{}, chefAna)
		check(t, err)
		before := s.files()
		path := filepath.Join(t.TempDir(), "cut")
		for i := range 12 {
			n := len(whole) * i / 12
			check(t, os.WriteFile(path, whole[:n], 0o600))
			_, err = s.importArchive(path, file.key, archive.Options{Existing: archive.Replace})
			var format *archive.FormatError
			if !errors.As(err, &format) {
				t.Errorf("%s cut off at %d: %v", file.path, n, err)
			}
			if !maps.Equal(before, s.files()) {
				t.Fatalf("%s cut off at %d: the data folder has changed", file.path, n)
			}
		}
	}
}

func TestImportArchiveOfDamagedBytes(t *testing.T) {
	whole, err := os.ReadFile(guide)
	check(t, err)
	s := newSite(t)
	path := filepath.Join(t.TempDir(), "damaged")
	for i := range 16 {
		damaged := bytes.Clone(whole)
		damaged[len(damaged)*i/16] ^= 0x20
		check(t, os.WriteFile(path, damaged, 0o600))
		if _, err := s.importArchive(path, "", archive.Options{}); err == nil {
			t.Errorf("byte %d was changed, and nobody noticed", len(damaged)*i/16)
			_, err = s.importArchive(archiveOf(t, nil), "", archive.Options{Existing: archive.Replace})
			check(t, err)
		}
	}
}

// Once the copy may have taken the place of the data file, the files that its
// records name stay, whatever fails after that.
func TestFilesStayWhereTheImportIsUncertain(t *testing.T) {
	s := newSite(t)
	_ = s.open(func(db *store.DB) error {
		files, err := media.Open(filepath.Join(s.data, "uploads"))
		check(t, err)
		inTheWay := func() error { return errors.Join(os.Remove(s.file()), os.Mkdir(s.file(), 0o700)) }
		_, err = archive.ImportArchive(t.Context(), archive.Target{Site: s.Site, DB: db, Files: files}, guide, "", archive.Options{Ready: inTheWay})
		if !store.Uncertain(err) {
			t.Errorf("it is said to be certain: %v", err)
		}
		return nil
	})
	if names, err := os.ReadDir(filepath.Join(s.data, "uploads")); err != nil || len(names) != 11 {
		t.Errorf("there are %d files, %v", len(names), err)
	}
}
