package engine

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// A bundler decides where imports lead.
type bundler struct {
	root, entry string
	modules     map[string]string
	warnings    []Problem
}

// Places of modules that are not files. esbuild calls them namespaces.
const (
	ofQuire   = "quire"
	ofCaller  = "caller" // modules of BuildOptions
	ofNothing = "missing"
)

// refused are the modules that cannot run here, and why.
var refused = map[string]string{
	"child_process":  "the code of a site starts no processes",
	"cluster":        "the code of a site starts no processes",
	"worker_threads": "the code of a site runs in one thread",
	"net":            "the code of a site opens no sockets; use fetch",
	"tls":            "the code of a site opens no sockets; use fetch",
	"dgram":          "the code of a site opens no sockets; use fetch",
	"dns":            "the code of a site opens no sockets; use fetch",
	"http2":          "the code of a site opens no sockets; use fetch",
	"vm":             "the code of a site runs no other engines",
	"v8":             "the code of a site runs no other engines",
	"inspector":      "the code of a site runs no other engines",
	"repl":           "the code of a site has no terminal",
	"readline":       "the code of a site has no terminal",
	"sqlite":         "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"knex":           "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"better-sqlite3": "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"sqlite3":        "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"pg":             "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"mysql":          "the site's database is not SQL; use strapi.documents or strapi.db.query",
	"mysql2":         "the site's database is not SQL; use strapi.documents or strapi.db.query",
}

// refusedNames lead a project that imports such a module to a package that nobody has. So esbuild
// reports it as missing with its place, but for a require in a try statement, which throws when it
// runs, as in Node.
var refusedNames = func() map[string]string {
	names := map[string]string{}
	for name := range refused {
		names[name] = nowhere + name
		names["node:"+name] = nowhere + "node:" + name
	}
	return names
}()

const nowhere = "quire-refused:"

var unresolved = regexp.MustCompile(`^Could not resolve "` + nowhere + `([^"]+)".*`)

// withReason is a message of esbuild, or why a module is refused.
func withReason(message string) string {
	part := unresolved.FindStringSubmatch(message)
	if part == nil {
		return message
	}
	return whyNot(part[1], refused[first(strings.TrimPrefix(part[1], "node:"))])
}

func whyNot(name, why string) string { return fmt.Sprintf("%s cannot run here: %s", name, why) }

func (b *bundler) setUp(build api.PluginBuild) {
	build.OnResolve(api.OnResolveOptions{Filter: `.*`}, func(a api.OnResolveArgs) (api.OnResolveResult, error) {
		return b.resolve(build, a)
	})
	for _, place := range []string{ofQuire, ofCaller, ofNothing} {
		build.OnLoad(api.OnLoadOptions{Filter: `.*`, Namespace: place}, b.load)
	}
	build.OnLoad(api.OnLoadOptions{Filter: `\.([cm]?[jt]s|[jt]sx)$`, Namespace: "file"}, b.loadFile)
}

func (b *bundler) resolve(build api.PluginBuild, a api.OnResolveArgs) (api.OnResolveResult, error) {
	if a.PluginData == alone {
		return api.OnResolveResult{}, nil
	}
	if strings.HasPrefix(a.Path, ofQuire+":") && (a.Namespace == ofQuire || a.Importer == "") {
		return api.OnResolveResult{Path: a.Path, Namespace: ofQuire}, nil
	}
	if _, found := b.modules[a.Path]; found {
		return api.OnResolveResult{Path: a.Path, Namespace: ofCaller}, nil
	}
	name := strings.TrimSuffix(strings.TrimPrefix(a.Path, "node:"), "/")
	if _, found := builtins[name]; found && !strings.HasPrefix(name, ofQuire+":") {
		return api.OnResolveResult{Path: name, Namespace: ofQuire}, nil
	}
	if why, found := refused[first(name)]; found && b.inPackage(a.Importer) {
		return b.missing(a, throwingWhenUsed, whyNot(a.Path, why))
	} else if found {
		return api.OnResolveResult{}, nil
	}
	if b.isOwnPath(a) {
		found := build.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, Namespace: a.Namespace, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: alone})
		if b.leavesProject(a) || len(found.Errors) == 0 && !within(b.root, found.Path) {
			return api.OnResolveResult{Errors: []api.Message{{Text: a.Path + " is outside the project"}}}, nil
		}
	}
	if strings.HasSuffix(name, ".node") {
		return b.missing(a, throwingWhenUsed, a.Path+" cannot run here: it is machine code")
	}
	if b.inPackage(a.Importer) {
		found := build.Resolve(a.Path, api.ResolveOptions{Importer: a.Importer, Namespace: a.Namespace, ResolveDir: a.ResolveDir, Kind: a.Kind, PluginData: alone})
		if len(found.Errors) > 0 {
			return b.missing(a, throwingAtOnce, fmt.Sprintf("Cannot find module '%s'", a.Path))
		}
	}
	return api.OnResolveResult{}, nil
}

// alone marks what esbuild is to resolve by itself.
const alone = "alone"

// first is the package of a path: "mysql2" of "mysql2/promise".
func first(name string) string {
	head, _, _ := strings.Cut(name, "/")
	return head
}

// missing makes an import an error of the project. In a package of node_modules it is a
// warning, and a module that throws: packages import much that they seldom use.
func (b *bundler) missing(a api.OnResolveArgs, module, why string) (api.OnResolveResult, error) {
	if !b.inPackage(a.Importer) {
		return api.OnResolveResult{Errors: []api.Message{{Text: why}}}, nil
	}
	file, err := filepath.Rel(b.root, a.Importer)
	if err != nil {
		file = a.Importer
	}
	return api.OnResolveResult{Path: a.Path, Namespace: ofNothing, PluginData: fmt.Sprintf(module, fmt.Sprintf("%q", why)),
		Warnings: []api.Message{{Text: fmt.Sprintf("%s: %s", filepath.ToSlash(file), why)}}}, nil
}

// inPackage reports whether a file is in a node_modules, not that in which the project may be.
func (b *bundler) inPackage(file string) bool {
	return strings.Contains(filepath.ToSlash(strings.TrimPrefix(file, b.root)), "/node_modules/")
}

// isOwnPath reports whether a file of the project imports another by its path. That must not be
// outside, nor lead there by a link. Packages may be outside, in the node_modules of a folder
// above.
func (b *bundler) isOwnPath(a api.OnResolveArgs) bool {
	return (strings.HasPrefix(a.Path, ".") || filepath.IsAbs(filepath.FromSlash(a.Path))) && within(b.root, a.ResolveDir) && !b.inPackage(a.Importer)
}

// leavesProject reports whether a path leads outside the project.
func (b *bundler) leavesProject(a api.OnResolveArgs) bool {
	path := filepath.FromSlash(a.Path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.ResolveDir, path)
	}
	return !within(b.root, path)
}

func within(folder, path string) bool {
	relative, err := filepath.Rel(folder, path)
	return err == nil && filepath.IsLocal(relative)
}

func (b *bundler) load(a api.OnLoadArgs) (api.OnLoadResult, error) {
	var text string
	loader := api.LoaderJS
	switch {
	case a.Path == "quire:start":
		text = `import "quire:globals"; import "quire:project";`
	case a.Path == "quire:refused":
		list, err := json.Marshal(refused)
		if err != nil {
			return api.OnLoadResult{}, err
		}
		text, loader = string(list), api.LoaderJSON
	case a.Path == "quire:project":
		text, loader = b.entry, api.LoaderTS
	case a.Namespace == ofQuire:
		text = builtins[a.Path]
	case a.Namespace == ofCaller:
		text = b.modules[a.Path]
	case a.Namespace == ofNothing:
		text = a.PluginData.(string)
	}
	return api.OnLoadResult{Contents: &text, ResolveDir: b.root, Loader: loader}, nil
}

// What a module that is missing does. One whose every use is an error can be asked for its
// shape, as packages do when they are loaded.
const (
	throwingAtOnce   = `throw Object.assign(new Error(%s), { code: "MODULE_NOT_FOUND" });`
	throwingWhenUsed = `const why = %s;
const fail = () => { throw new Error(why); };
const shape = (target, key) => key === "__esModule" || key === "then" || typeof key === "symbol" ? undefined
  : key === "prototype" ? target.prototype : new Proxy(function () {}, { get: shape, apply: fail, construct: fail });
module.exports = new Proxy(function () {}, { get: shape, apply: fail, construct: fail });`
)

// ofItsPlace finds what a file says about its own place.
var ofItsPlace = regexp.MustCompile(`\b__dirname\b|\b__filename\b|\bimport\.meta\b|` + resolveCall)

// ofOwnPlace finds what may be a constant of a file with such a name, as ES modules have.
var ofOwnPlace = regexp.MustCompile(`\b__(?:dirname|filename)\s*[=;,]`)

// ofAsyncGenerators is how packages find what all iterators of async generators have in common. Here
// those are lowered, see doc.go, so core.js has the prototype of the engine's.
var ofAsyncGenerators = regexp.MustCompile(`Object\.getPrototypeOf\(\s*(?:/\*[^*]*\*/\s*)?async function\s*\*\s*\(\)\s*\{\s*\}\s*\)`)

// ofMatches finds where a file reads the parts of the last match of a regular expression, which the
// engine does not keep.
var ofMatches = regexp.MustCompile(`\bRegExp\.\$[1-9]`)

// resolveCall finds where a file asks for the path of a module.
const resolveCall = `\brequire\.resolve\(`

var resolveCalls = regexp.MustCompile(resolveCall)

// loadFile gives a file its __dirname, and the modules that it is offered, on its first line so that
// lines stay what they are.
func (b *bundler) loadFile(a api.OnLoadArgs) (api.OnLoadResult, error) {
	bytes, err := os.ReadFile(a.Path)
	if err != nil {
		return api.OnLoadResult{}, err
	}
	text, offered := string(bytes), ""
	if b.offers(a.Path, text) {
		offered, text, err = b.withOffers(a.Path, text)
	} else if !ofItsPlace.MatchString(text) && !ofAsyncGenerators.MatchString(text) && !ofMatches.MatchString(text) {
		return api.OnLoadResult{}, nil
	}
	if ofMatches.MatchString(text) {
		offered += `require("module")[Symbol.for("quire.matches")](); `
	}
	text = ofAsyncGenerators.ReplaceAllStringFunc(text, func(found string) string {
		return "globalThis.__asyncGenerators" + strings.Repeat("\n", strings.Count(found, "\n"))
	})
	if resolveCalls.MatchString(text) {
		offered += fmt.Sprintf(`var __resolve = require("module").createRequire(%q).resolve; `, toPosix(a.Path))
		text = resolveCalls.ReplaceAllString(text, "__resolve(")
	}
	folder := filepath.Dir(a.Path)
	for _, name := range [][2]string{{"__dirname", folder}, {"__filename", a.Path}} {
		if !declares(a.Path, text, name[0]) {
			offered = fmt.Sprintf("var %s = %q; %s", name[0], toPosix(name[1]), offered)
		}
	}
	ofMeta := strings.NewReplacer("import.meta.url", fmt.Sprintf("%q", "file://"+toPosix(a.Path)), "import.meta.dirname", fmt.Sprintf("%q", toPosix(folder)), "import.meta.filename", fmt.Sprintf("%q", toPosix(a.Path)))
	text = offered + ofMeta.Replace(text)
	return api.OnLoadResult{Contents: &text, ResolveDir: folder, Loader: api.LoaderDefault}, err
}

// declares reports whether a file has a constant of its own with a name: a variable beside it would
// be an error.
func declares(path, text, name string) bool {
	if !ofOwnPlace.MatchString(text) {
		return false
	}
	loaders := map[string]api.Loader{".ts": api.LoaderTS, ".mts": api.LoaderTS, ".cts": api.LoaderTS, ".tsx": api.LoaderTSX}
	loader, found := loaders[filepath.Ext(path)]
	if !found {
		loader = api.LoaderJSX
	}
	both := api.Transform("var "+name+"; "+text, api.TransformOptions{Loader: loader})
	return slices.ContainsFunc(both.Errors, func(m api.Message) bool {
		return m.Text == fmt.Sprintf("The symbol %q has already been declared", name)
	})
}
