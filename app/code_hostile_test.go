//go:build !nocode

package app

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

const hostileController = `
const strange = {
	twice: null, proto: (ctx) => { Object.prototype.status = 'draft'; Object.prototype.access = 'allowed'; Object.prototype.caller = 'caller 1'; Array.prototype.includes = () => true; return { polluted: true }; },
	restore: () => { delete Object.prototype.status; delete Object.prototype.access; delete Object.prototype.caller; return { clean: true }; },
	state: (ctx) => { ctx.state.caller = 'mine'; ctx.state.access = 'mine'; return strapi.controller('api::article.article').find(ctx); },
	getter: (ctx) => { Object.defineProperty(ctx, 'body', { get() { throw new Error('secret of a getter'); } }); },
	bodyGetter: (ctx) => { ctx.body = { get a() { throw new Error('secret of a getter'); } }; },
	json: () => ({ toJSON() { throw new Error('secret of toJSON'); } }),
	cycle: () => { const a = { list: [] }; a.list.push(a); return a; },
	promise: () => ({ a: Promise.reject(new Error('secret of a promise')) }),
	bigint: () => ({ a: 1n }),
	symbol: (ctx) => { ctx.body = Symbol('x'); },
	func: (ctx) => { ctx.body = () => 1; },
	header: (ctx) => { ctx.set('X-A', 'a\r\nX-Injected: yes'); return 'x'; },
	name: (ctx) => { ctx.set('X A', 'a'); return 'x'; },
	redirect: (ctx) => ctx.redirect('https://example.org/\r\nX-Injected: yes'),
	type: (ctx) => { ctx.type = 'text/html\r\nX-Injected: yes'; return 'x'; },
	cookie: (ctx) => { ctx.cookies.set('a', 'b\r\nX-Injected: yes'); return 'x'; },
	attachment: (ctx) => { ctx.attachment('a"\r\nX-Injected: yes'); return 'x'; },
	large: () => { const part = 'x'.repeat(1 << 20); return { get parts() { return Array(1024).fill(part); } }; },
	connection: (ctx) => { ctx.set('Content-Length', '1'); ctx.set('Transfer-Encoding', 'chunked'); ctx.set('Connection', 'close'); return 'whole'; },
	url: () => import('https://example.org/a.mjs'),
	fn: () => new Function('return typeof std + typeof os')(),
};
module.exports = strange;`

func newHostileProject(t *testing.T, more map[string]string) *project {
	files := map[string]string{
		"site.json": `{"code": {"memory": 96}, "roles": {"public": {"api::article.article": ["find"]}}}`,
		"src/api/article/content-types/article/lifecycles.js": `module.exports = { afterFindMany() {} };`,
		"src/api/article/controllers/article.js":              `module.exports = require('@strapi/strapi').factories.createCoreController('api::article.article');`,
		"src/api/article/routes/01-made.js": `module.exports = { routes: ['proto', 'restore', 'state', 'getter', 'bodyGetter', 'json', 'cycle', 'promise', 'bigint', 'symbol', 'func', 'header', 'name', 'redirect', 'type', 'cookie', 'attachment', 'large', 'connection', 'url', 'fn']
			.map((name) => ({ method: 'GET', path: '/strange/' + name, handler: 'strange.' + name, config: { auth: false } }))
			.concat({ method: 'GET', path: '/twice', handler: () => 'once', config: { auth: false, middlewares: [async (ctx, next) => { await next(); await next(); }] } },
				{ method: 'GET', path: '/undecided', handler: () => 'in', config: { auth: false, policies: [async () => undefined] } },
				{ method: 'GET', path: '/never-true', handler: () => 'in', config: { auth: false, policies: [async () => null] } },
				{ method: 'GET', path: '/closed', handler: () => 'in', config: {} }) };`,
		"src/api/article/controllers/strange.js": hostileController,
	}
	for name, text := range more {
		files[name] = text
	}
	return newProject(t, files)
}

func TestStrangeHandlersFailAloneAndSayNothing(t *testing.T) {
	t.Parallel()
	p := newHostileProject(t, nil)
	for path, want := range map[string]int{
		"/strange/getter": 500, "/strange/bodyGetter": 500, "/strange/json": 500, "/strange/cycle": 500, "/strange/promise": 500, "/strange/bigint": 500,
		"/strange/header": 500, "/strange/name": 500, "/strange/type": 500, "/strange/cookie": 500, "/strange/large": 500, "/strange/url": 500,
		"/strange/connection": 200, "/strange/fn": 200, "/strange/redirect": 302, "/strange/attachment": 500,
		"/twice": 500, "/undecided": 200, "/never-true": 403, "/closed": 403, "/strange/symbol": 200, "/strange/func": 200,
	} {
		r := p.request("GET", "/api"+path, nil)
		response, err := http.DefaultTransport.RoundTrip(r)
		if err != nil {
			t.Fatal(path, err)
		}
		body, err := io.ReadAll(response.Body)
		response.Body.Close()
		if err != nil || response.StatusCode != want || response.Header.Get("X-Injected") != "" || strings.Contains(string(body), "secret") {
			t.Errorf("%s: %d, want %d %v %s %v", path, response.StatusCode, want, response.Header, body, err)
		}
		if status, body := p.send("", "GET", "/api/strange/state", ""); status != 200 {
			t.Fatalf("after %s: %d %s", path, status, body)
		}
	}
	if _, body := p.send("", "GET", "/api/strange/connection", ""); body != "whole" {
		t.Error(body)
	}
	if _, body := p.send("", "GET", "/api/strange/fn", ""); body != "undefinedundefined" {
		t.Error(body)
	}
}

// As in Node, code may change the prototypes of all requests. That gives no caller more rights.
func TestAPollutedPrototypeGivesNobodyRights(t *testing.T) {
	t.Parallel()
	p := newHostileProject(t, nil)
	p.send(p.token, "POST", "/api/articles?status=draft", `{"data": {"title": "a draft"}}`)
	p.send(p.token, "POST", "/api/articles", `{"data": {"title": "for all"}}`)
	if status, body := p.send("", "GET", "/api/strange/proto", ""); status != 200 {
		t.Fatal(status, body)
	}
	for _, path := range []string{"/api/articles", "/api/articles?populate=*", "/api/strange/state"} {
		if _, body := p.send("", "GET", path, ""); strings.Contains(body, "a draft") || strings.Contains(body, "secret") {
			t.Errorf("%s shows %s", path, body)
		}
	}
	for _, path := range []string{"/api/closed", "/api/lines"} {
		if status, body := p.send("", "GET", path, ""); status == 200 {
			t.Errorf("%s: %d %s", path, status, body)
		}
	}
}

func TestRoutesOfTheCodeHideNothingOfQuire(t *testing.T) {
	t.Parallel()
	p := newHostileProject(t, map[string]string{
		"src/index.js": `module.exports = { register({ strapi }) {
			strapi.server.routes(['/admin', '/admin/api/me', '/_ready', '/_metrics', '/uploads/x', '/own'].map((path) => ({ method: 'GET', path, handler: () => 'from the code', config: { auth: false } })));
		} };`,
		"src/api/article/routes/02-more.js": `module.exports = { routes: ['/_batch', '/_events'].map((path) => ({ method: 'GET', path, handler: () => 'from the code', config: { auth: false } })) };`,
	})
	for _, path := range []string{"/admin", "/admin/api/me", "/_ready", "/_metrics", "/api/_events"} {
		r := p.request("GET", path, nil)
		response, err := http.DefaultTransport.RoundTrip(r)
		check(t, err)
		length := response.ContentLength
		response.Body.Close()
		if length == int64(len("from the code")) {
			t.Errorf("%s is answered by the code", path)
		}
	}
	if _, body := p.send("", "GET", "/own", ""); body != "from the code" {
		t.Error(body)
	}
}

func TestFetchReachesNoPrivateAddressByAnyName(t *testing.T) {
	t.Parallel()
	p := newHostileProject(t, map[string]string{
		"src/api/article/routes/03-fetch.js": `module.exports = { routes: [{ method: 'GET', path: '/fetch', config: { auth: false }, handler: async (ctx) => {
			try { return String((await fetch(ctx.query.url)).status); } catch (e) { return e.message; }
		} }] };`,
	})
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[64:ff9b::7f00:1]", "2130706433", "0x7f000001", "0177.0.0.1", "127.1", "0", "0.0.0.0", "169.254.169.254", "10.0.0.1", "[fe80::1]", "[fd00::1]"} {
		for _, scheme := range []string{"http", "https"} {
			_, body := p.send("", "GET", "/api/fetch?url="+url.QueryEscape(scheme+"://"+host+":1/"), "")
			if !strings.HasPrefix(body, "fetch failed: ") || !strings.Contains(body, "address") {
				t.Errorf("%s://%s: %s", scheme, host, body)
			}
		}
	}
}

// The code reads everything; what it sanitizes is what the caller may see.
func TestSanitizedOutputHasNothingThatTheCallerMayNotSee(t *testing.T) {
	t.Parallel()
	p := newHostileProject(t, map[string]string{
		"site.json": `{"roles": {"public": {"api::article.article": ["find", "findOne"]}}, "auth": {"rateLimit": {"enabled": false}}}`,
		"src/api/article/content-types/article/schema.json": `{"kind": "collectionType", "info": {"singularName": "article", "pluralName": "articles", "displayName": "Article"}, "options": {"draftAndPublish": true},
			"attributes": {"title": {"type": "string"}, "secret": {"type": "string", "private": true}, "lines": {"type": "relation", "relation": "oneToMany", "target": "api::line.line", "mappedBy": "article"},
				"owner": {"type": "relation", "relation": "manyToOne", "target": "plugin::users-permissions.user"}}}`,
		"src/api/article/controllers/article.js": `
			const users = 'plugin::users-permissions.user';
			module.exports = require('@strapi/strapi').factories.createCoreController('api::article.article', ({ strapi }) => ({
				async seed() {
					const user = await strapi.plugin('users-permissions').service('user').add({ username: 'ada', email: 'ada@example.com', password: 'hidden1', provider: 'local', confirmed: true, role: 1 });
					const line = await strapi.documents('api::line.line').create({ data: { what: 'hidden line' } });
					await strapi.documents('api::article.article').create({ data: { title: 'shown', secret: 'hidden value', lines: [line.documentId], owner: user.documentId }, status: 'published' });
					return { raw: (await strapi.db.query(users).findOne({ where: { id: user.id } })).email };
				},
				async own(ctx) { return this.sanitizeOutput(await strapi.documents('api::article.article').findMany({ status: 'published', populate: { lines: true, owner: true } }), ctx); },
				async users(ctx) {
					const all = await strapi.documents(users).findMany({ populate: '*' });
					const type = strapi.contentType(users);
					return [all.length, await strapi.contentAPI.sanitize.output(all, type, { auth: ctx.state.auth }), await require('@strapi/utils').sanitize.contentAPI.output(all, type), await strapi.plugin('users-permissions').service('user').sanitizeOutput(all)];
				},
				async find(ctx) { ctx.query = { ...ctx.query, populate: { lines: true, owner: true } }; return super.find(ctx); },
			}));`,
		"src/api/article/routes/01-made.js": `module.exports = { routes: ['seed', 'own', 'users'].map((name) => ({ method: 'GET', path: '/made/' + name, handler: 'article.' + name, config: { auth: false } })) };`,
	})
	if status, body := p.send("", "GET", "/api/made/seed", ""); body != `{"raw":"ada@example.com"}` {
		t.Fatal(status, body)
	}
	for _, path := range []string{"/api/made/own", "/api/made/users", "/api/articles", "/api/articles?populate=*", "/api/articles?status=draft"} {
		_, body := p.send("", "GET", path, "")
		for _, word := range []string{"hidden", "ada@example.com", "$argon2", "$2", "password", "sessionEpoch", "resetPasswordToken"} {
			if strings.Contains(body, word) && (path != "/api/made/users" || word != "ada@example.com") { // which is not private
				t.Errorf("%s shows %q: %s", path, word, body)
			}
		}
	}
	for path, want := range map[string]string{"/api/made/own": `"title":"shown"`, "/api/made/users": "[1,"} {
		if _, body := p.send("", "GET", path, ""); !strings.Contains(body, want) {
			t.Errorf("%s: %s", path, body)
		}
	}
}
