'use strict';
// strapi.eventHub: events of the project, and Strapi's own, which tell of documents and files
// after they have been stored.

const { host, transaction } = require('quire/host');

const ofEntries = ['entry.create', 'entry.update', 'entry.delete', 'entry.publish', 'entry.unpublish', 'entry.draft-discard'];
const ofFiles = ['media.create', 'media.update', 'media.delete'];
const removals = ['entry.delete', 'entry.unpublish'];

/** createHub keeps who listens, by the name of the event; * stands for all. */
function createHub() {
  const listeners = new Map();
  const of = (name) => listeners.get(name) || listeners.set(name, []).get(name);
  const off = (name, f) => void listeners.set(name, of(name).filter((one) => (one.given || one) !== f));
  const hub = {
    on: (name, f) => (of(name).push(f), () => off(name, f)),
    off,
    once: (name, f) => hub.on(name, Object.assign((...args) => (off(name, f), f(...args)), { given: f })),
    async emit(name, ...args) {
      for (const f of [...of('*')]) await f(name, ...args);
      for (const f of [...of(name)]) await f(...args);
    },
    subscribe: (f) => hub.on('*', f),
    unsubscribe: (f) => off('*', f),
    removeListener: off,
    removeAllListeners: () => listeners.clear(),
    destroy: () => listeners.clear(),
  };
  hub.addListener = hub.on;
  return { hub, hears: (...names) => ['*', ...names].some((name) => of(name).length > 0) };
}

/**
 * createEvents makes the hub, and what emits Strapi's events to it.
 * @param {(uid: string) => object} modelOf
 */
function createEvents(modelOf) {
  const { hub, hears } = createHub();

  /** deep populates what an event shows of an entry: relations, files, and components as far as they go. */
  function deep(model) {
    const populate = {};
    for (const [name, { type, relation, component, components }] of Object.entries(model.attributes)) {
      if (type === 'media' || (type === 'relation' && !relation.startsWith('morph') && name !== 'localizations')) populate[name] = true;
      else if (type === 'component') populate[name] = { populate: deep(modelOf(component)) };
      else if (type === 'dynamiczone') populate[name] = { on: Object.fromEntries(components.map((uid) => [uid, { populate: deep(modelOf(uid)) }])) };
    }
    return populate;
  }

  /** shown is an entry without private attributes and passwords, also of what it links to. */
  function shown(value, model) {
    if (Array.isArray(value)) return value.map((one) => shown(one, model));
    const of = model || (value && modelOf(value.__component || value.__type));
    if (!value || !of) return value;
    const visible = Object.entries(value).filter(([name]) => !of.attributes[name] || (!of.attributes[name].private && of.attributes[name].type !== 'password'));
    return Object.fromEntries(visible.map(([name, inner]) => {
      const { type, target, component } = of.attributes[name] || {};
      if (type === 'media') return [name, shown(inner, modelOf('plugin::upload.file'))];
      return [name, ['relation', 'component', 'dynamiczone'].includes(type) ? shown(inner, modelOf(target || component)) : inner];
    }));
  }

  let former = Promise.resolve();

  /** tell emits an event after those before it. Nobody waits for the listeners; what they throw is logged. */
  function tell(name, payloadOf) {
    const failed = (error) => console.error(`A listener of ${name} has failed:`, error);
    former = former.then(payloadOf).then((payload) => void hub.emit(name, payload).catch(failed)).catch(failed);
    return former;
  }

  return {
    hub,
    hearsEntries: () => hears(...ofEntries),
    hearsFiles: () => hears(...ofFiles),
    tell,

    /** emit tells of an entry once the transaction around it has been committed. */
    emit(name, uid, entry) {
      if (!entry || !hears(name)) return undefined;
      const model = modelOf(uid);
      const payloadOf = async () => {
        const [row] = removals.includes(name) ? [] : await host('rows.findMany', { uid, where: { id: entry.id }, populate: deep(model) });
        return { model: model.modelName, uid, entry: shown(row || entry, model) };
      };
      return transaction(({ onCommit }) => void onCommit(() => void tell(name, payloadOf)));
    },
  };
}

module.exports = { createEvents };
