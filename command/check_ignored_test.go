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
	if err := os.CopyFS(site, os.DirFS("../transfer/strapi/testdata/typescript")); err != nil {
		t.Fatal(err)
	}
	return site
}

// Check lists by kind what Quire does not run, and has an exit status for it. Other
// commands ignore these files.
func TestCheckOfAStrapiProject(t *testing.T) {
	site := strapiProject(t)
	code, stdout, stderr := command(t, "check", site)
	if code != 3 || !strings.Contains(stderr, "quire: 25 files of this Strapi project are not run by Quire\n") || strings.Contains(stderr, "usage") {
		t.Errorf("exit %d, %s", code, stderr)
	}
	for _, want := range []string{
		"ignored: route middlewares\n    src/api/boat/middlewares/berths.ts: `quire adopt` writes defaults.api::boat.boat.find.populate to site.json\n    src/middlewares/tide.ts: no router of a content type names it for find or findOne\n  in Strapi: ran before and after the controller",
		"ignored: config/middlewares\n    config/middlewares.ts: left: strapi::cors (line 1)\n  in Strapi: set CORS, body limits",
		"  instead: set `limits.bodyBytes`",
		"  in Strapi: installed plugins and providers: @strapi/plugin-graphql, @strapi/provider-upload-aws-s3\n",
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

func TestCheckOfAStrapiProjectAsJSON(t *testing.T) {
	site := strapiProject(t)
	code, stdout, _ := command(t, "check", "--json", site)
	var report inspect.Report
	if err := json.Unmarshal([]byte(stdout), &report); err != nil || code != 3 || len(report.Ignored) != 25 || len(report.Problems) != 0 {
		t.Errorf("exit %d, %v\n%s", code, err, stdout)
	}
	edit(t, site, "src/api/boat/content-types/boat/schema.json", `"string"`, `"sting"`)
	code, stdout, stderr := command(t, "check", site)
	if code != 1 || stderr == "" || !strings.Contains(stdout, "ignored: routes\n") || strings.Contains(stdout, "no problems") {
		t.Errorf("with a problem: exit %d\n%s%s", code, stdout, stderr)
	}
}

// Check quotes file names with control characters of terminals.
func TestCheckQuotesNames(t *testing.T) {
	site := strapiProject(t)
	if err := os.WriteFile(filepath.Join(site, "src", "a\x1b[2J.ts"), []byte("more()"), 0o600); err != nil {
		t.Skip("no such names here:", err)
	}
	if _, stdout, _ := command(t, "check", site); strings.Contains(stdout, "\x1b") || !strings.Contains(stdout, `"src/a\x1b[2J.ts"`) {
		t.Error(stdout)
	}
}
