package command

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"quire/store"
)

const restaurants = "api::restaurant.restaurant"

// harmSite makes damage that a repair fixes: a sequence, links, an id, a token, and
// remains of interrupted runs.
func harmSite(t *testing.T, site string) {
	t.Helper()
	data := filepath.Join(site, "data")
	db, err := store.Open(filepath.Join(data, "quire.db"), store.Options{})
	requireNil(t, err)
	err = db.Update(func(tx *store.Tx) error {
		var entries []*store.Entry
		if err := tx.Scan(restaurants, func(e *store.Entry) error { entries = append(entries, e); return nil }); err != nil {
			return err
		}
		linked := slices.IndexFunc(entries, func(e *store.Entry) bool { return len(e.Value("cuisines").Edges) > 0 })
		before := entries[linked]
		after := *before
		after.ID = entries[(linked+1)%len(entries)].ID
		after.Fields = slices.Clone(before.Fields)
		for i, f := range after.Fields {
			if f.Name == "cuisines" {
				after.Fields[i].Value.Edges = append(slices.Clone(f.Value.Edges), f.Value.Edges...)
			}
		}
		if err := tx.Apply(store.Change{Type: restaurants, Before: before, After: &after}); err != nil {
			return err
		}
		if err := tx.PutRecord("tokens", "torn", []byte(`{"name": "to`)); err != nil {
			return err
		}
		return tx.SetSequence(restaurants, 1)
	})
	if err == nil {
		err = db.Close()
	}
	for _, name := range []string{".quire.db.new-1", "quire.db.copy-2", ".quire.db.spool-4", ".quire.db.annex-5"} {
		if err == nil {
			err = os.WriteFile(filepath.Join(data, name), []byte("x"), 0o600)
		}
	}
	if err == nil {
		err = os.Mkdir(filepath.Join(data, ".socket-3"), 0o700)
	}
	requireNil(t, err)
}

// Check reports the damage and changes nothing. A repair fixes it, keeps a copy of the
// file, and the site can be served again.
func TestRepair(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	harmSite(t, site)
	file := filepath.Join(site, "data", "quire.db")
	before, err := os.ReadFile(file)
	requireNil(t, err)
	code, stdout, _ := command(t, "check", site)
	for _, want := range []string{
		"the sequence api::restaurant.restaurant: it is 1, and the highest", "its numeric id is that of another entry", "it links twice to one document",
		`the API token "torn": it cannot be read`, ".quire.db.new-1: was left behind", "quire.db.copy-2: was left behind", ".quire.db.spool-4: was left behind", ".quire.db.annex-5: was left behind", ".socket-3: was left behind",
		"fix: run `quire check --repair`, which fixes it",
	} {
		if code != 1 || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, stdout)
		}
	}
	if code, _, stderr := command(t, "serve", "--listen", "127.0.0.1:0", site); code != 1 || !strings.Contains(stderr, "quire:") {
		t.Errorf("it is served: exit %d, %s", code, stderr)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(before, after) {
		t.Error("check or serve have written to the file")
	}
	stdout = succeed(t, "check", "--repair", site)
	if !strings.HasSuffix(stdout, "no problems\n") || strings.Count(stdout, "fixed:") < 4 || strings.Count(stdout, "removed") < 4 {
		t.Errorf("the repair says\n%s", stdout)
	}
	requireCopy(t, stdout, before)
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Error(got)
	}
	if got := succeed(t, "check", "--repair", site); got != "no problems\n" {
		t.Error(got)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var list struct{ Data []struct{ ID int } }
	if status := p.get("/api/restaurants?pagination[pageSize]=100", "", &list); status != 200 || len(list.Data) < 4 {
		t.Errorf("%d %+v", status, list)
	}
}

// requireCopy finds the copy that a repair has made, and requires that it equals the
// former file.
func requireCopy(t *testing.T, stdout string, before []byte) {
	t.Helper()
	var path string
	fmt.Sscanf(strings.TrimPrefix(stdout, "note: "), "%s", &path)
	path = strings.TrimSuffix(path, ":")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy %q: %v, %v", path, info, err)
	}
	db, err := store.Open(path, store.Options{ReadOnly: true})
	requireNil(t, err)
	defer db.Close()
	err = db.View(func(tx *store.Tx) error {
		if n := tx.Sequence(restaurants); n != 1 {
			t.Errorf("the sequence of the copy stands at %d", n)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A running server checks its own data while files come and go. Its data cannot be
// repaired meanwhile.
func TestCheckOfARunningServer(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	folder := sowSite(t, site)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	code, stdout, stderr := command(t, "check", site)
	if code != 0 || stdout != "no problems\n" || stderr != "quire: done by the running server\n" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
	for _, name := range []string{".upload-1", "stray.jpg"} {
		requireNil(t, os.WriteFile(filepath.Join(folder, name), nil, 0o600))
	}
	code, stdout, _ = command(t, "check", site)
	if code != 1 || !strings.Contains(stdout, filepath.Join(site, "data", "uploads", "stray.jpg")+": is a stray") || strings.Contains(stdout, ".upload-1") {
		t.Errorf("with a stray: exit %d\n%s", code, stdout)
	}
	code, stdout, _ = command(t, "check", "--repair", site)
	if code != 1 || !strings.Contains(stdout, "not repaired: store: another process has") || !strings.Contains(stdout, "stop it") {
		t.Errorf("a repair: exit %d\n%s", code, stdout)
	}
	edit(t, site, "src/api/restaurant/content-types/restaurant/schema.json", `"seats"`, `"chairs"`)
	code, stdout, _ = command(t, "check", site)
	if !strings.Contains(stdout, "quire migrate rename "+restaurants+" seats NEW") {
		t.Errorf("of the schemas as they are now: exit %d\n%s", code, stdout)
	}
}

// The data file and the uploads may be links. Commands follow the links and keep them. In
// their targets, commands remove no file of somebody else.
func TestLinkedData(t *testing.T) {
	site, away := filepath.Join(t.TempDir(), "site"), t.TempDir()
	sowSite(t, site)
	backup := filepath.Join(away, "site.tar.zst")
	succeed(t, "backup", site, backup)
	paths := map[string]string{} // links, and their targets
	for _, name := range []string{"quire.db", "uploads"} {
		from, to := filepath.Join(site, "data", name), filepath.Join(away, name)
		if err := errors.Join(os.Rename(from, to), os.Symlink(to, from)); err != nil {
			t.Skip("no links here:", err)
		}
		paths[from] = to
	}
	for _, name := range []string{"mine.jpg", ".upload-mine"} {
		requireNil(t, os.WriteFile(filepath.Join(away, "uploads", name), nil, 0o600))
	}
	before, err := os.ReadDir(filepath.Join(away, "uploads"))
	requireNil(t, err)
	harm := func(*testing.T) { harmSite(t, site) }
	for _, c := range []struct {
		name string
		harm func(*testing.T)
		code int
		want string
	}{
		{"compact", nil, 0, "before,"},
		{"check", nil, 0, "has 2 files that no record names, such as .upload-mine"},
		{"check --repair", harm, 0, "has 2 files that no record names"},
		{"restore " + backup, nil, 1, "quire.db is a link"},
		{"restore --replace " + backup, nil, 1, "quire.db is a link"},
		{"status", nil, 0, ""},
	} {
		if c.harm != nil {
			c.harm(t)
		}
		code, stdout, stderr := command(t, append(strings.Fields(c.name), site)...)
		if code != c.code || !strings.Contains(stdout+stderr, c.want) {
			t.Errorf("%s: exit %d, no %q in\n%s%s", c.name, code, c.want, stdout, stderr)
		}
		for link, to := range paths {
			if leads, err := os.Readlink(link); err != nil || leads != to {
				t.Errorf("%s: %s leads to %q, %v", c.name, link, leads, err)
			}
		}
		if after, err := os.ReadDir(filepath.Join(away, "uploads")); err != nil || len(after) != len(before) {
			t.Errorf("%s: there were %v and are %v, %v", c.name, before, after, err)
		}
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var list struct{ Data []any }
	if status := p.get("/api/restaurants", "", &list); status != 200 || len(list.Data) == 0 {
		t.Errorf("%d %v", status, list)
	}
}

// The same applies if the whole data folder is a link.
func TestLinkedDataFolder(t *testing.T) {
	site, away := filepath.Join(t.TempDir(), "site"), filepath.Join(t.TempDir(), "away")
	sowSite(t, site)
	if err := errors.Join(os.Rename(filepath.Join(site, "data"), away), os.Symlink(away, filepath.Join(site, "data"))); err != nil {
		t.Skip("no links here:", err)
	}
	mine := filepath.Join(away, "uploads", "mine.jpg")
	requireNil(t, os.WriteFile(mine, nil, 0o600))
	for _, name := range []string{"check", "check --repair", "compact", "status"} {
		code, stdout, stderr := command(t, append(strings.Fields(name), site)...)
		if code != 0 || strings.HasPrefix(name, "check") && !strings.Contains(stdout, "has 1 file that no record names, such as mine.jpg") {
			t.Errorf("%s: exit %d\n%s%s", name, code, stdout, stderr)
		}
		if _, err := os.Stat(mine); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// A repair of a damaged file saves what can be read to another file, which can be
// served in its place. It does not write to the damaged file.
func TestRepairOfADamagedFile(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	file := filepath.Join(site, "data", "quire.db")
	last := lastRevision(t, file)
	flipEntry(t, file)
	damaged, err := os.ReadFile(file)
	requireNil(t, err)
	code, stdout, _ := command(t, "check", "--repair", site)
	if code != 1 || !strings.Contains(stdout, "restore the latest backup") || !strings.Contains(stdout, "not changed, as it is damaged") {
		t.Fatalf("exit %d\n%s", code, stdout)
	}
	if after, _ := os.ReadFile(file); !bytes.Equal(after, damaged) {
		t.Error("the damaged file was written to")
	}
	saved, err := filepath.Glob(file + ".salvaged-*")
	if err != nil || len(saved) != 1 {
		t.Fatalf("%v, %v", saved, err)
	}
	requireNil(t, os.Rename(saved[0], file))
	if next := lastRevision(t, file); next <= last {
		t.Errorf("what was salvaged is at revision %d, and the damaged file was at %d: who follows the changes is not told", next, last)
	}
	if code, stdout, _ := command(t, "check", "--repair", site); code != 0 {
		t.Errorf("what was salvaged: exit %d\n%s", code, stdout)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var list struct{ Data []any }
	if status := p.get("/api/cuisines", "", &list); status != 200 || len(list.Data) < 3 {
		t.Errorf("%d %v", status, list)
	}
}

func lastRevision(t *testing.T, file string) (revision uint64) {
	t.Helper()
	db, err := store.Open(file, store.Options{ReadOnly: true})
	requireNil(t, err)
	requireNil(t, db.View(func(tx *store.Tx) error { revision = tx.Revision(); return nil }))
	requireNil(t, db.Close())
	return revision
}

// flipEntry changes one letter of a stored text.
func flipEntry(t *testing.T, file string) {
	t.Helper()
	content, err := os.ReadFile(file)
	requireNil(t, err)
	for i := 0; ; { // in all pages, because some are free
		at := bytes.Index(content[i:], []byte("moderate"))
		if at < 0 {
			break
		}
		i += at
		content[i] ^= 1
	}
	requireNil(t, os.WriteFile(file, content, 0o600))
}

func requireNil(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
