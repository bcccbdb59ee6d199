package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project returns a copy of a project in strapi/testdata.
func project(t *testing.T, name string) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), name)
	requireNil(t, os.CopyFS(folder, os.DirFS(filepath.Join("../transfer/strapi/testdata", name))))
	return folder
}

// starter returns a project with the schemas of an export, which is in the same folder.
func starter(t *testing.T) (folder string) {
	t.Helper()
	folder = filepath.Join(t.TempDir(), "starter")
	succeed(t, "import", guideArchive, folder)
	requireNil(t, os.RemoveAll(filepath.Join(folder, "data")))
	requireNil(t, os.Remove(filepath.Join(folder, "site.json")))
	writeIn(t, folder, "package.json", `{"dependencies": {"@strapi/strapi": "5.54.0"}}`)
	writeIn(t, folder, "export.tar.gz", read(t, guideArchive))
	return folder
}

func writeIn(t *testing.T, folder, name, text string) {
	t.Helper()
	name = filepath.Join(folder, name)
	requireNil(t, os.MkdirAll(filepath.Dir(name), 0o700))
	requireNil(t, os.WriteFile(name, []byte(text), 0o600))
}

func requireParts(t *testing.T, text string, parts ...string) {
	t.Helper()
	for _, part := range parts {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
}

// An adopted project is served with its own code: its middlewares populate its routes.
func TestAdoptPopulate(t *testing.T) {
	folder := project(t, "landing")
	out := succeed(t, "adopt", folder)
	requireParts(t, out, "site.json was written with:\n", "    rest.maxLimit  ", "config/api.ts\n",
		".gitignore got /data/\n", "    src/api/tour/middlewares/with-blocks.ts: runs\n", "config/admin.ts: left: preview\n", "1 file is left to work through", "quire serve "+folder)
	if _, stdout, _ := command(t, "check", folder); strings.Count(stdout, "ignored: ") != 1 || !strings.Contains(stdout, "config/admin.ts") {
		t.Error(stdout)
	}
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "t", "--type", "full-access", folder))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", folder)
	defer p.end()
	succeed(t, "import", write(t, `{"type": "api::page.page", "data": {"title": "Start", "blocks": [{"__component": "block.banner", "title": "B", "buttons": [{"label": "Go"}]}]}}`), folder)
	var page struct {
		Data struct {
			Title  string
			Blocks []struct{ Buttons []struct{ Label string } }
		}
	}
	if status := p.get("/api/page", token, &page); status != 200 || len(page.Data.Blocks) != 1 || page.Data.Blocks[0].Buttons[0].Label != "Go" {
		t.Errorf("%d %+v", status, page)
	}
	page.Data.Blocks = nil
	if status := p.get("/api/page?populate=none", token, &page); status == 200 && len(page.Data.Blocks) > 0 {
		t.Errorf("%d %+v", status, page)
	}
}

// Adopt names what is wrong with the code of a project, with its line, and what of config it
// leaves out.
func TestAdoptNamesWhatItLeaves(t *testing.T) {
	folder := project(t, "magazine")
	out := succeed(t, "adopt", folder)
	requireParts(t, out, "not in site.json:\n    code: src/api/letter/routes/letter.js: ", "is-writer", "The site cannot be served until that is corrected",
		"    limits.bodyBytes  ", "    graphql.depthLimit  ", "config/middlewares.js: left: strapi::cors\n")
	if site := read(t, filepath.Join(folder, "site.json")); strings.Contains(site, "defaults") || !strings.Contains(site, "15000000") {
		t.Error(site)
	}
}

// A setting that is computed, from the file .env too, is taken as it is evaluated.
func TestAdoptEvaluatesSettings(t *testing.T) {
	folder := project(t, "landing")
	writeIn(t, folder, ".env", "PAGE=40\n")
	writeIn(t, folder, "config/api.ts", "import { most } from '../src/lib/most';\nexport default ({ env }) => ({ rest: { defaultLimit: env.int('PAGE', 10), maxLimit: most } });")
	writeIn(t, folder, "src/lib/most.ts", "export const most = 5 * 60;")
	succeed(t, "adopt", folder)
	if site := read(t, filepath.Join(folder, "site.json")); !strings.Contains(site, `"defaultLimit": 40`) || !strings.Contains(site, `"maxLimit": 300`) {
		t.Error(site)
	}
}

// Where site.json switches the code of a project off, adopt evaluates nothing of it.
func TestAdoptWithoutCode(t *testing.T) {
	folder := project(t, "landing")
	writeIn(t, folder, "site.json", `{"code": {"enabled": false}}`)
	requireParts(t, succeed(t, "adopt", "--force", folder), "config: site.json switches the code of the project off, so its settings cannot be evaluated\n",
		"ignored: route middlewares\n    src/api/page/middlewares/page-populate.ts\n")
	if site := read(t, filepath.Join(folder, "site.json")); strings.Contains(site, "rest") {
		t.Error(site)
	}
}

// An export beside the project supplies locales, roles and content. Rights on routes of the
// code are taken. Where the code does not run, a right that it decides about in Strapi is
// given to nobody.
func TestAdoptAnExport(t *testing.T) {
	const controller = "const { createCoreController } = require('@strapi/strapi').factories;\nmodule.exports = createCoreController('api::chef.chef', () => ({ async find(ctx) { return ctx.badRequest('closed') } }))"
	chefs := func(folder string) string {
		var site struct {
			I18n  struct{ Locales []struct{ Code string } }
			Roles map[string]map[string][]string
		}
		requireNil(t, json.Unmarshal([]byte(read(t, filepath.Join(folder, "site.json"))), &site))
		signedIn := site.Roles["authenticated"]
		if len(site.I18n.Locales) < 2 || len(signedIn["api::restaurant.restaurant"]) == 0 {
			t.Errorf("%+v", site)
		}
		return strings.Join(signedIn["api::chef.chef"], " ")
	}
	off := starter(t)
	writeIn(t, off, "src/api/chef/controllers/chef.js", controller)
	writeIn(t, off, "site.json", `{"code": {"enabled": false}}`)
	requireParts(t, succeed(t, "adopt", "--force", off), "roles.authenticated: api::chef.chef find is not allowed: src/api/chef/controllers/chef.js decides about it in Strapi")
	if got := chefs(off); got != "" {
		t.Errorf("without the code, chefs: %s", got)
	}

	folder := starter(t)
	writeIn(t, folder, "src/api/chef/controllers/chef.js", controller)
	out := succeed(t, "adopt", folder)
	requireParts(t, out, "    i18n.locales ", "    roles.public ", "27  api::restaurant.restaurant\n", "export.tar.gz was imported:\n", "    src/api/chef/controllers/chef.js: runs\n")
	if got := chefs(folder); got != "create find findOne update" {
		t.Errorf("chefs: %s", got)
	}
	if out := succeed(t, "adopt", folder); !strings.Contains(out, "site.json has all settings") || !strings.Contains(out, "was not imported; `quire import`") {
		t.Errorf("a second run prints %s", out)
	}
	if n := strings.Count(read(t, filepath.Join(folder, ".gitignore")), "/data/"); n != 1 {
		t.Errorf("the data folder is ignored %d times", n)
	}
}

// The rights of a role on users are left out if the project has its own code for them, which
// does not run.
func TestAdoptExtensions(t *testing.T) {
	folder := starter(t)
	const file = "src/extensions/users-permissions/strapi-server.js"
	writeIn(t, folder, file, "module.exports = (plugin) => { plugin.controllers.auth.register = refuse; return plugin; };")
	writeIn(t, folder, "site.json", `{"code": {"enabled": false}}`)
	requireParts(t, succeed(t, "adopt", "--force", folder), "plugin::users-permissions.auth register is not allowed: "+file+" decides about it in Strapi")
	var site struct {
		Roles map[string]map[string][]string
	}
	requireNil(t, json.Unmarshal([]byte(read(t, filepath.Join(folder, "site.json"))), &site))
	for role, allowed := range site.Roles {
		for uid := range allowed {
			if strings.HasPrefix(uid, "plugin::users-permissions.") {
				t.Errorf("%s may use %s", role, uid)
			}
		}
	}
	if len(site.Roles["authenticated"]["api::restaurant.restaurant"]) == 0 {
		t.Errorf("%v", site.Roles)
	}
}

// A dry run changes nothing, and prints what a real run would do.
func TestAdoptDryRun(t *testing.T) {
	folder := starter(t)
	before := listFolder(t, folder)
	out := succeed(t, "adopt", "--dry-run", folder)
	requireParts(t, out, "site.json would get:\n", ".gitignore would get /data/\n", "export.tar.gz would be imported\n")
	requireParts(t, succeed(t, "adopt", "--dry-run", project(t, "landing")), "    config/admin.ts: left: preview\n", "1 file is left to work through")
	if after := listFolder(t, folder); strings.Join(after, " ") != strings.Join(before, " ") {
		t.Errorf("the folder has %v", after)
	}
	succeed(t, "adopt", folder)
	requireParts(t, succeed(t, "adopt", "--dry-run", folder), "site.json has all settings", "export.tar.gz would not be imported;")
}

// An existing site.json stays unchanged. With --force, it keeps the settings that the project
// does not have.
func TestAdoptKeepsSiteJSON(t *testing.T) {
	folder := project(t, "landing")
	mine := `{"rest": {"maxLimit": 70, "withCount": false}, "log": {"slowMs": 5}}`
	writeIn(t, folder, "site.json", mine)
	out := succeed(t, "adopt", folder)
	requireParts(t, out, "site.json is there already and stays as it is. With --force it would change so:\n", `    +     "maxLimit": 250`)
	if got := read(t, filepath.Join(folder, "site.json")); got != mine {
		t.Error(got)
	}
	requireParts(t, succeed(t, "adopt", "--force", folder), "site.json was changed:\n")
	var site struct {
		Rest struct {
			MaxLimit  int
			WithCount bool
		}
		Log struct{ SlowMs int }
	}
	requireNil(t, json.Unmarshal([]byte(read(t, filepath.Join(folder, "site.json"))), &site))
	if site.Rest.MaxLimit != 250 || site.Rest.WithCount || site.Log.SlowMs != 5 {
		t.Errorf("%+v", site)
	}
	requireParts(t, succeed(t, "adopt", "--force", folder), "site.json has all settings")
}

// If an adoption is refused, nothing changes.
func TestAdoptRefuses(t *testing.T) {
	other := t.TempDir()
	if code, _, stderr := command(t, "adopt", other); code != 1 || !strings.Contains(stderr, "is not a Strapi project") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	several := starter(t)
	writeIn(t, several, "data/export_20260101120000.tar.gz", "more")
	if code, _, stderr := command(t, "adopt", several); code != 2 || !strings.Contains(stderr, "name one with --export") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	none := project(t, "landing")
	writeIn(t, none, "photos.tar.gz", "not an archive")
	wrong := project(t, "landing")
	edit(t, wrong, "src/api/tour/content-types/tour/schema.json", `"string"`, `"sting"`)
	broken := project(t, "landing")
	writeIn(t, broken, "site.json", "{")
	for folder, want := range map[string]string{other: "is not a Strapi project", none: "photos.tar.gz", wrong: "sting", broken: "site.json"} {
		if code, stdout, stderr := command(t, "adopt", "--force", folder); code != 1 || !strings.Contains(stderr, want) || stdout != "" {
			t.Errorf("exit %d, %s%s", code, stdout, stderr)
		}
		if _, err := os.Stat(filepath.Join(folder, ".gitignore")); err == nil {
			t.Errorf("%s was changed", folder)
		}
	}
}

// If the import fails, adopt restores site.json and .gitignore, whether they are new or
// changed. The next run does everything, and a run with --skip-errors does what it can.
func TestAdoptAfterAFailedImport(t *testing.T) {
	folder := starter(t)
	schema := "src/api/chef/content-types/chef/schema.json"
	edit(t, folder, schema, `"name"`, `"title"`)
	site, ignored := filepath.Join(folder, "site.json"), "node_modules"
	writeIn(t, folder, ".gitignore", ignored)
	for _, before := range []string{"", `{"log": {"slowMs": 5}}`} {
		if before != "" {
			writeIn(t, folder, "site.json", before)
		}
		code, stdout, stderr := command(t, "adopt", "--force", "--json", folder)
		if code != 1 || stdout != "" || !strings.Contains(stderr, "nothing was imported") || !strings.Contains(stderr, "site.json is as it was before") {
			t.Errorf("exit %d\n%s%s", code, stdout, stderr)
		}
		if now, err := os.ReadFile(site); string(now) != before || os.IsNotExist(err) != (before == "") {
			t.Errorf("site.json has %s, %v", now, err)
		}
		if now, err := os.ReadFile(filepath.Join(folder, ".gitignore")); string(now) != ignored || err != nil {
			t.Errorf(".gitignore has %q, %v", now, err)
		}
	}
	info, err := os.Stat(site)
	requireNil(t, err)
	if info.Mode().Perm() != 0o600 {
		t.Errorf("site.json got the mode %v", info.Mode())
	}
	requireParts(t, succeed(t, "adopt", "--force", "--skip-errors", folder), "site.json was changed", "was imported:\n", "left out")
	requireNil(t, os.RemoveAll(filepath.Join(folder, "data")))
	edit(t, folder, schema, `"title"`, `"name"`)
	requireParts(t, succeed(t, "adopt", folder), "site.json has all settings", "was imported:\n")
}

// A server warns once that git would commit secrets, until a .gitignore excludes them.
func TestServeWarnsOfACommittedDataFolder(t *testing.T) {
	site := newGuide(t)
	requireNil(t, os.Mkdir(filepath.Join(site, ".git"), 0o700))
	requireNil(t, os.Rename(filepath.Join(site, ".gitignore"), filepath.Join(site, "kept")))
	warned := func() int {
		p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
		p.get("/api/cuisines", "", new(any))
		p.end()
		return strings.Count(p.stderr.String(), "password hashes and keys are in the data folder, which git would commit")
	}
	if n := warned(); n != 1 {
		t.Errorf("it warns %d times", n)
	}
	requireNil(t, os.Rename(filepath.Join(site, "kept"), filepath.Join(site, ".gitignore")))
	if n := warned(); n != 0 {
		t.Errorf("with a .gitignore it warns %d times", n)
	}
}

// A default can apply only to lists, or only to single documents.
func TestDefaultsOfOneAction(t *testing.T) {
	site := project(t, "landing")
	writeIn(t, site, "site.json", `{"code": {"enabled": false}, "defaults": {"api::tour.tour": {"fields": ["name"], "findOne": {"populate": "blocks"}}}}`)
	succeed(t, "import", write(t, `{"type": "api::tour.tour", "documentId": "tour00000000000000000000", "data": {"name": "Harbour", "blocks": [{"__component": "block.banner"}]}}`), site)
	token := strings.TrimSpace(succeed(t, "token", "create", "--name", "t", "--type", "full-access", site))
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	for range 2 { // the second time, compiled queries are cached
		var list struct{ Data []map[string]any }
		var one struct{ Data map[string]any }
		p.get("/api/tours", token, &list)
		p.get("/api/tours/tour00000000000000000000", token, &one)
		if len(list.Data) != 1 || list.Data[0]["blocks"] != nil || list.Data[0]["createdAt"] != nil || one.Data["blocks"] == nil || one.Data["createdAt"] != nil {
			t.Errorf("the list is %v, and the document %v", list, one)
		}
	}
	p.end()
	for wrong, want := range map[string]string{`{"find": "*"}`: "must be an object", `{"findOne": {"find": {}}}`: "find", `{"find": {"sort": 1}}`: "a text, a list of texts"} {
		writeIn(t, site, "site.json", `{"defaults": {"api::tour.tour": `+wrong+`}}`)
		if code, stdout, _ := command(t, "check", site); code != 1 || !strings.Contains(stdout, want) {
			t.Errorf("%s: exit %d, %s", wrong, code, stdout)
		}
	}
}

// Without an export, adopt lists what only the database of the project has, until site.json
// has it. With an export, it lists what roles may read in Strapi but not in Quire.
func TestAdoptNamesWhatTheDatabaseHas(t *testing.T) {
	locales, roles, drafts := "    i18n: the locales are in the database", "    roles: the permissions are in the database", "    roles.public: in Strapi, whoever may find documents also reads their drafts"
	names := func(folder string) (list []string) {
		out := succeed(t, "adopt", folder)
		for _, line := range []string{locales, roles, drafts} {
			if strings.Contains(out, line) {
				list = append(list, line)
			}
		}
		return list
	}
	folder := project(t, "storefront")
	if got := names(folder); !slices.Equal(got, []string{locales, roles}) {
		t.Errorf("without an export: %q", got)
	}
	writeIn(t, folder, "site.json", `{"i18n": {"locales": [{"code": "en"}]}, "roles": {"public": {}}}`)
	if got := names(folder); got != nil {
		t.Errorf("with both in site.json: %q", got)
	}
	folder = starter(t)
	if got := names(folder); !slices.Equal(got, []string{drafts}) {
		t.Errorf("with an export: %q", got)
	}
	if got := names(folder); got != nil {
		t.Errorf("once site.json has the role: %q", got)
	}
}
