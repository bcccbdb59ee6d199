// Shows the operations of openapi.json: parameters, bodies, answers.
import { fold, make, prose } from './dom.mjs';
import { t } from './words.mjs';

let description = null;

// resolve follows a reference within the description.
function resolve(value) {
  if (!value?.$ref) return value;
  return value.$ref.slice(2).split('/').reduce((place, key) => place[key.replaceAll('~1', '/').replaceAll('~0', '~')], description);
}

// typeOf names a schema in a few words.
function typeOf(schema) {
  if (schema.$ref) return schema.$ref.split('/').pop();
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const options = schema.anyOf ?? schema.oneOf;
  if (options && !schema.properties) return options.map(typeOf).join(' | ');
  if (schema.type === 'array') return `list of ${typeOf(schema.items ?? {})}`;
  const type = [schema.type ?? 'anything'].flat().join(' | ');
  return schema.format ? `${type} (${schema.format})` : type;
}

const limits = ['minimum', 'maximum', 'minLength', 'maxLength', 'minItems', 'maxItems', 'pattern', 'default'];

function noteOf(schema) {
  const said = limits.filter((key) => schema[key] !== undefined).map((key) => `${key} ${JSON.stringify(schema[key])}`);
  return [schema.description, said.join(', ')].filter(Boolean).join(' ');
}

// inside lists the schemas that a reader may want to open.
function inside(schema) {
  if (schema.$ref || schema.properties) return [schema];
  if (schema.items) return inside(schema.items);
  if (typeof schema.additionalProperties === 'object') return inside(schema.additionalProperties);
  return (schema.anyOf ?? schema.oneOf ?? []).flatMap(inside);
}

function members(schema) {
  const whole = resolve(schema);
  const rows = whole.properties ? Object.entries(whole.properties).map(([name, property]) => row(name, property, whole.required?.includes(name))) : [row('', whole, false)];
  return make('div', { class: 'members' }, rows);
}

// row shows one property, with what is inside it to open.
function row(name, schema, required) {
  const title = [name && make('code', {}, name), required ? ` (${t('required')}) ` : ' ', make('span', { class: 'kind' }, typeOf(schema))];
  const note = noteOf(schema);
  const below = note && prose(note, 'div');
  const nested = inside(schema);
  if (nested.length === 0) return make('div', {}, title, below);
  return fold(title, () => make('div', {}, below, nested.map((one) => (nested.length === 1 ? members(one) : fold([typeOf(one)], () => members(one))))));
}

function parametersOf(operation) {
  if (!operation.parameters?.length) return [];
  const list = operation.parameters.map(resolve).flatMap((p) => [
    make('dt', {}, make('code', {}, p.name), ` ${t('in', p.in)}${p.required ? ` (${t('required')})` : ''} `, make('span', { class: 'kind' }, typeOf(p.schema))),
    p.description && prose(p.description, 'dd'),
    p.style === 'deepObject' && make('dd', {}, fold([t('brackets')], () => members(p.schema))),
  ]);
  return [make('h3', {}, t('parameters')), make('dl', {}, list)];
}

const contentOf = (content) => Object.entries(content ?? {}).map(([media, { schema }]) => row(media, schema ?? {}, false));

function bodyOf({ requestBody }) {
  if (!requestBody) return [];
  const examples = Object.values(requestBody.content).map(({ example }) => example).filter(Boolean);
  return [make('h3', {}, t('body')), contentOf(requestBody.content), examples.map((example) => fold([t('bodyExample')], () => make('pre', { tabindex: '0', role: 'region', 'aria-label': t('bodyExample') }, JSON.stringify(example, null, 2))))].flat();
}

function answersOf(operation) {
  const list = Object.entries(operation.responses).flatMap(([status, reference]) => {
    const answer = resolve(reference);
    return [make('dt', {}, make('code', {}, status), make('span', { lang: 'en' }, ` ${answer.description}`)), ...contentOf(answer.content).map((part) => make('dd', {}, part))];
  });
  return [make('h3', {}, t('answers')), make('dl', {}, list)];
}

function lockOf(operation) {
  const ways = operation.security ?? [];
  if (ways.length === 0) return t('open');
  return ways.some((way) => Object.keys(way).length === 0) ? t('free') : t('locked');
}

export const anchorOf = ({ operation }) => operation.operationId.replaceAll('/', '-');

// operationPart shows one operation, folded.
export function operationPart({ method, path, operation, mine }, open) {
  const title = [
    make('span', { class: `method ${method}` }, method), make('span', { class: 'route' }, path),
    make('span', { class: 'summary', lang: 'en' }, operation.summary ?? ''), make('span', { class: 'lock' }, mine ? lockOf(operation) : t('forbidden')),
  ];
  const fill = () => make('div', { class: 'operation' }, operation.description && prose(operation.description), parametersOf(operation), bodyOf(operation), answersOf(operation));
  return fold(title, fill, { class: 'route-box', id: anchorOf({ operation }), open });
}

// groupsOf are the operations by what they are about, with those that the reader may call
// marked as such.
export function groupsOf(whole, routes) {
  description = whole;
  const mine = new Set(routes);
  const groups = new Map(whole.tags.map((tag) => [tag.name, { name: tag.name, title: tag.description || tag.name, operations: [] }]));
  for (const [path, methods] of Object.entries(whole.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      groups.get(operation.tags[0]).operations.push({ method, path, operation, mine: mine.has(`${method.toUpperCase()} ${path}`) });
    }
  }
  return [...groups.values()];
}
