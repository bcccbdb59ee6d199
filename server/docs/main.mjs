// The page: who reads, what there is, and the part that was chosen.
import { Refusal, hasToken, inAdmin, load, setToken } from './caller.mjs';
import { make } from './dom.mjs';
import { graphqlPart } from './graphql.mjs';
import { anchorOf, groupsOf, operationPart } from './reference.mjs';
import { accessPart, reasonOf, signInPart } from './sign.mjs';
import { typePart } from './try.mjs';
import { language, t } from './words.mjs';

const at = (id) => document.getElementById(id);
const state = { site: null, groups: [], all: false };
let turn = 0; // of what is shown: an answer that comes late shows nothing

const operationsOf = (group) => group.operations.filter((operation) => state.all || operation.mine);
const typeOf = (group) => state.site.types.find((type) => type.tag === group.name);

// chosen is the group that the address names, by itself or by one of its operations.
function chosen() {
  const name = decodeURIComponent(location.hash.slice(1));
  const named = state.groups.find((group) => group.name === name) ?? state.groups.find((group) => operationsOf(group).some((operation) => anchorOf(operation) === name));
  return { name, group: named ?? state.groups.find(typeOf) ?? state.groups.find((group) => operationsOf(group).length > 0) };
}

function chips(type) {
  const words = [type.single && t('single'), type.versions && t('versions'), type.localized && t('localized')].filter(Boolean);
  return make('p', { class: 'chips' }, make('code', {}, type.uid), words.map((word) => make('span', {}, word)));
}

// show puts the chosen group into the page.
async function show() {
  const { name, group } = chosen();
  for (const link of document.querySelectorAll('#index a')) link.toggleAttribute('aria-current', false);
  if (!group) return at('main').replaceChildren(make('h1', {}, t('title')), make('p', {}, t('noTypes')));
  for (const link of document.querySelectorAll('#index a')) if (link.hash === `#${group.name}`) link.setAttribute('aria-current', 'page');
  const mine = ++turn;
  const type = typeOf(group);
  const operations = operationsOf(group);
  const routes = operations.length > 0 && make('section', {}, make('h2', {}, t('routes')), operations.map((operation) => operationPart(operation, anchorOf(operation) === name)));
  at('main').replaceChildren(make('h1', {}, group.title), make('p', { role: 'status', class: 'note' }, t('loading')));
  const parts = type || group.graphql ? await (type ? typePart(state.site, type) : graphqlPart()).catch((error) => [make('p', { class: 'error' }, reasonOf(error))]) : [];
  if (mine !== turn) return;
  at('main').replaceChildren(...[make('h1', {}, group.title), type && chips(type), ...parts, routes].filter(Boolean));
  document.title = `${group.title} · ${t('title')}`;
  if (name !== group.name && name !== '') at(name)?.scrollIntoView();
}

// index lists what there is: types first.
function index() {
  const item = (group) => {
    const words = operationsOf(group).map(({ method, path, operation }) => `${method} ${path} ${operation.summary}`).concat(group.title).join('\n').toLowerCase();
    const routes = operationsOf(group).map((operation) => make('li', { 'data-words': `${operation.method} ${operation.path} ${operation.operation.summary}`.toLowerCase(), hidden: true },
      make('a', { href: `#${anchorOf(operation)}` }, make('span', { class: `method ${operation.method}` }, operation.method), ` ${operation.path}`)));
    return make('li', { 'data-words': words }, make('a', { href: `#${group.name}` }, group.title), make('ul', {}, routes));
  };
  const list = (title, groups) => groups.length > 0 && make('div', {}, make('h2', {}, title), make('ul', {}, groups.map(item)));
  const shown = state.groups.filter((group) => typeOf(group) || group.graphql || operationsOf(group).length > 0);
  at('index').replaceChildren(...[list(t('types'), shown.filter(typeOf)), list(t('queryLanguages'), shown.filter((group) => group.graphql)), list(t('others'), shown.filter((group) => !typeOf(group) && !group.graphql))].filter(Boolean));
  narrow();
}

// narrow leaves what has every word that is looked for.
function narrow() {
  const words = at('search').value.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (item) => words.every((word) => item.dataset.words.includes(word));
  for (const item of document.querySelectorAll('#index > div > ul > li')) {
    const routes = [...item.querySelectorAll('li')];
    for (const route of routes) route.hidden = words.length === 0 || !has(route);
    item.hidden = !has(item) && routes.every((route) => route.hidden);
  }
}

// start asks the site, as whoever reads now, and shows what comes.
async function start() {
  try {
    const { site, description } = await load();
    Object.assign(state, { site, groups: description ? groupsOf(description, site.routes) : site.types.map(({ tag, name }) => ({ name: tag, title: name, operations: [] })) });
    if (site.graphql && !inAdmin) state.groups.push({ name: '/graphql', title: 'GraphQL', graphql: true, operations: [] });
    at('all').parentElement.hidden = !description;
    document.body.classList.remove('closed');
    at('access').replaceChildren(accessPart(site, use));
    index();
    await show();
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 403 || hasToken()) throw error;
    turn++;
    document.body.classList.add('closed');
    at('access').replaceChildren();
    at('index').replaceChildren();
    at('main').replaceChildren(...signInPart(use));
  }
}

// use begins anew with another credential; one that is not taken is forgotten.
async function use() {
  try {
    await start();
  } catch (error) {
    setToken('');
    throw error;
  }
  at('main').focus();
}

document.documentElement.lang = language;
const theme = new URLSearchParams(location.search).get('theme'); // as it was chosen in the admin
if (theme) document.documentElement.dataset.theme = theme;
document.title = t('title');
at('title').textContent = t('title');
at('skip').textContent = t('skip');
at('contents').querySelector('summary').textContent = t('contents');
at('contents').open = matchMedia('(min-width: 60rem)').matches;
at('nav').setAttribute('aria-label', t('contents'));
at('search').setAttribute('placeholder', t('findHint'));
at('find').textContent = t('find');
at('all').nextElementSibling.textContent = t('all');
at('search').addEventListener('input', narrow);
at('all').addEventListener('change', () => {
  state.all = at('all').checked;
  index();
  show();
});
addEventListener('hashchange', () => state.site && show());
start().catch((error) => at('main').replaceChildren(make('p', { class: 'error', role: 'alert' }, t('wrong', reasonOf(error)))));
