package code

import (
	"strings"
	"testing"
)

// handler is a project with one route that any caller may use: GET /api/x/:how?.
func handler(body string) string {
	return `
-- src/api/x/routes/x.js --
module.exports = { routes: [{ method: 'ALL', path: '/x/:how?', handler: 'x.run', config: { auth: false } }] };
-- src/api/x/controllers/x.js --
const { errors } = require('@strapi/utils');
module.exports = { async run(ctx) { ` + body + ` } };
`
}

const notFound = `{"data":null,"error":{"status":404,"name":"NotFoundError","message":"Not Found","details":{}}}`

// What a handler returns or sets is the response.
func TestResponses(t *testing.T) {
	r := run(t, handler(`
  switch (ctx.params.how) {
    case 'returned': return { a: 1 };
    case 'body': ctx.body = [1, 2]; return { ignored: true };
    case 'text': return 'plain';
    case 'html': ctx.body = '<p>x</p>'; return;
    case 'buffer': ctx.body = Buffer.from([1, 2, 255]); return;
    case 'typed': ctx.type = 'text/csv'; ctx.body = 'a,b'; return;
    case 'status': ctx.status = 418; ctx.body = { tea: true }; return;
    case 'only-status': ctx.status = 202; return;
    case 'null': ctx.body = null; return;
    case 'send': return void ctx.send({ sent: true }, 207);
    case 'created': return void ctx.created({ made: true });
    case 'deleted': return void ctx.deleted();
    case 'no-content': return void ctx.noContent();
    case 'redirect': return ctx.redirect('/api/other?a=ü');
    case 'attachment': ctx.attachment('a "b".pdf'); ctx.body = Buffer.from('%PDF'); return;
    case 'number': return 5;
    case 'false': return false;
    case 'promise': ctx.body = { token: Promise.resolve('later'), list: [Promise.resolve(1)] }; return;
    case 'date': return { at: new Date(0) };
  }`))
	for _, c := range []struct {
		path   string
		status int
		kind   string
		body   string
	}{
		{"returned", 200, "application/json; charset=utf-8", `{"a":1}`},
		{"body", 200, "application/json; charset=utf-8", `[1,2]`},
		{"text", 200, "text/plain; charset=utf-8", `plain`},
		{"html", 200, "text/html; charset=utf-8", `<p>x</p>`},
		{"buffer", 200, "application/octet-stream", "\x01\x02\xff"},
		{"typed", 200, "text/csv; charset=utf-8", `a,b`},
		{"status", 418, "application/json; charset=utf-8", `{"tea":true}`},
		{"only-status", 202, "text/plain; charset=utf-8", "Accepted"},
		{"null", 204, "", ``},
		{"send", 207, "application/json; charset=utf-8", `{"sent":true}`},
		{"created", 201, "application/json; charset=utf-8", `{"made":true}`},
		{"deleted", 204, "", ``},
		{"no-content", 204, "", ``},
		{"redirect", 302, "text/plain; charset=utf-8", `Redirecting to /api/other?a=ü.`},
		{"attachment", 200, "application/pdf", `%PDF`},
		{"number", 200, "application/json; charset=utf-8", `5`},
		{"false", 200, "application/json; charset=utf-8", `false`},
		{"promise", 200, "application/json; charset=utf-8", `{"token":"later","list":[1]}`},
		{"date", 200, "application/json; charset=utf-8", `{"at":"1970-01-01T00:00:00.000Z"}`},
		{"nothing", 404, "application/json; charset=utf-8", notFound},
	} {
		got := r.send("GET", "/api/x/"+c.path, "")
		r.requireAnswer(got, c.status, c.body)
		if kind := got.header("Content-Type"); kind != c.kind {
			t.Errorf("%s has the type %q and not %q", c.path, kind, c.kind)
		}
	}
	if got := r.send("GET", "/api/x/redirect", "").header("Location"); got != "/api/other?a=%C3%BC" {
		t.Error(got)
	}
	if got := r.send("GET", "/api/x/attachment", "").header("Content-Disposition"); got != `attachment; filename="a _b_.pdf"` {
		t.Error(got)
	}
}

// Each error has its status, name, message and details. One of the code itself is 500 and
// says nothing to the client; the log has its message.
func TestErrorsOfHandlers(t *testing.T) {
	r := run(t, handler(`
  const Kind = errors[ctx.params.how];
  if (Kind) throw new Kind('Said', { a: 1 });
  switch (ctx.params.how) {
    case 'defaults': throw new errors.NotFoundError();
    case 'plain': throw new Error('secret of the server');
    case 'type': return null.nothing;
    case 'string': throw 'words';
    case 'null': throw null;
    case 'throw': return ctx.throw(409, 'Conflict here', { x: 1 });
    case 'throw-500': return ctx.throw(500, 'secret too');
    case 'assert': return ctx.assert(ctx.state.user, 401, 'Sign in');
    case 'stream': ctx.body = { pipe() {} }; return;
    case 'header': ctx.set('X-A', 'a\r\nX-B: b'); return {};
    case 'status': ctx.status = 'x'; return {};
    case 'own': class Own extends errors.ApplicationError {} throw new Own('Mine');
    default: return ctx[ctx.params.how]('Said', { a: 1 });
  }`))
	body := func(status, name, message, details string) string {
		return `{"data":null,"error":{"status":` + status + `,"name":"` + name + `","message":"` + message + `"` + details + `}}`
	}
	const said = `,"details":{"a":1}`
	internal := body("500", "InternalServerError", "Internal Server Error", "")
	for _, c := range []struct {
		path   string
		status int
		body   string
	}{
		{"ApplicationError", 400, body("400", "ApplicationError", "Said", said)},
		{"ValidationError", 400, body("400", "ValidationError", "Said", said)},
		{"PaginationError", 400, body("400", "PaginationError", "Said", said)},
		{"NotFoundError", 404, body("404", "NotFoundError", "Said", said)},
		{"ConflictError", 409, body("409", "ConflictError", "Said", said)},
		{"PolicyError", 403, body("403", "PolicyError", "Said", said)},
		{"RateLimitError", 429, body("429", "RateLimitError", "Said", said)},
		{"PayloadTooLargeError", 413, body("413", "PayloadTooLargeError", "Said", said)},
		{"NotImplementedError", 501, body("501", "NotImplementedError", "Said", said)},
		// As in Strapi, these two end where the permission is checked, without their message.
		{"ForbiddenError", 403, body("403", "ForbiddenError", "Forbidden", `,"details":{}`)},
		{"UnauthorizedError", 401, body("401", "UnauthorizedError", "Unauthorized", `,"details":{}`)},
		{"defaults", 404, body("404", "NotFoundError", "Entity not found", `,"details":{}`)},
		{"own", 400, body("400", "ApplicationError", "Mine", `,"details":{}`)},
		{"throw", 409, body("409", "ConflictError", "Conflict here", "")},
		{"assert", 401, body("401", "UnauthorizedError", "Sign in", "")},
		{"badRequest", 400, body("400", "BadRequestError", "Said", said)},
		{"unauthorized", 401, body("401", "UnauthorizedError", "Said", said)},
		{"forbidden", 403, body("403", "ForbiddenError", "Said", said)},
		{"notFound", 404, body("404", "NotFoundError", "Said", said)},
		{"conflict", 409, body("409", "ConflictError", "Said", said)},
		{"payloadTooLarge", 413, body("413", "PayloadTooLargeError", "Said", said)},
		{"imATeapot", 418, body("418", "ImATeapotError", "Said", said)},
		{"tooManyRequests", 429, body("429", "TooManyRequestsError", "Said", said)},
		{"unprocessableEntity", 422, body("422", "UnprocessableEntityError", "Said", said)},
		{"internalServerError", 500, body("500", "InternalServerError", "Said", said)},
		{"plain", 500, internal}, {"type", 500, internal}, {"string", 500, internal}, {"null", 500, internal}, {"throw-500", 500, internal},
		{"stream", 500, internal}, {"header", 500, internal}, {"status", 500, internal},
	} {
		r.requireAnswer(r.send("GET", "/api/x/"+c.path, ""), c.status, c.body)
	}
	r.log.Reset()
	r.send("GET", "/api/x/plain?token=hidden", "")
	for word, want := range map[string]bool{"secret of the server": true, "path=/api/x/plain": true, "src/api/x/controllers/x.js:": true, "quire/": false, "hidden": false} {
		if got := r.log.String(); strings.Contains(got, word) != want {
			t.Errorf("the log has %q: %v, in %s", word, !want, got)
		}
	}
}

// The context has the members of Koa's that a handler reads.
func TestContext(t *testing.T) {
	r := run(t, handler(`
  ctx.state.mark = 1;
  ctx.cookies.set('seen', 'yes', { maxAge: 0, sameSite: 'lax', secure: true });
  ctx.set({ 'X-A': 'a', 'X-B': ['b', 'c'] }); ctx.append('X-B', 'd'); ctx.set('X-Gone', 'x'); ctx.remove('X-Gone');
  ctx.query.added = true;
  return {
    method: ctx.method, path: ctx.path, url: ctx.url, query: ctx.request.query, querystring: ctx.querystring, params: ctx.params,
    host: ctx.host, hostname: ctx.hostname, origin: ctx.origin, href: ctx.href, secure: ctx.secure, ip: ctx.ip, agent: ctx.get('User-Agent'), header: ctx.request.header['x-own'], none: ctx.get('none'),
    is: [ctx.request.is('json'), ctx.is('html'), ctx.request.is('text/*', 'application/*')], accepts: ctx.accepts('json', 'html'), cookie: [ctx.cookies.get('a'), ctx.cookies.get('none')],
    body: ctx.request.body, same: strapi.requestContext.get() === ctx, route: ctx.state.route.path, response: ctx.response.get('X-B'),
  };`))
	got := r.send("POST", "/api/x/a%2Fb?q[0]=1&q[1]=2&n[m]=v&e", `{"b":[1]}`, "Host: example.org:80", "User-Agent: test", "X-Own: yes", "Accept: text/html", "Cookie: z=1; a=b%20c")
	r.requireAnswer(got, 200, `{"method":"POST","path":"/api/x/a%2Fb","url":"/api/x/a%2Fb?q[0]=1&q[1]=2&n[m]=v&e","query":{"q":["1","2"],"n":{"m":"v"},"e":null,"added":true},"querystring":"q[0]=1&q[1]=2&n[m]=v&e","params":{"how":"a/b"},`+
		`"host":"example.org:80","hostname":"example.org","origin":"http://example.org:80","href":"http://example.org:80/api/x/a%2Fb?q[0]=1&q[1]=2&n[m]=v&e","secure":false,"ip":"192.0.2.1","agent":"test","header":"yes","none":"",`+
		`"is":["json",false,"application/*"],"accepts":"html","cookie":["b%20c",null],"body":{"b":[1]},"same":true,"route":"/api/x/:how?","response":"b, c, d"}`)
	want := "[Set-Cookie seen=yes; path=/; samesite=lax; secure; httponly] [X-A a] [X-B b] [X-B c] [X-B d] [Content-Type application/json; charset=utf-8]"
	if list := joined(got.Headers); list != want {
		t.Errorf("the headers are %s\nand not %s", list, want)
	}
}

func joined(headers [][2]string) string {
	var list []string
	for _, h := range headers {
		list = append(list, "["+h[0]+" "+h[1]+"]")
	}
	return strings.Join(list, " ")
}

// Middlewares for all requests surround those of a route, which surround the handler; the
// policies come between. An error passes through none of them twice.
func TestOrderOfMiddlewares(t *testing.T) {
	r := run(t, `
-- config/middlewares.js --
module.exports = ['strapi::logger', 'strapi::errors', { name: 'global::outer', config: { mark: 'O' } }, 'strapi::body', 'global::second', { resolve: './src/middlewares/third' }];
-- src/middlewares/outer.js --
module.exports = (config, { strapi }) => async (ctx, next) => { ctx.state.order = [config.mark]; await next(); ctx.set('X-Order', ctx.state.order.concat(ctx.status).join(' ')); };
-- src/middlewares/second.ts --
export default () => async (ctx: any, next: any) => { ctx.state.order.push('S'); await next(); ctx.state.order.push('s'); };
-- src/middlewares/third.js --
module.exports = () => (ctx, next) => { ctx.state.order.push('T'); return next(); };
-- src/api/x/middlewares/mine.js --
module.exports = (config) => async (ctx, next) => { ctx.state.order.push('M' + (config.depth || '')); await next(); };
-- src/api/x/policies/pass.js --
module.exports = (ctx) => { ctx.state.order.push('P'); return true; };
-- src/api/x/routes/x.js --
const inline = (ctx, next) => { ctx.state.order.push('I'); return next(); };
module.exports = { routes: [
  { method: 'GET', path: '/x', handler: 'x.run', config: { auth: false, policies: ['pass'], middlewares: ['api::x.mine', { name: 'api::x.mine', config: { depth: 2 } }, inline] } },
  { method: 'GET', path: '/stop', handler: 'x.run', config: { auth: false, middlewares: [(ctx) => { ctx.body = 'stopped'; }] } },
  { method: 'GET', path: '/twice', handler: 'x.run', config: { auth: false, middlewares: [async (ctx, next) => { await next(); await next(); }] } },
  { method: 'GET', path: '/list', handler: [(ctx, next) => { ctx.state.order.push('1'); return next(); }, (ctx) => ({ order: ctx.state.order.join('') })], config: { auth: false } },
] };
-- src/api/x/controllers/x.js --
module.exports = { run: (ctx) => { ctx.state.order.push('H'); return { order: ctx.state.order.join('') }; } };
`)
	got := r.send("GET", "/api/x", "")
	r.requireAnswer(got, 200, `{"order":"OSTPMM2IH"}`)
	if h := got.header("X-Order"); h != "O S T P M M2 I H s 200" {
		t.Error(h)
	}
	r.requireAnswer(r.send("GET", "/api/stop", ""), 200, `stopped`)
	r.requireAnswer(r.send("GET", "/api/list", ""), 200, `{"order":"OST1"}`)
	if got := r.send("GET", "/api/twice", ""); got.Status != 500 {
		t.Error(got.Status)
	}
}

// A request without a route of the project passes through its middlewares to the program.
func TestRequestsWithoutARoute(t *testing.T) {
	r := run(t, `
-- config/middlewares.js --
module.exports = ['global::stamp'];
-- src/middlewares/stamp.js --
module.exports = () => async (ctx, next) => { ctx.query.locale = 'de'; await next(); ctx.set('X-Stamp', 'yes'); if (ctx.body && ctx.body.data) ctx.body.data.stamped = true; };
`)
	var locale any
	r.host.other["door.handle"] = func(a map[string]any) (any, error) {
		locale = a["query"].(map[string]any)["locale"]
		return map[string]any{"status": 203, "headers": [][2]string{{"X-Door", "d"}, {"Content-Type", "application/json"}}, "body": map[string]any{"data": map[string]any{"a": 1}}}, nil
	}
	got := r.send("GET", "/api/elsewhere?sort=a", "")
	r.requireAnswer(got, 203, `{"data":{"a":1,"stamped":true}}`)
	if locale != "de" || got.header("X-Stamp") != "yes" || got.header("X-Door") != "d" {
		t.Error(locale, got.Headers)
	}
	if !r.HasMiddlewares() {
		t.Error("HasMiddlewares is false")
	}
}

// A policy passes a request with true or nothing, and refuses it with all else.
func TestPolicies(t *testing.T) {
	r := run(t, `
-- src/policies/says.js --
module.exports = (ctx, config, { strapi }) => { const how = ctx.request.query.how; if (how === 'throw') throw new Error('broken'); return { true: true, false: false, nothing: undefined, null: null, zero: 0, object: {} }[how]; };
-- src/policies/at-least.js --
module.exports = { validator: (config) => { if (!config.value) throw new Error('no value'); }, handler: (ctx, config) => Number(ctx.request.query[config.name]) >= config.value };
-- src/api/x/policies/locked.js --
const { PolicyError } = require('@strapi/utils').errors;
module.exports = async (ctx, config, { strapi }) => { if (ctx.params.id === 'locked') throw new PolicyError('It is locked', { policy: 'locked' }); return ctx.is('koa') && ctx.type === 'koa'; };
-- src/api/x/routes/x.js --
const route = (path, policies) => ({ method: 'GET', path, handler: 'x.run', config: { auth: false, policies } });
module.exports = { routes: [route('/says', ['global::says']), route('/least', [{ name: 'global::at-least', config: { name: 'n', value: 3 } }]), route('/locked/:id', ['locked']), route('/full/:id', ['api::x.locked']), route('/inline', [(ctx) => ctx.request.query.a === '1'])] };
-- src/api/x/controllers/x.js --
module.exports = { run: () => 'ok' };
`)
	const failed = `{"data":null,"error":{"status":403,"name":"PolicyError","message":"Policy Failed","details":{}}}`
	for _, how := range []string{"true", "nothing"} {
		r.requireAnswer(r.send("GET", "/api/says?how="+how, ""), 200, "ok")
	}
	for _, how := range []string{"false", "null", "zero", "object"} {
		r.requireAnswer(r.send("GET", "/api/says?how="+how, ""), 403, failed)
	}
	if got := r.send("GET", "/api/says?how=throw", ""); got.Status != 500 {
		t.Error(got.Status)
	}
	r.requireAnswer(r.send("GET", "/api/least?n=3", ""), 200, "ok")
	r.requireAnswer(r.send("GET", "/api/least?n=2", ""), 403, failed)
	r.requireAnswer(r.send("GET", "/api/locked/open", ""), 200, "ok")
	r.requireAnswer(r.send("GET", "/api/locked/locked", ""), 403, `{"data":null,"error":{"status":403,"name":"PolicyError","message":"It is locked","details":{"policy":"locked"}}}`)
	r.requireAnswer(r.send("GET", "/api/full/open", ""), 200, "ok")
	r.requireAnswer(r.send("GET", "/api/inline?a=1", ""), 200, "ok")
	r.requireAnswer(r.send("GET", "/api/inline", ""), 403, failed)
}

// A route that is not open needs the permission of its handler, or those that it names.
func TestPermissions(t *testing.T) {
	r := run(t, `
-- src/api/x/routes/x.js --
module.exports = { routes: [
  { method: 'GET', path: '/plain', handler: 'x.run' },
  { method: 'GET', path: '/scope', handler: 'x.run', config: { auth: { scope: ['api::note.note.find', 'api::x.x.own'] } } },
  { method: 'GET', path: '/open', handler: 'x.run', config: { auth: false } },
] };
-- src/api/x/controllers/x.js --
module.exports = { run: (ctx) => ({ user: ctx.state.user }) };
`)
	r.requireAnswer(r.send("GET", "/api/plain", ""), 200, `{}`)
	r.host.denied["api::x.x.run"] = true
	const forbidden = `{"data":null,"error":{"status":403,"name":"ForbiddenError","message":"Forbidden","details":{}}}`
	r.requireAnswer(r.send("GET", "/api/plain", ""), 403, forbidden)
	r.requireAnswer(r.send("GET", "/api/open", ""), 200, `{}`)
	r.requireAnswer(r.send("GET", "/api/scope", ""), 200, `{}`)
	r.host.denied["api::x.x.own"] = true
	r.requireAnswer(r.send("GET", "/api/scope", ""), 403, forbidden)
	route, params, err := r.Match("GET", "/api/plain")
	check(t, err)
	for access, want := range map[Access]int{Allowed: 200, Forbidden: 403, Unauthorized: 401} {
		got, err := r.Serve(t.Context(), Request{Route: route, Params: params, Method: "GET", URL: "/api/plain", Access: access, User: []byte(`{"id":1}`)})
		if err != nil || got.Status != want {
			t.Error(access, got, err)
		}
	}
}
