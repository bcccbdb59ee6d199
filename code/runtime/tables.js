'use strict';
// Rows of Strapi's own tables that have no content type here: accounts of the admin, locales,
// the stored settings. They are few, and are searched in memory.

const { host } = require('quire/host');

const denied = (what) => async () => { throw new Error(what); };
const locales = denied('locales are set in site.json, under i18n');
const accounts = denied('accounts of the admin are made in the admin, or with quire admin');

/** textOf is a stored value as Strapi's table has it. */
const textOf = (value) => (typeof value === 'string' ? value : JSON.stringify(value));
/** valueOf is the value of a text, if it is JSON. */
function valueOf(text) {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** tables are what reads and writes the rows, by uid. */
const tables = {
  'admin::user': { all: () => host('admin.users'), set: accounts, remove: accounts },
  'admin::role': { all: async () => [...new Map((await host('admin.users')).flatMap(({ roles }) => roles).map((role) => [role.id, role])).values()], set: accounts, remove: accounts },
  'plugin::i18n.locale': { all: async () => strapi.i18n.locales.map(({ code, name }, i) => ({ id: i + 1, documentId: code, code, name })), set: locales, remove: locales },
  'strapi::core-store': {
    all: async () => Object.entries(await host('store.list')).map(([key, value], i) => ({ id: i + 1, key, value: JSON.stringify(value), type: Array.isArray(value) ? 'array' : typeof value, environment: null, tag: null })),
    set: ({ key, value }) => host('store.set', { key, value: valueOf(textOf(value)) }),
    remove: ({ key }) => host('store.delete', { key }),
  },
};

const fold = (text) => String(text).toLowerCase();
const isNothing = (value) => value === null || value === undefined;
const list = (value) => (Array.isArray(value) ? value : [value]);

const operators = {
  $eq: (v, w) => (isNothing(w) ? isNothing(v) : !isNothing(v) && String(v) === String(w)), $ne: (v, w) => !operators.$eq(v, w),
  $eqi: (v, w) => fold(v) === fold(w), $nei: (v, w) => fold(v) !== fold(w),
  $in: (v, w) => list(w).some((one) => operators.$eq(v, one)), $notIn: (v, w) => !operators.$in(v, w),
  $lt: (v, w) => !isNothing(v) && v < w, $lte: (v, w) => !isNothing(v) && v <= w, $gt: (v, w) => !isNothing(v) && v > w, $gte: (v, w) => !isNothing(v) && v >= w,
  $between: (v, [from, to]) => !isNothing(v) && v >= from && v <= to,
  $contains: (v, w) => String(v ?? '').includes(w), $notContains: (v, w) => !operators.$contains(v, w),
  $containsi: (v, w) => fold(v ?? '').includes(fold(w)), $notContainsi: (v, w) => !operators.$containsi(v, w),
  $startsWith: (v, w) => String(v ?? '').startsWith(w), $startsWithi: (v, w) => fold(v ?? '').startsWith(fold(w)),
  $endsWith: (v, w) => String(v ?? '').endsWith(w), $endsWithi: (v, w) => fold(v ?? '').endsWith(fold(w)),
  $null: (v, w) => isNothing(v) === (w !== false), $notNull: (v, w) => isNothing(v) === (w === false),
  $not: (v, w) => !meets(v, w), $and: (v, w) => list(w).every((one) => meets(v, one)), $or: (v, w) => list(w).some((one) => meets(v, one)),
};

/** meets reports whether a value, a row or one of a list of rows meets a condition. */
function meets(value, condition) {
  if (Array.isArray(value)) return value.some((one) => meets(one, condition));
  if (Array.isArray(condition)) return condition.every((one) => meets(value, one));
  if (condition === null || typeof condition !== 'object' || condition instanceof Date) return operators.$eq(value !== null && typeof value === 'object' ? value.id : value, condition);
  return Object.entries(condition).every(([key, inner]) => {
    if (!key.startsWith('$')) return !isNothing(value) && meets(value[key], inner);
    if (!Object.hasOwn(operators, key)) throw new Error(`${key} is no operator`);
    return operators[key](value, inner);
  });
}

/** ordered sorts rows by { name: 'asc' }, 'name:desc' or a list of these. */
function ordered(rows, order) {
  const keys = list(order ?? []).flatMap((one) => (typeof one === 'string' ? one.split(',').map((part) => part.trim().split(':')) : Object.entries(one)));
  const compare = (a, b) => (a === b ? 0 : isNothing(a) || a > b ? 1 : -1);
  return rows.sort((a, b) => keys.reduce((found, [name, how]) => found || compare(a[name], b[name]) * (fold(how) === 'desc' ? -1 : 1), 0));
}

/** findIn are the rows of a table that a query finds. Roles are shown if they are populated. */
async function findIn(uid, { where, orderBy, offset = 0, limit, select, populate }) {
  const found = ordered((await tables[uid].all()).filter((row) => meets(row, where ?? {})), orderBy);
  const page = found.slice(Number(offset) || 0, isNothing(limit) || limit < 0 ? undefined : (Number(offset) || 0) + Number(limit));
  const shown = isNothing(populate) ? [] : populate === '*' ? ['roles'] : typeof populate === 'object' && !Array.isArray(populate) ? Object.keys(populate) : list(populate);
  return page.map(({ roles, ...row }) => ({
    ...(isNothing(select) ? row : Object.fromEntries(['id', ...list(select)].filter((name) => name in row).map((name) => [name, row[name]]))),
    ...(roles && shown.includes('roles') && { roles }),
  }));
}

/** tableOperations answer calls of rows for the types that are tables. */
const tableOperations = {
  'rows.findMany': findIn,
  'rows.count': async (uid, params) => (await findIn(uid, params)).length,
  async 'rows.create'(uid, { data }) {
    await tables[uid].set(data);
    return (await findIn(uid, { where: { key: data.key } }))[0];
  },
  async 'rows.update'(uid, { id, data }) {
    const [row] = await findIn(uid, { where: { id } });
    if (row && data.key !== undefined && data.key !== row.key) await tables[uid].remove(row);
    await tables[uid].set({ ...row, ...data });
    return (await findIn(uid, { where: { key: data.key ?? row.key } }))[0];
  },
  async 'rows.delete'(uid, { id }) {
    const [row] = await findIn(uid, { where: { id } });
    if (row) await tables[uid].remove(row);
  },
};

const isTable = (uid) => Object.hasOwn(tables, uid);

/** onRows calls the host, or reads and writes a table. */
const onRows = (name, params) => (isTable(params.uid) ? tableOperations[name](params.uid, params) : host(name, params));

module.exports = { onRows, isTable };
