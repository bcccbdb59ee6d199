package command

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const restaurantSchema = "src/api/restaurant/content-types/restaurant/schema.json"

// renameSeats renames an attribute as a user would: in the schema, with a dry run, and then
// for real. who is who must have done it, according to stderr.
func renameSeats(t *testing.T, site, who string) {
	t.Helper()
	edit(t, site, restaurantSchema, `"seats"`, `"places"`)
	code, stdout, _ := command(t, "check", site)
	if code != 0 || !strings.Contains(stdout, "`quire migrate rename "+restaurants+" seats NEW`") {
		t.Errorf("check: exit %d\n%s", code, stdout)
	}
	for range 2 {
		_, planned, stderr := command(t, "migrate", "rename", "--dry-run", restaurants, "seats", "places", site)
		if !strings.Contains(planned, "12 entries would be changed; nothing was. Make a backup") || stderr != "quire: done by "+who+"\n" {
			t.Fatalf("the dry run says\n%s%s", planned, stderr)
		}
	}
	code, stdout, stderr := command(t, "migrate", "rename", restaurants, "seats", "places", site)
	want := []string{
		"TYPE LOCALE STATUS ENTRIES",
		restaurants + " de draft 2", restaurants + " de published 2", restaurants + " en draft 4", restaurants + " en published 4",
		"12 entries changed",
	}
	var got []string
	for line := range strings.Lines(stdout) {
		got = append(got, strings.Join(strings.Fields(line), " "))
	}
	if code != 0 || fmt.Sprint(got) != fmt.Sprint(want) || stderr != "quire: done by "+who+"\n" {
		t.Errorf("exit %d\n%s%s\nwant %s", code, stdout, stderr, want)
	}
	if got := succeed(t, "migrate", "rename", restaurants, "seats", "places", site); got != "nothing is stored as "+restaurants+" seats\n" {
		t.Errorf("again: %s", got)
	}
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Errorf("check after it: %s", got)
	}
}

// With --backup, renames and drops make a backup first, except in a dry run.
func TestMigrateWithABackup(t *testing.T) {
	site, folder := filepath.Join(t.TempDir(), "site"), t.TempDir()
	sowSite(t, site)
	edit(t, site, restaurantSchema, `"seats"`, `"places"`)
	first, second := filepath.Join(folder, "first.tar.zst"), filepath.Join(folder, "second.tar.zst")
	succeed(t, "migrate", "rename", "--dry-run", "--backup", first, restaurants, "seats", "places", site)
	if _, err := os.Stat(first); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the dry run made a backup: %v", err)
	}
	if got := succeed(t, "migrate", "rename", "--backup", first, restaurants, "seats", "places", site); !strings.Contains(got, "a data file of") || !strings.HasSuffix(got, "12 entries changed\n") {
		t.Errorf("it says %s", got)
	}
	edit(t, site, restaurantSchema, `"places"`, `"chairs"`)
	succeed(t, "migrate", "drop", "--backup", second, restaurants, "places", site)
	for _, name := range []string{first, second} {
		if info, err := os.Stat(name); err != nil || info.Size() == 0 {
			t.Errorf("%v", err)
		}
	}
	if code, _, stderr := command(t, "migrate", "drop", "--backup", second, restaurants, "places", site); code == 0 || !strings.Contains(stderr, "second.tar.zst") {
		t.Errorf("a backup is written over: exit %d, %s", code, stderr)
	}
}

func requirePlaces(t *testing.T, p *program) {
	t.Helper()
	var list struct{ Data []struct{ Places int } }
	status := p.get("/api/restaurants?filters[places][$gt]=0&sort=places", "", &list)
	if status != 200 || len(list.Data) == 0 || list.Data[0].Places == 0 {
		t.Errorf("%d %+v", status, list)
	}
}

func TestRenameAnAttribute(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	renameSeats(t, site, "this command, as no server is running")
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	requirePlaces(t, p)
}

// A running server carries out a migration, and serves the new schemas from then on.
func TestRenameWhileServing(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	var answer map[string]any
	if status := p.get("/api/restaurants?filters[places][$gt]=0", "", &answer); status != 400 {
		t.Errorf("before it: %d", status)
	}
	code, _, stderr := command(t, "migrate", "rename", restaurants, "seats", "places", site)
	if code != 1 || stderr != "quire: "+restaurants+" still has the attribute \"seats\": rename or remove it in the schema first\n" {
		t.Errorf("too early: exit %d, %s", code, stderr)
	}
	renameSeats(t, site, "the running server")
	requirePlaces(t, p)
	edit(t, site, restaurantSchema, `"type": "json"`, `"type": "sting"`)
	if code, _, stderr := command(t, "migrate", "drop", restaurants, "facts", site); code != 1 || !strings.Contains(stderr, "sting") {
		t.Errorf("with broken schemas: exit %d, %s", code, stderr)
	}
	requirePlaces(t, p)
}

func TestDropAnAttribute(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	edit(t, site, restaurantSchema, `"seats": {
      "type": "integer",
      "min": 1,
      "max": 500
    },`, "")
	edit(t, site, "src/components/contact/address.json", `"town"`, `"city"`)
	got := succeed(t, "check", site)
	for _, remedy := range []string{"`quire migrate drop " + restaurants + " seats`", "`quire migrate drop contact.address town`"} {
		if !strings.Contains(got, remedy) {
			t.Errorf("no %s in\n%s", remedy, got)
		}
	}
	if got := succeed(t, "migrate", "drop", restaurants, "seats", site); !strings.Contains(got, "12 entries changed") {
		t.Errorf("drop: %s", got)
	}
	if got := succeed(t, "migrate", "drop", "--dry-run", "contact.address", "town", site); !strings.Contains(got, "components inside them") {
		t.Errorf("drop of a component's: %s", got)
	}
	if got := succeed(t, "migrate", "drop", "contact.address", "town", site); !strings.Contains(got, "changed") {
		t.Errorf("drop of a component's: %s", got)
	}
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Errorf("check after it: %s", got)
	}
}

func TestMigrateArguments(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	succeed(t, "new", "--template", "blank", site)
	if got := succeed(t, "hook", "secret", site); got == "" {
		t.Error("no data file")
	}
	for _, c := range []struct{ args, want string }{
		{"rename api::a.a b c " + site, "the site has no type api::a.a"},
		{"rename api::a.a b", "quire: NEW is missing"},
		{"drop api::a.a b c d " + site, " is one argument too many"},
		{"drop api::a.a " + site + " b", `"b" is one argument too many`},
		{"drop plugin::upload.file " + site, "the site still has the type plugin::upload.file"},
		{"drop api::a.a " + site + "/nowhere", "no site folder"},
	} {
		code, stdout, stderr := command(t, append([]string{"migrate"}, strings.Fields(c.args)...)...)
		if !refused(code, stderr) || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit %d, %s%s", c.args, code, stdout, stderr)
		}
	}
	if got := succeed(t, "migrate", "drop", "api::a.a", site); got != "nothing is stored as api::a.a\n" {
		t.Error(got)
	}
}
