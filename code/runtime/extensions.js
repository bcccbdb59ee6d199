'use strict';
// src/extensions/*/strapi-server: a function that changes a plugin of Strapi. It gets an
// object with the plugin's actions, services and routes; what it replaces or adds becomes the
// project's. Actions that it leaves are those of the program.

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

/** extendPlugins applies the extensions by the names of their plugins, and enters the result. */
function extendPlugins(extensions, strapi, attempt) {
  for (const name of Object.keys(extensions)) {
    if (!known[name]) attempt(extensions[name].file, () => { throw new Error(`an extension of ${name} does not run: the program has no such plugin`); });
  }
  for (const name of Object.keys(known)) {
    const { file, extension } = extensions[name] || {};
    const given = definitionOf(name, strapi);
    let plugin = given;
    if (extension) attempt(file, () => { plugin = (typeof extension === 'function' ? extension(given) : Object.assign(given, extension)) || given; });
    for (const part of ['controllers', 'services', 'policies', 'middlewares']) {
      for (const [key, value] of Object.entries(plugin[part] || {})) strapi.registries[part].set(`plugin::${name}.${key}`, membersOf(value));
    }
    strapi.plugin(name).routes = plugin.routes;
    strapi.plugin(name).file = file || 'src/index';
  }
}

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

module.exports = { extendPlugins, extendedRoutes };
