// The controls of a query. Each is an element and what read() makes of it; an input event
// says that something has changed. What is nested is made when it is asked for: relations
// lead in circles.
import { button, changed, fold, labelled, make, select } from './dom.mjs';
import { asksNull, condition, given, group, isNumber, operators, takesList, typed } from './query.mjs';
import { t } from './words.mjs';

const deepest = 5; // steps of a path

export const isPlain = (member) => member.kind in operators;
export const leads = (member) => Boolean(member.shape);

// path chooses an attribute, through relations and components too, or what through allows.
// example is an entry.
export function path(shapes, shape, isEnd, example, onchange, through = leads) {
  const element = make('span', { class: 'path' });
  const steps = [];
  const step = (shape, of, example) => {
    const members = shapes[shape].filter((m) => isEnd(m) || (through(m) && steps.length < deepest - 1));
    const control = select(members.map((m) => [m.name, leads(m) ? `${m.name} ›` : m.name]), { 'aria-label': of ? t('attributeOf', of) : t('attribute') }, members.find(isEnd)?.name);
    const own = { control, members, example };
    steps.push(own);
    element.append(control);
    const follow = () => {
      for (const later of steps.splice(steps.indexOf(own) + 1)) later.control.remove();
      const chosen = members.find((m) => m.name === control.value);
      const inside = example?.[chosen?.name];
      if (chosen && leads(chosen)) step(chosen.shape, chosen.name, Array.isArray(inside) ? inside[0] : inside);
      else onchange();
    };
    control.addEventListener('input', follow);
    follow();
  };
  const end = () => steps.at(-1).members.find((m) => m.name === steps.at(-1).control.value);
  step(shape, '', example);
  return { element, names: () => steps.map((s) => s.control.value), end, example: () => steps.at(-1).example?.[steps.at(-1).control.value] };
}

function valueControl(member, operator, example) {
  const label = { 'aria-label': t('value') };
  if (asksNull(operator)) return null;
  if (member.kind === 'boolean') return select([['true', t('yes')], ['false', t('no')]], label);
  if (takesList(operator)) return make('input', { ...label, placeholder: t('listHint'), autocomplete: 'off' });
  if (member.values) return select(member.values.map((value) => [value, value]), label);
  const type = { date: 'date', datetime: 'datetime-local', timestamp: 'datetime-local' }[member.kind] ?? 'text';
  const shown = ['string', 'number'].includes(typeof example) ? String(example).slice(0, 40) : '';
  return make('input', { ...label, type, autocomplete: 'off', inputmode: isNumber(member.kind) ? 'decimal' : null, placeholder: shown && t('eg', shown) });
}

function valueOf(control) {
  if (control?.type !== 'datetime-local') return control?.value ?? '';
  return control.value && new Date(control.value).toISOString();
}

// comparison is a row of a filter: attribute, operator, value.
function comparison(shapes, shape, example) {
  const operator = make('select', { 'aria-label': t('operator') });
  const place = make('span', { class: 'value' });
  let at, control, shown;
  const showValue = () => {
    if (!at.end()) return;
    const before = control?.value;
    control = valueControl(at.end(), operator.value, at.example());
    place.replaceChildren(...(control ? [control] : []));
    if (control?.type === 'text' && before) control.value = before;
  };
  const showOperators = () => {
    const end = at?.end();
    if (!end || end === shown) return;
    shown = end;
    operator.replaceChildren(...operators[end.kind].map((name) => make('option', { value: name }, `${t(name)} · ${name}`)));
    control = null;
    showValue();
  };
  at = path(shapes, shape, isPlain, example, showOperators);
  showOperators();
  operator.addEventListener('input', showValue);
  const read = () => {
    const end = at.end();
    const value = end && typed(end.kind, operator.value, valueOf(control));
    return value === undefined ? undefined : condition(at.names(), operator.value, value);
  };
  return { element: make('div', { class: 'row' }, at.element, operator, place), read };
}

// rows is a list of controls that can be added and removed; the focus stays in it.
export function rows(list, adders) {
  const parts = [];
  const bar = make('div', { class: 'bar' });
  const add = (part) => {
    const remove = button('×', () => {
      parts.splice(parts.indexOf(item), 1);
      item.element.remove();
      bar.firstElementChild.focus();
      changed(bar);
    }, { class: 'icon', 'aria-label': t('remove'), title: t('remove') });
    const item = { ...part, element: make('div', { class: 'item' }, part.element, remove) };
    parts.push(item);
    list.append(item.element);
    item.element.querySelector('select, input')?.focus();
    changed(bar);
  };
  bar.append(...adders.map(([label, part]) => button(label, () => add(part()), { class: 'small' })));
  return { bar, read: () => parts.map((part) => part.read()) };
}

// filters is a group of conditions, and of groups.
export function filters(shapes, shape, example, depth = 0) {
  const mode = select(['and', 'or', 'not'].map((value) => [value, t(value)]), { 'aria-label': t('match') });
  const list = make('div', { class: 'items' });
  const adders = [[t('addCondition'), () => comparison(shapes, shape, example)]];
  if (depth < 3) adders.push([t('addGroup'), () => filters(shapes, shape, example, depth + 1)]);
  const { bar, read } = rows(list, adders);
  const head = make('div', { class: 'row match' }, make('span', {}, t('match')), mode);
  return { element: make('div', { class: 'group' }, head, list, bar), read: () => group(mode.value, read()) };
}

// sort is a list of keys.
export function sort(shapes, shape) {
  const list = make('div', { class: 'items' });
  const key = () => {
    const direction = select([['asc', t('asc')], ['desc', t('desc')]], { 'aria-label': t('direction') });
    const at = path(shapes, shape, (m) => isPlain(m) && m.kind !== 'json' && m.kind !== 'blocks', null, () => {});
    return { element: make('div', { class: 'row' }, at.element, direction), read: () => at.end() && `${at.names().join('.')}:${direction.value}` };
  };
  const { bar, read } = rows(list, [[t('addSort'), key]]);
  const keys = () => read().filter(Boolean);
  return { element: make('div', {}, list, bar), read: () => (keys().length > 1 ? keys() : keys()[0]) };
}

function check(name, label) {
  const box = make('input', { type: 'checkbox', name });
  return { box, element: make('label', { class: 'check' }, box, make('span', {}, label)) };
}

// fields chooses plain attributes; none means all.
export function fields(shapes, shape) {
  const members = shapes[shape].filter((m) => isPlain(m) && m.name !== 'id' && m.name !== 'documentId');
  const checks = members.map((m) => ({ name: m.name, ...check(m.name, m.name) }));
  const read = () => {
    const chosen = checks.filter((c) => c.box.checked).map((c) => c.name);
    return chosen.length > 0 ? chosen : undefined;
  };
  return { element: make('div', {}, make('p', { class: 'note' }, t('fieldsNote')), make('div', { class: 'checks' }, checks.map((c) => c.element))), read };
}

const part = (title, control) => make('fieldset', {}, make('legend', {}, title), control.element);

// details of what one attribute leads to: all that may stand in the object of populate.
function details(shapes, member) {
  const parts = { fields: fields(shapes, member.shape) };
  if (member.many) Object.assign(parts, { filters: filters(shapes, member.shape), sort: sort(shapes, member.shape) });
  if (populatable(shapes, member.shape).length > 0) parts.populate = populate(shapes, member.shape, member.name);
  const element = make('div', {}, Object.entries(parts).map(([name, control]) => part(t(name), control)));
  return { element, read: () => given(Object.fromEntries(Object.entries(parts).map(([name, control]) => [name, control.read()]))) };
}

// zone chooses of a dynamic zone or its components what to populate.
function zone(shapes, member) {
  const parts = member.zone.map((uid, i) => ({ uid, control: populate(shapes, member.shapes[i], uid) })).filter(({ uid }, i) => uid && populatable(shapes, member.shapes[i]).length > 0);
  const read = () => {
    const on = parts.map(({ uid, control }) => [uid, control.read()]).filter(([, inner]) => inner !== undefined);
    if (on.length === 0) return {};
    const rest = member.zone.filter((uid) => !on.some(([chosen]) => chosen === uid)).map((uid) => [uid, { populate: '*' }]);
    return { on: Object.fromEntries([...on.map(([uid, inner]) => [uid, { populate: inner }]), ...rest]) };
  };
  return { element: make('div', {}, parts.map(({ uid, control }) => part(uid, control))), read };
}

export const populatable = (shapes, shape) => shapes[shape].filter((m) => !isPlain(m) && m.kind !== 'password');

// branch is one attribute of a tree: shown or not, and refined if somebody wants that.
function branch(shapes, member) {
  const to = member.shape?.replace(/ \d+$/, '');
  const kind = !to || member.kind === 'media' ? member.kind : to.includes('::') ? to.split('.').pop() : to;
  const { box, element } = check(member.name, [member.name, make('span', { class: 'kind' }, ` ${kind}`)]);
  let inner;
  const refine = fold([t('refine', member.name)], () => {
    inner = member.zone ? zone(shapes, member) : details(shapes, member);
    return inner.element;
  }, { hidden: true });
  box.addEventListener('input', () => (refine.hidden = !box.checked || !(member.zone || member.shape)));
  return { name: member.name, element: make('div', { class: 'branch' }, element, refine), chosen: () => box.checked, read: () => inner?.read() ?? {} };
}

// populate is a tree of what to show of relations, media, components and zones.
export function populate(shapes, shape, of = '') {
  const mode = select([['', t('nothing')], ['*', t('everything')], ['choose', t('choose')]], { 'aria-label': of ? t('populateIn', of) : t('populate') });
  const tree = make('div', { class: 'tree', hidden: true });
  let branches;
  mode.addEventListener('input', () => {
    if (mode.value === 'choose' && !branches) {
      branches = populatable(shapes, shape).map((m) => branch(shapes, m));
      tree.append(...branches.map((b) => b.element));
    }
    tree.hidden = mode.value !== 'choose';
  });
  const read = () => {
    if (mode.value !== 'choose') return mode.value || undefined;
    const chosen = branches.filter((b) => b.chosen()).map((b) => [b.name, b.read()]);
    if (chosen.length === 0) return undefined;
    if (chosen.every(([, inner]) => Object.keys(inner).length === 0)) return chosen.map(([name]) => name);
    return Object.fromEntries(chosen.map(([name, inner]) => [name, Object.keys(inner).length > 0 ? inner : true]));
  };
  return { element: make('div', {}, mode, tree), read };
}

// input is a plain field of a query.
export function input(label, attributes) {
  const control = make('input', { autocomplete: 'off', ...attributes });
  return { control, element: labelled(label, control), read: () => control.value.trim() };
}

export function choice(label, options) {
  const control = select(options);
  return { control, element: labelled(label, control), read: () => control.value };
}
