package code

import (
	"encoding/json"
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
	check(t, r.Destroy(t.Context()))
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
	r.requireAnswer(r.send("GET", "/api/users/me", ""), 200, `{"role":"plugin::users-permissions.role"}`)
	r.requireAnswer(r.send("GET", "/api/users/mine", ""), 200, `{"role":"plugin::users-permissions.role"}`)
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
}

// yup of @strapi/utils checks input, and says what is wrong in the words of the package.
func TestYup(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = { register({ strapi }) { strapi.u = require('@strapi/utils'); } };")
	for _, test := range []struct{ schema, value, want string }{
		{`yup.object({ name: yup.string().required(), age: yup.number().min(18).integer() })`, `{ name: 'Ada', age: 36 }`, `{"name":"Ada","age":36}`},
		{`yup.object({ name: yup.string().required(), age: yup.number().min(18) })`, `{ age: 3 }`, `["2 errors occurred",[["name"],"name is a required field"],[["age"],"age must be greater than or equal to 18"]]`},
		{`yup.object().shape({ a: yup.object({ b: yup.array().of(yup.string().oneOf(['x', 'y'])) }) })`, `{ a: { b: ['x', 'z'] } }`, `["a.b[1] must be one of the following values: x, y",[["a","b","1"],"a.b[1] must be one of the following values: x, y"]]`},
		{`yup.object({ n: yup.number() })`, `{ n: '5' }`, "[\"n must be a `number` type, but the final value was: `\\\"5\\\"`.\",[[\"n\"],\"n must be a `number` type, but the final value was: `\\\"5\\\"`.\"]]"},
		{`yup.object({ s: yup.string().nullable(), t: yup.string() }).noUnknown()`, `{ s: null, t: null, u: 1 }`, "[\"2 errors occurred\",[[],\"this field has unspecified keys: u\"],[[\"t\"],\"t must be a `string` type, but the final value was: `null`.\"]]"},
		{`yup.string().email()`, `'nobody'`, `["this must be a valid email",[[],"this must be a valid email"]]`},
		{`yup.string().email().min(3).max(20).matches(/@x/)`, `'a@x.org'`, `"a@x.org"`},
		{`yup.string().url()`, `'https://x.org/a?b=c'`, `"https://x.org/a?b=c"`},
		{`yup.array().of(yup.number()).min(2)`, `[1]`, `["this field must have at least 2 items",[[],"this field must have at least 2 items"]]`},
		{`yup.object({ kind: yup.string(), url: yup.string().when('kind', { is: 'link', then: yup.string().required(), otherwise: (s) => s.max(1) }) })`, `{ kind: 'link' }`, `["url is a required field",[["url"],"url is a required field"]]`},
		{`yup.object({ a: yup.string(), b: yup.string().oneOf([yup.ref('a')]).test('own', '${path} is not fine', async function (v) { return v !== 'bad' || this.createError({ message: this.parent.a + '!' }); }) })`, `{ a: 'bad', b: 'bad' }`, `["bad!",[["b"],"bad!"]]`},
		{`yup.object({ id: yup.strapiID().required(), f: yup.mixed().isFunction().label('The action') })`, `{ id: -1, f: 1 }`, "[\"2 errors occurred\",[[\"id\"],\"id must be a `strapiID` type, but the final value was: `-1`.\"],[[\"f\"],\"The action is not a function\"]]"},
		{`yup.lazy((v) => (typeof v === 'string' ? yup.string().length(2) : yup.boolean().isTrue()))`, `'abc'`, `["this must be exactly 2 characters",[[],"this must be exactly 2 characters"]]`},
		{`yup.object().required()`, `undefined`, `["this is a required field",[[],"this is a required field"]]`},
	} {
		r.evaluate(`const { yup, validateYupSchema } = strapi.u; try { return await validateYupSchema(`+test.schema+`)(`+test.value+`) } catch (e) { return [e.message, ...e.details.errors.map(({ path, message }) => [path, message])] }`, test.want)
	}
	r.evaluate(`const { yup } = strapi.u; const s = yup.object({ n: yup.number().default(3), d: yup.date(), on: yup.boolean(), t: yup.string().trim().lowercase() }); const { n, d, on, t } = await s.validate({ d: '2026-01-02', on: 'true', t: ' AB ', more: 1 }); return [n, d instanceof Date, on, t, s.isValidSync({ d: 'x' }), await s.isValid({ n: '7' })]`, `[3,true,true,"ab",false,true]`)
	r.evaluate(`const { yup, validateYupSchemaSync, errors } = strapi.u; try { validateYupSchemaSync(yup.string())(5, 'Not good') } catch (e) { return [e instanceof errors.ValidationError, e.name, e.message] }`, `[true,"ValidationError","Not good"]`)
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

// Strapi's own events come after the write that they tell of, one for each entry, with what
// may be seen of it. What a listener throws is logged, and the write stays.
func TestEventsOfEntries(t *testing.T) {
	r := run(t, `
-- src/index.js --
const seen = [];
module.exports = { bootstrap({ strapi }) {
  strapi.seen = seen;
  for (const name of ['create', 'update', 'delete', 'publish', 'unpublish', 'draft-discard']) {
    strapi.eventHub.on('entry.' + name, ({ model, uid, entry, ...rest }) => { seen.push([name, model, uid, entry.title, entry.publishedAt ? 'published' : 'draft', 'secret' in entry, strapi.db.inTransaction(), Object.keys(rest).length].join(' ')); if (entry.title === 'bad') throw new Error('a listener broke'); });
  }
} };
`)
	const one = " note api::note.note "
	const steps = `const docs = strapi.documents('api::note.note'); const id = ((await docs.findFirst()) || {}).documentId;`
	var want []string
	for _, test := range []struct{ script, want string }{
		{`await docs.create({ data: { title: 'A', secret: 's' }, status: 'published' })`, `"create` + one + `A draft false false 0","publish` + one + `A published false false 0"`},
		{`await docs.update({ documentId: id, data: { title: 'B' } })`, `"update` + one + `B draft false false 0"`},
		{`await docs.discardDraft({ documentId: id })`, `"draft-discard` + one + `A draft false false 0"`},
		{`await docs.unpublish({ documentId: id })`, `"unpublish` + one + `A published false false 0"`},
		{`await strapi.db.transaction(async () => { await docs.update({ documentId: id, data: { title: 'C' } }); throw new Error('taken back'); }).catch(() => {})`, ``},
		{`await strapi.db.query('api::note.note').updateMany({ where: { id: { $notNull: true } }, data: { title: 'rows tell nobody' } })`, ``},
		{`await docs.update({ documentId: id, data: { title: 'bad' } })`, `"update` + one + `bad draft false false 0"`},
		{`await docs.delete({ documentId: id })`, `"delete` + one + `bad draft false false 0"`},
	} {
		if r.evaluate(steps+test.script+`; return 1`, "1"); test.want != "" {
			want = append(want, test.want)
		}
	}
	r.evaluate(`for (let n = 0; !String(strapi.seen.at(-1)).startsWith('delete') && n < 1e4; n++) await new Promise((go) => setTimeout(go, 1)); return strapi.seen`, "["+strings.Join(want, ",")+"]")
	if !strings.Contains(r.log.String(), "A listener of entry.update has failed") {
		t.Errorf("the log lacks what a listener threw: %s", r.log)
	}
	if !r.Handles("api::note.note") || r.Handles("plugin::users-permissions.user") || r.HearsFiles() {
		t.Error("all writes of content types of the project pass through the code, and no others")
	}
}

// Strapi's own tables are read as rows; the stored settings can be written, too.
func TestRowsOfStrapisOwnTables(t *testing.T) {
	r := run(t, "-- src/index.js --\nmodule.exports = {};")
	stored := map[string]any{"plugin_own_a": map[string]any{"n": 1}, "core_b": "text"}
	r.host.other["store.list"] = func(map[string]any) (any, error) { return stored, nil }
	r.host.other["store.set"] = func(a map[string]any) (any, error) { stored[a["key"].(string)] = a["value"]; return nil, nil }
	r.host.other["store.delete"] = func(a map[string]any) (any, error) { delete(stored, a["key"].(string)); return nil, nil }
	role := func(id, code string) []any { return []any{map[string]any{"id": id, "name": id, "code": code}} }
	r.host.other["admin.users"] = func(map[string]any) (any, error) {
		return []any{map[string]any{"id": "a1", "firstname": "Ada", "email": "ada@x.org", "isActive": true, "roles": role("owner", "strapi-super-admin")},
			map[string]any{"id": "b2", "firstname": "Bo", "email": "bo@x.org", "isActive": false, "roles": role("editor", "editor")}}, nil
	}
	for _, test := range []struct{ script, want string }{
		{`q('admin::user').findOne({ where: { email: 'bo@x.org' } })`, `{"email":"bo@x.org","firstname":"Bo","id":"b2","isActive":false}`},
		{`q('admin::user').findMany({ where: { roles: { code: 'strapi-super-admin' } }, select: ['email'], populate: ['roles'] })`, `[{"id":"a1","email":"ada@x.org","roles":[{"code":"strapi-super-admin","id":"owner","name":"owner"}]}]`},
		{`q('admin::user').findMany({ where: { $or: [{ id: { $in: ['a1'] } }, { isActive: false }] }, orderBy: { firstname: 'desc' }, select: 'firstname' })`, `[{"id":"b2","firstname":"Bo"},{"id":"a1","firstname":"Ada"}]`},
		{`q('admin::user').findMany({ where: { email: { $containsi: 'X.ORG', $not: { $startsWith: 'ada' } } }, select: ['id'] })`, `[{"id":"b2"}]`},
		{`q('admin::user').findMany({ orderBy: 'email:asc', offset: 1, limit: 1, select: ['id'] })`, `[{"id":"b2"}]`},
		{`q('admin::user').count()`, `2`},
		{`q('admin::role').findOne({ where: { code: 'editor' } })`, `{"code":"editor","id":"editor","name":"editor"}`},
		{`q('admin::user').create({ data: { email: 'c@x.org' } }).catch((e) => e.message)`, `"accounts of the admin are made in the admin, or with quire admin"`},
		{`q('admin::user').findMany({ where: { id: { $like: 'x' } } }).catch((e) => e.message)`, `"$like is no operator"`},
		{`q('plugin::i18n.locale').findMany({ select: ['code'] })`, `[{"id":1,"code":"en"}]`},
		{`q('plugin::i18n.locale').create({ data: { code: 'de' } }).catch((e) => e.message)`, `"locales are set in site.json, under i18n"`},
		{`q('strapi::core-store').findOne({ where: { key: 'plugin_own_a' } })`, `{"id":2,"key":"plugin_own_a","value":"{\"n\":1}","type":"object","environment":null,"tag":null}`},
		{`q('strapi::core-store').update({ where: { key: 'plugin_own_a' }, data: { value: JSON.stringify({ n: 2 }) } }).then((row) => row.value)`, `"{\"n\":2}"`},
		{`q('strapi::core-store').create({ data: { key: 'c', value: '[1]', type: 'array' } }).then((row) => [row.type, row.value])`, `["array","[1]"]`},
		{`q('strapi::core-store').delete({ where: { key: 'core_b' } }).then(() => q('strapi::core-store').count())`, `2`},
	} {
		r.evaluate(`const q = strapi.db.query; return await `+test.script, test.want)
	}
}

// A role is changed with the tree of actions that Strapi's pages send.
func TestRolesAreChangedWithTheirActions(t *testing.T) {
	r := run(t, "-- src/api/note/controllers/note.js --\nmodule.exports = { shout() {} };")
	var seen []string
	actions := []string{"api::note.note.find", "api::note.note.shout"}
	r.host.other["rows.findMany"] = func(a map[string]any) (any, error) {
		if a["uid"] == "plugin::users-permissions.role" {
			return []any{map[string]any{"id": 2, "name": "Public", "type": "public"}}, nil
		}
		rows := []any{}
		for i, action := range actions {
			if where, _ := a["where"].(map[string]any); where["action"] == nil || where["action"] == action {
				rows = append(rows, map[string]any{"id": i + 1, "action": action, "role": map[string]any{"id": 2}})
			}
		}
		return rows, nil
	}
	for _, name := range []string{"rows.create", "rows.update", "rows.delete"} {
		r.host.other[name] = func(a map[string]any) (any, error) {
			text, err := json.Marshal(a)
			seen = append(seen, name+" "+string(text))
			return map[string]any{"id": a["id"]}, err
		}
	}
	r.host.other["rows.count"] = func(map[string]any) (any, error) { return 3, nil }
	r.evaluate(`const roles = strapi.plugin('users-permissions').service('role'); const { name, permissions } = await roles.findOne(2); return [name, permissions['api::note'].controllers.note.find, permissions['api::note'].controllers.note.shout, permissions['api::note'].controllers.note.update, (await roles.find())[0].nb_users]`,
		`["Public",{"enabled":true,"policy":""},{"enabled":true,"policy":""},null,3]`)
	r.evaluate(`await strapi.plugin('users-permissions').service('role').updateRole(2, { description: 'all', permissions: { 'api::note': { controllers: { note: { find: { enabled: true }, shout: { enabled: false }, create: { enabled: true } } } } } }); return 1`, `1`)
	want := []string{`rows.update {"data":{"description":"all"},"id":2,"uid":"plugin::users-permissions.role"}`, `rows.delete {"id":2,"uid":"plugin::users-permissions.permission"}`,
		`rows.create {"data":{"action":"api::note.note.create","role":2},"uid":"plugin::users-permissions.permission"}`}
	if !slices.Equal(seen, want) {
		t.Errorf("updateRole did %q\nand not %q", seen, want)
	}
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
