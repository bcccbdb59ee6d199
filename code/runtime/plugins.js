'use strict';
// strapi.plugin(name): the services of Strapi's plugins that projects call.

const { host, hostNow } = require('quire/host');
const { passwordOf } = require('quire/rows');

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
    role: {
      find: () => strapi.db.query('plugin::users-permissions.role').findMany(),
      findOne: (id) => strapi.db.query('plugin::users-permissions.role').findOne({ where: { id } }),
    },
  }),

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
