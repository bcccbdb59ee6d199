'use strict';
// yup as @strapi/utils has it: the part of the package yup with which projects check input.

class ValidationError extends Error {
  constructor(errors, value, path, type) {
    super();
    this.name = 'ValidationError';
    const list = [].concat(errors);
    Object.assign(this, { value, path, type, inner: list.flatMap((e) => (e instanceof ValidationError ? (e.inner.length > 0 ? e.inner : [e]) : [])), errors: list.flatMap((e) => (e instanceof ValidationError ? e.errors : [e])) });
    this.message = this.errors.length === 1 ? this.errors[0] : `${this.errors.length} errors occurred`;
  }
  static isError(error) { return Boolean(error) && error.name === 'ValidationError' && Array.isArray(error.inner); }
}

const words = {
  default: '${path} is invalid', required: '${path} is a required field', defined: '${path} must be defined', oneOf: '${path} must be one of the following values: ${values}', notOneOf: '${path} must not be one of the following values: ${values}',
  length: '${path} must be exactly ${length} characters', minText: '${path} must be at least ${min} characters', maxText: '${path} must be at most ${max} characters', matches: '${path} must match the following: "${regex}"',
  email: '${path} must be a valid email', url: '${path} must be a valid URL', uuid: '${path} must be a valid UUID', trim: '${path} must be a trimmed string', lowercase: '${path} must be a lowercase string', uppercase: '${path} must be a upper case string',
  min: '${path} must be greater than or equal to ${min}', max: '${path} must be less than or equal to ${max}', lessThan: '${path} must be less than ${less}', moreThan: '${path} must be greater than ${more}',
  positive: '${path} must be a positive number', negative: '${path} must be a negative number', integer: '${path} must be an integer',
  minDate: '${path} field must be later than ${min}', maxDate: '${path} field must be at earlier than ${max}', isValue: '${path} field must be ${value}', noUnknown: '${path} field has unspecified keys: ${unknown}',
  minItems: '${path} field must have at least ${min} items', maxItems: '${path} field must have less than or equal to ${max} items', lengthItems: '${path} must have ${length} items',
};
const shown = (value) => (typeof value === 'string' ? `"${value}"` : value instanceof Date ? (Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString()) : value !== null && typeof value === 'object' && !(value instanceof RegExp) ? JSON.stringify(value) : String(value));
const textOf = (message, params) => (typeof message === 'function' ? message(params) : typeof message !== 'string' ? message : message.replace(/\$\{\s*(\w+)\s*\}/g, (_, key) => (key === 'path' || typeof params[key] === 'string' ? params[key] : Array.isArray(params[key]) ? params[key].map(String).join(', ') : shown(params[key]))));
const isNothing = (value) => value === undefined || value === null;

/** A reference is the value of another member: yup.ref('a'), or of the context: yup.ref('$a'). */
class Reference {
  constructor(key) { this.key = key; }
  of({ parent, context }) { return this.key.replace(/^\$/, '').split('.').reduce((at, name) => (isNothing(at) ? at : at[name]), this.key.startsWith('$') ? context : parent); }
}
const resolved = (value, where) => (Array.isArray(value) ? value.map((one) => resolved(one, where)) : value instanceof Reference ? value.of(where) : value);

class Schema {
  constructor(type, isType = () => true, cast = (value) => value) { Object.assign(this, { type, isType, casts: [cast], tests: [], conditions: [], isNullable: false }); }
  clone() { return Object.assign(Object.create(Object.getPrototypeOf(this)), this, { casts: [...this.casts], tests: [...this.tests], conditions: [...this.conditions] }); }
  with(changes) { return Object.assign(this.clone(), changes); }

  /** test adds a test: test(name, message, function) or test({ name, message, test, exclusive }). */
  test(...args) {
    const [given] = args;
    const test = typeof given === 'object' ? given : args.length === 1 ? { test: given } : args.length === 2 ? { name: given, test: args[1] } : { name: given, message: args[1], test: args[2] };
    const next = this.clone();
    if (test.exclusive) next.tests = next.tests.filter(({ name }) => name !== test.name);
    next.tests.push({ message: words.default, ...test });
    return next;
  }
  rule(name, message, params, test) { return this.test({ name, message, params, exclusive: true, test(value) { return isNothing(value) || test(value, Object.fromEntries(Object.entries(params).map(([key, one]) => [key, resolved(one, this)]))); } }); }
  required(message = words.required) { return this.test({ name: 'required', message, exclusive: true, test: (value) => !isNothing(value) && !(this.type === 'string' && value === '') }); }
  notRequired() { return this.with({ tests: this.tests.filter(({ name }) => name !== 'required') }); }
  optional() { return this.notRequired(); }
  defined(message = words.defined) { return this.test({ name: 'defined', message, test: (value) => value !== undefined }); }
  notNil(message = '${path} must be defined.') { return this.test('defined', message, (value) => !isNothing(value)); }
  notNull(message = '${path} cannot be null.') { return this.test('defined', message, (value) => value !== null); }
  isFunction(message = '${path} is not a function') { return this.test('is a function', message, (value) => value === undefined || typeof value === 'function'); }
  nullable(on = true) { return this.with({ isNullable: on !== false }); }
  nonNullable() { return this.nullable(false); }
  oneOf(values, message = words.oneOf) { return this.rule('oneOf', message, { values }, (value, { values: list }) => list.includes(value)); }
  notOneOf(values, message = words.notOneOf) { return this.rule('notOneOf', message, { values }, (value, { values: list }) => !list.includes(value)); }
  equals(value, message) { return this.oneOf([value], message); }
  default(value) { return arguments.length === 0 ? this.defaultValue() : this.with({ fallback: value }); }
  defaultValue() { return typeof this.fallback === 'function' ? this.fallback() : this.fallback; }
  transform(f) { const next = this.clone(); next.casts.push(f); return next; }
  typeError(message) { return this.with({ typeMessage: message }); }
  label(name) { return this.with({ named: name }); }
  meta(value) { return arguments.length === 0 ? this.told : this.with({ told: value }); }
  strict(on = true) { return this.with({ isStrict: on }); }
  strip(on = true) { return this.with({ isStripped: on }); }
  when(keys, how) { const next = this.clone(); next.conditions.push({ keys: [].concat(keys), how }); return next; }
  concat(other) { return other.with({ ...this, ...other, tests: [...this.tests, ...other.tests], conditions: [...this.conditions, ...other.conditions], fields: this.fields && { ...this.fields, ...other.fields }, isNullable: this.isNullable || other.isNullable }); }

  /** resolve is the schema that the conditions make of this one. */
  resolve(where) {
    return this.conditions.reduce((schema, { keys, how }) => {
      const values = keys.map((key) => new Reference(key).of(where));
      if (typeof how === 'function') return how.call(schema, ...values, schema) || schema;
      const meets = typeof how.is === 'function' ? how.is(...values) : values.every((value) => value === how.is);
      const branch = meets ? how.then : how.otherwise;
      return branch === undefined ? schema : typeof branch === 'function' ? branch(schema) : schema.concat(branch.resolve(where));
    }, this.with({ conditions: [] }));
  }
  cast(value) {
    const made = isNothing(value) ? value : this.casts.reduce((at, f) => f.call(this, at, value, this), value);
    return made === undefined ? this.defaultValue() : made;
  }

  /** examine is { value, found }: errors, and promises of lists of errors. */
  examine(given, where) {
    const schema = this.resolve(where);
    const value = where.strict || schema.isStrict ? given : schema.cast(given);
    const at = { ...where, originalValue: given };
    if (value === null ? !schema.isNullable : value !== undefined && !schema.isType(value)) return { value, found: [schema.fault(value, at, { type: 'typeError', message: schema.typeMessage || schema.notType })] };
    const found = schema.tests.flatMap((test) => schema.run(test, value, at));
    return schema.inner(value, at, found);
  }
  inner(value, where, found) { return { value, found }; }
  notType({ path, type, value, originalValue }) { return `${path} must be a \`${type}\` type, but the final value was: \`${shown(value)}\`${!isNothing(originalValue) && originalValue !== value ? ` (cast from the value \`${shown(originalValue)}\`).` : '.'}`; }
  fault(value, where, { type, message, path = where.path, params }) {
    const values = Object.fromEntries(Object.entries(params || {}).map(([key, one]) => [key, resolved(one, where)]));
    return new ValidationError(textOf(message, { value, originalValue: where.originalValue, label: this.named, ...values, path: this.named || path || 'this', type: type === 'typeError' ? this.type : type }), value, path, type);
  }
  run(test, value, where) {
    const context = { path: where.path, parent: where.parent, options: where, schema: this, originalValue: where.originalValue, context: where.context, resolve: (one) => resolved(one, where), createError: (given = {}) => this.fault(value, where, { type: test.name, message: test.message, params: test.params, ...given }) };
    const judged = (result) => (result instanceof ValidationError ? [result] : result ? [] : [context.createError()]);
    const refused = (error) => { if (ValidationError.isError(error)) return [error]; throw error; };
    try {
      const result = test.test.call(context, value, context);
      return result && typeof result.then === 'function' ? [result.then(judged, refused)] : judged(result);
    } catch (error) {
      return refused(error);
    }
  }

  conclude(value, errors, { abortEarly = true }) {
    if (errors.length === 0) return value;
    throw abortEarly !== false || errors.length === 1 && errors[0].path === undefined ? errors[0] : new ValidationError(errors, value);
  }
  async validate(given, options = {}) {
    const { value, found } = this.examine(given, { ...options });
    return this.conclude(value, (await Promise.all(found)).flat(), options);
  }
  validateSync(given, options = {}) {
    const { value, found } = this.examine(given, { ...options });
    if (found.some((one) => typeof one.then === 'function')) throw new Error('validateSync met a test that waits; use validate');
    return this.conclude(value, found, options);
  }
  isValid(value, options) { return this.validate(value, options).then(() => true, (error) => { if (ValidationError.isError(error)) return false; throw error; }); }
  isValidSync(value, options) {
    try {
      this.validateSync(value, options);
      return true;
    } catch (error) {
      if (ValidationError.isError(error)) return false;
      throw error;
    }
  }
}

const parsed = (value) => { if (typeof value !== 'string') return value; try { return JSON.parse(value); } catch { return null; } };
const sized = (min, max, length) => ({
  min(n, message = words[min]) { return this.rule('min', message, { min: n }, (value, p) => value.length >= p.min); },
  max(n, message = words[max]) { return this.rule('max', message, { max: n }, (value, p) => value.length <= p.max); },
  length(n, message = words[length]) { return this.rule('length', message, { length: n }, (value, p) => value.length === p.length); },
  ensure() { return this.default(this.type === 'string' ? '' : []).transform((value) => (value === null ? (this.type === 'string' ? '' : []) : value)); },
});

class StringSchema extends Schema {
  constructor() { super('string', (value) => typeof value === 'string', (value) => (Array.isArray(value) || Object.prototype.toString.call(value) === '[object Object]' ? value : String(value))); }
  matches(regex, options) {
    const { message = words.matches, excludeEmptyString = false, name = 'matches' } = typeof options === 'object' ? options : { message: options };
    return this.rule(name, message, { regex }, (value) => (value === '' && excludeEmptyString) || value.search(regex) !== -1);
  }
  email(message = words.email) { return this.matches(/^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]+@[\p{L}0-9](?:[\p{L}0-9-]*[\p{L}0-9])?(?:\.[\p{L}0-9](?:[\p{L}0-9-]*[\p{L}0-9])?)+$/u, { name: 'email', message, excludeEmptyString: true }); }
  url(message = words.url) { return this.matches(/^(?:https?|ftp):\/\/[^\s/?#.]+(?:\.[^\s/?#.]+)+(?::\d+)?(?:[/?#]\S*)?$/i, { name: 'url', message, excludeEmptyString: true }); }
  uuid(message = words.uuid) { return this.matches(/^[0-9A-F]{8}-[0-9A-F]{4}-[1-5][0-9A-F]{3}-[089AB][0-9A-F]{3}-[0-9A-F]{12}$/i, { name: 'uuid', message }); }
  trim(message = words.trim) { return this.transform((value) => (typeof value === 'string' ? value.trim() : value)).rule('trim', message, {}, (value) => value === value.trim()); }
  lowercase(message = words.lowercase) { return this.transform((value) => (typeof value === 'string' ? value.toLowerCase() : value)).rule('string_case', message, {}, (value) => value === value.toLowerCase()); }
  uppercase(message = words.uppercase) { return this.transform((value) => (typeof value === 'string' ? value.toUpperCase() : value)).rule('string_case', message, {}, (value) => value === value.toUpperCase()); }
  isCamelCase(message = '${path} is not in camel case (anExampleOfCamelCase)') { return this.test('is in camelCase', message, (value) => !value || /^[a-z][a-zA-Z0-9]+$/.test(value)); }
  isKebabCase(message = '${path} is not in kebab case (an-example-of-kebab-case)') { return this.test('is in kebab-case', message, (value) => !value || /^([a-z][a-z0-9]*)(-[a-z0-9]+)*$/.test(value)); }
}
Object.assign(StringSchema.prototype, sized('minText', 'maxText', 'length'));

class NumberSchema extends Schema {
  constructor() { super('number', (value) => typeof value === 'number' && !Number.isNaN(value), (value) => (typeof value === 'string' ? (value.replace(/\s/g, '') === '' ? NaN : Number(value)) : value)); }
  min(min, message = words.min) { return this.rule('min', message, { min }, (value, p) => value >= p.min); }
  max(max, message = words.max) { return this.rule('max', message, { max }, (value, p) => value <= p.max); }
  lessThan(less, message = words.lessThan) { return this.rule('max', message, { less }, (value, p) => value < p.less); }
  moreThan(more, message = words.moreThan) { return this.rule('min', message, { more }, (value, p) => value > p.more); }
  positive(message = words.positive) { return this.moreThan(0, message); }
  negative(message = words.negative) { return this.lessThan(0, message); }
  integer(message = words.integer) { return this.rule('integer', message, {}, Number.isInteger); }
}

class BooleanSchema extends Schema {
  constructor() { super('boolean', (value) => typeof value === 'boolean', (value) => (/^(true|1)$/i.test(String(value)) ? true : /^(false|0)$/i.test(String(value)) ? false : value)); }
  isTrue(message = words.isValue) { return this.rule('is-value', message, { value: 'true' }, (value) => value === true); }
  isFalse(message = words.isValue) { return this.rule('is-value', message, { value: 'false' }, (value) => value === false); }
}

class DateSchema extends Schema {
  constructor() { super('date', (value) => value instanceof Date && !Number.isNaN(value.getTime()), (value) => (value instanceof Date ? value : new Date(value))); }
  min(min, message = words.minDate) { return this.rule('min', message, { min }, (value, p) => value >= new Date(p.min)); }
  max(max, message = words.maxDate) { return this.rule('max', message, { max }, (value, p) => value <= new Date(p.max)); }
}

/** within are the values of members, and the errors found in them. */
function within(members, where, found) {
  return members.map(({ schema, value, ...at }) => {
    const examined = schema.examine(value, { ...where, ...at });
    found.push(...examined.found);
    return examined.value;
  });
}

class ArraySchema extends Schema {
  constructor(of) { super('array', Array.isArray, parsed); this.element = of; }
  of(element) { return this.with({ element }); }
  compact(keep = Boolean) { return this.transform((value) => (Array.isArray(value) ? value.filter((one) => keep(one)) : value)); }
  uniqueProperty(name, message) {
    return this.test('unique', message, function unique(list) {
      const same = (list || []).flatMap((one, i) => (list.filter((other) => other && one && other[name] === one[name]).length > 1 ? [this.createError({ path: `${this.path}[${i}].${name}`, message })] : []));
      if (same.length > 0) throw new ValidationError(same);
      return true;
    });
  }
  inner(value, where, found) {
    if (!this.element || !value) return { value, found };
    return { value: within(value.map((one, i) => ({ schema: this.element, value: one, path: `${where.path || ''}[${i}]`, parent: value })), where, found), found };
  }
}
Object.assign(ArraySchema.prototype, sized('minItems', 'maxItems', 'lengthItems'));

class ObjectSchema extends Schema {
  constructor(fields) { super('object', (value) => typeof value === 'object' && !Array.isArray(value) || typeof value === 'function', parsed); this.fields = fields || {}; }
  shape(fields) { return this.with({ fields: { ...this.fields, ...fields } }); }
  pick(keys) { return this.with({ fields: Object.fromEntries(Object.entries(this.fields).filter(([key]) => keys.includes(key))) }); }
  omit(keys) { return this.with({ fields: Object.fromEntries(Object.entries(this.fields).filter(([key]) => !keys.includes(key))) }); }
  noUnknown(on = true, message = words.noUnknown) {
    const text = typeof on === 'string' ? on : message;
    if (on === false) return this.with({ tests: this.tests.filter(({ name }) => name !== 'noUnknown'), drops: false });
    return this.with({ drops: true }).test({ name: 'noUnknown', message: text, exclusive: true, test(value) {
      const unknown = Object.keys(value || {}).filter((key) => !(key in this.schema.fields));
      return unknown.length === 0 || this.createError({ params: { unknown: unknown.join(', ') } });
    } });
  }
  onlyContainsFunctions(message = '${path} contains values that are not functions') { return this.test('only contains functions', message, (value) => value === undefined || Object.values(value || {}).every((one) => typeof one === 'function')); }
  defaultValue() {
    if ('fallback' in this) return super.defaultValue();
    const given = Object.entries(this.fields).map(([key, schema]) => [key, schema.defaultValue ? schema.defaultValue() : undefined]);
    return given.some(([, value]) => value !== undefined) ? Object.fromEntries(given) : undefined;
  }
  cast(value) {
    const made = super.cast(value);
    return made && this.drops ? Object.fromEntries(Object.entries(made).filter(([key]) => key in this.fields)) : made;
  }
  inner(value, where, found) {
    if (isNothing(value)) return { value, found };
    const names = Object.keys(this.fields).filter((name) => !(this.fields[name] instanceof Reference));
    const values = within(names.map((name) => ({ schema: this.fields[name], value: value[name], path: where.path ? `${where.path}.${name}` : name, parent: value })), where, found);
    if (where.strict || this.isStrict) return { value, found };
    const rest = where.stripUnknown ? {} : value;
    return { value: { ...rest, ...Object.fromEntries(names.map((name, i) => [name, values[i]]).filter(([name, one]) => !this.fields[name].isStripped && (one !== undefined || name in value))) }, found };
  }
}

/** lazy is a schema that a function chooses by the value. */
class Lazy extends Schema {
  constructor(choose) { super('lazy'); this.choose = choose; }
  examine(value, where) { return this.choose(value, where).examine(value, where); }
}

const isID = (value) => typeof value === 'string' || (Number.isInteger(value) && value >= 0);

module.exports = {
  ValidationError, mixed: () => new Schema('mixed'), string: () => new StringSchema(), number: () => new NumberSchema(), boolean: () => new BooleanSchema(), bool: () => new BooleanSchema(), date: () => new DateSchema(),
  array: (of) => new ArraySchema(of), object: (fields) => new ObjectSchema(fields), ref: (key) => new Reference(key), lazy: (choose) => new Lazy(choose), strapiID: () => new Schema('strapiID', isID),
  isSchema: (value) => value instanceof Schema, addMethod: (make, name, method) => { Object.getPrototypeOf(typeof make === 'function' ? make() : make)[name] = method; },
  Schema, BaseSchema: Schema, StringSchema, NumberSchema, ObjectSchema, ArraySchema,
};
