package code

import (
	"slices"
	"strings"
	"testing"
)

// A file is found by its name, and a factory makes its object once.
func TestNames(t *testing.T) {
	r := run(t, `
-- src/api/note/services/helper.js --
let made = 0;
module.exports = ({ strapi }) => { made++; return { made: () => made, uid: () => Object.keys(strapi.contentTypes).filter((u) => u.startsWith('api::')).sort() }; };
-- src/api/note/services/plain.js --
module.exports = { name: 'plain' };
-- src/api/note/controllers/note.js --
module.exports = ({ strapi }) => ({ run: () => 'ran' });
-- src/policies/isAdmin.js --
module.exports = () => true;
-- src/api/note/routes/x.js --
module.exports = { routes: [] };
`)
	r.evaluate(`const s = strapi.service('api::note.helper'); strapi.service('api::note.helper'); return [s.made(), s.uid(), strapi.services['api::note.plain'].name, strapi.api('note').service('plain').name, strapi.controller('api::note.note').run(), strapi.service('api::none.none')]`,
		`[1,["api::note.note","api::page.page","api::tag.tag"],"plain","plain","ran",null]`)
	r.evaluate(`return [Object.keys(strapi.policies), strapi.contentType('api::note.note').info.pluralName, strapi.getModel('api::tag.tag').attributes.score, strapi.contentTypes['api::page.page'].kind, strapi.db.metadata.get('api::note.note').tableName, strapi.isLoaded]`,
		`[["global::is-admin"],"notes",{"type":"integer","default":0},"singleType","notes",true]`)
	r.evaluate(`return [strapi.dirs.app.src.endsWith('/src'), strapi.config.info === undefined, strapi.info.strapi, await strapi.plugin('i18n').service('locales').getDefaultLocale(), (await strapi.plugin('i18n').service('locales').find()).length]`, `[true,true,"1.0.0","en",1]`)
}

// register runs before the routes exist, bootstrap after, destroy at the end.
func TestOrderOfStarting(t *testing.T) {
	r := run(t, `
-- src/index.js --
const seen = [];
module.exports = { register: ({ strapi }) => { strapi.seen = seen; seen.push('register'); strapi.log.info('registered'); }, bootstrap: async () => { await null; seen.push('bootstrap'); }, destroy: () => seen.push('destroy') };
-- src/api/note/index.js --
module.exports = { register: () => strapi.seen.push('register note'), bootstrap: () => strapi.seen.push('bootstrap note') };
`)
	r.evaluate(`return strapi.seen`, `["register","register note","bootstrap","bootstrap note"]`)
	if err := r.Destroy(t.Context()); err != nil {
		t.Fatal(err)
	}
	r.evaluate(`return strapi.seen.slice(-1)`, `["destroy"]`)
	if !strings.Contains(r.log.String(), "registered") {
		t.Errorf("the log lacks what was logged: %s", r.log)
	}
}

// Code may register routes and middlewares. A list of routes stands where its paths say.
func TestRegisteredRoutes(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  strapi.server.use(async (ctx, next) => { await next(); ctx.set('X-Used', 'yes'); });
  strapi.server.routes([{ method: 'GET', path: '/hello/:name', handler: (ctx) => 'hello ' + ctx.params.name, config: { auth: false } }]);
  strapi.server.routes({ type: 'content-api', prefix: '/own', routes: [{ method: 'GET', path: '/x', handler: (ctx) => 'x', config: { auth: false } }] });
} };
`)
	r.requireAnswer(r.send("GET", "/hello/you", ""), 200, "hello you")
	got := r.send("GET", "/api/own/x", "")
	r.requireAnswer(got, 200, "x")
	if got.header("X-Used") != "yes" {
		t.Error(got.Headers)
	}
}

// Services of Strapi's plugins are calls of the host.
func TestServicesOfPlugins(t *testing.T) {
	r := run(t, handler(`return ctx.send({ jwt: strapi.plugin('users-permissions').service('jwt').issue({ id: 1 }) });`))
	said := map[string]map[string]any{}
	for name, result := range map[string]any{"email.send": nil, "jwt.issue": "a.b.c", "store.set": nil, "store.get": map[string]any{"v": 1}, "users.add": map[string]any{"id": 3}, "users.hasPassword": true} {
		r.host.other[name] = func(a map[string]any) (any, error) { said[name] = a; return result, nil }
	}
	r.requireAnswer(r.send("GET", "/api/x/jwt", ""), 200, `{"jwt":"a.b.c"}`)
	r.evaluate(`const email = strapi.plugins.email || strapi.plugin('email'); await email.service('email').sendTemplatedEmail({ to: 'a@example.org' }, { subject: 'Hello <%= user.name %>', text: '<%= missing.x %>!' }, { user: { name: 'Ana' } })`, `null`)
	if m := said["email.send"]; m["subject"] != "Hello Ana" || m["text"] != "!" || m["to"] != "a@example.org" {
		t.Error(m)
	}
	r.evaluate(`await strapi.store({ type: 'plugin', name: 'mine' }).set({ key: 'k', value: { v: 1 } }); return await strapi.store({ type: 'plugin', name: 'mine' }).get({ key: 'k' })`, `{"v":1}`)
	if said["store.set"]["key"] != "plugin_mine_k" || said["store.get"]["key"] != "plugin_mine_k" {
		t.Error(said)
	}
	r.evaluate(`const users = strapi.plugin('users-permissions').service('user'); const add = await users.add({ username: 'a' });
const { password } = await strapi.db.query('plugin::users-permissions.user').create({ data: { username: 'a', email: 'a@example.org' } }).then(() => users.fetch(1));
return [add.id, await users.validatePassword('x', password), JSON.stringify(await users.fetch(1)).includes('password'), await users.validatePassword('x', 'hash').catch((e) => e.message)]`,
		`[3,true,false,"validatePassword takes the password of a user that strapi.db.query has found"]`)
}

// An extension changes a plugin: the routes that it replaces or adds are the project's.
func TestExtensions(t *testing.T) {
	r := run(t, `
-- src/extensions/users-permissions/strapi-server.js --
module.exports = (plugin) => {
  const register = plugin.controllers.auth.register;
  plugin.controllers.auth.register = async (ctx) => { ctx.request.body.username = 'by code'; await register(ctx); ctx.body.extra = true; };
  plugin.controllers.user.shout = (ctx) => ({ shout: true });
  plugin.routes['content-api'].routes.unshift({ method: 'GET', path: '/users/shout', handler: 'user.shout', config: { prefix: '', auth: false } });
  plugin.services.greet = () => ({ hello: () => 'hello' });
  return plugin;
};
`)
	var paths []string
	for _, route := range r.Routes() {
		paths = append(paths, route.Method+" "+route.Path+" "+strings.Join(route.Scope, ","))
	}
	if want := []string{"GET /api/users/shout plugin::users-permissions.user.shout", "POST /api/auth/local/register plugin::users-permissions.auth.register"}; !slices.Equal(paths, want) {
		t.Error(paths)
	}
	var sent any
	r.host.other["door.handle"] = func(a map[string]any) (any, error) {
		sent = a["body"].(map[string]any)["username"]
		return map[string]any{"status": 200, "body": map[string]any{"jwt": "x"}}, nil
	}
	r.requireAnswer(r.send("GET", "/api/users/shout", ""), 200, `{"shout":true}`)
	r.requireAnswer(r.send("POST", "/api/auth/local/register", `{"username":"a"}`), 200, `{"jwt":"x","extra":true}`)
	if sent != "by code" {
		t.Error(sent)
	}
	r.evaluate(`return strapi.plugin('users-permissions').service('greet').hello()`, `"hello"`)
}

// An extension may also replace a controller by a function that makes one.
func TestExtensionsWithFactories(t *testing.T) {
	r := run(t, `
-- src/extensions/users-permissions/strapi-server.ts --
export default (plugin: any) => {
  const original = plugin.controllers.auth;
  plugin.controllers.auth = ({ strapi }: any) => { const actions = original({ strapi }); return { ...actions, async callback(ctx: any) { await actions.callback(ctx); ctx.status = 202; } }; };
  return plugin;
};
`)
	r.host.other["door.handle"] = func(map[string]any) (any, error) {
		return map[string]any{"status": 200, "body": map[string]any{"a": 1}}, nil
	}
	r.requireAnswer(r.send("POST", "/api/auth/local", `{}`), 202, `{"a":1}`)
}

// Code may also change a plugin while it registers, and replace a service of it.
func TestPluginsChangedByRegister(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  const plugin = strapi.plugins['users-permissions'];
  plugin.controllers.user.me = (ctx) => ({ me: ctx.state.user, role: strapi.contentType('plugin::users-permissions.role').uid });
  plugin.routes['content-api'].routes.push({ method: 'GET', path: '/users/mine', handler: 'user.me', config: { auth: false } });
  const users = strapi.plugin('users-permissions').service('user');
  const add = users.add;
  users.add = async (values) => ({ ...(await add(values)), added: true });
} };
-- src/extensions/upload/strapi-server.js --
module.exports = (plugin) => { const original = plugin.services.upload; plugin.services.upload = ({ strapi }) => ({ ...original({ strapi }), extra: () => 'extra' }); return plugin; };
`)
	r.host.other["users.add"] = func(map[string]any) (any, error) { return map[string]any{"id": 1}, nil }
	r.requireAnswer(r.send("GET", "/api/users/me", ""), 200, `{"me":null,"role":"plugin::users-permissions.role"}`)
	r.requireAnswer(r.send("GET", "/api/users/mine", ""), 200, `{"me":null,"role":"plugin::users-permissions.role"}`)
	r.evaluate(`return [await strapi.plugin('users-permissions').service('user').add({}), strapi.plugin('upload').service('upload').extra(), typeof strapi.plugins.upload.services.upload.remove]`, `[{"id":1,"added":true},"extra","function"]`)
	if len(r.Routes()) != 2 {
		t.Error(r.Routes())
	}
}

// Tasks of cron have names and rules, and run when the program says so.
func TestCron(t *testing.T) {
	r := run(t, `
-- config/cron-tasks.js --
module.exports = { named: { task: ({ strapi }) => { strapi.ran = ['named']; }, options: { rule: '0 1 * * *', tz: 'Europe/Berlin' } }, '*/5 * * * *': async ({ strapi }) => { strapi.ran.push('nameless'); } };
-- config/server.js --
const tasks = require('./cron-tasks');
module.exports = { cron: { enabled: true, tasks } };
-- src/index.js --
module.exports = { bootstrap({ strapi }) { strapi.cron.add({ later: { task() {}, options: new Date(0) }, gone: { task() {}, options: '* * * * *' } }); strapi.cron.remove('gone'); } };
`)
	want := []Task{{Name: "later", Rule: "1970-01-01T00:00:00.000Z"}, {Name: "named", Rule: "0 1 * * *", Zone: "Europe/Berlin"}, {Name: "*/5 * * * * 1", Rule: "*/5 * * * *"}}
	if got := r.Cron(); !slices.Equal(got, want) {
		t.Errorf("the tasks are %v and not %v", got, want)
	}
	for _, name := range []string{"named", "*/5 * * * * 1", "none"} {
		if err := r.Run(t.Context(), name); err != nil {
			t.Error(err)
		}
	}
	r.evaluate(`return strapi.ran`, `["named","nameless"]`)
}

// The packages of Strapi have what projects import from them.
func TestPackages(t *testing.T) {
	r := run(t, `
-- src/index.js --
const utils = require('@strapi/utils');
const { factories, errors } = require('@strapi/strapi');
module.exports = { register({ strapi }) { Object.assign(strapi, { u: utils, f: factories, e: errors }); } };
`)
	r.evaluate(`return [strapi.u.errors === strapi.errors, Object.keys(strapi.f).sort(), strapi.u.strings.nameToSlug('Crème Brûlée at Home'), strapi.u.strings.toKebabCase('homePage'), strapi.u.contentTypes.isSingleType(strapi.contentType('api::page.page')), strapi.u.contentTypes.hasDraftAndPublish(strapi.contentType('api::note.note'))]`,
		`[true,["createCoreController","createCoreRouter","createCoreService"],"creme-brulee-at-home","home-page",true,true]`)
	r.evaluate(`return [await strapi.u.async.pipe((a) => a + 1, async (a) => a * 2)(1), await strapi.u.async.map([1, 2], async (n) => n * 2), strapi.u.env('NONE', 'x'), strapi.u.relations.isAnyToMany({ relation: 'manyToMany' })]`, `[4,[2,4],"x",true]`)
	r.evaluate(`return await strapi.contentAPI.sanitize.output({ id: 1, title: 'a', secret: 's' }, strapi.contentType('api::note.note'), { auth: {} })`, `{"id":1,"title":"a"}`)
	r.evaluate(`try { strapi.u.yup.string() } catch (e) { return e.message }`, `"@strapi/utils: yup (use the package yup or zod).string is not there"`)
}

// The event hub tells its listeners, and who subscribes to everything, of each event.
func TestEventHub(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	r.evaluate(`
const heard = [], all = (name, data) => { heard.push('all ' + name + ' ' + data.n); };
strapi.eventHub.on('own.event', async ({ n }) => { heard.push(n); });
strapi.eventHub.subscribe(all);
await strapi.eventHub.emit('own.event', { n: 1 });
strapi.eventHub.unsubscribe(all);
await strapi.eventHub.emit('own.event', { n: 2 });
return heard`, `["all own.event 1",1,2]`)
}

// Parts of Strapi that the program does without are there, and do nothing.
func TestWhatDoesNothing(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { register({ strapi }) {
  strapi.server.app.proxy = true;
  strapi.server.app.use(async (ctx, next) => { await next(); ctx.set('X-Used', 'yes'); });
  strapi.customFields.register({ name: 'colour', type: 'string' });
} };
`+handler(`return 'x';`))
	r.evaluate(`return [await strapi.telemetry.send('didIt'), strapi.features.future.isEnabled('x'), strapi.EE, strapi.ee.isEE, strapi.config.get('environment'), strapi.config.get('server.absoluteUrl')]`,
		`[true,false,false,false,"production","http://localhost:1337"]`)
	if got := r.send("GET", "/api/x/one", ""); got.header("X-Used") != "yes" {
		t.Error(got.Headers)
	}
}

// A role's permissions are populated as rows, and what subscribes to everything sees their
// model.
func TestPermissionsOfRoles(t *testing.T) {
	r := run(t, `
-- src/index.js --
module.exports = { bootstrap({ strapi }) { strapi.db.lifecycles.subscribe((event) => { strapi.last = event.action + ' ' + event.model.uid; }); } };
`)
	r.host.other["rows.create"] = func(a map[string]any) (any, error) { return map[string]any{"id": 1}, nil }
	r.host.other["rows.findMany"] = func(a map[string]any) (any, error) {
		if a["uid"] == "plugin::users-permissions.permission" {
			return []any{map[string]any{"id": 5, "action": "api::note.note.find", "role": map[string]any{"id": a["where"].(map[string]any)["role"]}}}, nil
		}
		return []any{map[string]any{"id": 2, "type": "public", "populate": a["populate"]}}, nil
	}
	r.evaluate(`await strapi.query('plugin::users-permissions.permission').create({ data: { action: 'api::note.note.find', role: 2 } }); return strapi.last`, `"afterCreate plugin::users-permissions.permission"`)
	const all = `{"id":2,"populate":%s,"type":"public","permissions":[{"action":"api::note.note.find","id":5}]}`
	for populate, left := range map[string]string{`['permissions', 'users']`: `["users"]`, `{ permissions: true, users: { limit: 1 } }`: `{"users":{"limit":1}}`, `'permissions'`: `null`, `true`: `"*"`} {
		r.evaluate(`return await strapi.query('plugin::users-permissions.role').findOne({ where: { type: 'public' }, populate: `+populate+` })`, strings.ReplaceAll(all, "%s", left))
	}
}

// A copy of Strapi's own registration finds its settings, unless the project stores others.
func TestSettingsOfAccounts(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	var stored any
	r.host.other["store.get"] = func(map[string]any) (any, error) { return stored, nil }
	const get = `return (await strapi.store({ type: 'plugin', name: 'users-permissions' }).get({ key: 'advanced' })).`
	r.evaluate(get+`default_role`, `"authenticated"`)
	r.evaluate(get+`allow_register`, `true`)
	stored = map[string]any{"default_role": "own"}
	r.evaluate(get+`default_role`, `"own"`)
}
