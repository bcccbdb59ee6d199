// How console.log and util.inspect write values, as in Node for the usual ones.
"use strict";

const width = 72;
const custom = Symbol.for("nodejs.util.inspect.custom");

function inspect(value, options) {
  const { depth = 2, compact = 3 } = typeof options === "object" && options ? options : {};
  try {
    return write(value, { depth: depth === null ? Infinity : depth, compact, seen: [], budget: 20000 }, 0);
  } catch (e) {
    return `[a value that cannot be shown: ${typeof e === "object" && e ? e.name : "thrown"}]`;
  }
}

function quote(text) {
  const mark = !text.includes("'") ? "'" : !text.includes('"') ? '"' : !text.includes("`") ? "`" : "'";
  const escaped = text.replace(/[\\\n\r\t\b\f\v\x00-\x1f]/g, (c) => JSON.stringify(c).slice(1, -1));
  return mark + (mark === "'" ? escaped.replaceAll("'", "\\'") : escaped) + mark;
}

function write(value, state, level) {
  if (--state.budget < 0) return "…";
  switch (typeof value) {
    case "string":
      return level === 0 && state.plain ? value : quote(value.length > 10000 ? value.slice(0, 10000) + "…" : value);
    case "number":
      return Object.is(value, -0) ? "-0" : String(value);
    case "bigint":
      return `${value}n`;
    case "function":
      return withFields(callable(value), value, state, level);
    case "object":
      return value === null ? "null" : object(value, state, level);
  }
  return String(value);
}

function callable(value) {
  const name = value.name || "(anonymous)";
  if (!/^class\b/.test(Function.prototype.toString.call(value))) return `[Function${value.name ? ":" : ""} ${name}]`;
  const parent = Object.getPrototypeOf(value);
  return `[class ${name}${typeof parent === "function" && parent.name ? ` extends ${parent.name}` : ""}]`;
}

function object(value, state, level) {
  if (state.seen.includes(value)) return "[Circular *1]";
  if (typeof value[custom] === "function" && value[custom] !== inspect) {
    const shown = value[custom](state.depth - level, {}, inspect);
    return typeof shown === "string" ? shown : write(shown, state, level);
  }
  if (value instanceof Error) return withFields(error(value), value, state, level, ["name", "message", "stack", "cause"]);
  if (value instanceof Date) return isNaN(value) ? "Invalid Date" : value.toISOString();
  if (value instanceof RegExp) return String(value);
  if (value instanceof Promise) return "Promise {}";
  if (value instanceof WeakMap || value instanceof WeakSet) return `${value.constructor.name} { <items unknown> }`;
  const name = kind(value);
  if (level > state.depth) return Array.isArray(value) ? "[Array]" : `[${name || "Object"}]`;
  state.seen.push(value);
  try {
    return parts(value, name, state, level);
  } finally {
    state.seen.pop();
  }
}

function kind(value) {
  const prototype = Object.getPrototypeOf(value);
  if (prototype === null) return "[Object: null prototype]";
  const maker = prototype.constructor;
  return typeof maker === "function" ? maker.name : "";
}

function error(value) {
  const stack = typeof value.stack === "string" ? value.stack.trimEnd() : "";
  const head = `${value.name}: ${value.message}`;
  const text = stack.startsWith(head) || stack === "" ? stack || `[${head}]` : `${head}\n${stack}`;
  return value.cause === undefined ? text : `${text}\n  [cause]: ${value.cause instanceof Error ? error(value.cause) : inspect(value.cause)}`;
}

function withFields(text, value, state, level, skip = []) {
  const keys = Object.keys(value).filter((key) => !skip.includes(key));
  if (keys.length === 0 || level > state.depth) return text;
  state.seen.push(value);
  const shown = `${text} ${braces(fields(value, keys, state, level), "{", "}", state, level)}`;
  state.seen.pop();
  return shown;
}

function fields(value, keys, state, level) {
  return keys.slice(0, 200).map((key) => {
    const about = Object.getOwnPropertyDescriptor(value, key);
    const label = typeof key === "symbol" ? `[${String(key)}]` : /^[A-Za-z_$][\w$]*$/.test(key) ? key : quote(key);
    if (about && about.get) return `${label}: [${about.set ? "Getter/Setter" : "Getter"}]`;
    return `${label}: ${write(value[key], state, level + 1)}`;
  });
}

const enumerable = (value) => Reflect.ownKeys(value).filter((key) => Object.prototype.propertyIsEnumerable.call(value, key));

function parts(value, name, state, level) {
  if (Array.isArray(value) || ArrayBuffer.isView(value)) return list(value, name, state, level);
  if (value instanceof Map) {
    const shown = [...value].slice(0, 100).map(([k, v]) => `${write(k, state, level + 1)} => ${write(v, state, level + 1)}`);
    return braces(shown, `${name}(${value.size}) {`, "}", state, level);
  }
  if (value instanceof Set) return braces([...value].slice(0, 100).map((v) => write(v, state, level + 1)), `${name}(${value.size}) {`, "}", state, level);
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return `[${name}: ${write(value.valueOf(), state, level + 1)}]`;
  const tag = value[Symbol.toStringTag];
  const label = typeof tag === "string" && tag !== "" && tag !== name ? `${name} [${tag}]` : name;
  return braces(fields(value, enumerable(value), state, level), label && label !== "Object" ? `${label} {` : "{", "}", state, level);
}

function list(value, name, state, level) {
  const shown = [];
  let filled; // the indexes that an array with holes has
  for (let i = 0; i < value.length && shown.length < 100; i++) {
    if (i in value) {
      shown.push(write(value[i], state, level + 1));
      continue;
    }
    filled ??= Object.keys(value).filter((key) => /^\d+$/.test(key)).map(Number);
    const next = filled.find((index) => index > i) ?? value.length;
    shown.push(`<${next - i} empty item${next - i > 1 ? "s" : ""}>`);
    i = next - 1;
  }
  if (value.length > 100 && !filled) shown.push(`... ${value.length - 100} more item${value.length > 101 ? "s" : ""}`);
  if (value.length <= 1000) shown.push(...fields(value, enumerable(value).filter((key) => typeof key === "symbol" || !/^\d+$/.test(key)), state, level));
  return braces(shown, name === "Array" ? "[" : `${name}(${value.length}) [`, "]", state, level);
}

function braces(shown, open, close, state, level) {
  if (shown.length === 0) return open + close;
  const line = `${open} ${shown.join(", ")} ${close}`;
  if (line.length + level * 2 <= width && !line.includes("\n")) return line;
  const indent = "  ".repeat(level + 1);
  return `${open}\n${indent}${shown.join(`,\n${indent}`)}\n${"  ".repeat(level)}${close}`;
}

// format fills %s, %d, %i, %f, %j, %o and %O, and appends what is left.
function format(first, ...rest) {
  if (typeof first !== "string") return [first, ...rest].map((v) => (typeof v === "string" ? v : inspect(v))).join(" ");
  const text = first.replace(/%[sdifjoOc%]/g, (mark) => {
    if (mark === "%%") return rest.length ? "%" : mark;
    if (rest.length === 0) return mark;
    const value = rest.shift();
    switch (mark[1]) {
      case "s":
        return typeof value === "string" ? value : typeof value === "object" && value !== null ? inspect(value, { depth: 0 }) : typeof value === "bigint" ? `${value}n` : String(value);
      case "d":
        return typeof value === "object" ? "NaN" : String(Number(value));
      case "i":
        return String(parseInt(value, 10));
      case "f":
        return String(parseFloat(value));
      case "j":
        try {
          return JSON.stringify(value);
        } catch {
          return "[Circular]";
        }
      case "c":
        return "";
    }
    return inspect(value, { depth: mark === "%o" ? 4 : 2 });
  });
  return [text, ...rest.map((v) => (typeof v === "string" ? v : inspect(v)))].join(" ");
}

inspect.custom = custom;
module.exports = { inspect, format };
