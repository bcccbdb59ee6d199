package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Code finds its modules when the site is loaded. Nothing that it makes while it runs leads to
// a module of the machine, such as those of QuickJS itself.
func TestCodeMadeAtRunTimeReachesNoModules(t *testing.T) {
	root := project(t, map[string]string{"here.mjs": "export default 'in the project'"})
	secret := filepath.Join(t.TempDir(), "secret.mjs")
	check(t, os.WriteFile(secret, []byte("export default 'secret'"), 0o600))
	e := start(t, `__quire.run = async (how) => { try { return String((await (0, eval)(how)).default ?? "loaded") } catch (e) { return "refused: " + e.message } };`, Options{Root: root})
	for _, module := range []string{"std", "os", "bjson", "qjs:std", "qjs:os", secret, "file://" + secret, "./here.mjs", "https://example.org/a.mjs", "data:text/javascript,export default 1"} {
		for _, how := range []string{"import(%q)", "new Function('return import(' + JSON.stringify(%q) + ')')()", "(async () => { const f = Object.getPrototypeOf(async function () {}).constructor; return f('return await import(' + JSON.stringify(%q) + ')')() })()", "Promise.resolve().then(() => require(%q))"} {
			code := fmt.Sprintf(how, module)
			if got := answer(t, e, "run", fmt.Sprintf("%q", code)); !strings.HasPrefix(got, `"refused: `) {
				t.Errorf("%s: %s", code, got)
			}
		}
	}
	for _, name := range []string{"std", "os", "bjson", "scriptArgs", "loadScript", "Worker", "__engine"} {
		if got := answer(t, e, "run", fmt.Sprintf("%q", "({ default: typeof "+name+" })")); got != `"undefined"` {
			t.Errorf("%s: %s", name, got)
		}
	}
}

// A link in the project may lead to a package, and to no other code outside.
func TestALinkOutOfTheProjectIsNotLoaded(t *testing.T) {
	outside := t.TempDir()
	check(t, os.WriteFile(filepath.Join(outside, "secret.json"), []byte(`{"secret": true}`), 0o600))
	for _, test := range []struct{ entry, target, link string }{
		{`module.exports = require("./link.json")`, filepath.Join(outside, "secret.json"), "link.json"},
		{`module.exports = require("./folder/secret.json")`, outside, "folder"},
		{`export { secret } from "./folder/secret"`, outside, "folder"},
	} {
		root := project(t, map[string]string{"a.txt": ""})
		check(t, os.Symlink(test.target, filepath.Join(root, test.link)))
		if _, err := Build(BuildOptions{Root: root, Entry: test.entry}); err == nil || !strings.Contains(err.Error(), "outside the project") {
			t.Errorf("%s: %v", test.entry, err)
		}
	}
	root := project(t, map[string]string{"node_modules/x.txt": ""})
	check(t, os.WriteFile(filepath.Join(outside, "package.json"), []byte(`{"name": "ours", "main": "secret.json"}`), 0o600))
	check(t, os.Symlink(outside, filepath.Join(root, "node_modules", "ours")))
	if _, err := Build(BuildOptions{Root: root, Entry: `require("ours")`}); err != nil {
		t.Errorf("a package of a workspace: %v", err)
	}
}
