package code

import (
	"encoding/json"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"quire/schema"
)

// project writes files into a folder. Each begins with a line "-- path --".
func project(t testing.TB, text string) string {
	t.Helper()
	folder := t.TempDir()
	parts := strings.Split("\n"+text, "\n-- ")
	for _, part := range parts[1:] {
		name, body, ok := strings.Cut(part, " --")
		if !ok {
			t.Fatalf("a file without a name: %s", part)
		}
		file := filepath.Join(folder, filepath.FromSlash(name))
		check(t, os.MkdirAll(filepath.Dir(file), 0o755))
		check(t, os.WriteFile(file, []byte(strings.TrimPrefix(body, "\n")+"\n"), 0o600))
	}
	return folder
}

// A running is a program on a memory.
type running struct {
	*Program
	t       *testing.T
	options Options
	host    *memory
	log     *logged
}

// logged is what the code and the program have logged. The machine writes it beside the test.
type logged struct {
	mu   sync.Mutex
	text strings.Builder
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

func (l *logged) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text.Reset()
}

// types are the content types of all tests: notes with drafts, tags without, one page.
const types = `
-- src/api/note/content-types/note/schema.json --
{"kind": "collectionType", "collectionName": "notes", "info": {"singularName": "note", "pluralName": "notes", "displayName": "Note"}, "options": {"draftAndPublish": true},
 "attributes": {"title": {"type": "string"}, "slug": {"type": "string"}, "views": {"type": "integer", "default": 0}, "secret": {"type": "string", "private": true}}}
-- src/api/tag/content-types/tag/schema.json --
{"kind": "collectionType", "collectionName": "tags", "info": {"singularName": "tag", "pluralName": "tags", "displayName": "Tag"}, "options": {"draftAndPublish": false},
 "attributes": {"name": {"type": "string"}, "score": {"type": "integer", "default": 0}}}
-- src/api/page/content-types/page/schema.json --
{"kind": "singleType", "collectionName": "pages", "info": {"singularName": "page", "pluralName": "pages", "displayName": "Page"}, "options": {"draftAndPublish": false},
 "attributes": {"title": {"type": "string"}}}
`

// optionsOf are the options for a project with these files and the types above.
func optionsOf(t testing.TB, text string) (Options, *memory) {
	t.Helper()
	folder := project(t, types+text)
	site, err := schema.Load(os.DirFS(folder))
	check(t, err)
	host := newMemory(site)
	return Options{Folder: folder, Site: site, Host: host.answer, Now: host.answer, Version: "1.0.0", Turn: time.Minute, LongestWrite: time.Minute}, host
}

// run loads a project and runs its bootstrap.
func run(t *testing.T, text string, env ...string) *running {
	t.Helper()
	o, host := optionsOf(t, text)
	log := &logged{}
	o.Log = slog.New(slog.NewTextHandler(log, nil))
	o.Env = map[string]string{}
	for _, pair := range env {
		name, value, _ := strings.Cut(pair, "=")
		o.Env[name] = value
	}
	p, err := Load(o)
	check(t, err)
	t.Cleanup(p.Close)
	check(t, p.Bootstrap(t.Context()))
	return &running{Program: p, t: t, options: o, host: host, log: log}
}

// send sends a request through the first route that matches, or through none.
func (r *running) send(method, url, body string, headers ...string) *Response {
	r.t.Helper()
	path, _, _ := strings.Cut(url, "?")
	route, params, err := r.Match(method, path)
	if err != nil && !errors.Is(err, ErrNotFound) {
		r.t.Fatal(err)
	}
	request := Request{Route: route, Params: params, Method: method, URL: url, Headers: map[string]string{}, IP: "192.0.2.1", Caller: "someone"}
	if body != "" {
		request.Body = json.RawMessage(body)
		request.Headers["content-type"] = "application/json"
	}
	for _, h := range headers {
		name, value, _ := strings.Cut(h, ": ")
		request.Headers[strings.ToLower(name)] = value
	}
	answer, err := r.Serve(r.t.Context(), request)
	check(r.t, err)
	return answer
}

// header is the first value of a header of a response, or empty.
func (a *Response) header(name string) string {
	for _, h := range a.Headers {
		if strings.EqualFold(h[0], name) {
			return h[1]
		}
	}
	return ""
}

// requireAnswer checks the status and the body of a response.
func (r *running) requireAnswer(got *Response, status int, body string) {
	r.t.Helper()
	if got.Status != status || string(got.Body) != body {
		r.t.Errorf("the response is %d %s\nand not %d %s\n%s", got.Status, got.Body, status, body, r.log)
	}
}

// evaluate runs a piece of JavaScript and checks its value.
func (r *running) evaluate(script, want string) {
	r.t.Helper()
	got, err := r.Evaluate(r.t.Context(), "(async () => { "+script+" })()")
	if err != nil {
		r.t.Errorf("%s\n%v", script, err)
		return
	}
	if string(got) != want {
		r.t.Errorf("%s\nis %s\nand not %s", script, got, want)
	}
}

// Each of Strapi's places gives a file its name; what is elsewhere is a module.
func TestPlaces(t *testing.T) {
	for name, want := range map[string]string{
		"src/index.ts":                                      "index ",
		"src/api/note/controllers/note.js":                  "controller api::note.note",
		"src/api/homePage/services/homePage.ts":             "service api::home-page.home-page",
		"src/api/note/routes/01-first.js":                   "routes api::note.01-first",
		"src/api/note/policies/isOwner.js":                  "policy api::note.is-owner",
		"src/api/note/middlewares/populate.mjs":             "middleware api::note.populate",
		"src/api/note/content-types/note/lifecycles.ts":     "lifecycles api::note.note",
		"src/api/note/controllers/helpers/text.js":          "module ",
		"src/policies/has-key.js":                           "policy global::has-key",
		"src/middlewares/stamp.cjs":                         "middleware global::stamp",
		"src/extensions/users-permissions/strapi-server.js": "extension users-permissions",
		"src/lib/pricing.js":                                "module ",
		"src/plugins/own/server/index.js":                   "module ",
		"config/server.ts":                                  "config server",
		"config/env/production/server.js":                   "environment server",
		"config/sync.json":                                  "config sync",
		"config/env/staging/server.js":                      "",
		"config/database.js":                                "",
		"src/api/note/content-types/note/schema.json":       "",
		"src/api/note/README.md":                            "",
	} {
		got := ""
		if s, ok := sourceAt(name, "production"); ok {
			got = string(s.role) + " " + s.name
		}
		if got != want {
			t.Errorf("%s is %q and not %q", name, got, want)
		}
	}
}

// Declarations, tests, the admin panel's code and a compiled copy are not part of a project.
func TestFilesOfTheProject(t *testing.T) {
	folder := project(t, `
-- dist/src/index.js --
-- src/admin/app.tsx --
-- src/admin/vite.config.ts --
-- src/types.d.ts --
-- src/api/note/controllers/note.test.js --
-- src/api/note/services/node_modules/x/index.js --
-- src/b.js --
-- src/api/note/routes/b.js --
-- src/api/note/routes/a-b.js --
-- src/api/note/routes/a.js --
-- config/server.js --
`)
	files, err := find(os.DirFS(folder), "production")
	check(t, err)
	var names []string
	for _, f := range files {
		names = append(names, f.path)
	}
	want := "config/server.js src/api/note/routes/a-b.js src/api/note/routes/a.js src/api/note/routes/b.js src/b.js"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("the files are %s\nand not %s", got, want)
	}
}

// A folder of schemas and settings needs no engine.
func TestAProjectWithoutCode(t *testing.T) {
	o, _ := optionsOf(t, "-- config/server.js --\nmodule.exports = {};")
	if _, err := Load(o); !errors.Is(err, ErrNoCode) {
		t.Error(err)
	}
}

// Settings are evaluated, with the variables of the environment and their casts.
func TestSettings(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = {};
-- config/shop.js --
module.exports = ({ env }) => ({ name: env('NAME', 'Corner'), open: env.bool('OPEN', false), size: env.int('SIZE', 3), list: env.array('LIST', []), ratio: env.float('RATIO'), json: env.json('JSON', {}), color: env.oneOf('COLOR', ['red', 'blue'], 'red'), nested: { deep: { er: 1 } }, day: env.date('DAY') });
-- config/server.ts --
import type { X } from './x';
export default ({ env }: { env: any }) => ({ host: env('HOST', '0.0.0.0'), app: { keys: env.array('KEYS') } });
-- config/env/production/server.js --
module.exports = ({ env }) => ({ app: { extra: true }, url: 'https://example.org' });
-- config/env/staging/server.js --
module.exports = { url: 'https://staging.example.org' };
-- config/plugins.js --
module.exports = () => ({ upload: { config: { sizeLimit: 5 } } });
-- config/plain.json --
{"a": [1]}
`, "NAME=Shop", "OPEN=true", "SIZE=12px", `LIST=[a, "b"]`, "RATIO=1.5", `JSON={"a":1}`, "COLOR=green", "KEYS=x,y", "DAY=2026-01-02")
	r.evaluate(`return strapi.config.get('shop')`, `{"name":"Shop","open":true,"size":12,"list":["a","b"],"ratio":1.5,"json":{"a":1},"color":"red","nested":{"deep":{"er":1}},"day":"2026-01-02T00:00:00.000Z"}`)
	r.evaluate(`return strapi.config.get('server')`, `{"url":"https://example.org","host":"0.0.0.0","app":{"keys":["x","y"],"extra":true},"absoluteUrl":"https://example.org"}`)
	r.evaluate(`return [strapi.config.get('shop.nested.deep.er'), strapi.config.get('shop.none', 42), strapi.config.get('none.at.all', 'x'), strapi.config.has('shop.name'), strapi.config.has('shop.none')]`, `[1,42,"x",true,false]`)
	r.evaluate(`return [strapi.config.get('plugin::upload.sizeLimit'), strapi.config.get('plugin.upload.sizeLimit'), strapi.plugin('upload').config('sizeLimit'), strapi.config.get('plain.a[0]'), strapi.config.shop.size]`, `[5,5,5,1,12]`)
	r.evaluate(`strapi.config.set('shop.other', { a: 1 }); return [strapi.config.get('shop.other.a'), strapi.config.get('api.rest.defaultLimit'), process.env.NODE_ENV]`, `[1,25,"production"]`)
	settings, err := Settings(t.Context(), r.options)
	if err != nil || !strings.Contains(string(settings), `"url":"https://example.org"`) || strings.Contains(string(settings), "defaultLimit") {
		t.Error(string(settings), err)
	}
}

// TypeScript and ES modules load as CommonJS does, and may import each other.
func TestFormsOfModules(t *testing.T) {
	r := run(t, `
-- src/index.ts --
import type { Core } from '@strapi/strapi';
import { greet } from './lib/greet';
export default {
  register({ strapi }: { strapi: Core.Strapi }) { (strapi as any).greeting = greet('ts'); },
};
-- src/lib/greet.ts --
export const greet = (name: string): string => 'hello ' + name;
-- src/api/note/services/one.js --
import { factories } from '@strapi/strapi';
export default factories.createCoreService('api::note.note', ({ strapi }) => ({ name: () => 'es' }));
-- src/api/note/services/two.mjs --
export default () => ({ name: () => 'mjs' });
-- src/api/note/services/three.js --
exports.name = () => 'exports';
-- src/api/note/services/four.ts --
import { factories } from '@strapi/strapi';
enum Kind { A = 'enum' }
class Base { async name(): Promise<string> { return Kind.A; } }
export default () => new (class extends Base { async name() { return 'class of ' + (await super.name()); } })();
`)
	r.evaluate(`return [strapi.greeting, strapi.service('api::note.one').name(), strapi.service('api::note.two').name(), strapi.service('api::note.three').name(), await strapi.service('api::note.four').name()]`,
		`["hello ts","es","mjs","exports","class of enum"]`)
}

func check(t testing.TB, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}
