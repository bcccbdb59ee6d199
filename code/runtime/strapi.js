'use strict';
// The `strapi` object: what a project finds by name.

const { host, requestNow, transaction, isInTransaction } = require('quire/host');
const { errors } = require('quire/errors');
const { createLifecycles } = require('quire/lifecycles');
const { createDocuments, createEntityService } = require('quire/documents');
const { rowsOf } = require('quire/rows');
const { isTable } = require('quire/tables');
const { createPlugin, pluginNames } = require('quire/plugins');
const { createCron } = require('quire/cron');
const { createEvents } = require('quire/events');
const utils = require('quire/utils');
const missing = require('quire/missing');

/** permissions are the rows of roles, which the host makes of a list; they have no schema. */
const permissions = 'plugin::users-permissions.permission';

/** registry keeps things by uid; a function of { strapi } makes its thing when it is first asked for. */
function registry(strapi, isFactory) {
  const given = new Map();
  const made = new Map();
  return {
    set: (uid, value) => void (given.set(uid, value), made.delete(uid)),
    keys: () => [...given.keys()],
    get(uid) {
      if (!made.has(uid) && given.has(uid)) {
        const value = given.get(uid);
        made.set(uid, isFactory && typeof value === 'function' ? value({ strapi }) : value);
      }
      return made.get(uid);
    },
    /** all is an object with everything, made when a member is read. */
    all() {
      const members = {};
      for (const uid of given.keys()) Object.defineProperty(members, uid, { enumerable: true, get: () => this.get(uid) });
      return members;
    },
  };
}

/** absent makes members that say by their name that they are not there. */
function absent(object, prefix) {
  for (const { name, why } of missing) {
    const key = name.startsWith(`${prefix}.`) ? name.slice(prefix.length + 1) : '';
    if (key === '' || key.includes('.') || key in object) continue;
    Object.defineProperty(object, key, { configurable: true, get() { throw new Error(`${name} is not there: ${why}`); } });
  }
  return object;
}

/** logger writes to the log of the program. */
function createLog() {
  const log = { child: () => log, level: 'info', silent: false };
  for (const [level, to] of Object.entries({ fatal: 'error', error: 'error', warn: 'warn', info: 'info', http: 'info', verbose: 'debug', debug: 'debug', silly: 'debug', trace: 'debug' })) log[level] = (...args) => console[to](...args);
  return log;
}

/** createStore is strapi.store, with the settings of accounts where Strapi has them. */
function createStore({ accounts }) {
  const read = async ({ key }) => (await host('store.get', { key })) ?? (key === 'plugin_users-permissions_advanced' ? { ...accounts } : null);
  const named = (base = {}) => ({
    get: async (params = {}) => read(keyOf({ ...base, ...wordOf(params) })),
    set: async (params = {}) => host('store.set', { ...keyOf({ ...base, ...params }), value: params.value }),
    delete: async (params = {}) => host('store.delete', keyOf({ ...base, ...wordOf(params) })),
  });
  return Object.assign(named, named());
}
const wordOf = (params) => (typeof params === 'string' ? { key: params } : params);
const keyOf = ({ type = 'core', name = '', key, environment = '' }) => ({ key: [type, name, key, environment].filter(Boolean).join('_') });

/**
 * createStrapi makes the object.
 * @param {{ models: object[], components: object[], config: object, root: string, version: string, defaultLocale: string }} site
 */
function createStrapi(site) {
  const contentTypes = Object.fromEntries(site.models.map((model) => [model.uid, model]));
  const components = Object.fromEntries(site.components.map((model) => [model.uid, model]));
  const contentType = (uid) => contentTypes[uid];
  const lifecycles = createLifecycles((uid) => contentTypes[uid] || components[uid] || { uid, modelType: 'contentType', singularName: 'permission', attributes: {} });
  const rows = new Map();
  const query = (uid) => {
    if (!contentTypes[uid] && !components[uid] && uid !== permissions && !isTable(uid)) throw new Error(`Model ${uid} not found`);
    if (!rows.has(uid)) rows.set(uid, rowsOf(uid, lifecycles));
    return rows.get(uid);
  };
  const events = createEvents((uid) => contentTypes[uid] || components[uid]);
  const documents = createDocuments({ contentType, lifecycles, events, rows: query, defaultLocale: () => site.defaultLocale });

  const strapi = { contentTypes, components, contentType, documents, config: site.config, isLoaded: false, errors, utils, store: createStore(site), eventHub: events.hub, events, log: createLog(), fetch: (...args) => fetch(...args) };
  const services = registry(strapi, true);
  const controllers = registry(strapi, true);
  const policies = registry(strapi, false);
  const middlewares = registry(strapi, false);
  const plugins = {};
  const plugin = (name) => {
    if (!Object.hasOwn(plugins, name)) plugins[name] = createPlugin(name, strapi);
    return plugins[name];
  };
  const apis = {};
  const files = new Map();

  /** coreOf makes the service or controller of a content type that the project has no file for. */
  function coreOf(uid, kind, registered) {
    if (!String(uid).startsWith('api::') || !contentTypes[uid]) return undefined;
    const { factories } = require('quire/factories'); // which needs the strapi object
    registered.set(uid, factories[`createCore${kind}`](uid));
    return registered.get(uid);
  }

  Object.assign(strapi, {
    service: (uid) => services.get(uid) || coreOf(uid, 'Service', services), controller: (uid) => controllers.get(uid) || coreOf(uid, 'Controller', controllers), policy: (uid) => policies.get(uid), middleware: (uid) => middlewares.get(uid),
    middlewareAt: (path) => files.get(String(path).replace(/^\.?\/+/, '').replace(/\.[cm]?[jt]s$/, '')),
    api: (name) => apis[name], apis,
    plugins, plugin,
    getModel: (uid) => contentTypes[uid] || components[uid],
    query,
    entityService: createEntityService({ documents, rows: query, contentType }),
    db: absent({ query, lifecycles, transaction: (run) => (typeof run === 'function' ? transaction((hooks) => run({ trx: null, ...hooks })) : openTransaction()), metadata: { get: (uid) => strapi.getModel(uid), has: (uid) => Boolean(strapi.getModel(uid)) }, inTransaction: isInTransaction }, 'strapi.db'),
    requestContext: { get: requestNow },
    contentAPI: utils.contentAPI, sanitizers: { contentAPI: utils.contentAPI.sanitize }, validators: { contentAPI: utils.contentAPI.validate },
    cron: createCron(strapi),
    dirs: dirsOf(site.root),
    app: { context: {} },
    info: { strapi: site.version, autoReload: false },
    get: (name) => named(strapi, name),
    server: absent({
      routes: (router) => void strapi.registered.push(router), use: (f) => void strapi.used.push(f),
      app: absent({ context: {}, proxy: false, use: (f) => strapi.server.use(f) }, 'strapi.server.app'),
    }, 'strapi.server'),
    ...without,
    registered: [], used: [],
  });
  for (const [name, of] of Object.entries({ services, controllers, policies, middlewares })) Object.defineProperty(strapi, name, { enumerable: true, get: () => of.all() });

  pluginNames.forEach(plugin);
  strapi.registries = { services, controllers, policies, middlewares, apis, files };
  return absent(strapi, 'strapi');
}

// without are parts of Strapi that the program does without; they do nothing.
const no = () => false;
const without = { telemetry: { send: async () => true, isDisabled: true }, features: { isEnabled: no, future: { isEnabled: no } }, EE: false, ee: { isEE: false, features: { isEnabled: no, list: () => [] } }, customFields: { register() {} } };

const openTransaction = () => { throw new Error('strapi.db.transaction() without a function is not there: give it a function'); };

function named(strapi, name) {
  if (!(name in strapi)) throw new Error(`strapi.get('${name}') is not there`);
  return strapi[name];
}

function dirsOf(root) {
  const dirs = { root, src: `${root}/src`, api: `${root}/src/api`, components: `${root}/src/components`, policies: `${root}/src/policies`, middlewares: `${root}/src/middlewares`, config: `${root}/config`, extensions: `${root}/src/extensions` };
  return { app: dirs, dist: dirs, static: { public: `${root}/public` }, root, src: dirs.src, public: `${root}/public` };
}

module.exports = { createStrapi };
