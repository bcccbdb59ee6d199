package command

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"quire/app/inspect"
)

// strapiProject returns a copy of a small project in TypeScript.
func strapiProject(t *testing.T) (site string) {
	t.Helper()
	site = filepath.Join(t.TempDir(), "harbour")
	requireNil(t, os.CopyFS(site, os.DirFS("../transfer/strapi/testdata/typescript")))
	return site
}

// Check says for each file of a project's code whether it runs, lists by kind what else Quire
// does not run, and has an exit status for it. Other commands ignore these files.
func TestCheckOfAStrapiProject(t *testing.T) {
	site := strapiProject(t)
	code, stdout, stderr := command(t, "check", site)
	if code != 3 || !strings.Contains(stderr, "quire: 8 files of this Strapi project are not run by Quire, or only in part\n") || strings.Contains(stderr, "usage") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, want := range []string{
		"code of the project:\n",
		"    src/api/boat/middlewares/berths.ts: runs\n",
		"    src/index.ts: runs\n",
		"ignored: config/middlewares\n    config/middlewares.ts: left: strapi::cors\n  in Strapi: set CORS, body limits",
		"  instead: set `limits.bodyBytes`",
		"  in Strapi: installed plugins and providers: @strapi/provider-upload-aws-s3\n",
		"\nno problems\n",
	} {
		if !strings.Contains(stdout, want) {
			t.Errorf("no %q in\n%s", want, stdout)
		}
	}
	if n := strings.Count(stdout, "ignored: "); n != strings.Count(stdout, "  instead: ") {
		t.Errorf("%d kinds\n%s", n, stdout)
	}
	for _, other := range []string{"routes", "types"} {
		succeed(t, other, site)
	}
	p := begin(t, "serve", "--listen", "127.0.0.1:0", site)
	defer p.end()
	if code, _, _ := command(t, "check", site); code != 3 {
		t.Errorf("of a running server: exit %d", code)
	}
}

// What keeps the code from being loaded is a problem with its file and line; what of it is
// missing is said with its line.
func TestCheckOfBrokenCode(t *testing.T) {
	site := strapiProject(t)
	writeIn(t, site, "src/index.ts", "export default {\n  bootstrap({ strapi }) { return strapi.db.connection.raw('select 1'); },\n};\n")
	requireChecked := func(status int, want string) {
		t.Helper()
		if code, stdout, _ := command(t, "check", site); code != status || !strings.Contains(stdout, want) {
			t.Errorf("exit %d, no %q in\n%s", code, want, stdout)
		}
	}
	requireChecked(3, "    src/index.ts: runs in part: line 2: strapi.db.connection is not there: there is no SQL database; use strapi.documents or strapi.db.query\n")
	writeIn(t, site, "src/index.ts", "import knex from 'knex';\nexport default { bootstrap: () => knex() };\n")
	requireChecked(1, "src/index.ts: line 1: ")
	requireChecked(1, "    src/index.ts: does not run: line 1: ")
	writeIn(t, site, "src/index.ts", "import axios from 'axios';\nexport default { bootstrap: () => axios.get('/') };\n")
	requireChecked(1, "src/index.ts: line 1: Could not resolve \"axios\"\n    fix: install the packages of the project, with npm install, ")
	writeIn(t, site, "site.json", `{"code": {"enabled": false}}`)
	requireChecked(3, "ignored: src/index\n    src/index.ts\n  in Strapi: ")
}

func TestCheckOfAStrapiProjectAsJSON(t *testing.T) {
	site := strapiProject(t)
	code, stdout, _ := command(t, "check", "--json", site)
	var report inspect.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 3 || len(report.Ignored) != 8 || len(report.Code) != 20 || len(report.Problems) != 0 {
		t.Errorf("exit %d, %v, %d\n%s", code, err, len(report.Code), stdout)
	}
	edit(t, site, "src/api/boat/content-types/boat/schema.json", `"string"`, `"sting"`)
	code, stdout, stderr := command(t, "check", site)
	if code != 1 || stderr == "" || !strings.Contains(stdout, "sting") || strings.Contains(stdout, "no problems") {
		t.Errorf("with a problem: exit %d\n%s%s", code, stdout, stderr)
	}
}

// Check quotes file names with control characters of terminals.
func TestCheckQuotesNames(t *testing.T) {
	site := strapiProject(t)
	if err := os.WriteFile(filepath.Join(site, "src", "a\x1b[2J.ts"), []byte("globalThis.more = 1"), 0o600); err != nil {
		t.Skip("no such names here:", err)
	}
	if _, stdout, _ := command(t, "check", site); strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, `"src/a\x1b[2J.ts"`) {
		t.Error(stdout)
	}
}
