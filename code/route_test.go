package code

import (
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"
)

// Paths have the parameters of Koa's router: optional, repeated, with an expression of their
// own, nameless.
func TestPatterns(t *testing.T) {
	for _, c := range []struct{ pattern, path, want string }{
		{"/api/articles", "/api/articles", "{}"},
		{"/api/articles", "/api/articles/", "{}"},
		{"/api/articles", "/API/Articles", "{}"},
		{"/api/articles", "/api/articles/1", "no"},
		{"/api/articles", "/api/article", "no"},
		{"/articles/:id", "/articles/a b", "{id=a b}"},
		{"/articles/:id", "/articles/a%20b%2Fc", "{id=a b/c}"},
		{"/articles/:id", "/articles/%zz", "{id=%zz}"},
		{"/articles/:id", "/articles/", "no"},
		{"/articles/:id", "/articles/1/2", "no"},
		{"/echo/:a/:b?", "/echo/x", "{a=x}"},
		{"/echo/:a/:b?", "/echo/x/y", "{a=x b=y}"},
		{"/echo/:a/:b?", "/echo/x/y/z", "no"},
		{"/years/:year(\\d+)", "/years/2026", "{year=2026}"},
		{"/years/:year(\\d+)", "/years/now", "no"},
		{"/files/(.*)", "/files/a/b.txt", "{0=a/b.txt}"},
		{"/files/:name.:kind", "/files/a.txt", "{kind=txt name=a}"},
		{"/all/:path*", "/all", "{}"},
		{"/all/:path*", "/all/a/b", "{path=a/b}"},
		{"/some/:path+", "/some", "no"},
		{"/some/:path+", "/some/a/b", "{path=a/b}"},
		{"/a.b+c", "/a.b+c", "{}"},
		{"/a.b+c", "/axbbc", "no"},
		{"/:a-:b", "/x-y", "{a=x b=y}"},
		{"/über/:id", "/über/1", "{id=1}"},
		{"/a\\:b", "/a:b", "{}"},
	} {
		p, err := compilePattern(c.pattern)
		if err != nil {
			t.Errorf("%s: %v", c.pattern, err)
			continue
		}
		got := "no"
		if params, ok := p.params(c.path); ok {
			var list []string
			for _, name := range slices.Sorted(maps.Keys(params)) {
				list = append(list, name+"="+params[name])
			}
			got = "{" + strings.Join(list, " ") + "}"
		}
		if got != c.want {
			t.Errorf("%s of %s is %s and not %s", c.path, c.pattern, got, c.want)
		}
	}
	for _, wrong := range []string{"articles", "/a/:b(", "/a/:b()", "/a/:b((x))", "/a/:b(?=x)", "/a/([)", "/" + strings.Repeat("a", maxPattern)} {
		if _, err := compilePattern(wrong); err == nil {
			t.Errorf("%s is a pattern", wrong)
		}
	}
}

// No pattern and no path stop the program: they come from files and from requests.
func FuzzPattern(f *testing.F) {
	for _, seed := range [][2]string{
		{"/api/articles/:id", "/api/articles/1"}, {"/echo/:a/:b?", "/echo/x"}, {"/years/:year(\\d+)", "/years/1"}, {"/files/(.*)", "/files/a"},
		{"/all/:path*", "/all/a/b"}, {"/:a-:b", "/x-y"}, {"/a/:b(x|y)?", "/a/x"}, {"/a\\", "/a"}, {"/%", "/%zz"},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, text, path string) {
		p, err := compilePattern(text)
		if err != nil {
			return
		}
		params, ok := p.params(path)
		if !ok && params != nil || ok && len(params) > len(p.names) {
			t.Errorf("%q of %q: %v", text, path, params)
		}
		if text == path && !ok && !strings.ContainsAny(text, `:(\`) && utf8.ValidString(text) {
			t.Errorf("%q does not match itself", text)
		}
	})
}

// Routes match in the order of their files, and the first one wins.
func TestOrderOfRoutes(t *testing.T) {
	r := run(t, coreNote+`
-- src/api/note/controllers/note.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::note.note', () => ({ popular: (ctx) => 'popular', any: (ctx) => ctx.method }));
-- src/api/note/routes/01-custom.js --
module.exports = { routes: [
  { method: 'GET', path: '/notes/popular', handler: 'api::note.note.popular', config: { auth: false } },
  { method: 'ALL', path: '/any', handler: 'note.any', config: { auth: false } },
] };
-- src/api/page/controllers/page.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::page.page');
-- src/api/page/services/page.js --
module.exports = require('@strapi/strapi').factories.createCoreService('api::page.page');
-- src/api/page/routes/page.ts --
import { factories } from '@strapi/strapi';
export default factories.createCoreRouter('api::page.page', { except: ['delete'], config: { find: { auth: false }, update: { policies: [() => true] } } });
-- src/api/tag/controllers/tag.js --
module.exports = require('@strapi/strapi').factories.createCoreController('api::tag.tag');
-- src/api/tag/services/tag.js --
module.exports = require('@strapi/strapi').factories.createCoreService('api::tag.tag', () => ({ async create(params) { return super.create(params); } }));
-- src/api/tag/routes/tag.js --
module.exports = require('@strapi/strapi').factories.createCoreRouter('api::tag.tag', { prefix: '/v2', only: ['find', 'create'] });
`)
	var got []string
	for _, route := range r.Routes() {
		line := route.Method + " " + route.Path + " " + strings.Join(route.Scope, ",")
		for word, is := range map[string]bool{" core": route.Core, " open": !route.Auth} {
			if is {
				line += word
			}
		}
		got = append(got, line)
	}
	want := []string{
		"GET /api/notes/popular api::note.note.popular open", "ALL /api/any api::note.note.any open",
		"GET /api/notes api::note.note.find core", "GET /api/notes/:id api::note.note.findOne core", "POST /api/notes api::note.note.create core", "PUT /api/notes/:id api::note.note.update core", "DELETE /api/notes/:id api::note.note.delete core",
		"GET /api/page api::page.page.find open", "PUT /api/page api::page.page.update",
		"GET /api/v2/tags api::tag.tag.find core", "POST /api/v2/tags api::tag.tag.create",
	}
	for i := range got {
		got[i] = strings.Replace(got[i], " open core", " core open", 1)
	}
	if !slices.Equal(got, want) {
		t.Errorf("the routes are\n%s\nand not\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	r.requireAnswer(r.send("GET", "/api/notes/popular", ""), 200, "popular")
	r.requireAnswer(r.send("PATCH", "/api/any", ""), 200, "PATCH")
	var wrong *MethodError
	if _, _, err := r.Match("PATCH", "/api/notes/1"); !errors.As(err, &wrong) || !slices.Equal(wrong.Allowed, []string{"GET", "PUT", "DELETE"}) {
		t.Error(err)
	}
	if _, _, err := r.Match("GET", "/api/none"); !errors.Is(err, ErrNotFound) {
		t.Error(err)
	}
	if route, _, err := r.Match("HEAD", "/api/notes"); err != nil || route.Action != "find" {
		t.Error(route, err)
	}
	if !r.OwnsRoutes("api::tag.tag") || r.OwnsRoutes("api::other.other") || r.OwnsRoutes("plugin::upload.file") {
		t.Error("OwnsRoutes is wrong")
	}
}

// Only routes that begin as the path does are tried, and the first that matches is found
// nevertheless.
func TestTheFirstRouteThatMatchesIsFound(t *testing.T) {
	var routes []Route
	for _, path := range []string{
		"/api/articles/popular", "/api/articles", "/api/articles/:id", "/api/:kind/special", "/api/articles/:id/view", "/:all*", "/api", "/api/tags/", "/api/a.b/:c", "/API/Tags/:id",
	} {
		routes = append(routes, Route{Method: "GET", Path: path})
	}
	all, err := newTable(routes)
	check(t, err)
	for _, path := range []string{
		"/", "", "/api", "/api/", "/api/articles", "/API/Articles/", "/api/articles/popular", "/api/articles/special", "/api/articles/1/view", "/api/tags", "/api/tags/7", "/api/shops/special", "/api/a.b/c", "/api/articles//", "//api", "/other",
	} {
		want := slices.IndexFunc(all.routes, func(r Route) bool { _, ok := r.pattern.params(path); return ok })
		r, _, err := all.match("GET", path)
		switch {
		case want < 0 && !errors.Is(err, ErrNotFound):
			t.Errorf("%s leads to %v, want none", path, r)
		case want >= 0 && (err != nil || r.Path != routes[want].Path):
			t.Errorf("%s leads to %v (%v), want %s", path, r, err, routes[want].Path)
		}
	}
	if got := len(all.mayMatch("/api/other/1")); got != 3 {
		t.Errorf("%d routes are tried for a path of another type, want the 3 that do not begin with two plain names", got)
	}
}
