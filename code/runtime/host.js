'use strict';
// Calls of the host, and what follows a call through awaits: the request, and the transaction,
// whose id is the text of the engine's async context, so that the host sees it.

const { AsyncLocalStorage } = require('async_hooks');
const { HttpError, fromHost } = require('quire/errors');

const storage = new AsyncLocalStorage();

/** current is { request, hooks }, each undefined if there is none. */
const current = () => storage.getStore() || {};

/** isInTransaction reports whether the code runs in a transaction. */
const isInTransaction = () => __context.get() !== '';

/** within runs a function with some of that changed. */
const within = (changes, run) => storage.run({ ...current(), ...changes }, run);

/** host calls the host by name and waits for its answer. */
const host = (name, value = {}) => __host(name, value, fromHost);

/** hostNow calls the host by name and waits for its answer. */
function hostNow(name, value = {}) {
  try {
    return __hostNow(name, value);
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
const patience = 25; // milliseconds for which the host lets a transaction have its turn
const limits = { write: 5000 }; // milliseconds

/**
 * transaction runs a function in a transaction: the one around it, or a new one, which is
 * committed at the end. If something that the function read has changed meanwhile, it runs
 * again. All runs together have the time that limits allow.
 * @param {(hooks: {onCommit: Function, onRollback: Function, rollback: Function}) => any} run
 */
async function transaction(run) {
  if (isInTransaction()) return run(current().hooks || await hooksWithin(__context.get()));
  const until = Date.now() + limits.write;
  let slow = false; // one that waits for long does not wait for its turn again, which it would lose
  for (let runs = 1; ; runs++) {
    const { id } = await host('transaction.begin', { slow });
    const hooks = hooksOf(id);
    const began = Date.now();
    try {
      const result = await inTime(until, () => within({ hooks }, () => __context.run(id, () => run(hooks))));
      await hooks.commit();
      return result;
    } catch (error) {
      await hooks.rollback().catch(() => {});
      if (!error || error.name !== 'OvertakenError') throw error;
      slow = slow || Date.now() - began >= patience;
      if (runs === mostRuns || Date.now() > until) throw unavailable('What this write depends on kept changing; send it again');
    }
  }
}

/** hooksOf are the functions that the code of a transaction gets. */
function hooksOf(id) {
  const committed = [];
  const undone = [];
  let open = true;
  const end = async (how, functions) => {
    if (!open) return;
    open = false;
    await host(`transaction.${how}`, { id });
    for (const f of functions) await f();
  };
  return { onCommit: (f) => committed.push(f), onRollback: (f) => undone.push(f), commit: () => end('commit', committed), rollback: () => end('rollback', undone) };
}

const watched = new Map(); // what is called after transactions that others have begun, by their id

/** hooksWithin are the functions that code gets in a transaction that others have begun. */
async function hooksWithin(id) {
  if (!watched.has(id)) {
    await host('transaction.watch');
    watched.set(id, watched.get(id) || []);
  }
  const add = (committed) => (f) => watched.get(id)?.push({ committed, f });
  const refuse = () => { throw new Error('This transaction is that of the write around it, and ends with it; throw an error to roll it back'); };
  return { onCommit: add(true), onRollback: add(false), commit: refuse, rollback: refuse };
}

/** ended calls what waits for the end of a transaction. */
async function ended(id, committed) {
  const functions = watched.get(id) || [];
  watched.delete(id);
  for (const one of functions) if (one.committed === committed) await one.f();
}

/** inTime waits for a function until a moment. What it still does after that has no effect. */
function inTime(until, run) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(unavailable('The code of the site took too long for this write')), Math.max(until - Date.now(), 1));
    Promise.resolve(run()).then(resolve, reject).then(() => clearTimeout(timer));
  });
}

const unavailable = (message) => new HttpError(503, message, { expose: true });

module.exports = { host, hostNow, current, within, transaction, isInTransaction, ended, limits, clone, isPlain };
