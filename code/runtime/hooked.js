'use strict';
// Document operations with the lifecycles of each entry that they write, in Strapi's order:
// publishing deletes the published entry and creates it again, from the draft.

const { host, clone, isChecked } = require('quire/host');
const { timestamps } = require('quire/rows');

const reads = ['findMany', 'findFirst', 'findOne', 'count'];
const systemKeys = ['id', 'documentId', 'createdAt', 'updatedAt', 'publishedAt', 'locale', 'localizations'];

/** only is an object with those members whose keys a function accepts. */
function only(object, accepts) {
  const out = {};
  for (const key of Object.keys(object)) if (accepts(key)) out[key] = object[key];
  return out;
}

/** hookedOperations are the operations on the documents of a type. */
function hookedOperations(type, { lifecycles, events, rows, defaultLocale }) {
  const { uid } = type;
  const drafts = Boolean(type.options && type.options.draftAndPublish);
  const localized = Boolean(type.pluginOptions && type.pluginOptions.i18n && type.pluginOptions.i18n.localized);
  const parts = Object.keys(type.attributes).filter((name) => ['component', 'dynamiczone', 'relation', 'media'].includes(type.attributes[name].type));
  const everything = Object.fromEntries(parts.map((name) => [name, true]));

  const call = (action, params) => host(`documents.${action}`, { uid, ...params });
  const selection = ({ fields, populate }) => ({ ...(fields !== undefined && { select: fields }), ...(populate !== undefined && { populate }) });

  /** ofLocale is the part of a where that names the locales of an operation. */
  function ofLocale({ locale }) {
    if (!localized || locale === '*') return {};
    const one = locale === undefined || locale === null ? defaultLocale() : locale;
    return { locale: Array.isArray(one) ? { $in: one } : one };
  }

  const entriesOf = (params, published) =>
    host('rows.findMany', {
      uid,
      where: { documentId: params.documentId, ...ofLocale(params), ...(published !== undefined && { publishedAt: published ? { $notNull: true } : null }) },
      populate: everything,
      orderBy: { id: 'asc' },
    });

  const validate = (params, status, data) => isChecked() || host('documents.validate', { uid, documentId: params.documentId, locale: params.locale, status, data });

  /** withoutParts is what a row has without anything populated. */
  const withoutParts = (entry) => only(entry, (key) => !parts.includes(key));

  /** withoutSystem is what of an entry's data its author may write. */
  const withoutSystem = (data) => only(data, (key) => !systemKeys.includes(key));

  /** changesOf is what differs between two states of data, by key. */
  function changesOf(before, after) {
    return only(after, (key) => key !== 'id' && key !== 'documentId' && before[key] !== after[key] && JSON.stringify(before[key]) !== JSON.stringify(after[key]));
  }

  /** patched stores what a hook has changed in an entry that the host has made. */
  const patched = (entry, changes) => (Object.keys(changes).length === 0 ? entry : patch(entry, changes));
  async function patch(entry, changes) {
    const row = await host('rows.update', { uid, id: entry.id, data: changes });
    for (const key of Object.keys(changes)) if (key in entry && !parts.includes(key)) entry[key] = row[key];
    return entry;
  }

  /** deleting runs the lifecycles of entries that an operation deletes. */
  async function deleting(entries, operation, event) {
    const hooks = entries.map((entry) => ({ entry, params: { where: { id: entry.id } } }));
    for (const e of hooks) e.states = await lifecycles.run('beforeDelete', uid, { params: e.params });
    const result = await operation();
    for (const e of hooks) await lifecycles.run('afterDelete', uid, { params: e.params, result: e.entry }, e.states);
    if (event) for (const { entry } of hooks) await events.emit(event, uid, withoutParts(entry));
    return result;
  }

  /** recreating runs the lifecycles of entries that an operation makes from others, and stores what they changed. */
  async function recreating(sources, publishedAt, params, operation, event) {
    const hooks = [];
    for (const source of sources) {
      const { id, ...data } = clone({ ...source, publishedAt });
      const before = clone(data);
      const hook = { params: { ...selection(params), data } };
      hook.states = await lifecycles.run('beforeCreate', uid, hook);
      hooks.push({ ...hook, before, locale: source.locale });
    }
    const result = await operation();
    for (const { params: given, before, locale, states } of hooks) {
      const entry = result.entries.find((e) => !localized || e.locale === locale) || result.entries[0];
      if (!entry) continue;
      await patched(entry, changesOf(before, given.data));
      await lifecycles.run('afterCreate', uid, { params: given, result: entry }, states);
      await events.emit(event, uid, entry);
    }
    return result;
  }

  /** creating makes one entry of the data given, a draft if the type has drafts. */
  async function creating(params, operation) {
    await validate(params, 'draft', params.data);
    const data = { ...params.data };
    if (data.publishedAt === undefined || drafts) data.publishedAt = drafts ? null : new Date();
    if (localized) data.locale = params.locale || defaultLocale();
    timestamps(data, true);
    const before = clone(data);
    const given = { ...selection(params), data };
    const states = await lifecycles.run('beforeCreate', uid, { params: given });
    const changed = changesOf(before, given.data);
    const entry = await operation({ ...params, status: drafts ? 'draft' : undefined, data: withoutSystem(given.data) });
    await patched(entry, only(changed, (key) => systemKeys.includes(key)));
    await lifecycles.run('afterCreate', uid, { params: given, result: entry }, states);
    await events.emit('entry.create', uid, entry);
    return entry;
  }

  async function updating(params, draft) {
    await validate(params, 'draft', params.data);
    const data = { ...params.data };
    if (drafts) data.publishedAt = null;
    timestamps(data, false);
    const before = clone(data);
    const given = { ...selection(params), where: { id: draft.id }, data };
    const states = await lifecycles.run('beforeUpdate', uid, { params: given });
    const changed = changesOf(before, given.data);
    const entry = await call('update', { ...params, status: drafts ? 'draft' : undefined, data: withoutSystem(given.data) });
    await patched(entry, only(changed, (key) => systemKeys.includes(key)));
    await lifecycles.run('afterUpdate', uid, { params: given, result: entry }, states);
    await events.emit('entry.update', uid, entry);
    return entry;
  }

  const published = async (params, documentId) => (await operations.publish({ ...params, data: undefined, status: undefined, documentId })).entries[0];
  const publishes = (params) => drafts && params.status === 'published';

  const operations = {
    create(params) {
      if (!params.data) throw new Error('Create requires data attribute');
      if (!operations.isHooked('create')) return call('create', params);
      const entry = creating(params, (p) => call('create', p));
      return publishes(params) ? entry.then(({ documentId }) => published(params, documentId)) : entry;
    },

    async update(params) {
      if (!operations.isHooked('update')) return call('update', params);
      const where = { documentId: params.documentId, ...ofLocale(params), ...(drafts && { publishedAt: null }) };
      const [draft] = type.kind === 'singleType' && !params.documentId ? [await call('findFirst', { locale: params.locale })] : await host('rows.findMany', { uid, where, limit: 1 });
      const documentId = draft ? draft.documentId : params.documentId;
      const given = { ...params, documentId };
      let entry;
      if (draft) entry = await updating(given, draft);
      else if (!documentId || (await host('rows.count', { uid, where: { documentId } })) > 0) entry = await creating(given, (p) => call('update', p));
      if (!entry) return null;
      return publishes(params) ? published(params, entry.documentId) : entry;
    },

    async delete(params) {
      if (!operations.isHooked('delete')) return call('delete', params);
      const entries = await entriesOf(params);
      return deleting(entries, () => call('delete', params), 'entry.delete');
    },

    async publish(params) {
      if (!operations.isHooked('publish')) return call('publish', params);
      await validate(params, 'published');
      await deleting(await entriesOf(params, true), () => {});
      return recreating(await entriesOf(params, false), new Date(), params, () => call('publish', params), 'entry.publish');
    },

    async unpublish(params) {
      if (!operations.isHooked('unpublish')) return call('unpublish', params);
      return deleting(await entriesOf(params, true), () => call('unpublish', params), 'entry.unpublish');
    },

    async discardDraft(params) {
      if (!operations.isHooked('discardDraft')) return call('discardDraft', params);
      const sources = await entriesOf(params, true);
      await deleting(await entriesOf(params, false), () => {});
      return recreating(sources, null, params, () => call('discardDraft', params), 'entry.draft-discard');
    },

    /** clone makes a document of the drafts of another one. */
    async clone({ documentId, data, ...params }) {
      const entries = [];
      for (const source of await entriesOf({ locale: '*', ...params, documentId }, drafts ? false : undefined)) {
        const copy = { ...params, locale: source.locale || undefined, data: { ...withoutSystem(withoutIds(source)), ...data } };
        const first = entries[0];
        entries.push(first ? await operations.update({ ...copy, documentId: first.documentId }) : await operations.create(copy));
      }
      return { documentId: entries.length > 0 ? entries[0].documentId : undefined, entries };
    },
  };

  /** withoutIds is an entry as data: its components without their ids, its relations by documentId. */
  function withoutIds(entry) {
    const strip = (value) => {
      if (Array.isArray(value)) return value.map(strip);
      if (value === null || typeof value !== 'object') return value;
      if (value.documentId !== undefined) return value.documentId;
      const { id, ...rest } = value;
      return Object.fromEntries(Object.entries(rest).map(([key, inner]) => [key, strip(inner)]));
    };
    const data = { ...entry };
    for (const name of parts) if (name in data) data[name] = type.attributes[name].type === 'media' ? idsOf(data[name]) : strip(data[name]);
    return data;
  }

  const needed = {
    create: ['Create', 'Delete'], update: ['Create', 'Update', 'Delete'], delete: ['Delete'], publish: ['Create', 'Delete'],
    unpublish: ['Delete'], discardDraft: ['Create', 'Delete'], clone: ['Create', 'Update'],
    findMany: ['FindMany'], findFirst: ['FindOne'], findOne: ['FindOne'], count: ['Count'],
  };

  /** isHooked reports whether an operation has lifecycles to run, or somebody hears of it. */
  operations.isHooked = (action) => lifecycles.has(uid, ...needed[action]) || (!reads.includes(action) && events.hearsEntries());

  for (const [action, name] of [['findMany', 'FindMany'], ['findFirst', 'FindOne'], ['findOne', 'FindOne'], ['count', 'Count']]) {
    operations[action] = (params) => (operations.isHooked(action) ? reading(name, params, (p) => call(action, p)) : call(action, params));
  }

  /** reading runs the lifecycles of a read, whose params have the names of rows. */
  async function reading(name, { filters, fields, sort, start, ...rest }, operation) {
    const given = { where: filters, select: fields, orderBy: sort, offset: start, ...rest };
    const states = await lifecycles.run(`before${name}`, uid, { params: given });
    const { where, select, orderBy, offset, ...others } = given;
    const result = await operation({ filters: where, fields: select, sort: orderBy, start: offset, ...others });
    await lifecycles.run(`after${name}`, uid, { params: given, result }, states);
    return result;
  }

  return operations;
}

const idsOf = (value) => (Array.isArray(value) ? value.map((file) => file.id) : value && value.id);

module.exports = { hookedOperations };
