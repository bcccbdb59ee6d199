'use strict';
// The settings of a project: config/*, env and paths such as 'server.app.keys'.

const has = (key) => Object.hasOwn(process.env, key) || process.env[key] !== undefined;
const text = (key) => (process.env[key] === undefined ? '' : process.env[key]);

/** env reads a variable of the environment; its members convert the text. */
const env = Object.assign((key, fallback) => (has(key) ? process.env[key] : fallback), {
  int: (key, fallback) => (has(key) ? parseInt(text(key), 10) : fallback),
  float: (key, fallback) => (has(key) ? parseFloat(text(key)) : fallback),
  bool: (key, fallback) => (has(key) ? text(key) === 'true' : fallback),
  date: (key, fallback) => (has(key) ? new Date(text(key)) : fallback),
  array(key, fallback) {
    if (!has(key)) return fallback;
    const list = text(key).replace(/^\[([^]*)\]$/, '$1');
    return list.split(',').map((item) => item.trim().replace(/^"+|"+$/g, ''));
  },
  json(key, fallback) {
    if (!has(key)) return fallback;
    try {
      return JSON.parse(text(key));
    } catch (error) {
      throw new Error(`The variable ${key} is not JSON: ${error.message}`);
    }
  },
  oneOf(key, expected, fallback) {
    if (!expected) throw new Error('env.oneOf requires expectedValues');
    if (fallback && !expected.includes(fallback)) throw new Error('env.oneOf requires defaultValue to be included in expectedValues');
    const value = env(key, fallback);
    return expected.includes(value) ? value : fallback;
  },
});

/** path splits 'a.b[0].c' into its keys. */
const path = (name) => (Array.isArray(name) ? name : String(name).split(/[.[\]]+/).filter((key) => key !== ''));

function get(object, name, fallback) {
  let value = object;
  for (const key of path(name)) {
    if (value === null || value === undefined || !Object.hasOwn(Object(value), key)) return fallback;
    value = value[key];
  }
  return value === undefined ? fallback : value;
}

function set(object, name, value) {
  const keys = path(name);
  if (keys.some((key) => key === '__proto__' || key === 'constructor')) throw new Error(`There is no setting ${name}`);
  let at = object;
  for (const key of keys.slice(0, -1)) at = at[key] !== null && typeof at[key] === 'object' ? at[key] : (at[key] = {});
  at[keys[keys.length - 1]] = value;
  return object;
}

/** merge lays the settings of one environment over those of all. */
function merge(base, over) {
  if (base === null || over === null || typeof base !== 'object' || typeof over !== 'object' || Array.isArray(base) || Array.isArray(over)) return over;
  const merged = { ...base };
  for (const key of Object.keys(over)) merged[key] = key in base ? merge(base[key], over[key]) : over[key];
  return merged;
}

// 'plugin::upload.x' and 'plugin.upload.x' name the same setting.
const named = (name) => (typeof name === 'string' ? name.replace(/^plugin\./, 'plugin::') : name);

/** createConfig holds the settings; a plugin's are under 'plugin::name'. */
function createConfig(values) {
  const store = { ...values };
  const find = (name, fallback) => {
    const key = named(name);
    if (typeof key === 'string' && key.includes('::')) {
      const dot = key.indexOf('.');
      const inner = Object.hasOwn(store, dot < 0 ? key : key.slice(0, dot)) ? store[dot < 0 ? key : key.slice(0, dot)] : undefined;
      if (dot < 0) return inner === undefined ? fallback : inner;
      return get(inner, key.slice(dot + 1), fallback);
    }
    return get(store, key, fallback);
  };
  return Object.assign(store, {
    get: find,
    has: (name) => find(name) !== undefined,
    set(name, value) {
      const key = named(name);
      if (key.includes('::') && !key.includes('.')) store[key] = value;
      else if (key.includes('::')) set((store[key.split('.')[0]] ||= {}), key.slice(key.indexOf('.') + 1), value);
      else set(store, key, value);
      return this;
    },
  });
}

module.exports = { env, createConfig, merge, get, set };
