'use strict';
// Lifecycles: functions that run before and after an entry is read or written.

/**
 * createLifecycles keeps who listens: the lifecycles.js of each type first, then subscribers
 * in order.
 * @param {(uid: string) => object} modelOf
 */
function createLifecycles(modelOf) {
  const models = {};
  const subscribers = [];
  let known = new Map(); // listeners by action and type, and whether there are any, until there are new ones

  /** listeners are the functions for an action on a type, each with the key of its state. */
  function listeners(action, uid) {
    const name = `${action} ${uid}`;
    if (!known.has(name)) known.set(name, find(action, uid));
    return known.get(name);
  }

  function find(action, uid) {
    const list = [];
    if (models[uid] && typeof models[uid][action] === 'function') list.push({ key: models, run: (event) => models[uid][action](event) });
    for (const s of subscribers) {
      if (typeof s === 'function') list.push({ key: s, run: s });
      else if (typeof s[action] === 'function' && (!s.models || s.models.includes(uid))) list.push({ key: s, run: (event) => s[action](event) });
    }
    return list;
  }

  async function each(list, about, states) {
    for (const { key, run } of list) {
      const event = { ...about, state: states.get(key) || {} };
      const waits = run(event);
      if (waits) await waits;
      if (event.state) states.set(key, event.state);
    }
    return states;
  }

  function change(how) {
    how();
    known = new Map();
  }

  return {
    subscribe(subscriber) {
      if (typeof subscriber !== 'function' && (subscriber === null || typeof subscriber !== 'object')) throw new Error('A subscriber must be a function or an object');
      change(() => subscribers.push(subscriber));
      return () => change(() => subscribers.splice(subscribers.indexOf(subscriber), 1));
    },
    clear: () => change(() => subscribers.splice(0)),
    define: (uid, functions) => change(() => (models[uid] = functions)),

    /** has reports whether any of these actions has a listener: ['Create', 'Update']. */
    has(uid, ...actions) {
      const name = `${uid} ${actions}`;
      if (!known.has(name)) known.set(name, actions.some((a) => listeners(`before${a}`, uid).length > 0 || listeners(`after${a}`, uid).length > 0));
      return known.get(name);
    },

    /** run calls the listeners one after another. What they put into event.state is there again after the operation. */
    run(action, uid, properties, states = new Map()) {
      const list = listeners(action, uid);
      return list.length === 0 ? states : each(list, { action, model: modelOf(uid), ...properties }, states);
    },
  };
}

module.exports = { createLifecycles };
