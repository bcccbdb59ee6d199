'use strict';
// strapi.plugin(name): the services of Strapi's plugins that projects call.

const { host, hostNow } = require('quire/host');
const { passwordOf } = require('quire/rows');
const { errors } = require('quire/errors');

const user = 'plugin::users-permissions.user';

/** rendered replaces <%= path %> in a template with the values of data. */
const rendered = (template, data) =>
  String(template || '').replace(/<%[=-]\s*([\w.$[\]]+)\s*%>/g, (_, path) => {
    const value = path.split(/[.[\]]+/).filter(Boolean).reduce((at, key) => (at === null || at === undefined ? at : at[key]), data);
    return value === undefined || value === null ? '' : String(value);
  });

/** verify is what a JWT says: whose it is, and from when to when it is valid. */
async function verify(token) {
  const { id } = await host('jwt.verify', { token });
  const { iat, exp } = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString());
  return { id, iat, exp };
}

/** actionsOf lists the actions of the project as Strapi's pages do, by API, controller and action; those named are enabled. */
function actionsOf(strapi, enabled) {
  const tree = {};
  const put = (type, controller, action, on) => { ((tree[type] ||= { controllers: {} }).controllers[controller] ||= {})[action] = { enabled: on, policy: '' }; };
  for (const uid of [...new Set([...strapi.registries.controllers.keys(), ...Object.keys(strapi.contentTypes)])].filter((one) => one.startsWith('api::'))) {
    const [type, controller] = uid.split('.');
    for (let members = strapi.controller(uid); members && members !== Object.prototype; members = Object.getPrototypeOf(members)) {
      for (const [name, action] of Object.entries(members)) if (typeof action === 'function' && !helpers.includes(name)) put(type, controller, name, false);
    }
  }
  for (const name of enabled) put(...name.split('.'), true);
  return tree;
}
const helpers = ['validateQuery', 'sanitizeQuery', 'validateInput', 'sanitizeInput', 'sanitizeOutput', 'transformResponse'];

/** enabledIn are the names of the actions that such a tree enables. */
const enabledIn = (tree = {}) => Object.entries(tree).flatMap(([type, { controllers = {} }]) => Object.entries(controllers).flatMap(([controller, actions]) =>
  Object.entries(actions).filter(([, { enabled }]) => enabled).map(([action]) => [type, controller, action].join('.'))));

/** rolesOf is the service of roles. */
function rolesOf(strapi) {
  const roles = () => strapi.db.query('plugin::users-permissions.role');
  const permissions = () => strapi.db.query('plugin::users-permissions.permission');
  async function found(id) {
    const role = await roles().findOne({ where: { id }, populate: ['permissions'] });
    if (!role) throw new errors.NotFoundError('Role not found');
    return role;
  }
  const allow = async (role, actions) => { for (const action of actions) await permissions().create({ data: { action, role: role.id } }); };
  return {
    async find() {
      const list = await roles().findMany({ orderBy: ['name'] });
      return Promise.all(list.map(async (role) => ({ ...role, nb_users: await strapi.db.query(user).count({ where: { role: { id: role.id } } }) })));
    },
    async findOne(id) {
      const role = await found(id);
      return { ...role, permissions: actionsOf(strapi, role.permissions.map(({ action }) => action)) };
    },
    createRole: ({ users, permissions: tree, ...data }) => strapi.db.transaction(async () => {
      const type = data.type || strapi.utils.strings.nameToSlug(data.name, { separator: '_' });
      await allow(await roles().create({ data: { ...data, type } }), enabledIn(tree));
    }),
    updateRole: (id, { name, description, permissions: tree }) => strapi.db.transaction(async () => {
      const role = await found(id);
      const data = Object.fromEntries(Object.entries({ name, description }).filter(([, value]) => value !== undefined));
      if (Object.keys(data).length > 0) await roles().update({ where: { id }, data });
      const wanted = enabledIn(tree);
      const had = role.permissions.map(({ action }) => action);
      for (const action of had) if (!wanted.includes(action)) await permissions().delete({ where: { action, role: { id } } });
      await allow(role, wanted.filter((action) => !had.includes(action)));
    }),
    deleteRole: (id, other) => strapi.db.transaction(async () => {
      await found(id);
      await strapi.db.query(user).updateMany({ where: { role: { id } }, data: { role: other } });
      await roles().delete({ where: { id } });
    }),
  };
}

const services = {
  email: () => ({
    email: {
      send: (mail) => host('email.send', mail),
      sendTemplatedEmail(mail, template = {}, data = {}) {
        const parts = ['subject', 'text', 'html'].filter((name) => template[name] !== undefined);
        return host('email.send', { ...mail, ...Object.fromEntries(parts.map((name) => [name, rendered(template[name], data)])) });
      },
      getProviderSettings: () => strapi.config.get('plugin::email', {}),
    },
  }),

  upload: () => ({
    upload: {
      upload: ({ data = {}, files } = {}) => host('upload.upload', { ...data, files: [].concat(files || []).map((file) => ({ path: file.filepath || file.path, name: file.originalFilename || file.name || '' })) }),
      findOne: (id, populate) => strapi.db.query('plugin::upload.file').findOne({ where: { id }, populate }),
      findMany: ({ filters, ...params } = {}) => strapi.db.query('plugin::upload.file').findMany({ where: filters, ...params }),
      updateFileInfo: (id, info) => host('upload.update', { id, ...info }),
      remove: (file) => host('upload.remove', { id: file.id }),
    },
    file: { getFolderPath: async () => '/' },
  }),

  'users-permissions': (strapi) => ({
    user: {
      count: (where) => strapi.db.query(user).count({ where }),
      fetch: (id, params = {}) => strapi.db.query(user).findOne({ where: { id }, ...params }),
      fetchAll: (params = {}) => strapi.documents(user).findMany(params),
      fetchAuthenticatedUser: (id) => strapi.db.query(user).findOne({ where: { id }, populate: ['role'] }),
      add: (values) => host('users.add', { data: values }),
      edit: (id, values) => host('users.edit', { id, data: values }),
      remove: ({ id }) => host('users.remove', { id }),
      async validatePassword(password, of) {
        const id = passwordOf(of);
        if (id === undefined) throw new Error('validatePassword takes the password of a user that strapi.db.query has found');
        return host('users.hasPassword', { id, password: String(password) });
      },
      sanitizeOutput: (value) => strapi.contentAPI.sanitize.output(value, strapi.contentType(user)),
      sendConfirmationEmail: ({ id }) => host('users.sendConfirmation', { id }),
      ensureHashedPasswords: async (values) => values,
    },
    jwt: {
      // As in Strapi, a text, and with refresh tokens a promise of one.
      issue: (payload) => (strapi.refreshTokens ? host : hostNow)('jwt.issue', { payload }),
      verify,
      getToken: async (ctx) => {
        const token = (/^Bearer (.+)$/i.exec(ctx.request.get('authorization')) || [])[1];
        return token ? verify(token) : null;
      },
    },
    role: rolesOf(strapi),
    'users-permissions': { getActions: () => actionsOf(strapi, []) },
  }),

  // Where GraphQL is on, a use of these is an error: what they leave out would be shown.
  graphql: (strapi) => ({ extension: strapi.graphql ? {} : { use() {}, shadowCRUD: () => quiet } }),

  i18n: (strapi) => ({
    locales: {
      find: async () => strapi.i18n.locales.map(({ code, name }) => ({ code, name, isDefault: code === strapi.i18n.defaultLocale })),
      findByCode: async (code) => strapi.i18n.locales.find((locale) => locale.code === code) || null,
      count: async () => strapi.i18n.locales.length,
      getDefaultLocale: async () => strapi.i18n.defaultLocale,
    },
    'content-types': { isLocalizedContentType: (type) => Boolean(type && type.pluginOptions && type.pluginOptions.i18n && type.pluginOptions.i18n.localized) },
  }),
};

/** quiet is what every call of it returns. */
const quiet = new Proxy(() => quiet, { get: (_, key) => (key === 'then' || typeof key === 'symbol' ? undefined : quiet) });

const none = (what) => { throw new Error(`${what} is not there`); };

/** checked is an object that says by its name what it lacks. */
const checked = (object, name) =>
  new Proxy(object, { get: (of, key) => (typeof key === 'symbol' || key in of || key === 'then' || key === 'toJSON' ? of[key] : none(`${name}.${key}`)) });

/** servicesOf are the services of a plugin that the program has. */
function servicesOf(name, strapi) {
  const known = services[name] ? services[name](strapi) : {};
  return Object.fromEntries(Object.entries(known).map(([service, members]) => [service, checked(members, serviceName(name, service))]));
}

const serviceName = (name, service) => `strapi.plugin('${name}').service('${service}')`;

/** createPlugin is a plugin by its name; one that the program lacks has settings only. */
function createPlugin(name, strapi) {
  const own = (registry) => {
    const prefix = `plugin::${name}.`;
    return Object.fromEntries(registry.keys().filter((uid) => uid.startsWith(prefix)).map((uid) => [uid.slice(prefix.length), registry.get(uid)]));
  };
  return {
    service: (service) => strapi.service(`plugin::${name}.${service}`) || none(serviceName(name, service)),
    controller: (controller) => strapi.controller(`plugin::${name}.${controller}`) || none(`strapi.plugin('${name}').controller('${controller}')`),
    contentType: (type) => strapi.contentType(`plugin::${name}.${type}`),
    config: (path, fallback) => strapi.config.get(`plugin::${name}.${path}`, fallback),
    get services() { return checked(own(strapi.registries.services), `strapi.plugin('${name}').services`); },
    get controllers() { return own(strapi.registries.controllers); },
    get contentTypes() { return Object.fromEntries(Object.values(strapi.contentTypes).filter((type) => type.plugin === name).map((type) => [type.modelName, type])); },
    routes: {},
  };
}

module.exports = { createPlugin, servicesOf, pluginNames: Object.keys(services) };
