// What a question is: the URL in the form of qs, the call of @strapi/client, the line for
// curl. Nothing here knows the page.

const text = ['$eq', '$ne', '$eqi', '$nei', '$contains', '$notContains', '$containsi', '$notContainsi', '$startsWith', '$startsWithi', '$endsWith', '$endsWithi', '$lt', '$lte', '$gt', '$gte', '$between', '$in', '$notIn', '$null', '$notNull'];
const ordered = ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$between', '$in', '$notIn', '$null', '$notNull'];
const equal = ['$eq', '$ne', '$in', '$notIn', '$null', '$notNull'];

// operators of an attribute, by its kind; none for what is no plain value.
export const operators = {
  string: text, text, richtext: text, email: text, uid: text,
  enumeration: equal, boolean: ['$eq', '$ne', '$null', '$notNull'],
  integer: ordered, biginteger: ordered, float: ordered, decimal: ordered,
  date: ordered, time: ordered, datetime: ordered, timestamp: ordered,
  json: ['$null', '$notNull'], blocks: ['$null', '$notNull'],
};

export const asksNull = (operator) => operator === '$null' || operator === '$notNull';
export const takesList = (operator) => ['$in', '$notIn', '$between'].includes(operator);
export const isNumber = (kind) => ['integer', 'float', 'decimal'].includes(kind);

// typed is what was typed as a value of the kind; undefined for nothing yet.
export function typed(kind, operator, value) {
  if (asksNull(operator)) return true;
  if (takesList(operator)) {
    const items = value.split(',').map((item) => typed(kind, '$eq', item.trim())).filter((item) => item !== undefined);
    return items.length > 0 ? items : undefined;
  }
  if (value === '') return undefined;
  if (isNumber(kind) && String(Number(value)) === value) return Number(value);
  if (kind === 'boolean') return value === 'true';
  return value;
}

// condition is one comparison at the end of a path of names.
export const condition = (path, operator, value) => path.reduceRight((inner, name) => ({ [name]: inner }), { [operator]: value });

const isComparison = (value) => value !== null && typeof value === 'object' && !Array.isArray(value) && Object.keys(value).every((key) => operators.string.includes(key));

// merged is one object of both, where that means the same as both; otherwise undefined. Two
// conditions on what a relation leads to need not be about the same entry.
function merged(a, b) {
  const whole = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (!(key in whole)) whole[key] = value;
    else if (isComparison(whole[key]) && isComparison(value) && !Object.keys(value).some((name) => name in whole[key])) whole[key] = { ...whole[key], ...value };
    else return undefined;
  }
  return whole;
}

// group puts conditions together: "and", "or" or "not"; undefined for none.
export function group(mode, parts) {
  const given = parts.filter((part) => part !== undefined);
  if (given.length === 0) return undefined;
  if (mode === 'or') return given.length === 1 ? given[0] : { $or: given };
  const all = given.reduce((whole, part) => whole && merged(whole, part), {}) ?? { $and: given };
  return mode === 'not' ? { $not: all } : all;
}

// given leaves out what says nothing.
export function given(parts) {
  return Object.fromEntries(Object.entries(parts).filter(([, value]) => value !== undefined && value !== ''));
}

const encode = (value) => encodeURIComponent(value).replaceAll("'", '%27');

// stringify writes a query as qs does: filters[name][$eq]=x.
export function stringify(query) {
  const pairs = [];
  const add = (key, value) => {
    if (value === undefined) return;
    if (value === null || typeof value !== 'object') pairs.push(`${key}=${encode(value ?? '')}`);
    else for (const [name, inner] of Object.entries(value)) add(key === '' ? encode(name) : `${key}[${name.replace(/[&#%+[\]]/g, encode)}]`, inner);
  };
  add('', query);
  return pairs.join('&');
}

export function pathOf({ type, what, id }) {
  if (type.single || what === 'list') return type.path;
  return `${type.path}/${{ count: '_count', figures: '_aggregate' }[what] ?? encode(id)}`;
}

export function addressOf(base, question) {
  const query = stringify(question.query);
  return base + pathOf(question).replace(/^\/api/, '') + (query && `?${query}`);
}

const quoted = (value) => `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;

// literal writes a value as JavaScript, on one line where that is short.
export function literal(value, indent = '', short = 56) {
  if (typeof value === 'string') return quoted(value);
  if (value === null || typeof value !== 'object') return String(value);
  const list = Array.isArray(value);
  const parts = list ? value.map((item) => literal(item, `${indent}  `)) : Object.entries(value).map(([key, inner]) => `${/^[$A-Z_a-z][\w$]*$/.test(key) ? key : quoted(key)}: ${literal(inner, `${indent}  `)}`);
  const [open, close, space] = list ? ['[', ']', ''] : ['{', '}', ' '];
  if (parts.length === 0) return open + close;
  const line = `${open}${space}${parts.join(', ')}${space}${close}`;
  if (line.length <= short && !line.includes('\n')) return line;
  return `${open}\n${parts.map((part) => `${indent}  ${part},\n`).join('')}${indent}${close}`;
}

// clientCall is the same question with @strapi/client. The token stands in no text.
export function clientCall(base, question, hasToken) {
  const { type, what, id, query } = question;
  const name = type.path.split('/').pop();
  const auth = hasToken ? ', auth: process.env.TOKEN' : '';
  const head = `import { strapi } from '@strapi/client';\n\nconst client = strapi({ baseURL: ${quoted(base)}${auth} });\n\n`;
  const rest = Object.keys(query).length > 0 ? literal(query, '', 32) : '';
  if (type.single) return `${head}const { data } = await client.single(${quoted(name)}).find(${rest});`;
  if (what === 'count' || what === 'figures') return `${head}const answer = await client.fetch(${quoted(addressOf('', question))});\nconst { data } = await answer.json();`;
  const call = what === 'one' ? `findOne(${[quoted(id), rest].filter(Boolean).join(', ')})` : `find(${rest})`;
  return `${head}const { data${what === 'one' ? '' : ', meta'} } = await client.collection(${quoted(name)}).${call};`;
}

export function curlCall(base, question, hasToken) {
  return `curl -g ${hasToken ? '-H "Authorization: Bearer $TOKEN" ' : ''}'${addressOf(base, question)}'`;
}
