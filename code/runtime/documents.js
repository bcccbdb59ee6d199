'use strict';
// The Document Service: operations, the middlewares around them, and one transaction around both.

const { host, transaction, clone } = require('quire/host');
const { hookedOperations } = require('quire/hooked');

const writes = ['create', 'update', 'delete', 'publish', 'unpublish', 'discardDraft', 'clone'];
const reads = ['findMany', 'findFirst', 'findOne', 'count'];
const ofDrafts = ['publish', 'unpublish', 'discardDraft'];

/** hasDrafts reports whether a type has drafts and published versions. */
const hasDrafts = (type) => Boolean(type.options && type.options.draftAndPublish);

/**
 * createDocuments makes strapi.documents.
 * @param {{ contentType: (uid: string) => object, lifecycles: object, events: object, rows: (uid: string) => object, defaultLocale: () => string }} site
 */
function createDocuments(site) {
  const middlewares = [];
  const services = new Map();

  /** through passes an operation through the middlewares, the first one outermost. */
  const through = (context, operation) => {
    const step = (at) => (at === middlewares.length ? operation(context.params) : middlewares[at](context, () => step(at + 1)));
    return step(0);
  };

  function serviceOf(uid) {
    const contentType = site.contentType(uid);
    if (!contentType || contentType.modelType === 'component') throw new Error(`There is no content type ${uid}`);
    const operations = hookedOperations(contentType, site);
    const isHooked = (action) => middlewares.length > 0 || action === 'clone' || operations.isHooked(action); // clone writes each locale by itself
    const service = {};
    for (const action of [...reads, ...writes]) {
      if (ofDrafts.includes(action) && !hasDrafts(contentType)) continue;
      const run = (params) => through({ contentType, uid, action, params }, operations[action]);
      service[action] = async (params = {}) => {
        const given = params || {};
        if (writes.includes(action) && isHooked(action)) return transaction(() => run(clone(given)));
        return middlewares.length > 0 ? run(clone(given)) : operations[action](given);
      };
    }
    return service;
  }

  const documents = (uid) => {
    if (!services.has(uid)) services.set(uid, serviceOf(uid));
    return services.get(uid);
  };
  documents.use = (middleware) => {
    if (typeof middleware !== 'function') throw new Error('A middleware of documents must be a function');
    middlewares.push(middleware);
    return documents;
  };

  /** handles reports whether a write of a type must pass through here. */
  documents.handles = (uid) => middlewares.length > 0 || site.lifecycles.has(uid, 'Create', 'Update', 'Delete') || (site.events.hearsEntries() && uid.startsWith('api::'));

  /** isWrapped reports whether there are middlewares. */
  documents.isWrapped = () => middlewares.length > 0;

  /** isPlain reports whether reads of a type are as if there were no code. */
  documents.isPlain = (uid) => middlewares.length === 0 && !site.lifecycles.has(uid, 'FindOne', 'FindMany', 'Count');
  return documents;
}

/** createEntityService makes strapi.entityService, which names documents by the id of an entry. */
function createEntityService({ documents, rows, contentType }) {
  const status = (type, published) => (hasDrafts(type) ? { status: published ? 'published' : 'draft' } : {});
  return {
    findMany: (uid, params) => (contentType(uid).kind === 'singleType' ? documents(uid).findFirst(params) : documents(uid).findMany(params)),
    count: (uid, params) => documents(uid).count(params),
    async findPage(uid, { page = 1, pageSize = 10, ...params } = {}) {
      const [at, size] = [Number(page), Number(pageSize)];
      const [results, total] = await Promise.all([documents(uid).findMany({ ...params, start: (at - 1) * size, limit: size }), documents(uid).count(params)]);
      return { results, pagination: { page: at, pageSize: size, pageCount: Math.ceil(total / size), total } };
    },
    async findOne(uid, id, params) {
      const row = await rows(uid).findOne({ where: { id } });
      if (!row) return null;
      return documents(uid).findOne({ ...status(contentType(uid), row.publishedAt), locale: row.locale || undefined, ...params, documentId: row.documentId });
    },
    async create(uid, params = {}) {
      if (!params.data) throw new Error('cannot create');
      return documents(uid).create({ ...params, ...status(contentType(uid), params.data.publishedAt) });
    },
    async update(uid, id, params) {
      const row = await rows(uid).findOne({ where: { id } });
      if (!row) return null;
      return documents(uid).update({ locale: row.locale || undefined, ...params, documentId: row.documentId, ...status(contentType(uid), row.publishedAt) });
    },
    async delete(uid, id, params) {
      const row = await rows(uid).findOne({ where: { id } });
      if (row) await documents(uid).delete({ locale: row.locale || undefined, ...params, documentId: row.documentId });
      return row;
    },
    load: (uid, entry, field, params) => rows(uid).load(entry, field, params),
  };
}

module.exports = { createDocuments, createEntityService, hasDrafts };
