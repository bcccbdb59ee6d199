package engine

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestWhatCannotRunIsReportedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ source, want string }{
		"a package that is missing":        {"\nimport x from 'no-such-package'; x()", `src/a.ts:2: Could not resolve "no-such-package"`},
		"a file that is missing":           {"require('./no-such-file')", `src/a.ts:1: Could not resolve "./no-such-file"`},
		"knex":                             {"\n\nconst k = require('knex');", "src/a.ts:3: knex cannot run here: the site's database is not SQL"},
		"a part of knex":                   {"import k from 'knex/lib/x'; k()", "src/a.ts:1: knex/lib/x cannot run here"},
		"a driver":                         {"const k = require('better-sqlite3');", "src/a.ts:1: better-sqlite3 cannot run here"},
		"machine code":                     {"const k = require('./x.node');", "src/a.ts:1: ./x.node cannot run here: it is machine code"},
		"processes":                        {"import { exec } from 'node:child_process'; exec('x')", "src/a.ts:1: node:child_process cannot run here: the code of a site starts no processes"},
		"sockets":                          {"import net from 'net'; net.connect(1)", "src/a.ts:1: net cannot run here"},
		"threads":                          {"require('worker_threads')", "src/a.ts:1: worker_threads cannot run here"},
		"cluster":                          {"require('cluster')", "src/a.ts:1: cluster cannot run here"},
		"a syntax error":                   {"const a = 1;\nconst b = {;", "src/a.ts:2: Expected identifier"},
		"a dynamic import that is missing": {"export const f = () => import('nope')", `src/a.ts:1: Could not resolve "nope"`},
		"a file outside":                   {"require('../../outside.json')", "src/a.ts:1: ../../outside.json is outside the project"},
		"a file of the machine":            {"require('/etc/passwd')", "src/a.ts:1: /etc/passwd is outside the project"},
		"the engine's own modules":         {"require('quire:core')", `src/a.ts:1: Could not resolve "quire:core"`},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, map[string]string{"src/a.ts": c.source, "src/x.node": "\x7fELF"})
			_, err := Build(BuildOptions{Root: root, Entry: `import "./src/a"`})
			var failed *BuildError
			if !errors.As(err, &failed) || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v, want %s", err, c.want)
			}
		})
	}
}

// In a try statement, a require of what is not there or cannot run throws when it runs, as in
// Node. Anywhere else it is an error of the project, even in a function that nobody calls.
func TestARequireThatMayFail(t *testing.T) {
	source := func(require string) map[string]string {
		return map[string]string{"src/a.ts": "const seen: any[] = [];\n" + require + "\nexport const run = () => seen;"}
	}
	failing := func(name string) string {
		return "try { require('" + name + "') } catch (e) { seen.push(e.code, e.message) }"
	}
	for name, want := range map[string]string{
		"no-such-package": "Cannot find module 'no-such-package'", "./no-such-file": "Cannot find module './no-such-file'",
		"knex/lib/x": "knex/lib/x cannot run here: the site's database is not SQL; use strapi.documents or strapi.db.query", "node:net": "node:net cannot run here: the code of a site opens no sockets; use fetch",
	} {
		e := start(t, `__quire.run = require("./src/a").run`, Options{Root: project(t, source(failing(name)))})
		if got := answer(t, e, "run", ""); got != fmt.Sprintf(`["MODULE_NOT_FOUND",%q]`, want) {
			t.Errorf("%s: %s", name, got)
		}
		root := project(t, source("export const unused = () => require('"+name+"');"))
		if _, err := Build(BuildOptions{Root: root, Entry: `import "./src/a"`}); err == nil || !strings.Contains(err.Error(), "src/a.ts:2: ") {
			t.Errorf("%s in a function: %v", name, err)
		}
	}
}

// require.resolve finds the files that require would.
func TestPathsOfModules(t *testing.T) {
	root := project(t, map[string]string{
		"src/deep/a.js": `const { createRequire } = require("module");
			const shown = (fn) => { try { return fn().replace(process.cwd() + "/", "") } catch (e) { return e.code } };
			exports.run = () => [() => require.resolve("./b.html"), () => require.resolve("../up"), () => require.resolve("."), () => require.resolve("lib"), () => require.resolve("lib/package.json"), () => require.resolve("@own/esm"),
				() => require.resolve("lib", { paths: ["/", __dirname] }), () => createRequire(__filename).resolve("lib/y"), () => require("lib").at(), () => require.resolve("none"), () => require.resolve("../../../up"), () => require.resolve("node:fs"), () => createRequire(__filename)("lib/about.json").name, () => createRequire(__filename)("lib/none.json")].map(shown);`,
		"src/deep/b.html": "", "src/up/index.ts": "", "src/deep/index.js": "",
		"node_modules/lib/package.json": `{"main": "x"}`, "node_modules/lib/x.js": `exports.at = () => require.resolve("./y");`, "node_modules/lib/y.json": "1", "node_modules/lib/about.json": `{"name": "about lib"}`,
		"node_modules/@own/esm/package.json": `{"exports": {".": {"import": "./m.mjs", "require": {"types": "./m.d.ts", "default": "./c.cjs"}}}}`, "node_modules/@own/esm/c.cjs": "",
	})
	e := start(t, `__quire.run = require("./src/deep/a").run`, Options{Root: root})
	want := `["src/deep/b.html","src/up/index.ts","src/deep/index.js","node_modules/lib/x.js","node_modules/lib/package.json","node_modules/@own/esm/c.cjs","node_modules/lib/x.js","node_modules/lib/y.json","node_modules/lib/y.json","MODULE_NOT_FOUND","MODULE_NOT_FOUND","node:fs","about lib","MODULE_NOT_FOUND"]`
	if got := answer(t, e, "run", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// What a name that is computed finds is in the folder of the file, or below it.
func TestARequireOfAComputedName(t *testing.T) {
	root := project(t, map[string]string{
		"src/all/index.ts": `import fs from "node:fs"; import { createRequire } from "node:module"; import path from "node:path";
			const load = createRequire(__filename);
			export const all = () => fs.readdirSync(__dirname).filter((n) => n !== "index.ts" && !n.includes(".test.") && /\.(js|ts)$/.test(n) && !n.endsWith(".d.ts"))
				.map((n) => { const m = load(path.join(__dirname, n.slice(0, n.lastIndexOf(".")))); return m.default ?? m; });`,
		"src/all/a.ts":       `export default "a";`,
		"src/all/b.js":       `module.exports = "b";`,
		"src/all/types.d.ts": `export type T = string;`,
		"src/all/a.test.ts":  `import { it } from "not-installed"; it("a");`,
		"src/all/c/index.js": `exports.where = "c"; exports.loaded = globalThis.loads = (globalThis.loads ?? 0) + 1;`,
		"src/one.js":         "exports.run = (name) => { const m = require(name); return m.where ?? m; };",
		"src/all/data.json":  `{"where":"data"}`,
		"data/other.json":    `{"where":"other"}`,
	})
	s, err := Build(BuildOptions{Root: root, Entry: `import { all } from "./src/all"; const { run } = require("./src/one");
		__quire.run = ([name]) => name === "all" ? all().map((one) => one.where ?? one) : run(name)`})
	if err != nil || len(s.Warnings) > 0 {
		t.Fatal(err, s)
	}
	e, err := Start(s, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	for name, want := range map[string]string{
		"all": `["a","b"]`, "./all/a": `{"default":"a"}`, "./all/c": `"c"`, "./all/data": `"data"`, "./all/data.json": `"data"`, root + "/src/all/b": `"b"`,
		"./all/nothing": "Cannot find module './all/nothing'", "lodash": "Cannot find module 'lodash'", "./all/a.test": "Cannot find module", "../../outside": "Cannot find module", "./one": "Cannot find module",
	} {
		got, err := e.Call(t.Context(), "", "run", []byte(fmt.Sprintf("[%q]", name)))
		if err != nil {
			got = []byte(err.Error())
		}
		if string(got) != want && !strings.Contains(string(got), want) {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

// A package that requires a computed name is reported.
func TestAComputedNameInAPackageIsReported(t *testing.T) {
	root := project(t, map[string]string{"node_modules/odd/index.js": "const name = process.env.NAME;\nexports.run = () => require(name);"})
	s, err := Build(BuildOptions{Root: root, Entry: `__quire.run = require("odd").run`})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) != 1 || s.Warnings[0].File != "node_modules/odd/index.js" || s.Warnings[0].Line != 2 {
		t.Errorf("%v", s.Warnings)
	}
	e, err := Start(s, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if _, err := e.Call(t.Context(), "", "run", nil); err == nil || !strings.Contains(err.Error(), "Cannot find module") {
		t.Error(err)
	}
}

func TestPackagesMayImportWhatCannotRun(t *testing.T) {
	root := project(t, map[string]string{
		"node_modules/odd/package.json": `{"name":"odd","main":"main.js"}`,
		"node_modules/odd/main.js": `
			const { exec } = require("child_process");
			let optional = "absent"; try { optional = require("not-installed") } catch (e) { optional = e.code }
			class Socket extends require("net").Socket {}
			module.exports = { optional, run: () => exec("rm"), made: () => new Socket() };`,
	})
	s, err := Build(BuildOptions{Root: root, Entry: `
		import odd from "odd";
		__quire.optional = () => odd.optional; __quire.run = () => odd.run(); __quire.made = () => odd.made()`})
	if err != nil {
		t.Fatal(err)
	}
	if len(s.Warnings) < 2 || !strings.Contains(s.Warnings[0].String(), "node_modules/odd/main.js") {
		t.Errorf("%v", s.Warnings)
	}
	e, err := Start(s, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := answer(t, e, "optional", ""); got != `"MODULE_NOT_FOUND"` {
		t.Error(got)
	}
	for _, f := range []string{"run", "made"} {
		if _, err := e.Call(t.Context(), "", f, nil); err == nil || !strings.Contains(err.Error(), "cannot run here") {
			t.Errorf("%s: %v", f, err)
		}
	}
}

func TestModulesOfEveryKindAreBundled(t *testing.T) {
	root := project(t, map[string]string{
		"src/common.js":               `module.exports = { kind: "common", dir: __dirname.split("/").pop(), file: __filename.split("/").pop() };`,
		"src/esm.mjs":                 `export const kind = "esm"; export default class { name = "esm"; #own = 1; own() { return this.#own } }`,
		"src/type.ts":                 "import type { Gone } from 'not-there';\nimport { Only } from './types';\nexport enum Color { Red = 'red' }\nexport const kind: Only = 'ts' as const; export const at = import.meta.url.split('/').pop();",
		"src/types.ts":                "export type Only = string;",
		"src/own.mjs":                 "import { fileURLToPath } from 'node:url';\nimport path from 'node:path'\nconst __filename = fileURLToPath(import.meta.url)\nconst a = 1,\n  __dirname = path.dirname(__filename)\nexport const places = [__dirname, import.meta.dirname, path.dirname(import.meta.filename), require.resolve('./common')].map((p) => p.split('/').pop());\nexport const iterates = typeof Object.getPrototypeOf(\n  Object.getPrototypeOf(async function* () {}).prototype\n)[Symbol.asyncIterator]",
		"src/listed.js":               "const names = []\nconst add = (...all) => names.push(...all)\nadd('a', __dirname, __filename)\nmodule.exports = names.map((p) => p.split('/').pop())",
		"src/beside.js":               "const path = require('path')\n// const __filename = 'none'\nmodule.exports = [path.join('/', __dirname, 'x'), path.join('/', __filename, 'x')].map((p) => p.split('/').at(-2))",
		"src/matched.js":              `module.exports = () => { "a-b".replace(/(\w)-(\w)/, ""); const first = RegExp.$1 + RegExp.$2; /(c)|d/.test("d"); return first + RegExp.$1 + /x/.test("y") + "1x".match(/\d/)[0]; };`,
		"src/data.json":               `{"kind":"json"}`,
		"src/steps/one.js":            `module.exports = 1;`,
		"src/steps/two.js":            `module.exports = 2;`,
		"tsconfig.json":               `{"compilerOptions":{"baseUrl":".","paths":{"@/*":["src/*"]},"experimentalDecorators":true}}`,
		"src/index.ts":                "export * from './esm.mjs'; export const later = async () => (await import('./common')).default.kind;",
		"src/decorated.ts":            "const mark = (c: any) => { c.marked = true }; @mark export class A { static marked: boolean; constructor(public x = 1) {} }",
		"src/steps/all.js":            `module.exports = ["one", "two"].map((n) => require("./" + n + ".js"));`,
		"node_modules/p/package.json": `{"name":"p","exports":{".":{"import":"./m.mjs","require":"./c.cjs"}}}`,
		"node_modules/p/m.mjs":        `export default "of a package";`,
		"node_modules/p/c.cjs":        `module.exports = "of a package";`,
	})
	e := start(t, `
		import common from "./src/common"; import Esm, { kind } from "./src/esm.mjs"; import * as ts from "./src/type"; import data from "./src/data.json";
		import { later } from "./src"; import byPath from "@/data.json"; import { A } from "./src/decorated"; import p from "p"; import { places, iterates } from "./src/own.mjs";
		__quire.run = async () => [common, kind, new Esm().own(), ts.kind, ts.Color.Red, ts.at, data.kind, await later(), byPath.kind, A.marked, new A().x, require("./src/steps/all"), p, require("p"), places, iterates, require("./src/matched")(), require("./src/listed"), require("./src/beside")];`, Options{Root: root})
	want := `[{"kind":"common","dir":"src","file":"common.js"},"esm",1,"ts","red","type.ts","json","common","json",true,1,[1,2],"of a package","of a package",["src","src","src","common.js"],"function","abfalse1",["a","src","listed.js"],["src","beside.js"]]`
	if got := answer(t, e, "run", ""); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestModulesOfTheCallerAreImportedByName(t *testing.T) {
	root := project(t, map[string]string{"src/a.js": `const { say } = require("@strapi/say"); module.exports = say("project");`})
	s, err := Build(BuildOptions{Root: root, Entry: `__quire.run = () => require("./src/a")`, Modules: map[string]string{
		"@strapi/say": `const { format } = require("util"); exports.say = (x) => format("said to %s by %s", x, require("own"));`,
		"own":         `module.exports = "the caller";`,
	}})
	if err != nil {
		t.Fatal(err)
	}
	e, err := Start(s, Options{Root: root})
	if err != nil {
		t.Fatal(err)
	}
	defer e.Close()
	if got := answer(t, e, "run", ""); got != `"said to project by the caller"` {
		t.Error(got)
	}
}

func TestASourceMapThatIsWrongIsAnError(t *testing.T) {
	for _, text := range []string{"", "{}", `{"version":3,"mappings":"!"}`, `{"version":3,"mappings":"AAAA"}`, `{"version":3,"sources":["a"],"mappings":"AAgggggggggggA"}`, `{"version":3,"sources":["a"],"mappings":"A"}`} {
		p, err := readPositions([]byte(text))
		if err == nil && text != `{"version":3,"sources":["a"],"mappings":"A"}` {
			t.Errorf("%s: %v", text, p)
		}
	}
}

// The faster helper replaces that of esbuild, whose text a new version may change.
func TestAsyncFunctionsRunByTheEnginesHelper(t *testing.T) {
	s, err := Build(BuildOptions{Root: t.TempDir(), Entry: "__quire.run = async () => { await null }"})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(s.source, "globalThis.__async(a, b, c)") != 1 || strings.Contains(s.source, "Promise.resolve(x.value).then(fulfilled, rejected)") {
		t.Error("the helper of esbuild is used; see withOwnAsync")
	}
}
