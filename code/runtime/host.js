'use strict';
// Calls of the host, and what follows a call through awaits: the request, and the transaction,
// whose id is the text of the engine's async context, so that the host sees it.

const { AsyncLocalStorage } = require('async_hooks');
const { HttpError, fromHost } = require('quire/errors');

const storage = new AsyncLocalStorage();

/** current is { request, hooks, checked }, each undefined if there is none. */
const current = () => storage.getStore() || {};

/** requestNow is the context of the request that began what runs; undefined for none. One that only writes know is made when it is first asked for. */
function requestNow() {
  const { request } = current();
  return typeof request === 'function' ? request() : request;
}

/** isChecked reports once whether the program has validated the data of the write that began what runs. */
function isChecked() {
  const { checked } = current();
  return Boolean(checked) && checked.splice(0).length > 0;
}

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
const transaction = (run) => (isInTransaction() ? run(current().hooks || hooksOfOthers(__context.get())) : ownTransaction(run));

async function ownTransaction(run) {
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

// What is called after transactions that others have begun, by their id; known is when the host
// knows that it has to report the end.
const watched = new Map();

/** hooksOfOthers are the functions that code gets in a transaction that others have begun. */
function hooksOfOthers(id) {
  const add = (committed) => (f) => {
    if (!watched.has(id)) watched.set(id, { functions: [], known: host('transaction.watch') });
    watched.get(id).functions.push({ committed, f });
  };
  const refuse = () => { throw new Error('This transaction is that of the write around it, and ends with it; throw an error to roll it back'); };
  return { onCommit: add(true), onRollback: add(false), commit: refuse, rollback: refuse };
}

/** endIsKnown waits until the host knows whether it has to report the end of a transaction. */
const endIsKnown = (id) => watched.get(id)?.known;

/** ended calls what waits for the end of a transaction. */
async function ended(id, committed) {
  const { functions = [] } = watched.get(id) || {};
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

module.exports = { host, hostNow, requestNow, isChecked, within, transaction, isInTransaction, ended, endIsKnown, limits, clone, isPlain };
