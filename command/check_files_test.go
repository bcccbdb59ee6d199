package command

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/app"
	outside "quire/test/program"
)

// Check reports each file without a record, and each record without a file. A repair
// can only fix the former.
func TestCheckFiles(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	folder := sowSite(t, site)
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Fatal(got)
	}
	for _, name := range []string{"stray.jpg", ".upload-123"} {
		requireNil(t, os.WriteFile(filepath.Join(folder, name), []byte("x"), 0o600))
	}
	names, err := filepath.Glob(filepath.Join(folder, "small_crumb_*"))
	if err != nil || len(names) != 1 {
		t.Fatalf("%v, %v", names, err)
	}
	content, err := os.ReadFile(names[0])
	requireNil(t, err)
	requireNil(t, os.Remove(names[0]))

	code, stdout, stderr := command(t, "check", site)
	for _, want := range []string{"stray.jpg: is a stray", ".upload-123: is a stray", filepath.Base(names[0]) + ": is missing"} {
		if code != 1 || !strings.Contains(stdout, want) || !strings.Contains(stderr, "3 problems") {
			t.Errorf("no %q in exit %d\n%s%s", want, code, stdout, stderr)
		}
	}
	code, stdout, _ = command(t, "check", "--repair", site)
	if code != 1 || !strings.Contains(stdout, "stray.jpg: removed") || !strings.Contains(stdout, "is missing") {
		t.Errorf("exit %d\n%s", code, stdout)
	}
	requireNil(t, os.WriteFile(names[0], content, 0o600))
	if got := succeed(t, "check", site); got != "no problems\n" {
		t.Error(got)
	}
}

// sowSite creates a starter site with its content, and returns its folder of files.
func sowSite(t *testing.T, site string) (folder string) {
	t.Helper()
	fillGuide(t, site)
	return app.Location{Site: site}.UploadsFolder()
}

// fillGuide writes the starter site with its content into a folder. The pictures take a
// while to draw.
var fillGuide = outside.Template(func(site string) error {
	return makeDemo(context.Background(), app.Location{Site: site}, slog.New(slog.DiscardHandler))
})

func TestCheckOfData(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	edit(t, site, "src/api/restaurant/content-types/restaurant/schema.json", `"seats"`, `"chairs"`)
	edit(t, site, "src/components/contact/address.json", `"town"`, `"city"`)
	edit(t, site, "site.json", `"de"`, `"da"`)
	edit(t, site, "src/api/visit/content-types/visit/schema.json", `"max": 5`, `"max": 3`)
	notes := succeed(t, "check", site)
	for _, want := range []string{
		"documents not valid by the schema: rating must be less than or equal to 3",
		"api::restaurant.restaurant.seats, which the schema no longer has (12 entries): kept, not served",
		"api::restaurant.restaurant.address(contact.address).town, which the schema no longer has",
		`api::restaurant.restaurant in the locale "de", which the site no longer has (4 entries)`,
		"no problems",
	} {
		if !strings.Contains(notes, want) {
			t.Errorf("no %q in\n%s", want, notes)
		}
	}
	edit(t, site, "src/api/visit/content-types/visit/schema.json", `"type": "integer"`, `"type": "string"`)
	edit(t, site, "src/api/visit/content-types/visit/schema.json", `"min": 1,`, ``)
	edit(t, site, "src/api/visit/content-types/visit/schema.json", `"max": 3`, `"maxLength": 5`)
	code, stdout, stderr := command(t, "check", site)
	if code != 1 || !strings.Contains(stdout, "api::visit.visit.rating is stored as a whole number (4 entries)") || stderr != "quire: 1 problem found\n" {
		t.Errorf("exit %d\n%s%s", code, stdout, stderr)
	}
}

func TestCheckReportsEverythingAtOnce(t *testing.T) {
	site := filepath.Join(t.TempDir(), "site")
	sowSite(t, site)
	file := filepath.Join(site, "data", "quire.db")
	edit(t, site, cuisineSchema, `"type": "string"`, `"type": "sting"`)
	edit(t, site, "site.json", `"api::visit.visit"`, `"api::visitor.visitor"`)
	data, err := os.OpenFile(file, os.O_WRONLY, 0)
	requireNil(t, err)
	requireNil(t, data.Truncate(10_000))
	data.Close()
	code, stdout, _ := command(t, "check", site)
	for _, want := range []string{"cuisine/schema.json: ", "site.json: ", file + ": "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no problem of %s in\n%s", want, stdout)
		}
	}
	if code != 1 {
		t.Errorf("exit %d", code)
	}
}

// If --data names a folder that does not exist, check reports an error, because the
// name may be mistyped.
func TestCheckOfAMissingDataFolder(t *testing.T) {
	site := newGuide(t)
	if out := succeed(t, "check", site); strings.Contains(out, "note:") {
		t.Error(out)
	}
	out := succeed(t, "check", "--data", filepath.Join(site, "date"), site)
	requireParts(t, out, "note: "+filepath.Join(site, "date", "quire.db")+": there is no data file; no content was checked\n", "no problems\n")
}

// A stopped check reports that it was stopped, and no problems of the data.
func TestCheckIsStopped(t *testing.T) {
	site := newGuide(t)
	succeed(t, "hook", "secret", site) // creates the data file
	ctx, stop := context.WithCancel(t.Context())
	stop()
	var stdout, stderr strings.Builder
	if code := run(ctx, []string{"check", site}, &stdout, &stderr); code != exitFailed || stdout.Len() > 0 || stderr.String() != "quire: stopped before it was done\n" {
		t.Errorf("exit %d\n%s%s", code, &stdout, &stderr)
	}
}
