'use strict';
// factories: controllers, services and routers of a content type, with Strapi's own actions
// as their prototype, so that `super.find(ctx)` finds them.

const { errors } = require('quire/errors');
const { requestNow, host } = require('quire/host');
const { rights } = require('quire/context');
const pagination = require('quire/pagination');

const isObject = (value) => value !== null && typeof value === 'object';

/** extend puts the members of a project before those of Strapi. */
function extend(base, given, strapi) {
  const own = typeof given === 'function' ? given({ strapi }) : given || {};
  for (const name of Object.keys(base)) if (own[name] === undefined) own[name] = base[name];
  Object.setPrototypeOf(own, base);
  return own;
}

function dataOf(ctx) {
  const body = ctx.request.body || {};
  if (!isObject(body.data)) throw new errors.ValidationError('Missing "data" payload in the request body');
  return body.data;
}

/** helpers are what every controller of a type can call. */
function helpersOf(uid) {
  const args = (ctx, rest) => ({ uid, caller: callerOf(ctx), ...rest });
  return {
    validateQuery: (ctx) => host('query.validate', args(ctx, { query: ctx.query })),
    sanitizeQuery: (ctx) => host('query.sanitize', args(ctx, { query: ctx.query })),
    validateInput: (data, ctx) => host('input.validate', args(ctx, { data, documentId: idOf(ctx) })),
    sanitizeInput: (data, ctx) => host('input.sanitize', args(ctx, { data, documentId: idOf(ctx) })),
    sanitizeOutput: (data, ctx) => (isObject(data) ? host('output.sanitize', args(ctx, { data })) : Promise.resolve(data)),
    transformResponse(data, meta = {}) {
      if (data === null || data === undefined) return data;
      const request = requestNow();
      if (request && request.get('strapi-response-format') === 'v4') return v4(data, meta, strapi.contentType(uid));
      return { data, meta };
    },
  };
}

const callerOf = (ctx) => ((ctx && ctx[rights]) || (requestNow() || { [rights]: {} })[rights]).caller;

/** idOf is the document that a request names. */
const idOf = (ctx) => ((ctx || requestNow() || {}).params || {}).id;

/** v4 is a response in Strapi's previous format: values under "attributes", relations under "data". */
function v4(data, meta, type) {
  const entry = (value, of) => {
    if (Array.isArray(value)) return value.map((one) => entry(one, of));
    if (!isObject(value)) return value;
    const { id, documentId, ...rest } = value;
    return { id, documentId, attributes: attributes(rest, of) };
  };
  const component = (value, of) => {
    if (Array.isArray(value)) return value.map((one) => component(one, of || strapi.components[one.__component]));
    return isObject(value) ? attributes(value, of || strapi.components[value.__component]) : value;
  };
  const attributes = (values, of) => Object.fromEntries(Object.entries(values).map(([key, value]) => {
    const attribute = (of && of.attributes[key]) || {};
    if (attribute.type === 'relation') return [key, { data: entry(value, strapi.contentType(attribute.target)) }];
    if (attribute.type === 'media') return [key, { data: entry(value, strapi.contentType('plugin::upload.file')) }];
    if (attribute.type === 'component') return [key, component(value, strapi.components[attribute.component])];
    return [key, attribute.type === 'dynamiczone' ? component(value) : value];
  }));
  return { data: entry(data, type), meta };
}

/** queryOf checks a query. What the helper lets through has nothing to sanitize. */
async function queryOf(controller, ctx, helpers) {
  const valid = await controller.validateQuery(ctx);
  return controller.validateQuery === helpers.validateQuery && controller.sanitizeQuery === helpers.sanitizeQuery ? valid : controller.sanitizeQuery(ctx);
}

/** inputOf does the same for the data of a write. */
async function inputOf(controller, ctx, helpers) {
  if (controller.validateInput !== helpers.validateInput || controller.sanitizeInput !== helpers.sanitizeInput) await controller.validateInput(dataOf(ctx), ctx);
  return controller.sanitizeInput(dataOf(ctx), ctx);
}

const helperNames = ['validateQuery', 'sanitizeQuery', 'sanitizeOutput', 'transformResponse'];

function collectionController(uid, isPlain, helpers) {
  return {
    async find(ctx) {
      if (isPlain(this, 'find')) return host('core.find', { uid, query: ctx.query, caller: callerOf(ctx), format: ctx.get('strapi-response-format') });
      const { results, pagination: info } = await strapi.service(uid).find(await queryOf(this, ctx, helpers));
      return this.transformResponse(await this.sanitizeOutput(results, ctx), { pagination: info });
    },
    async findOne(ctx) {
      const { id } = ctx.params;
      if (isPlain(this, 'findOne')) return host('core.findOne', { uid, documentId: id, query: ctx.query, caller: callerOf(ctx), format: ctx.get('strapi-response-format') });
      const entry = await strapi.service(uid).findOne(id, await queryOf(this, ctx, helpers));
      return this.transformResponse(await this.sanitizeOutput(entry, ctx));
    },
    async create(ctx) {
      const query = await queryOf(this, ctx, helpers);
      const data = await inputOf(this, ctx, helpers);
      const entry = await strapi.service(uid).create({ ...query, data });
      const output = await this.sanitizeOutput(entry, ctx);
      ctx.status = 201;
      return this.transformResponse(output);
    },
    async update(ctx) {
      const query = await queryOf(this, ctx, helpers);
      const data = await inputOf(this, ctx, helpers);
      const entry = await strapi.service(uid).update(ctx.params.id, { ...query, data });
      return this.transformResponse(await this.sanitizeOutput(entry, ctx));
    },
    async delete(ctx) {
      await strapi.service(uid).delete(ctx.params.id, await queryOf(this, ctx, helpers));
      ctx.status = 204;
    },
  };
}

function singleController(uid, isPlain, helpers) {
  return {
    async find(ctx) {
      if (isPlain(this, 'find')) return host('core.find', { uid, query: ctx.query, caller: callerOf(ctx), format: ctx.get('strapi-response-format') });
      const entry = await strapi.service(uid).find(await queryOf(this, ctx, helpers));
      return this.transformResponse(await this.sanitizeOutput(entry, ctx), {});
    },
    async update(ctx) {
      const query = await queryOf(this, ctx, helpers);
      const data = await inputOf(this, ctx, helpers);
      const entry = await strapi.service(uid).createOrUpdate({ ...query, data });
      return this.transformResponse(await this.sanitizeOutput(entry, ctx));
    },
    async delete(ctx) {
      await strapi.service(uid).delete(await queryOf(this, ctx, helpers));
      ctx.status = 204;
    },
  };
}

/** createCoreController returns what makes the controller of a type, once strapi is there. */
const createCoreController = (uid, given) => ({ strapi }) => {
  const type = strapi.contentType(uid);
  if (!type) throw new Error(`createCoreController: there is no content type ${uid}`);
  const helpers = helpersOf(uid);
  // The host answers as Strapi's own action if no code of the project has a part in it.
  const isPlain = (self, action) => strapi.documents.isPlain(uid) && isCoreService(strapi.service(uid), action) && helperNames.every((name) => self[name] === helpers[name]);
  const actions = type.kind === 'singleType' ? singleController(uid, isPlain, helpers) : collectionController(uid, isPlain, helpers);
  const controller = extend(Object.assign(Object.create(helpers), actions), given, strapi);
  Object.defineProperty(controller, coreActions, { value: actions });
  return controller;
};

const coreActions = Symbol('core actions');

/** isCoreAction reports whether an action of a controller is Strapi's own. */
const isCoreAction = (controller, action) =>
  Boolean(controller[coreActions]) && controller[coreActions][action] !== undefined && controller[action] === controller[coreActions][action] &&
  Object.getOwnPropertyNames(controller).every((name) => !helperNames.includes(name));

// Only what the parameters have themselves counts: no prototype that code has changed shows drafts.
const fetchParams = (params = {}) => ({ ...params, status: Object.hasOwn(params, 'status') && params.status !== undefined ? params.status : 'published' });

function collectionService(uid) {
  return {
    getFetchParams: fetchParams,
    async find(params = {}) {
      const { pagination: asked, ...given } = this.getFetchParams(params);
      const range = pagination.rangeOf(asked, strapi.config);
      const results = await strapi.documents(uid).findMany({ ...given, ...range });
      if (!pagination.shouldCount(asked, strapi.config)) return { results, pagination: range };
      const total = await strapi.documents(uid).count({ ...given, ...range });
      return { results, pagination: pagination.describe(range, total, asked) };
    },
    findOne(documentId, params = {}) { return strapi.documents(uid).findOne({ ...this.getFetchParams(params), documentId }); },
    create(params = { data: {} }) { return strapi.documents(uid).create(this.getFetchParams(params)); },
    update(documentId, params = { data: {} }) { return strapi.documents(uid).update({ ...this.getFetchParams(params), documentId }); },
    async delete(documentId, params = {}) {
      const { entries } = await strapi.documents(uid).delete({ ...this.getFetchParams(params), documentId });
      return { deletedEntries: entries.length };
    },
  };
}

function singleService(uid) {
  const documentId = async () => ((await strapi.db.query(uid).findOne({ select: ['documentId'] })) || {}).documentId;
  return {
    getFetchParams: fetchParams,
    find(params = {}) { return strapi.documents(uid).findFirst(this.getFetchParams(params)); },
    async createOrUpdate({ data, ...params } = {}) {
      const id = await documentId();
      const given = { ...this.getFetchParams(params), data };
      return id ? strapi.documents(uid).update({ ...given, documentId: id }) : strapi.documents(uid).create(given);
    },
    async delete(params = {}) {
      const id = await documentId();
      if (!id) return { deletedEntries: 0 };
      const { entries } = await strapi.documents(uid).delete({ ...this.getFetchParams(params), documentId: id });
      return { deletedEntries: entries.length };
    },
  };
}

const coreService = Symbol('core service');

const createCoreService = (uid, given) => ({ strapi }) => {
  const type = strapi.contentType(uid);
  if (!type) throw new Error(`createCoreService: there is no content type ${uid}`);
  const base = type.kind === 'singleType' ? singleService(uid) : collectionService(uid);
  const service = extend(base, given, strapi);
  Object.defineProperty(service, coreService, { value: base });
  return service;
};

/** isCoreService reports whether a service has Strapi's own function of that name. */
const isCoreService = (service, name) =>
  Boolean(service && service[coreService]) && service[name] === service[coreService][name] && service.getFetchParams === service[coreService].getFetchParams;

const isIn = (list, name) => list === undefined || (Array.isArray(list) ? list : [list]).includes(name);

/** createCoreRouter lists the routes of a type that are wanted. */
const createCoreRouter = (uid, { prefix, config = {}, only, except, type = 'content-api' } = {}) => ({
  type,
  prefix,
  uid,
  get routes() {
    const contentType = strapi.contentType(uid);
    if (!contentType) throw new Error(`createCoreRouter: there is no content type ${uid}`);
    const { singularName, pluralName } = contentType.info;
    const routes = contentType.kind === 'singleType'
      ? [['find', 'GET', `/${singularName}`], ['update', 'PUT', `/${singularName}`], ['delete', 'DELETE', `/${singularName}`]]
      : [['find', 'GET', `/${pluralName}`], ['findOne', 'GET', `/${pluralName}/:id`], ['create', 'POST', `/${pluralName}`], ['update', 'PUT', `/${pluralName}/:id`], ['delete', 'DELETE', `/${pluralName}/:id`]];
    return routes
      .filter(([action]) => isIn(only, action) && (except === undefined || !isIn(except, action)))
      .map(([action, method, path]) => ({ method, path, handler: `${uid}.${action}`, config: config[action] || {} }));
  },
});

module.exports = { factories: { createCoreController, createCoreService, createCoreRouter }, isCoreAction, isCoreService, callerOf, idOf };
