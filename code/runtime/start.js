'use strict';
// Starts a project: settings, what its files define, register, routes, bootstrap; and the
// functions that the program calls.

const { createConfig, env, merge } = require('quire/config');
const { createStrapi } = require('quire/strapi');
const { createRouter, live } = require('quire/router');
const { extendPlugins, extendedRoutes, routersOf, typesWithout } = require('quire/extensions');
const { describe } = require('quire/errors');
const { Context, authenticate } = require('quire/context');
const { ended, endIsKnown, limits, within } = require('quire/host');
const { inspect } = require('util');

/** main is what a module exports, as CommonJS or as an ES module. */
const main = (module) => (module && module.__esModule && module.default !== undefined ? module.default : module);

/**
 * start loads the files and gives the program the functions that it calls.
 * @param {{ site: object, files: { path: string, role: string, name: string, api?: string, load: () => any }[] }} project
 */
function start({ site, files }) {
  Object.assign(limits, site.limits);
  const problems = [];
  const lacks = [];
  const load = (file) => {
    try {
      return main(file.load());
    } catch (error) {
      problems.push({ file: file.path, message: String((error && error.message) || error), stack: error && error.stack });
    }
  };
  const of = (...roles) => files.filter(({ role }) => roles.includes(role));

  const given = settings([...of('config'), ...of('environment')], load);
  const config = createConfig({ ...merge(site.config, given), environment: process.env.NODE_ENV || 'production' });
  config.set('server.absoluteUrl', absoluteURL(config.get('server')));
  const strapi = createStrapi({ ...site, config });
  strapi.i18n = site.i18n;
  strapi.refreshTokens = site.refreshTokens;
  strapi.graphql = site.graphql;
  globalThis.strapi = strapi;
  const plugins = define(strapi, of, load, problems);

  const entries = [...plugins, ...[...of('index'), ...of('api')].map(load).filter(Boolean)];
  const call = async (name) => {
    for (const entry of entries) if (typeof entry[name] === 'function') await entry[name]({ strapi });
  };
  let router;
  let started;
  const ready = new Promise((resolve) => { started = resolve; });

  const functions = {
    /** begin runs register and resolves the routes. */
    async begin() {
      await call('register');
      const routes = [...routesOf(strapi, of, load, problems), ...pluginRoutes(plugins, strapi, problems, lacks)];
      router = createRouter(routes, [].concat(config.get('middlewares', []), strapi.used), strapi);
      return { lacks, problems: [...problems, ...router.problems] };
    },
    async bootstrap() {
      await call('bootstrap');
      strapi.cron.add(config.get('server.cron.enabled', false) ? config.get('server.cron.tasks', {}) : {});
      strapi.isLoaded = true;
      started();
    },
    /** facts is what the program must know; lifecycles and middlewares may have come in bootstrap. */
    facts() {
      return {
        routes: router.facts, middlewares: router.hasMiddlewares, unparsed: [].concat(config.get('middlewares', [])).some((item) => item && item.name === 'strapi::body' && item.config && item.config.includeUnparsed), cron: strapi.cron.list(),
        handled: Object.keys(strapi.contentTypes).filter((uid) => strapi.documents.handles(uid)),
        files: strapi.events.hearsFiles(), wrapped: strapi.documents.isWrapped(),
        read: Object.keys(strapi.contentTypes).filter((uid) => !strapi.documents.isPlain(uid)),
      };
    },
    destroy: () => call('destroy'),
    serve: (request) => (strapi.isLoaded ? router.serve(request) : ready.then(() => router.serve(request))),
    /** write performs an operation. If checked is set, the program has validated its data. */
    async write({ uid, action, params, request, checked }) {
      if (!strapi.isLoaded) await ready;
      try {
        let ctx;
        const contextOf = () => (ctx ||= live.get(request.caller) || authenticate(new Context(request)));
        return await within({ request: request && contextOf, checked: checked ? [true] : [] }, () => strapi.documents(uid)[action](params));
      } catch (error) {
        const { status, internal } = describe(error);
        if (!internal && error.status === undefined) error.status = status;
        throw error;
      } finally {
        await endIsKnown(__context.get());
      }
    },
    ended: ({ id, committed }) => ended(id, committed),
    emit: async ({ name, payload }) => (await ready, strapi.events.tell(name, () => payload)),
    cron: async ({ name }) => (await ready, strapi.cron.run(name)),
    /** settings is what the files say; a function is a text in it. */
    settings: () => ({ problems, values: JSON.parse(JSON.stringify(given, (key, value) => (typeof value === 'function' ? '[function]' : value))) }),
    /** line is the value of a line of a prompt as text: JSON, or what inspect says. */
    async line({ code }) {
      const value = await (0, eval)(code);
      if (value === undefined) return '';
      try {
        const text = typeof value === 'object' ? JSON.stringify(value, null, 2) : undefined;
        return text === undefined ? inspect(value) : text;
      } catch {
        return inspect(value);
      }
    },
    evaluate: async ({ code }) => (0, eval)(code),
  };
  globalThis.__quire = functions;
}

/** absoluteURL is the address of the site, as Strapi makes it of config/server. */
const absoluteURL = ({ url = '', host = 'localhost', port = 1337 }) => (/^https?:/.test(url) ? url : `http://${host === '0.0.0.0' ? 'localhost' : host}:${port}${url || ''}`).replace(/\/+$/, '');

/** settings evaluates config/*.js, and lays those of the environment over them. */
function settings(files, load) {
  const values = {};
  for (const file of files) {
    const given = load(file);
    const value = typeof given === 'function' ? given({ env }) : given;
    values[file.name] = file.role === 'environment' ? merge(values[file.name] || {}, value) : value;
  }
  for (const [name, plugin] of Object.entries(values.plugins || {})) if (plugin && typeof plugin === 'object') values[`plugin::${name}`] = plugin.config || {};
  return values;
}

/** define enters what the files define under the names by which it is found. It returns the plugins of the project. */
function define(strapi, of, load, problems) {
  const { services, controllers, policies, middlewares, apis, files } = strapi.registries;
  const enter = (role, registry) => {
    for (const file of of(role)) {
      const value = load(file);
      if (value === undefined) continue;
      registry.set(file.name, value);
      files.set(file.path.replace(/\.[cm]?[jt]s$/, ''), value);
    }
  };
  enter('service', services);
  enter('controller', controllers);
  enter('policy', policies);
  enter('middleware', middlewares);
  for (const file of of('lifecycles')) {
    const value = load(file);
    if (value) strapi.db.lifecycles.define(file.name, value);
  }
  const extensions = Object.fromEntries(of('extension').map((file) => [file.name, { file: file.path, extension: load(file) }]));
  const own = Object.fromEntries(of('plugin').map((file) => [file.name, { file: file.path, given: load(file) }]));
  const plugins = extendPlugins(extensions, own, strapi, (file, run) => attempt(problems, file, run));
  const inner = (api, registry) => (name) => registry.get(`api::${api}.${name}`);
  for (const api of new Set(of('service', 'controller', 'routes').map((file) => file.api).filter(Boolean))) apis[api] = { service: inner(api, services), controller: inner(api, controllers) };
  return plugins;
}

/** routesOf lists the routes in the order in which they match: those of each API by file, then those of extensions. */
function routesOf(strapi, of, load, problems) {
  const list = [];
  const api = strapi.config.get('api.rest.prefix', '/api');
  const add = (router, info, file, start = api) => {
    const { type, prefix = '', routes = [] } = router;
    if (type === 'admin') return void problems.push({ file, message: 'routes of the type admin do not run' });
    for (const route of routes) list.push({ ...route, path: start + pathOf(route, prefix), info, file });
  };
  for (const file of of('routes')) {
    const router = load(file);
    if (router) attempt(problems, file.path, () => add(typeof router === 'function' ? router({ strapi }) : router, { apiName: file.api }, file.path));
  }
  // A list without a type is served where its paths say, as in Strapi.
  for (const router of strapi.registered) add(Array.isArray(router) ? { routes: router } : router, { apiName: '' }, 'src/index', router.type ? api : '');
  list.push(...extendedRoutes(strapi).map((route) => ({ ...route, path: api + pathOf(route, '') })));
  return list;
}

/** pluginRoutes lists the routes of plugins of the project. Those for the admin panel do not run, unless they are open to everyone. */
function pluginRoutes(plugins, strapi, problems, lacks) {
  const list = [];
  for (const plugin of plugins) {
    const { file } = strapi.plugin(plugin.name);
    const lack = (message) => lacks.push({ file, message });
    for (const uid of typesWithout(plugin, strapi)) lack(`there is no content type ${uid}: declare it below src/api`);
    attempt(problems, file, () => {
      for (const { type, prefix, routes = [] } of routersOf({ ...plugin, routes: strapi.plugin(plugin.name).routes || {} }, strapi)) {
        const start = type === 'admin' ? '' : strapi.config.get('api.rest.prefix', '/api');
        const runs = routes.filter(({ config }) => type !== 'admin' || (config && config.auth === false));
        if (runs.length < routes.length) lack('routes of the type admin do not run');
        for (const route of runs) list.push({ ...route, path: start + pathOf(route, prefix), info: { pluginName: plugin.name }, file });
      }
    });
  }
  return list;
}

/** pathOf is a path with the prefix of its route, or that of its router. The path / is the prefix itself. */
function pathOf({ path, config }, prefix) {
  const before = config && config.prefix !== undefined ? config.prefix : prefix;
  const own = String(path).trim();
  return before && own === '/' ? before : before + own;
}

function attempt(problems, file, run) {
  try {
    run();
  } catch (error) {
    problems.push({ file, message: error.message, stack: error.stack });
  }
}

module.exports = { start };
