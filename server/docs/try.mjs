// The part of a content type: a query to build, its forms, the answer, and an entry of the
// site as an example.
import { choice, fields, filters, input, populatable, populate, sort } from './builder.mjs';
import { ask, base, hasToken, inAdmin, shownBase } from './caller.mjs';
import { button, copyable, fold, json, make } from './dom.mjs';
import { figures } from './figures.mjs';
import { addressOf, clientCall, curlCall, given } from './query.mjs';
import { t } from './words.mjs';

const fieldset = (title, control, attributes = {}) => make('fieldset', attributes, make('legend', {}, title), control.element ?? control);

const sizeOf = (bytes) => (bytes < 1024 ? `${bytes} B` : `${(bytes / 1024).toFixed(1)} KiB`);

function controlsOf(site, type, example) {
  const { shapes } = site;
  const controls = { filters: filters(shapes, type.shape, example), populate: populate(shapes, type.shape), sort: sort(shapes, type.shape), fields: fields(shapes, type.shape) };
  if (type.find && !type.single) controls.figures = figures(shapes, type.shape);
  controls.page = input(t('pageNumber'), { type: 'number', min: 1, placeholder: '1' });
  controls.pageSize = input(t('pageSize'), { type: 'number', min: 1, placeholder: t('siteDefault') });
  controls.search = input('_q', { type: 'search' });
  if (type.versions) controls.status = choice(t('status'), [['', t('siteDefault')], ['published', t('published')], ['draft', type.drafts ? t('draft') : t('noDraft'), !type.drafts]]);
  if (type.localized) controls.locale = choice(t('locale'), [['', t('siteDefault')], ...site.locales.map((code) => [code, code]), ...(type.single ? [] : [['*', t('everyLocale')]])]);
  return controls;
}

// queryOf is the query that the controls make. What one entry is read with has no filters.
function queryOf(controls, what) {
  const read = (name) => controls[name]?.read();
  const shown = { fields: read('fields'), populate: read('populate') };
  const of = { status: read('status'), locale: read('locale') };
  if (what === 'one') return given({ ...shown, ...of });
  const selected = { filters: read('filters'), _q: read('search') };
  if (what === 'count') return given({ ...selected, ...of });
  const pagination = pageOf(read);
  if (what === 'figures') return given({ ...selected, ...controls.figures.read(), pagination, ...of });
  return given({ ...selected, sort: read('sort'), ...shown, pagination, ...of });
}

// pageOf is the page that is asked for; undefined for the first.
function pageOf(read) {
  const page = given({ page: read('page') && Number(read('page')), pageSize: read('pageSize') && Number(read('pageSize')) });
  return Object.keys(page).length > 0 ? page : undefined;
}

// planOf shows the header with the plan: its steps, and then the figures.
function planOf(plan) {
  const parts = plan.split('; ');
  const figures = parts.findIndex((part) => part.startsWith('visited '));
  const steps = parts.slice(0, figures).map((step) => make('li', { class: `deep${Math.min(5, (step.length - step.trimStart().length) / 2)}` }, step.trim()));
  return make('div', { class: 'plan' }, make('h3', {}, t('plan')), make('ol', { lang: 'en' }, steps), make('p', { class: 'note', lang: 'en' }, parts.slice(figures).join('; ')));
}

export function answered(answer, mayPlan) {
  const kind = answer.ok ? 'good' : 'bad';
  const line = make('p', { class: 'outcome' }, make('strong', { class: kind }, `${answer.status} ${answer.reason}`), ' ', make('span', {}, t('took', answer.took)), ' ', make('span', {}, sizeOf(answer.size)));
  const plan = answer.plan ? planOf(answer.plan) : !mayPlan && make('p', { class: 'note' }, t('planNote'));
  return [line, [plan, json(answer.body, t('answer'))].filter(Boolean)];
}

// answerPart is where an answer comes; how it went is said aloud, the whole of it is not.
export function answerPart() {
  const outcome = make('div', { role: 'status' });
  const body = make('div', { class: 'answer' });
  const show = (line, parts = []) => {
    outcome.replaceChildren(line);
    body.replaceChildren(...parts);
  };
  show(make('p', { class: 'note' }, t('notSent')));
  return { elements: [make('h3', {}, t('answer')), outcome, body], show };
}

// tryOf is the form and what comes of it.
function tryOf(site, type, example) {
  const controls = controlsOf(site, type, example);
  const ways = [['list', t('list'), !type.find], ['one', t('one'), !type.findOne], ['count', t('count'), !type.find], ['figures', t('figures'), !type.find]].filter(([, , off]) => !off);
  const what = choice(t('what'), ways);
  const id = input(t('id'), { value: example?.documentId });
  const forms = { url: copyable(t('url')), client: copyable(t('client')), curl: copyable(t('curl')) };
  const answer = answerPart();
  const listOnly = [fieldset(t('filters'), controls.filters), fieldset(t('sort'), controls.sort), fieldset(t('page'), make('div', { class: 'pair' }, controls.page.element, controls.pageSize.element)), fieldset(t('search'), controls.search)];
  const asFigures = controls.figures && make('div', {}, controls.figures.element);
  const shown = [fieldset(t('fields'), controls.fields)];
  if (populatable(site.shapes, type.shape).length > 0) shown.unshift(fieldset(t('populate'), controls.populate));
  const version = [controls.status, controls.locale].filter(Boolean);
  const about = version.length > 0 && fieldset(t('version'), make('div', { class: 'pair' }, version.map((control) => control.element)));
  const question = () => {
    const way = type.single ? 'one' : what.read();
    return { type, what: way, id: id.read(), query: queryOf(controls, way) };
  };
  const refresh = () => {
    const asked = question();
    listOnly[1].hidden = asked.what !== 'list';
    listOnly[2].hidden = asked.what !== 'list' && asked.what !== 'figures';
    if (asFigures) asFigures.hidden = asked.what !== 'figures';
    for (const part of [listOnly[0], listOnly[3]]) part.hidden = asked.what === 'one';
    for (const part of shown) part.hidden = asked.what === 'count' || asked.what === 'figures';
    id.element.hidden = type.single || asked.what !== 'one';
    const withToken = inAdmin || hasToken();
    forms.url.set(`GET ${addressOf(shownBase, asked)}`);
    forms.client.set(clientCall(shownBase, asked, withToken));
    forms.curl.set(curlCall(shownBase, asked, withToken));
  };
  const send = async (event) => {
    event.preventDefault();
    const asked = question();
    if (!type.single && asked.what === 'one' && asked.id === '') {
      id.control.focus();
      return answer.show(make('p', { class: 'error' }, t('idNote')));
    }
    answer.show(make('p', { class: 'note' }, t('sending')));
    try {
      answer.show(...answered(await ask(addressOf(base, asked), { headers: site.plan ? { 'X-Quire-Explain': '1' } : {} }), site.plan));
    } catch (error) {
      answer.show(make('p', { class: 'error' }, t('noAnswer', error.message)));
    }
  };
  const head = make('div', { class: 'pair' }, !type.single && what.element, id.element);
  const form = make('form', { class: 'builder', oninput: refresh, onsubmit: send, novalidate: true },
    head, listOnly[0], asFigures, shown, listOnly.slice(1), about, make('div', { class: 'bar send' }, make('button', { type: 'submit', class: 'primary' }, t('send'))));
  refresh();
  const out = make('div', { class: 'out' }, Object.values(forms).map((f) => f.element), answer.elements);
  return make('div', { class: 'try' }, form, out);
}

// exampleOf gets an entry of the site, as the reader may see it; null for none.
async function exampleOf(type) {
  if (!type.find) return { note: t('noFind') };
  const answer = await ask(`${base}${type.path.replace(/^\/api/, '')}?populate=*${type.single ? '' : '&pagination[pageSize]=1'}`);
  const entry = type.single ? answer.body?.data : answer.body?.data?.[0];
  if (entry) return { entry };
  return { note: answer.ok || answer.status === 404 ? t('noExample') : (answer.body?.error?.message ?? String(answer.status)) };
}

// typePart is all of a content type but its routes.
export async function typePart(site, type) {
  if (!type.shape) return [];
  const { entry, note } = await exampleOf(type);
  const shown = entry ? [make('p', { class: 'note' }, t('exampleNote')), fold([t('example')], () => json(entry, t('example')), { open: true })] : [make('p', { class: 'note' }, note)];
  return [
    make('section', {}, make('h2', {}, t('try')), tryOf(site, type, entry)),
    make('section', {}, make('h2', {}, t('example')), shown),
  ];
}
