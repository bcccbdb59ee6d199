package code

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// ownPlugins are two plugins of a project: one in TypeScript, with settings, and an old one that
// has a file in its root.
const ownPlugins = `
-- config/plugins.ts --
import path from 'path';
export default ({ env }) => ({
  weather: { enabled: env.bool('WEATHER', true), resolve: './src/plugins/weather', config: { unit: { name: 'C' } } },
  'old-one': { enabled: true, resolve: path.join(__dirname, '..', 'src', 'plugins', 'older') },
  resting: { enabled: false, resolve: './src/plugins/resting' },
  packed: { enabled: true, resolve: './node_modules/packed' },
  email: { config: { provider: 'sendmail' } },
});
-- config/middlewares.js --
module.exports = ['strapi::errors', 'plugin::weather.stamp', 'plugin::users-permissions.none'];
-- node_modules/packed/strapi-server.js --
throw new Error('a plugin of a package runs');
-- src/plugins/resting/strapi-server.js --
module.exports = require('./none');
-- src/plugins/weather/package.json --
{"name": "weather", "strapi": {"kind": "plugin", "name": "weather"}, "exports": {"./strapi-server": {"source": "./server/src/index.ts", "require": "./dist/server/index.js"}}}
-- src/plugins/weather/strapi-server.js --
module.exports = require('./dist/server');
-- src/plugins/weather/admin/src/index.tsx --
export default <p>never built</p>;
-- src/plugins/weather/strapi-admin.js --
module.exports = {};
-- src/plugins/weather/server/src/index.ts --
import services from './services';
import routes from './routes';
const log: string[] = [];
export default {
  register({ strapi }) { log.push('register'); strapi.weatherLog = log; },
  bootstrap({ strapi }) { log.push('bootstrap'); strapi.db.lifecycles.subscribe({ models: ['api::tag.tag'], beforeCreate({ params }) { params.data.name += '!'; } }); },
  destroy() { log.push('destroy'); },
  config: {
    default: ({ env }) => ({ unit: { name: 'K', digits: env.int('DIGITS', 1) }, town: 'Ulm' }),
    validator(config) { if (config.town === '') throw new Error('town is empty'); },
  },
  controllers: {
    sky: ({ strapi }) => ({ look: async () => ({ sky: await strapi.plugin('weather').service('sky').look() }), hide: () => 'hidden' }),
  },
  policies: { 'is-day': (ctx) => ctx.query.night === undefined },
  middlewares: { stamp: () => async (ctx, next) => { await next(); ctx.set('X-Weather', 'fair'); } },
  contentTypes: {},
  services, routes,
};
-- src/plugins/weather/server/src/services.ts --
export default { sky: ({ strapi }) => ({ look: async () => strapi.config.get('plugin::weather.unit.name') + strapi.plugin('weather').config('unit.digits') }) };
-- src/plugins/weather/server/src/routes.ts --
export default {
  'content-api': () => ({ type: 'content-api', routes: [
    { method: 'GET', path: '/sky', handler: 'sky.look', config: { policies: ['is-day'] } },
    { method: 'GET', path: '/bare', handler: 'sky.hide', config: { prefix: '', auth: false } },
  ] }),
};
-- src/plugins/older/strapi-server.js --
module.exports = ({ strapi }) => ({
  contentTypes: { gale: { schema: {} } },
  controllers: { main: { index(ctx) { ctx.body = 'open'; }, edit() {} } },
  routes: [{ method: 'GET', path: '/', handler: 'main.index', config: { auth: false } }, { method: 'POST', path: '/', handler: 'main.edit' }],
});
-- src/extensions/old-one/strapi-server.js --
module.exports = (plugin) => { plugin.services = { extra: () => ({ more: () => 'more' }) }; return plugin; };
`

// A plugin of the project that config/plugins enables runs as in Strapi, from its sources.
func TestPluginsOfTheProject(t *testing.T) {
	r := run(t, ownPlugins)
	var routes []string
	for _, route := range r.Routes() {
		routes = append(routes, route.Method+" "+route.Path+" "+strings.Join(route.Scope, ","))
	}
	if want := []string{"GET /old-one plugin::old-one.main.index", "GET /api/weather/sky plugin::weather.sky.look", "GET /api/bare plugin::weather.sky.hide"}; !slices.Equal(routes, want) {
		t.Error(routes)
	}
	r.host.other["caller.allows"] = func(a map[string]any) (any, error) {
		allowed, err := json.Marshal(a["permissions"])
		return string(allowed) == `["plugin::weather.sky.look"]`, err
	}
	got := r.send("GET", "/api/weather/sky", "")
	r.requireAnswer(got, 200, `{"sky":"C1"}`)
	if got.header("X-Weather") != "fair" {
		t.Error(got.Headers)
	}
	if got := r.send("GET", "/api/weather/sky?night=1", ""); got.Status != 403 {
		t.Errorf("%d %s", got.Status, got.Body)
	}
	r.requireAnswer(r.send("GET", "/old-one", ""), 200, "open")
	r.requireAnswer(r.send("GET", "/old-one/", ""), 200, "open")
	r.evaluate(`return [strapi.weatherLog, strapi.config.get('plugin::weather.town'), Object.keys(strapi.plugins).includes('weather'), strapi.service('plugin::old-one.extra').more(), (await strapi.documents('api::tag.tag').create({ data: { name: 'a' } })).name]`,
		`[["register","bootstrap"],"Ulm",true,"more","a!"]`)
	want := `config/middlewares.js: runs
config/plugins.ts: runs
src/extensions/old-one/strapi-server.js: runs
src/plugins/older/strapi-server.js: runs in part, there is no content type plugin::old-one.gale: declare it below src/api; routes of the type admin do not run
src/plugins/weather/server/src/index.ts: runs
src/plugins/weather/server/src/routes.ts: runs
src/plugins/weather/server/src/services.ts: runs
src/plugins/weather/strapi-server.js: runs`
	if got := reportText(r.Reports()); got != want {
		t.Errorf("the reports are\n%s\nand not\n%s", got, want)
	}
	check(t, r.Destroy(t.Context()))
	r.evaluate(`return strapi.weatherLog.at(-1)`, `"destroy"`)
}

// What is wrong with a plugin of the project is found when it is loaded.
func TestPluginsThatDoNotLoad(t *testing.T) {
	enabled := func(name, file string) string {
		return "\n-- config/plugins.js --\nmodule.exports = { '" + name + "': { enabled: true, resolve: './src/plugins/x' } };\n-- src/plugins/x/server/index.js --\n" + file + "\n"
	}
	for _, c := range []struct{ name, files, problem string }{
		{"settings that it refuses", enabled("x", "module.exports = { config: { validator() { throw new Error('no town'); } } };"), "src/plugins/x/server/index.js:1: no town"},
		{"no handler", enabled("x", "module.exports = { routes: { a: { type: 'content-api', routes: [{ method: 'GET', path: '/', handler: 'a.b' }] } } };"), `src/plugins/x/server/index.js: GET /api/x: There is no handler "a.b"`},
		{"a name that is taken", enabled("upload", "module.exports = {};"), "src/plugins/x/server/index.js:"},
		{"a file that is missing", enabled("x", "\nrequire('./none');"), `src/plugins/x/server/index.js:2: Could not resolve "./none"`},
		{"settings that fail", "\n-- config/plugins.js --\n\nmodule.exports = () => none.resolve;\n-- src/index.js --\n", "config/plugins.js:2: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			if problems, _ := refused(t, c.files); !strings.Contains(problems, c.problem) {
				t.Errorf("the problems are\n%s\nwithout\n%s", problems, c.problem)
			}
		})
	}
}

// Without the variable that enables it, a plugin does not run, and no report names it.
func TestPluginsThatTheEnvironmentDisables(t *testing.T) {
	r := run(t, strings.Replace(ownPlugins, ", 'plugin::weather.stamp'", "", 1), "WEATHER=false")
	if len(r.Routes()) != 1 || strings.Contains(reportText(r.Reports()), "weather") {
		t.Errorf("%v\n%s", r.Routes(), reportText(r.Reports()))
	}
}
