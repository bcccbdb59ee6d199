// The controls of _aggregate: by what entries are grouped, and which figures are asked for.
import { isPlain, leads, path, rows } from './builder.mjs';
import { labelled, make, select } from './dom.mjs';
import { isNumber } from './query.mjs';
import { t } from './words.mjs';

const isGroup = (member) => isPlain(member) && member.kind !== 'json' && member.kind !== 'blocks';
const isFigure = (member) => isGroup(member) && member.kind !== 'boolean' && !member.many;
const isSingle = (member) => leads(member) && member.kind === 'component' && !member.many;
const adds = (member) => isNumber(member.kind) || member.kind === 'biginteger';

// grouping is one attribute whose values the entries of a group share.
function grouping(shapes, shape) {
  const at = path(shapes, shape, isGroup, null, () => {});
  return { element: make('div', { class: 'row' }, at.element), read: () => at.end() && at.names().join('.') };
}

// figure is a function of one attribute of the entry itself.
function figure(shapes, shape) {
  const element = make('select', { 'aria-label': t('figure') });
  let at, shown;
  const show = () => {
    const end = at?.end();
    if (!end || end === shown) return;
    shown = end;
    const names = adds(end) ? ['sum', 'avg', 'min', 'max'] : ['min', 'max'];
    element.replaceChildren(...names.map((name) => make('option', { value: name }, `${t(name)} · ${name}`)));
  };
  at = path(shapes, shape, isFigure, null, show, isSingle);
  show();
  return { element: make('div', { class: 'row' }, at.element, element), read: () => at.end() && { name: element.value, of: at.names().join('.') } };
}

// figures reads as the parameters of _aggregate, without those that the list has too.
export function figures(shapes, shape) {
  const groups = make('div', { class: 'items' });
  const wanted = make('div', { class: 'items' });
  const groupRows = rows(groups, [[t('addGroupBy'), () => grouping(shapes, shape)]]);
  const figureRows = rows(wanted, [[t('addFigure'), () => figure(shapes, shape)]]);
  const count = select([['', t('siteDefault')], ['true', t('yes')], ['false', t('no')]]);
  const sort = make('input', { autocomplete: 'off', spellcheck: 'false', placeholder: 'count:desc' });
  const read = () => {
    const query = { groupBy: groupRows.read().filter(Boolean).join(',') || undefined, count: count.value || undefined };
    for (const { name, of } of figureRows.read().filter(Boolean)) query[name] = query[name] ? `${query[name]},${of}` : of;
    return { ...query, sort: sort.value.trim() || undefined };
  };
  const part = (title, ...children) => make('fieldset', {}, make('legend', {}, title), ...children);
  const element = make('div', {}, part(t('groupBy'), groups, groupRows.bar), part(t('figures'), wanted, figureRows.bar),
    make('div', { class: 'pair' }, labelled(t('count'), count), labelled(t('sort'), sort)));
  return { element, read };
}
