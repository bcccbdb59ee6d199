'use strict';
// src/extensions/*/strapi-server: a function that changes a plugin of Strapi. It gets an
// object with the plugin's actions, services and routes; what it replaces or adds becomes the
// project's. Actions that it leaves are those of the program. Plugins of the project itself are
// extended and entered in the same way.

const { env, merge } = require('quire/config');
const { elsewhere } = require('quire/router');
const { servicesOf } = require('quire/plugins');

const route = (method, path, handler) => ({ method, path, handler, config: { prefix: '' } });

/** known are the plugins whose routes the program answers, by controller and action. */
const known = {
  'users-permissions': {
    routes: [
      route('GET', '/connect/(.*)', 'auth.connect'), route('POST', '/auth/local', 'auth.callback'), route('POST', '/auth/local/register', 'auth.register'),
      route('GET', '/auth/:provider/callback', 'auth.callback'), route('POST', '/auth/forgot-password', 'auth.forgotPassword'),
      route('POST', '/auth/reset-password', 'auth.resetPassword'), route('GET', '/auth/email-confirmation', 'auth.emailConfirmation'),
      route('POST', '/auth/send-email-confirmation', 'auth.sendEmailConfirmation'), route('POST', '/auth/change-password', 'auth.changePassword'),
      route('POST', '/auth/refresh', 'auth.refresh'), route('POST', '/auth/logout', 'auth.logout'),
      route('GET', '/users/count', 'user.count'), route('GET', '/users', 'user.find'), route('GET', '/users/me', 'user.me'), route('GET', '/users/:id', 'user.findOne'),
      route('POST', '/users', 'user.create'), route('PUT', '/users/:id', 'user.update'), route('DELETE', '/users/:id', 'user.destroy'),
      route('GET', '/roles/:id', 'role.findOne'), route('GET', '/roles', 'role.find'), route('GET', '/permissions', 'permissions.getPermissions'),
    ],
    types: ['user', 'role'],
  },
  upload: {
    routes: [route('POST', '/upload', 'content-api.upload'), route('GET', '/upload/files', 'content-api.find'), route('GET', '/upload/files/:id', 'content-api.findOne'), route('DELETE', '/upload/files/:id', 'content-api.destroy')],
    types: ['file'],
  },
  email: { routes: [route('POST', '/email', 'email.send')], types: [] },
  graphql: { routes: [], types: [] },
  i18n: { routes: [route('GET', '/i18n/locales', 'locales.listLocales')], types: [] },
};

const callables = new WeakSet();

/** callable is an object that, as in Strapi, may also be called for itself. */
function callable(members) {
  const both = Object.assign(() => members, members);
  callables.add(both);
  return both;
}

/** membersOf are the members of a callable, with those that an extension has set; anything else is as it was. */
function membersOf(value) {
  if (!callables.has(value)) return value;
  const members = value();
  for (const key of Object.keys(value)) if (!(key in members) || members[key] !== value[key]) members[key] = value[key];
  return members;
}

/** definitionOf is the object that an extension gets. */
function definitionOf(name, strapi) {
  const { routes, types } = known[name];
  const controllers = {};
  for (const { handler } of routes) {
    const [controller, action] = handler.split('.');
    (controllers[controller] ||= {})[action] = elsewhere;
  }
  const each = (object) => Object.fromEntries(Object.entries(object).map(([key, members]) => [key, callable(members)]));
  return {
    controllers: each(controllers), services: each(servicesOf(name, strapi)), policies: {}, middlewares: {},
    contentTypes: Object.fromEntries(types.map((type) => [type, { schema: strapi.contentType(`plugin::${name}.${type}`) }])),
    routes: { 'content-api': { type: 'content-api', prefix: '', routes: routes.map((r) => ({ ...r, config: { ...r.config } })) }, admin: { type: 'admin', routes: [] } },
    bootstrap() {}, register() {}, destroy() {}, config: { default: {}, validator() {} },
  };
}

/** ownDefinition is a plugin of the project, with its settings laid over its defaults. */
function ownDefinition(name, given, strapi) {
  const plugin = { routes: {}, contentTypes: {}, ...(typeof given === 'function' ? given({ strapi }) : given) };
  const { default: defaults = {}, validator } = plugin.config || {};
  const settings = merge(typeof defaults === 'function' ? defaults({ env }) : defaults, strapi.config.get(`plugin::${name}`, {}));
  if (typeof validator === 'function') validator(settings);
  strapi.config.set(`plugin::${name}`, settings);
  return plugin;
}

/**
 * extendPlugins applies the extensions by the names of their plugins, and enters the result.
 * @param {Record<string, { file: string, extension: any }>} extensions
 * @param {Record<string, { file: string, given: any }>} own the plugins of the project
 * @returns {object[]} the plugins of the project, for their register, bootstrap and destroy
 */
function extendPlugins(extensions, own, strapi, attempt) {
  for (const name of Object.keys(extensions)) {
    if (!known[name] && !own[name]) attempt(extensions[name].file, () => { throw new Error(`an extension of ${name} does not run: the program has no such plugin`); });
  }
  const entered = [];
  for (const name of new Set([...Object.keys(known), ...Object.keys(own)])) {
    const { file, extension } = extensions[name] || {};
    let given;
    if (!own[name]) given = definitionOf(name, strapi);
    else if (known[name]) attempt(own[name].file, () => { throw new Error(`a plugin of the project cannot be called ${name}: the program has one of that name`); });
    else attempt(own[name].file, () => { given = ownDefinition(name, own[name].given, strapi); });
    if (!given) continue;
    let plugin = given;
    if (extension) attempt(file, () => { plugin = (typeof extension === 'function' ? extension(given) : Object.assign(given, extension)) || given; });
    for (const part of ['controllers', 'services', 'policies', 'middlewares']) {
      for (const [key, value] of Object.entries(plugin[part] || {})) strapi.registries[part].set(`plugin::${name}.${key}`, membersOf(value));
    }
    strapi.plugin(name).routes = plugin.routes;
    strapi.plugin(name).file = own[name] ? own[name].file : file || 'src/index';
    if (own[name]) entered.push({ ...plugin, name });
  }
  return entered;
}

/** routersOf are the routers of a plugin of the project. As in Strapi, one without a type is for the admin panel. */
function routersOf({ name, routes }, strapi) {
  const routers = Array.isArray(routes) ? [routes] : Object.values(routes);
  return routers.map((given) => {
    const router = typeof given === 'function' ? given({ strapi }) : given;
    return { type: 'admin', prefix: `/${name}`, ...(Array.isArray(router) ? { routes: router } : router) };
  });
}

/** typesWithout names the content types that a plugin of the project declares and the site does not have. */
const typesWithout = ({ name, contentTypes }, strapi) => Object.keys(contentTypes || {}).map((type) => `plugin::${name}.${type}`).filter((uid) => !strapi.contentType(uid));

/** extendedRoutes are the routes of plugins that the project has added or changed, or whose action it has replaced. */
function extendedRoutes(strapi) {
  return Object.keys(known).flatMap((name) => {
    const original = new Set(known[name].routes.map((r) => JSON.stringify(r)));
    const given = strapi.plugin(name).routes;
    const router = (given && given['content-api']) || {};
    const routes = typeof router === 'function' ? router({ strapi }).routes : router.routes || [];
    const isOurs = (r) => {
      const [controller, action] = String(r.handler).split('.').slice(-2);
      const actions = strapi.controller(`plugin::${name}.${controller}`) || {};
      return !original.has(JSON.stringify(r)) || actions[action] !== elsewhere;
    };
    return routes.filter(isOurs).map((r) => ({ ...r, info: { pluginName: name }, file: strapi.plugin(name).file }));
  });
}

module.exports = { extendPlugins, extendedRoutes, routersOf, typesWithout };
