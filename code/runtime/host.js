'use strict';
// Calls of the host, and what follows a call through awaits: the request, and the transaction,
// whose id is the text of the engine's async context, so that the host sees it.

const { AsyncLocalStorage } = require('async_hooks');
const { fromHost } = require('quire/errors');

const storage = new AsyncLocalStorage();

/** current is { request, hooks }, each undefined if there is none. */
const current = () => storage.getStore() || {};

/** isInTransaction reports whether the code runs in a transaction. */
const isInTransaction = () => __context.get() !== '';

/** within runs a function with some of that changed. */
const within = (changes, run) => storage.run({ ...current(), ...changes }, run);

/** host calls the host by name and waits for its answer. */
async function host(name, value = {}) {
  try {
    return await __host(name, value);
  } catch (error) {
    throw fromHost(error);
  }
}

/** clone copies plain objects and lists; other values (dates, buffers) are shared. */
function clone(value) {
  if (Array.isArray(value)) return value.map(clone);
  if (!isPlain(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) if (key !== '__proto__') copy[key] = clone(value[key]);
  return copy;
}

function isPlain(value) {
  if (value === null || typeof value !== 'object') return false;
  const parent = Object.getPrototypeOf(value);
  return parent === null || parent === Object.prototype;
}

const mostRuns = 10;
const longestRuns = 5000;

/**
 * transaction runs a function in a transaction: the one around it, or a new one, which is
 * committed at the end. If something that the function read has changed meanwhile, it runs again.
 * @param {(hooks: {onCommit: Function, onRollback: Function, rollback: Function}) => any} run
 */
async function transaction(run) {
  if (isInTransaction()) return run(current().hooks);
  const until = Date.now() + longestRuns;
  for (let runs = 1; ; runs++) {
    const { id } = await host('transaction.begin');
    const hooks = { committed: [], undone: [], open: true };
    hooks.onCommit = (f) => hooks.committed.push(f);
    hooks.onRollback = (f) => hooks.undone.push(f);
    hooks.rollback = () => end(hooks, id, 'rollback');
    hooks.commit = () => end(hooks, id, 'commit');
    try {
      const result = await within({ hooks }, () => __context.run(id, () => run(hooks)));
      await end(hooks, id, 'commit');
      return result;
    } catch (error) {
      await end(hooks, id, 'rollback').catch(() => {});
      if (!error || error.name !== 'OvertakenError' || runs === mostRuns || Date.now() > until) throw error;
    }
  }
}

async function end(hooks, id, how) {
  if (!hooks.open) return;
  hooks.open = false;
  await host(`transaction.${how}`, { id });
  for (const f of how === 'commit' ? hooks.committed : hooks.undone) await f();
}

module.exports = { host, current, within, transaction, isInTransaction, clone, isPlain };
