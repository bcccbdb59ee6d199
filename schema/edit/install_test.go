package edit

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
)

// install copies the guide, and makes a draft that writes, moves and removes files.
func draftOfCopy(t *testing.T) (site, journal string, d *Draft) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "site")
	check(t, os.CopyFS(site, os.DirFS(guide)))
	check(t, os.Remove(filepath.Join(site, "site.json"))) // it names types
	d = mustMake(t, os.DirFS(site), change(t, `{"types": [
		{"was": "api::cuisine.cuisine", "name": "kitchen", "pluralName": "kitchens"},
		{"was": "api::homepage.homepage", "remove": true},
		{"kind": "component", "name": "hints.seo", "attributes": []}]}`))
	return site, filepath.Join(t.TempDir(), "journal"), d
}

// content is every file of a folder, with what it holds.
func content(t *testing.T, folder string) map[string]string {
	t.Helper()
	all := map[string]string{}
	check(t, filepath.WalkDir(folder, func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		all[name] = string(text)
		return err
	}))
	return all
}

func requireSame(t *testing.T, got, want map[string]string) {
	t.Helper()
	for name, text := range want {
		if got[name] != text {
			t.Errorf("%s is\n%s", name, got[name])
		}
	}
	for name := range got {
		if _, ok := want[name]; !ok {
			t.Errorf("%s is left", name)
		}
	}
}

func TestInstallAndUndo(t *testing.T) {
	site, journal, d := draftOfCopy(t)
	before := content(t, site)
	in, err := Install(site, journal, "1", d.Files)
	check(t, err)
	if !Pending(journal) {
		t.Error("there is no journal")
	}
	again := mustMake(t, os.DirFS(site), Change{})
	if again.Site.Fingerprint != d.Site.Fingerprint {
		t.Error("the folder is not what the draft says")
	}
	if _, err := os.Stat(filepath.Join(site, "src/api/cuisine")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("an empty folder is left")
	}
	if _, err := Install(site, journal, "2", nil); err == nil {
		t.Error("two changes have one journal")
	}
	check(t, in.Undo())
	requireSame(t, content(t, site), before)
	if Pending(journal) {
		t.Error("the journal is left")
	}
}

// Wherever an installation breaks off, the folder is as it was after a repair, or as it was
// to be where the content has followed.
func TestKilledBetweenFiles(t *testing.T) {
	for steps := range 8 {
		for _, stays := range []bool{false, true} {
			site, journal, d := draftOfCopy(t)
			before := content(t, site)
			in, err := Install(site, journal, "1", d.Files)
			check(t, err)
			want := before
			if stays {
				want = content(t, site) // the content follows after the last file only
			} else {
				breakOff(t, in, steps)
			}
			check(t, Repair(site, journal, func(id string) (bool, error) { return stays && id == "1", nil }))
			requireSame(t, content(t, site), want)
			check(t, Repair(site, journal, nil)) // there is nothing left to ask for
		}
	}
}

// A change that breaks off before its journal is written has changed nothing, and the next
// one begins.
func TestKilledBeforeTheJournal(t *testing.T) {
	site, journal, d := draftOfCopy(t)
	before := content(t, site)
	in := &Installation{journal: journal}
	check(t, in.claimJournal())
	if err := in.claimJournal(); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a second change has the same journal: %v", err)
	}
	check(t, Repair(site, journal, nil)) // there is nothing to ask for
	requireSame(t, content(t, site), before)
	if Pending(journal) {
		t.Error("the journal is left")
	}
	_, err := Install(site, journal, "2", d.Files)
	check(t, err)
}

// breakOff leaves what there is when so many steps of an installation have been done: of each
// file the temporary one first, and then all in their places.
func breakOff(t *testing.T, in *Installation, steps int) {
	t.Helper()
	root, err := os.OpenRoot(in.site)
	check(t, err)
	defer root.Close()
	check(t, in.write(root, func(r recorded) []byte { return r.Before }))
	for _, r := range in.record.Files {
		if steps--; steps < 0 {
			return
		}
		if r.After != nil {
			check(t, writeTemporary(root, r.Path, r.After))
		}
	}
	for _, r := range in.record.Files {
		if steps--; steps < 0 {
			return
		}
		if r.After != nil {
			check(t, root.Rename(temporary(r.Path), r.Path))
		} else {
			check(t, root.Remove(r.Path))
		}
	}
}

// What somebody has edited since an installation broke off is not overwritten, nor is any other
// file: once the edit is out of the way, the former files come back.
func TestEditedAfterBreakingOff(t *testing.T) {
	for _, name := range []string{"src/api/restaurant/content-types/restaurant/schema.json", "src/api/kitchen/content-types/kitchen/schema.json", "src/api/homepage/content-types/homepage/schema.json"} {
		site, journal, d := draftOfCopy(t)
		before := content(t, site)
		in, err := Install(site, journal, "1", d.Files)
		check(t, err)
		breakOff(t, in, 5)
		mine := filepath.Join(site, name)
		check(t, os.MkdirAll(filepath.Dir(mine), 0o700))
		check(t, os.WriteFile(mine, []byte(`{"mine": true}`), 0o600))
		edited := content(t, site)
		undone := func(string) (bool, error) { return false, nil }
		var wrong *EditedError
		if err := Repair(site, journal, undone); !errors.As(err, &wrong) || len(wrong.Paths) != 1 || wrong.Paths[0] != name {
			t.Fatalf("%s: %v", name, err)
		}
		requireSame(t, content(t, site), edited)
		check(t, os.Rename(mine, filepath.Join(t.TempDir(), "mine.json")))
		check(t, Repair(site, journal, undone))
		requireSame(t, content(t, site), before)
	}
	// Where the content has followed, the edit is one of a file that stays.
	site, journal, d := draftOfCopy(t)
	_, err := Install(site, journal, "1", d.Files)
	check(t, err)
	check(t, os.WriteFile(filepath.Join(site, "src/api/kitchen/content-types/kitchen/schema.json"), []byte(`{"mine": true}`), 0o600))
	edited := content(t, site)
	check(t, Repair(site, journal, func(string) (bool, error) { return true, nil }))
	requireSame(t, content(t, site), edited)
}

// A journal of a version that did not say what files become puts the former ones back.
func TestJournalOfEarlierVersions(t *testing.T) {
	site, journal, _ := draftOfCopy(t)
	before := content(t, site)
	check(t, os.WriteFile(journal, []byte(`{"id":"1","files":[{"path":"src/components/hints/seo.json","before":null}]}`), 0o600))
	check(t, os.MkdirAll(filepath.Join(site, "src/components/hints"), 0o700))
	check(t, os.WriteFile(filepath.Join(site, "src/components/hints/seo.json"), []byte("{}"), 0o600))
	check(t, Repair(site, journal, func(string) (bool, error) { return false, nil }))
	requireSame(t, content(t, site), before)
}

// No link is followed and no other path is written, whoever made them.
func TestLinksAreRefused(t *testing.T) {
	outside := t.TempDir()
	for _, link := range []string{"src", "src/api", "src/api/cuisine", "src/api/cuisine/content-types/cuisine", "src/components/hints"} {
		site, journal, d := draftOfCopy(t)
		before := content(t, outside)
		check(t, os.RemoveAll(filepath.Join(site, link)))
		check(t, os.MkdirAll(filepath.Dir(filepath.Join(site, link)), 0o700))
		check(t, os.Symlink(outside, filepath.Join(site, link)))
		if _, err := Install(site, journal, "1", d.Files); !errors.As(err, new(*LinkError)) {
			t.Errorf("%s: %v", link, err)
		}
		requireSame(t, content(t, outside), before)
	}
	site, journal, _ := draftOfCopy(t)
	for _, name := range []string{"../x.json", "src/api/../../x.json", "package.json", "src/api/a/content-types/../schema.json", "/etc/x.json", "src/extensions/users-permissions/content-types/user/schema.json"} {
		if _, err := Install(site, journal, "1", []File{{Path: name, After: []byte("{}")}}); err == nil {
			t.Errorf("%s is written", name)
		}
	}
}

// A file that somebody has changed since the draft is not overwritten.
func TestTouchedFiles(t *testing.T) {
	site, journal, d := draftOfCopy(t)
	name := filepath.Join(site, "src/api/restaurant/content-types/restaurant/schema.json")
	text, err := os.ReadFile(name)
	check(t, err)
	check(t, os.WriteFile(name, append(text, '\n'), 0o600))
	before := content(t, site)
	if _, err := Install(site, journal, "1", d.Files); !errors.Is(err, ErrTouched) {
		t.Errorf("%v", err)
	}
	requireSame(t, content(t, site), before)
}
