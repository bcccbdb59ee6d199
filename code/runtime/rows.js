'use strict';
// strapi.db: rows, which are entries with numeric ids, drafts and published versions alike.

const { transaction, clone, isPlain } = require('quire/host');
const { onRows } = require('quire/tables');

const isEmpty = (value) => value === null || value === undefined || (typeof value === 'object' && Object.keys(value).length === 0);

/** timestamps gives data the moments that every entry has, unless it brings its own. */
function timestamps(data, creates) {
  const now = new Date();
  if (data.updatedAt === undefined) data.updatedAt = now;
  if (creates && data.createdAt === undefined) data.createdAt = now;
}

const permission = 'plugin::users-permissions.permission';

// What a user's row has as its password stands for it. As in Strapi, code may check a password
// against it; unlike there, it is no hash, and no response shows it.
const mark = 'password of user ';
const passwordOf = (given) => (String(given).startsWith(mark) ? Number(String(given).slice(mark.length)) : undefined);

/** readRows reads rows; those of users have a password to check others against. */
async function readRows(params) {
  const found = await withPermissions(params);
  limitParts(found, params.populate);
  if (params.uid === 'plugin::users-permissions.user') for (const user of found) Object.defineProperty(user, 'password', { value: mark + user.id, enumerable: false, writable: true, configurable: true });
  return found;
}

/** limitParts leaves of populated lists what limit and offset ask for. Of a count it leaves all, as Strapi does. */
function limitParts(rows, populate) {
  if (!isPlain(populate)) return;
  for (const [name, { limit, offset, count, populate: inner } = {}] of Object.entries(populate).filter(([, one]) => isPlain(one))) {
    for (const row of rows) {
      if (!Array.isArray(row[name])) continue;
      const from = Number(offset) || 0;
      if (count !== true && (limit !== undefined || from > 0)) row[name] = row[name].slice(from, limit >= 0 ? from + Number(limit) : undefined);
    }
    if (inner) limitParts(rows.flatMap((row) => row[name] ?? []), inner);
  }
}

/** withPermissions reads rows; permissions of roles, which have no schema, are added to their roles. */
async function withPermissions(params) {
  const { uid, populate } = params;
  const named = (list) => list.includes('permissions');
  const asks = uid === 'plugin::users-permissions.role' && (Array.isArray(populate) ? named(populate) : isPlain(populate) ? named(Object.keys(populate)) : ['*', 'permissions'].includes(populate));
  if (!asks) return onRows('rows.findMany', params);
  const { permissions, ...others } = isPlain(populate) ? populate : {};
  const found = await onRows('rows.findMany', { ...params, populate: Array.isArray(populate) ? populate.filter((name) => name !== 'permissions') : populate === 'permissions' ? undefined : populate === '*' ? '*' : others });
  for (const role of found) role.permissions = (await onRows('rows.findMany', { uid: permission, where: { role: role.id } })).map(({ role: of, ...row }) => row);
  return found;
}

/** rowsOf are the operations on the rows of one type, with its lifecycles. */
function rowsOf(uid, lifecycles) {
  const read = ({ where, select, populate, orderBy, limit, offset, filters, _q } = {}) => ({ uid, where: where === undefined ? filters : where, select, populate: populate === true ? '*' : populate, orderBy, limit, offset, _q });
  const first = async (params) => (await readRows({ ...read(params), offset: params.offset, limit: 1 }))[0] || null;
  const selection = (params) => params.select !== undefined || params.populate !== undefined;

  /** around runs an operation between its lifecycles, in one transaction if it writes. */
  async function around(name, params, operation, writes) {
    if (!lifecycles.has(uid, name)) return operation(params);
    const run = async (given) => {
      const states = await lifecycles.run(`before${name}`, uid, { params: given });
      const result = await operation(given);
      if (result !== null || !writes) await lifecycles.run(`after${name}`, uid, { params: given, result }, states);
      return result;
    };
    return writes ? transaction(() => run(clone(params))) : run(params);
  }

  const rows = {
    findOne: (params = {}) => around('FindOne', params, first, false),
    findMany: (params = {}) => around('FindMany', params || {}, (p) => readRows(read(p)), false),
    count: (params = {}) => around('Count', params || {}, (p) => onRows('rows.count', { uid, where: read(p).where, _q: p._q }), false),
    findWithCount: (params = {}) => Promise.all([rows.findMany(params), rows.count(params)]),

    async findPage({ page = 1, pageSize = 10, ...rest } = {}) {
      const size = Number(pageSize);
      const at = Number(page);
      const [results, total] = await rows.findWithCount({ ...rest, limit: size, offset: Math.max(at - 1, 0) * size });
      return { results, pagination: { page: at, pageSize: size, pageCount: Math.ceil(total / size), total } };
    },

    create: (params = {}) =>
      around('Create', params, async (p) => {
        if (!isPlain(p.data)) throw new Error('Create expects a data object');
        const row = await onRows('rows.create', { uid, data: p.data });
        return selection(p) ? first({ where: { id: row.id }, select: p.select, populate: p.populate }) : row;
      }, true),

    update: (params = {}) =>
      around('Update', params, async (p) => {
        if (!isPlain(p.data)) throw new Error('Update requires a data object');
        if (isEmpty(p.where)) throw new Error('Update requires a where parameter');
        const row = await first({ where: p.where, select: ['id'] });
        if (!row) return null;
        const changed = await onRows('rows.update', { uid, id: row.id, data: p.data });
        return selection(p) ? first({ where: { id: row.id }, select: p.select, populate: p.populate }) : changed;
      }, true),

    delete: (params = {}) =>
      around('Delete', params, async (p) => {
        if (isEmpty(p.where)) throw new Error('Delete requires a where parameter');
        const row = await first({ where: p.where, select: p.select && ['id'].concat(p.select), populate: p.populate });
        if (row) await onRows('rows.delete', { uid, id: row.id });
        return row;
      }, true),

    createMany: (params = {}) =>
      transaction(() => around('CreateMany', clone(params), async ({ data }) => {
        if (!Array.isArray(data)) throw new Error('CreateMany expects data to be an array');
        if (data.length === 0) throw new Error('Nothing to insert');
        const ids = [];
        for (const one of data) ids.push((await onRows('rows.create', { uid, data: one })).id);
        return { count: ids.length, ids };
      }, true)),

    updateMany: (params = {}) =>
      transaction(() => around('UpdateMany', clone(params), async ({ where, data }) => {
        if (isEmpty(data)) throw new Error('Update requires data');
        return each(where, (id) => onRows('rows.update', { uid, id, data }));
      }, true)),

    deleteMany: (params = {}) => transaction(() => around('DeleteMany', clone(params), (p) => each(read(p).where, (id) => onRows('rows.delete', { uid, id })), true)),

    load: async (entry, field, params) => {
      const row = await first({ where: { id: entry.id }, select: ['id'], populate: { [field]: isEmpty(params) ? true : params } });
      return row ? row[field] : null;
    },
    populate: async (entry, populate) => ({ ...entry, ...(await first({ where: { id: entry.id }, select: ['id'], populate })) }),
  };

  /** each runs a write for every row that matches, in the order of their ids. */
  async function each(where, write) {
    const list = await onRows('rows.findMany', { uid, where, select: ['id'], orderBy: { id: 'asc' } });
    for (const { id } of list) await write(id);
    return { count: list.length };
  }

  return rows;
}

module.exports = { rowsOf, timestamps, passwordOf };
