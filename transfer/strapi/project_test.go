package strapi

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// ignoredIn is what is ignored in a folder where no code runs.
func ignoredIn(site string) []Ignored {
	if p := Read(site); p != nil {
		return p.Ignored(nil, false)
	}
	return nil
}

// listed is the list of ignored files as "kind: file".
func listed(t *testing.T, site string) (list []string) {
	t.Helper()
	for _, one := range ignoredIn(site) {
		if one.Did == "" || one.Instead == "" {
			t.Errorf("%s: nothing is said of what it did or what to do", one.File)
		}
		list = append(list, one.Kind+": "+one.File)
	}
	return list
}

func requireListed(t *testing.T, site string, want ...string) {
	t.Helper()
	if got := listed(t, site); !slices.Equal(got, want) {
		t.Errorf("%s has\n%s\nand should have\n%s", site, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Where the code of a project in TypeScript does not run, every file that Quire does not run
// is named once; what Strapi generates and changes nothing is not.
func TestIgnoredOfTypeScript(t *testing.T) {
	requireListed(t, "testdata/typescript",
		"route middlewares: src/api/boat/middlewares/berths.ts",
		"route middlewares: src/middlewares/tide.ts",
		"routes: src/api/boat/routes/boat.ts",
		"routes: src/api/pier/routes/01-reserve.ts",
		"controllers: src/api/pier/controllers/pier.ts",
		"services: src/api/pier/services/pier.ts",
		"policies: src/api/boat/policies/harbour-master.ts",
		"lifecycles: src/api/boat/content-types/boat/lifecycles.ts",
		"document service middlewares: src/index.ts",
		"cron tasks: config/cron-tasks.ts",
		"config/api: config/api.ts",
		"config/middlewares: config/middlewares.ts",
		"config/plugins: config/env/production/plugins.ts",
		"config/admin: config/admin.ts",
		"config/server: config/server.ts",
		"config/database: config/database.ts",
		"other settings: config/tides.json",
		"extensions: src/extensions/users-permissions/strapi-server.ts",
		"admin panel: src/admin/app.tsx",
		"content types of plugins: src/plugins/weather/server/content-types/gale/schema.json",
		"plugins: src/plugins/weather/server/index.ts",
		"packages: package.json",
		"database migrations: database/migrations/2026.01.01.piers.js",
		"public files: public/logo.svg",
		"other code: src/utils/knots.ts",
	)
	for _, one := range ignoredIn("testdata/typescript") {
		if one.Kind == "packages" && one.Did != "installed plugins and providers: @strapi/provider-upload-aws-s3" {
			t.Error(one.Did)
		}
	}
}

// Where the code of the project runs, only what is no part of it is named.
func TestIgnoredBesideTheCode(t *testing.T) {
	var list []string
	for _, one := range Read("testdata/typescript").Ignored(nil, true) {
		list = append(list, one.File)
	}
	requireLines(t, list,
		"config/api.ts", "config/middlewares.ts", "config/env/production/plugins.ts", "config/admin.ts", "config/server.ts", "config/database.ts",
		"src/admin/app.tsx", "src/plugins/weather/server/content-types/gale/schema.json", "package.json",
		"database/migrations/2026.01.01.piers.js", "public/logo.svg")
}

func TestIgnoredOfJavaScript(t *testing.T) {
	requireListed(t, "testdata/javascript",
		"routes: src/api/boat/routes/boat.js",
		"policies: src/policies/signed-in.js",
		"types in code: src/components/shared/rope.js",
		"providers: providers/upload-shed/index.js",
	)
}

// A file is generated only if there is nothing else in it.
func TestGeneratedFiles(t *testing.T) {
	const js, ts = "const { createCoreController } = require('@strapi/strapi').factories;\n", "import { factories } from \"@strapi/strapi\"\n"
	for text, want := range map[string]bool{
		"": true, "// nothing\n/* here */": true,
		"\ufeff'use strict';" + js + "module.exports = createCoreController('api::boat.boat')":                                     true,
		ts + "export default factories.createCoreController('api::boat.boat' as any, {})":                                          true,
		ts + "export default factories.createCoreController('api::boat.boat', ({ strapi }) => ({\n// find\n}),\n);":                true,
		"module.exports = require('@strapi/strapi').factories.createCoreController('api::boat.boat');":                             true,
		"const { factories } = require('@strapi/strapi');\nmodule.exports = factories.createCoreController('api::boat.boat');":     true,
		ts + "export default factories.createCoreController('api::pier.boat')":                                                     false,
		ts + "export default factories.createCoreController('api::boat.other')":                                                    false,
		ts + "export default factories.createCoreRouter('api::boat.boat')":                                                         false,
		ts + "export default factories.createCoreController('api::boat.boat', { find() {} })":                                      false,
		ts + "import './more'\nexport default factories.createCoreController('api::boat.boat')":                                    false,
		ts + "export default factories.createCoreController('api::boat.boat'); more()":                                             false,
		ts + "// \u2028more()\nexport default factories.createCoreController('api::boat.boat')":                                    false,
		ts + "export default factories.createCoreController(`api::boat.boat`)":                                                     false,
		ts + "export default factories.createCoreController('api::\\u0062oat.boat')":                                               false,
		"import { factories } from './mine'\nexport default factories.createCoreController('api::boat.boat')":                      false,
		"const { createCoreController } = require('./mine').factories;\nmodule.exports = createCoreController('api::boat.boat')":   false,
		"const { other: createCoreController } = require('@strapi/strapi').factories;\nmodule.exports = createCoreController('a')": false,
		"\x00\xff'": false, "/": false, "'": false,
	} {
		if got := changesNothing("src/api/boat/controllers/boat.ts", text); got != want {
			t.Errorf("%v of %q", got, text)
		}
	}
	for text, want := range map[string]bool{
		"export default { register: async () => {}, async bootstrap({ strapi }: { strapi: Core.Strapi }) {} };": true,
		"export default { bootstrap({ strapi }) { strapi.start() } };":                                          false,
		"export default { bootstrap(a = more()) {} };":                                                          false,
		"module.exports = {}; more()":                                                                           false,
	} {
		if got := changesNothing("src/index.ts", text); got != want {
			t.Errorf("src/index.ts: %v of %q", got, text)
		}
	}
}

// put writes files of a project into a folder.
func put(t *testing.T, site string, files ...string) {
	t.Helper()
	for _, name := range files {
		name = filepath.Join(site, name)
		check(t, os.MkdirAll(filepath.Dir(name), 0o700))
		check(t, os.WriteFile(name, []byte("more()"), 0o600))
	}
}

// A site without code of Strapi has nothing that is ignored, whatever lies beside it.
func TestNothingIsIgnoredOfASite(t *testing.T) {
	site := t.TempDir()
	put(t, site, "src/api/boat/content-types/boat/schema.json", "src/index.ts", "src/plugins/menu.ts", "src/middlewares/a.ts", "config/server.js", "public/a.txt", "package.json")
	requireListed(t, site)
	requireListed(t, filepath.Join(site, "gone"))
	requireListed(t, "../../app/templates/guide")
}

// Links are named and not followed, files that cannot be read are named, and installed
// packages are passed over.
func TestWhatIsNotLookedAt(t *testing.T) {
	site, away := t.TempDir(), t.TempDir()
	put(t, away, "secret.ts", "config/server.ts")
	put(t, site, "src/api/boat/services/boat.ts", "src/node_modules/a/index.js", "src/plugins/a/dist/index.js", "src/.cache/a.js", "public/uploads/a.png", "src/closed.ts")
	for from, to := range map[string]string{"src/api/boat/services/linked.ts": filepath.Join(away, "secret.ts"), "src/lib": away, "config": filepath.Join(away, "config"), "src/round": ".."} {
		if err := os.Symlink(to, filepath.Join(site, from)); err != nil {
			t.Skip("no links here:", err)
		}
	}
	want := []string{
		"services: src/api/boat/services/boat.ts", "services: src/api/boat/services/linked.ts", "other code: src/closed.ts",
		"not looked at: config", "not looked at: src/lib", "not looked at: src/round",
	}
	if runtime.GOOS != "windows" && os.Geteuid() != 0 {
		check(t, os.Chmod(filepath.Join(site, "src/closed.ts"), 0))
		want = append(slices.Delete(want, 2, 3), "not looked at: src/closed.ts")
		slices.Sort(want[2:])
	}
	requireListed(t, site, want...)
}

// A pipe in the place of a file that is read does not stop the command.
func TestPipesInAProject(t *testing.T) {
	for _, name := range []string{"package.json", "src/api/boat/content-types/boat/schema.json", "src/api/boat/middlewares/pipe.ts"} {
		site := t.TempDir()
		put(t, site, "src/api/boat/services/boat.ts", "src/api/boat/content-types/boat/other.json", "src/api/boat/middlewares/sets.ts")
		if err := exec.Command("mkfifo", filepath.Join(site, name)).Run(); err != nil {
			t.Skip("no pipes here:", err)
		}
		if list := ignoredIn(site); len(list) == 0 {
			t.Errorf("with %s nothing is ignored", name)
		}
	}
}

// A project with too many files, too deep folders or too long files is looked at up to
// the bound, and what is missing is said.
func TestBoundsOfAProject(t *testing.T) {
	site := t.TempDir()
	put(t, site, "src/api/boat/services/boat.ts", "src/"+strings.Repeat("a/", maxDepth)+"deep.ts")
	long := filepath.Join(site, "src/api/boat/services/long.ts")
	check(t, os.WriteFile(long, []byte(strings.Repeat(" ", maxFile+1)), 0o600))
	requireListed(t, site, "services: src/api/boat/services/boat.ts", "services: src/api/boat/services/long.ts",
		"not looked at: src/"+strings.TrimSuffix(strings.Repeat("a/", maxDepth), "/"))

	many := t.TempDir()
	put(t, many, "src/api/boat/services/boat.ts")
	check(t, os.MkdirAll(filepath.Join(many, "src/many"), 0o700))
	for n := range maxEntries {
		f, err := os.Create(filepath.Join(many, "src/many", fmt.Sprintf("%05d", n)))
		check(t, err)
		f.Close()
	}
	put(t, many, "src/zoo.ts")
	requireListed(t, many, "services: src/api/boat/services/boat.ts", "not looked at: src/many")
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
