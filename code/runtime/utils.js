'use strict';
// The package @strapi/utils, as far as projects use it.

const { errors, HttpError } = require('quire/errors');
const yup = require('quire/yup');
const { env } = require('quire/config');
const { host } = require('quire/host');
const { callerOf, idOf } = require('quire/factories');

const words = (text) => String(text).replace(/([a-z\d])([A-Z])/g, '$1 $2').normalize('NFD').replace(/[\u0300-\u036f]/g, '').split(/[^A-Za-z\d]+/).filter(Boolean);
const kebabCase = (text) => words(text).join('-').toLowerCase();

const strings = {
  nameToSlug: (name, { separator = '-' } = {}) => words(name).join(separator).toLowerCase(),
  nameToCollectionName: (name) => words(name).join('_').toLowerCase(),
  toKebabCase: kebabCase,
  isKebabCase: (text) => /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(text),
  getCommonBeginning: (...texts) => texts.reduce((a, b) => { let n = 0; while (n < a.length && a[n] === b[n]) n++; return a.slice(0, n); }),
  startsWithANumber: (text) => /^\d/.test(text),
};

const async = {
  pipe: (...functions) => async (...args) => {
    let value = await functions[0](...args);
    for (const f of functions.slice(1)) value = await f(value);
    return value;
  },
  map: (values, f) => Promise.all(values.map((value, i) => f(value, i))),
  reduce: (values) => async (f, start) => {
    let result = start;
    for (let i = 0; i < values.length; i++) result = await f(result, values[i], i);
    return result;
  },
};

const relations = {
  isOneToAny: (a) => ['oneToOne', 'oneToMany'].includes(a.relation),
  isManyToAny: (a) => ['manyToMany', 'manyToOne'].includes(a.relation),
  isAnyToOne: (a) => ['oneToOne', 'manyToOne', 'morphToOne', 'morphOne'].includes(a.relation),
  isAnyToMany: (a) => ['oneToMany', 'manyToMany', 'morphToMany', 'morphMany'].includes(a.relation),
  getRelationalFields: (type) => Object.keys(type.attributes).filter((name) => type.attributes[name].type === 'relation'),
};

const attributeNames = (type, ...kinds) => Object.keys(type.attributes).filter((name) => kinds.includes(type.attributes[name].type));
const contentTypes = {
  isSingleType: ({ kind = 'collectionType' }) => kind === 'singleType',
  isCollectionType: ({ kind = 'collectionType' }) => kind === 'collectionType',
  hasDraftAndPublish: (type) => Boolean(type.options && type.options.draftAndPublish),
  isDraft: (entry, type) => contentTypes.hasDraftAndPublish(type) && !entry.publishedAt,
  isPrivateAttribute: (type, name) => Boolean(type.attributes[name] && type.attributes[name].private),
  getPrivateAttributes: (type) => Object.keys(type.attributes).filter((name) => type.attributes[name].private),
  getVisibleAttributes: (type) => Object.keys(type.attributes).filter((name) => type.attributes[name].visible !== false),
  getWritableAttributes: (type) => Object.keys(type.attributes).filter((name) => !['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt'].includes(name)),
  getComponentAttributes: (type) => attributeNames(type, 'component'),
  getMediaAttributes: (type) => attributeNames(type, 'media'),
  isRelationalAttribute: (a) => a.type === 'relation',
  isMediaAttribute: (a) => a.type === 'media',
  isScalarAttribute: (a) => !['media', 'component', 'relation', 'dynamiczone'].includes(a.type),
  isComponentAttribute: (a) => ['component', 'dynamiczone'].includes(a.type),
  isDynamicZoneAttribute: (a) => a.type === 'dynamiczone',
  constants: { ID_ATTRIBUTE: 'id', DOC_ID_ATTRIBUTE: 'documentId', PUBLISHED_AT_ATTRIBUTE: 'publishedAt', CREATED_AT_ATTRIBUTE: 'createdAt', UPDATED_AT_ATTRIBUTE: 'updatedAt' },
};

/** contentAPI checks and filters what comes from clients and goes to them, with the caller's rights. */
const call = (name, part) => (value, type) => host(name, { uid: type.uid, [part]: value, documentId: idOf(), caller: callerOf() });
const contentAPI = {
  sanitize: { query: call('query.sanitize', 'query'), input: call('input.sanitize', 'data'), output: call('output.sanitize', 'data') },
  validate: { query: call('query.validate', 'query'), input: call('input.validate', 'data') },
};

/** parseMultipartData reads a request with files: JSON in the field data, files in fields such as files.cover. */
function parseMultipartData(ctx) {
  const { body = {}, files = {} } = ctx.request;
  if (!body.data) throw new errors.ValidationError('When using multipart/form-data you need to provide your data in a JSON "data" field');
  let data;
  try {
    data = typeof body.data === 'string' ? JSON.parse(body.data) : body.data;
  } catch {
    throw new errors.ValidationError('Invalid "data" field. "data" should be a valid JSON');
  }
  return { data, files: Object.fromEntries(Object.entries(files).map(([name, file]) => [name.replace(/^files\.?/, ''), file])) };
}

const pagination = {
  withDefaultPagination: ({ page, pageSize, start, limit }, { defaults = {}, maxLimit = -1 } = {}) => {
    const usual = { limit: 10, pageSize: 10, ...defaults.offset, ...defaults.page };
    const most = (n) => (maxLimit > 0 && (n === -1 || n > maxLimit) ? maxLimit : n);
    if (start !== undefined || limit !== undefined) return { start: Number(start || 0), limit: most(Number(limit === undefined ? usual.limit : limit)) };
    const size = most(Number(pageSize || usual.pageSize));
    return { start: (Number(page || 1) - 1) * size, limit: size };
  },
  transformPagedPaginationInfo: ({ start = 0, limit }, total) => ({ page: Math.floor(start / limit) + 1, pageSize: limit, pageCount: limit > 0 ? Math.ceil(total / limit) : 0, total }),
  transformOffsetPaginationInfo: ({ start = 0, limit }, total) => ({ start, limit, total }),
};

/** handleYupError throws an error of a schema, of this yup or the package, as one with its paths. */
function handleYupError(error, message) {
  throw yup.ValidationError.isError(error) ? new errors.YupValidationError(error, message) : error;
}
const ofSchemas = { strict: true, abortEarly: false };
const validateYupSchema = (schema, options = {}) => (value, message) => schema.validate(value, { ...ofSchemas, ...options }).catch((error) => handleYupError(error, message));
const validateYupSchemaSync = (schema, options = {}) => (value, message) => {
  try {
    return schema.validateSync(value, { ...ofSchemas, ...options });
  } catch (error) {
    return handleYupError(error, message);
  }
};

const policy = { createPolicy: ({ name = 'unnamed', validator, handler }) => ({ name, handler, validator: (config) => validator && validator(config) }) };

const absent = (name) => new Proxy({}, { get(_, key) { if (typeof key === 'symbol' || key === 'then' || key === '__esModule') return undefined; throw new Error(`@strapi/utils: ${name}.${String(key)} is not there`); } });

module.exports = {
  errors, env, strings, async, relations, contentTypes, parseMultipartData, pagination, policy, contentAPI, HttpError,
  sanitize: { contentAPI: contentAPI.sanitize, createAPISanitizers: () => contentAPI.sanitize },
  validate: { contentAPI: contentAPI.validate, createAPIValidators: () => contentAPI.validate },
  importDefault: (module) => module,
  setCreatorFields: ({ user, isEdition }) => (data) => (isEdition ? { ...data, updatedBy: user.id } : { ...data, createdBy: user.id, updatedBy: user.id }),
  getConfigUrls: () => absent('getConfigUrls'),
  yup, validateYupSchema, validateYupSchemaSync, handleYupError, zod: absent('zod (use the package zod)'),
  hooks: absent('hooks'), providerFactory: () => absent('providerFactory'), traverse: absent('traverse'), traverseEntity: () => { throw new Error('@strapi/utils: traverseEntity is not there'); },
};
