'use strict';
// src/extensions/*/strapi-server: a function that changes a plugin of Strapi. It gets an
// object with the plugin's actions and routes; what it replaces or adds becomes the project's.

const { elsewhere } = require('quire/router');

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
};

/** callable makes a controller that is an object and, as in Strapi, may be called for one. */
const callable = (actions) => Object.assign(() => actions, actions);

/** pluginOf is the object that an extension gets. */
function pluginOf(name, strapi) {
  const { routes, types } = known[name];
  const controllers = {};
  for (const { handler } of routes) {
    const [controller, action] = handler.split('.');
    (controllers[controller] ||= {})[action] = elsewhere;
  }
  const wrapped = Object.fromEntries(Object.entries(controllers).map(([key, actions]) => [key, callable(actions)]));
  const contentTypes = Object.fromEntries(types.map((type) => [type, { schema: strapi.contentType(`plugin::${name}.${type}`) }]));
  return { controllers: wrapped, services: {}, policies: {}, middlewares: {}, contentTypes, routes: { 'content-api': { type: 'content-api', prefix: '', routes: routes.map((r) => ({ ...r })) }, admin: { type: 'admin', routes: [] } }, bootstrap() {}, register() {}, destroy() {}, config: { default: {}, validator() {} } };
}

/** actionsOf are the actions of a controller that an extension left. */
function actionsOf(controller, strapi) {
  if (typeof controller !== 'function' || controller.prototype === undefined && Object.keys(controller).length > 0) return controller;
  return controller({ strapi });
}

/** extended applies an extension and returns the routes that are the project's now. */
function extended(name, extension, strapi) {
  if (!known[name]) throw new Error(`an extension of ${name} does not run: the program has no such plugin`);
  const before = pluginOf(name, strapi);
  const original = new Map(before.routes['content-api'].routes.map((r) => [r, JSON.stringify(r)]));
  const plugin = (typeof extension === 'function' ? extension(before) : extension) || before;
  const { services, policies, middlewares, controllers } = strapi.registries;
  const own = {};
  for (const [key, value] of Object.entries(plugin.controllers || {})) {
    const actions = { ...actionsOf(value, strapi) };
    own[key] = actions;
    controllers.set(`plugin::${name}.${key}`, actions);
  }
  for (const [key, value] of Object.entries(plugin.services || {})) services.set(`plugin::${name}.${key}`, value);
  for (const [key, value] of Object.entries(plugin.policies || {})) policies.set(`plugin::${name}.${key}`, value);
  for (const [key, value] of Object.entries(plugin.middlewares || {})) middlewares.set(`plugin::${name}.${key}`, value);
  const router = (plugin.routes && plugin.routes['content-api']) || {};
  const routes = typeof router === 'function' ? router({ strapi }).routes : router.routes || [];
  const isOurs = (r) => {
    const [controller, action] = String(r.handler).split('.').slice(-2);
    return original.get(r) !== JSON.stringify(r) || (own[controller] && own[controller][action] !== elsewhere);
  };
  return routes.filter(isOurs).map((r) => ({ ...r, info: { pluginName: name } }));
}

module.exports = { extended };
