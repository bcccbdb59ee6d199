'use strict';
// Routes: what their names stand for, and the chain that a request passes through: global
// middlewares, permission, policies, the route's middlewares, handler.

const { errors, describe } = require('quire/errors');
const { host, within } = require('quire/host');
const { Context, authenticate, responseOf, rights } = require('quire/context');
const { isCoreAction, isCoreService } = require('quire/factories');

const isNone = (value) => value === null || value === undefined;
const list = (value) => (Array.isArray(value) ? value : isNone(value) ? [] : [value]);

/** compose calls functions in order, each with a function that calls those after it. */
const compose = (functions) => (ctx) => {
  let called = -1;
  const step = (at) => {
    if (at <= called) return Promise.reject(new Error('next() was called twice'));
    called = at;
    if (at === functions.length) return Promise.resolve();
    try {
      return Promise.resolve(functions[at](ctx, () => step(at + 1)));
    } catch (error) {
      return Promise.reject(error);
    }
  };
  return step(0);
};

/** instance makes the function of a middleware from its factory. */
function instance(item, strapi) {
  if (typeof item === 'function') return item;
  const { name, resolve, config = {} } = typeof item === 'string' ? { name: item } : item || {};
  const factory = name ? strapi.middleware(name) : resolve && strapi.middlewareAt(resolve);
  if (!factory) throw new Error(`There is no middleware ${JSON.stringify(name || resolve)}`);
  return factory(config, { strapi }) || ((_, next) => next());
}

/** policyOf finds a policy by a name of the whole project or of the API of its route. */
function policyOf(item, info, strapi) {
  if (typeof item === 'function') return { handler: item, config: {} };
  const { name, config = {} } = typeof item === 'string' ? { name: item } : item || {};
  const local = info.apiName ? `api::${info.apiName}.${name}` : `plugin::${info.pluginName}.${name}`;
  const policy = strapi.policy(name) || strapi.policy(local);
  if (!policy) throw new Error(`There is no policy ${JSON.stringify(name)}`);
  if (typeof policy === 'function') return { handler: policy, config };
  if (policy.validator) policy.validator(config);
  return { handler: policy.handler, config };
}

/** policyContext is the request's context with what policies alone have. */
const policyContext = (ctx) => Object.create(ctx, { is: { value: (type) => type === 'koa' }, type: { value: 'koa' } });

/** handlersOf are the functions of a handler, and the name of its controller and action. */
function handlersOf(route, strapi) {
  const { handler, info } = route;
  if (typeof handler !== 'string') return { functions: list(handler) };
  const name = handler.trim();
  const dot = name.lastIndexOf('.');
  const [controllerName, action] = [name.slice(0, dot), name.slice(dot + 1)];
  const prefix = info.apiName ? `api::${info.apiName}.` : `plugin::${info.pluginName}.`;
  const uid = strapi.controller(prefix + controllerName) ? prefix + controllerName : controllerName;
  const controller = strapi.controller(uid);
  if (!controller || typeof controller[action] !== 'function') throw new Error(`There is no handler ${JSON.stringify(name)}`);
  return { functions: [(ctx, next) => controller[action](ctx, next)], uid, action, controller, scope: name.startsWith(prefix) ? name : prefix + name };
}

/** endpointOf resolves a route: what runs, and what the program must know of it. */
function endpointOf(route, strapi) {
  const config = route.config || {};
  const handler = handlersOf(route, strapi);
  const policies = list(config.policies).map((item) => policyOf(item, route.info, strapi));
  const middlewares = list(config.middlewares).map((item) => instance(item, strapi));
  const scope = config.auth && config.auth.scope ? list(config.auth.scope) : handler.scope ? [handler.scope] : [];
  const open = config.auth === false;

  const shown = { ...route, config };

  const authorize = async (ctx, next) => {
    ctx.state.route = shown;
    try {
      if (!open && authenticate(ctx)[rights].access !== 'allowed') await permit(ctx, scope);
      return await next();
    } catch (error) {
      if (error instanceof errors.UnauthorizedError) return ctx.unauthorized();
      if (error instanceof errors.ForbiddenError && !(error instanceof errors.PolicyError)) return ctx.forbidden();
      throw error;
    }
  };
  const check = async (ctx, next) => {
    for (const { handler: policy, config: settings } of policies) {
      const passed = await policy(policyContext(ctx), settings, { strapi });
      if (passed !== true && passed !== undefined) throw new errors.PolicyError();
    }
    await next();
  };
  const run = handler.functions.length === 1 ? handler.functions[0] : compose(handler.functions);
  const answer = async (ctx, next) => {
    const value = await run(ctx, next);
    if (isNone(ctx.body) && !isNone(value)) ctx.body = value;
  };
  return {
    run: compose([authorize, ...(policies.length > 0 ? [check] : []), ...middlewares, answer]),
    facts: {
      file: route.file, method: String(route.method || '').trim().toUpperCase(), path: route.path, handler: typeof route.handler === 'string' ? route.handler : 'a function', auth: !open, scope,
      uid: handler.uid || '', action: handler.action || '', core: (config.auth === undefined || config.auth === true) && policies.length === 0 && middlewares.length === 0 && isCore(handler, strapi),
    },
  };
}

/** permit asks the host whether the caller has the permissions of a route. */
async function permit(ctx, scope) {
  const { access, caller } = ctx[rights];
  if (access === 'unauthorized') throw new errors.UnauthorizedError();
  if (access === 'forbidden' || !(await host('caller.allows', { caller, permissions: scope }))) throw new errors.ForbiddenError();
}

const ofService = { find: 'find', findOne: 'findOne', create: 'create', update: 'update', delete: 'delete' };

/** isCore reports whether a route is as if the project had no code for it. */
function isCore({ controller, uid, action }, strapi) {
  if (!controller || !isCoreAction(controller, action) || !strapi.contentType(uid)) return false;
  const single = strapi.contentType(uid).kind === 'singleType';
  const name = single && action === 'update' ? 'createOrUpdate' : ofService[action];
  const reads = action === 'find' || action === 'findOne';
  return isCoreService(strapi.service(uid), name) && (!reads || strapi.documents.isPlain(uid));
}

/** withErrors turns what is thrown into a response, and a response that nobody made into 404. */
const withErrors = async (ctx, next) => {
  try {
    await next();
    if (!ctx.response._explicitStatus) ctx.notFound();
  } catch (error) {
    const { status, body, internal } = describe(error);
    ctx.status = status;
    ctx.body = body;
    ctx.response.type = 'json';
    if (internal) ctx.failure = failureOf(error);
  }
};

/** failed is the response if a body that is a stream or a promise cannot be sent. */
function failed(ctx, error) {
  const headers = [['Content-Type', 'application/json; charset=utf-8']];
  const { status, body, internal } = describe(error && error.code === 'ENOENT' ? new errors.NotFoundError('Not Found') : error);
  return { status, headers, failure: internal ? failureOf(error) : undefined, json: body };
}

/** failureOf is what the log of the program says of an error. */
function failureOf(error) {
  if (!(error instanceof Error)) return { message: `thrown: ${String(error)}`, stack: '' };
  return { message: `${error.name}: ${error.message}`, stack: String(error.stack || '') };
}

/** live are the contexts of the requests in progress, by their callers. */
const live = new Map();

/** createRouter resolves the routes of a project and serves requests. */
function createRouter(routes, globals, strapi) {
  const endpoints = [];
  const problems = [];
  for (const route of routes) {
    try {
      endpoints.push(endpointOf(route, strapi));
    } catch (error) {
      problems.push({ file: route.file, message: `${route.method} ${route.path}: ${error.message}` });
    }
  }
  const outer = globals.filter((item) => !isOwn(item, strapi)).map((item) => instance(item, strapi));

  const chains = [...endpoints.map(({ run }) => run), elsewhere].map((inner) => compose([withErrors, ...outer, inner]));

  return {
    problems,
    facts: endpoints.map(({ facts }) => facts),
    hasMiddlewares: outer.length > 0,

    /** serve answers a request; one without a route of the project is answered by the host. */
    async serve(given) {
      const ctx = new Context(given);
      const { caller } = given;
      live.set(caller, ctx);
      try {
        await within({ request: ctx }, () => chains[given.route < 0 ? endpoints.length : given.route](ctx));
        const response = responseOf(ctx);
        return typeof response.then === 'function' ? await response.catch((error) => failed(ctx, error)) : response;
      } finally {
        live.delete(caller);
      }
    },
  };
}

/** isOwn reports whether a middleware is one of Strapi's own, whose work the program does. */
function isOwn(item, strapi) {
  const name = typeof item === 'string' ? item : (item && item.name) || '';
  return /^(strapi|plugin|admin)::/.test(name) && !strapi.middleware(name);
}

/** elsewhere lets the program answer, and makes ctx what it answered. */
async function elsewhere(ctx) {
  const { method, url, query, header, body } = authenticate(ctx).request;
  const answer = await host('door.handle', { method, url, query, headers: header, body, caller: ctx[rights].caller });
  ctx.status = answer.status;
  if (answer.body !== undefined && answer.body !== null) ctx.body = answer.body;
  for (const [name, value] of answer.headers || []) ctx.append(name, value);
}

module.exports = { createRouter, compose, elsewhere, live };
