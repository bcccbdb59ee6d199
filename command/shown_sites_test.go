package command

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// wantedExit are the exit statuses of commands that fail on a page.
var wantedExit = map[string]int{
	"docs/site.md: serve my-site": 1, // the page shows the error
}

// beforeShown are the steps of a reader before a command of a page.
var beforeShown = map[string]func(*testing.T){
	"docs/import-export.md: import - my-site": func(t *testing.T) {
		putStdin(t, `{"type": "api::dish.dish", "data": {"name": "Soup"}}`)
	},
	"docs/site.md: check my-site": func(t *testing.T) {
		rewrite(t, shownSchema, `"seats": {`, `"places": {`)
	},
	"docs/site.md: serve my-site": func(t *testing.T) {
		rewrite(t, "my-site/src/api/visit/content-types/visit/schema.json", `"attributes": {`, `"pluginOptions": {"i18n": {"localized": true}}, "attributes": {`)
	},
	"docs/import-export.md: import --key-file key.txt export_20261121073330.tar.gz.enc path/to/project": func(t *testing.T) {
		copyFolder(t, "my-site/src", "path/to/project/src")
		copyFile(t, "my-site/site.json", "path/to/project/site.json")
	},
	"docs/import-export.md: adopt --dry-run": func(t *testing.T) {
		remove(t, "export_20261121073330.tar.gz.enc")
		writeFile(t, "package.json", `{"dependencies": {"@strapi/strapi": "5.54.0"}}`)
	},
	"docs/upgrading.md: restore before.tar.zst trial": func(t *testing.T) {
		copyFolder(t, "my-site/src", "trial/src")
		copyFile(t, "my-site/site.json", "trial/site.json")
	},
	"docs/upgrading.md: import content.tar.gz old-site": func(t *testing.T) {
		copyFolder(t, "my-site/src", "old-site/src")
		copyFile(t, "my-site/site.json", "old-site/site.json")
	},
	"docs/migrate.md: migrate rename-type --dry-run api::story.story api::tale.tale my-site": renameStory,
	"docs/recipes.md: webhook secret next my-site": func(t *testing.T) {
		rewrite(t, "my-site/site.json", `"roles": {`, `"webhooks": [{"name": "next", "url": "http://127.0.0.1:3000/api/changed"}], "events": {"allowPrivate": ["127.0.0.1"]}, "roles": {`)
	},
}

const shownSchema = "my-site/src/api/restaurant/content-types/restaurant/schema.json"

// renameStory follows the instructions of the page for renaming a type.
func renameStory(t *testing.T) {
	t.Helper()
	requireNil(t, os.Rename("my-site/src/api/story", "my-site/src/api/tale"))
	schema := "my-site/src/api/tale/content-types/story/schema.json"
	rewrite(t, schema, `"singularName": "story"`, `"singularName": "tale"`)
	rewrite(t, schema, `"pluralName": "stories"`, `"pluralName": "tales"`)
	err := filepath.WalkDir("my-site/src", func(path string, e os.DirEntry, err error) error {
		if err == nil && filepath.Ext(path) == ".json" {
			var content []byte
			if content, err = os.ReadFile(path); err == nil {
				err = os.WriteFile(path, []byte(strings.ReplaceAll(string(content), "api::story.story", "api::tale.tale")), 0o644)
			}
		}
		return err
	})
	requireNil(t, err)
}

// putStdin makes commands read a text as standard input.
func putStdin(t *testing.T, text string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdin")
	requireNil(t, os.WriteFile(path, []byte(text), 0o600))
	f, err := os.Open(path)
	requireNil(t, err)
	before := os.Stdin
	os.Stdin = f
	t.Cleanup(func() {
		os.Stdin = before
		f.Close()
	})
}

// enterSites changes to a folder with the sites that the commands of a page need.
func enterSites(t *testing.T, page, guide, repository string) {
	t.Helper()
	t.Chdir(t.TempDir())
	copyFolder(t, guide, "my-site")
	if prepare := atFirst[page]; prepare != nil {
		prepare(t, repository)
	}
}

// guideSite creates the site that pages call my-site, with its content.
func guideSite(t *testing.T) string {
	t.Helper()
	site := filepath.Join(t.TempDir(), "my-site")
	begin(t, "demo", "--listen", "127.0.0.1:0", site).end()
	succeed(t, "user", "create", "--username", "ana", "--email", "ana@example.org", "--role", "authenticated", site)
	succeed(t, "admin", "create", "--name", "Ana", "--email", "ana@example.org", site)
	rewrite(t, filepath.Join(site, "site.json"), `"roles": {`, `"roles": {"editor": {"api::visit.visit": ["find", "update"]},`)
	return site
}

// atFirst are the steps of a reader before the first command of a page. They get the
// folder of this repository.
var atFirst = map[string]func(*testing.T, string){
	"README.md": func(t *testing.T, _ string) { remove(t, "my-site") },
	"docs/import-export.md": func(t *testing.T, repository string) {
		remove(t, "my-site")
		archives := filepath.Join(repository, "testdata", "export")
		copyFile(t, filepath.Join(archives, "guide.tar.gz"), "export_20261121073330.tar.gz")
		copyFile(t, filepath.Join(archives, "guide.tar.gz.enc"), "export_20261121073330.tar.gz.enc")
		writeFile(t, "key.txt", "conformance key")
		copyFolder(t, filepath.Join(repository, "transfer", "strapi", "testdata", "storefront"), "launchpad/strapi")
	},
	"docs/migrate.md": func(t *testing.T, _ string) {
		copyFolder(t, "my-site", "before")
		copyFolder(t, "my-site", "work/my-site")
		t.Chdir("work")
	},
	"docs/cli.md":     func(t *testing.T, _ string) { succeed(t, "backup", "monday.tar.zst", "my-site") },
	"docs/recipes.md": func(t *testing.T, _ string) { writeFile(t, "examples/next/lib/quire.ts", "") },
	"docs/types.md":   func(t *testing.T, _ string) { writeFile(t, "web/src/index.ts", "") },
}

// copyFolder copies a folder.
func copyFolder(t *testing.T, from, to string) {
	t.Helper()
	requireNil(t, os.CopyFS(to, os.DirFS(from)))
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	requireNil(t, err)
	writeFile(t, to, string(content))
}

// writeFile writes a file, and creates its folder.
func writeFile(t *testing.T, path, text string) {
	t.Helper()
	requireNil(t, errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600)))
}

func remove(t *testing.T, folder string) {
	t.Helper()
	requireNil(t, os.RemoveAll(folder))
}
