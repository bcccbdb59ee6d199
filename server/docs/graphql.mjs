// The part about GraphQL: a query to write, its variables, the answer, and the schema as the
// reader may use it.
import { ask, base } from './caller.mjs';
import { completions, named } from './complete.mjs';
import { fold, labelled, make } from './dom.mjs';
import { answerPart, answered } from './try.mjs';
import { t } from './words.mjs';

const endpoint = base.replace(/\/api$/, '/graphql');

// beginning is a query that the reader may send: of the first list of content, if there is one.
function beginning(types) {
  const lists = (types.Query?.fields ?? []).filter(({ type }) => type.startsWith('['));
  const field = lists.find(({ name }) => !/^(i18N|usersPermissions|uploadFile)/.test(name)) ?? lists[0];
  const shown = types[named(field?.type)]?.fields?.some(({ name }) => name === 'documentId') ? 'documentId' : '__typename';
  return field ? `{\n  ${field.name} {\n    ${shown}\n  }\n}\n` : '{\n  __typename\n}\n';
}

// editor is a text with a list of what can stand at the cursor. The arrow keys choose in the
// list, Enter takes the chosen one, Escape closes the list, and Control and Space open it.
function editor(types) {
  const area = make('textarea', { rows: 14, spellcheck: 'false', autocapitalize: 'off', 'aria-autocomplete': 'list', 'aria-controls': 'completions' });
  area.value = beginning(types);
  const list = make('ul', { id: 'completions', role: 'listbox', 'aria-label': t('completions'), class: 'completions', hidden: true });
  let state = { typed: '', options: [] };
  let chosen = 0;
  const close = () => {
    list.hidden = true;
    area.removeAttribute('aria-activedescendant');
  };
  const choose = (at) => {
    chosen = (at + list.children.length) % list.children.length;
    [...list.children].forEach((item, i) => item.setAttribute('aria-selected', i === chosen));
    area.setAttribute('aria-activedescendant', list.children[chosen].id);
    list.children[chosen].scrollIntoView({ block: 'nearest' });
  };
  const take = (at) => {
    const option = state.options[at];
    area.setRangeText(option.name + (option.after ?? ''), area.selectionStart - state.typed.length, area.selectionStart, 'end');
    close();
    area.focus();
  };
  const offer = (asked) => {
    state = completions(types, area.value, area.selectionStart);
    if (state.options.length === 0 || (!asked && state.typed === '')) return close();
    list.replaceChildren(...state.options.slice(0, 100).map(({ name, type }, i) => make('li', { id: `completion${i}`, role: 'option', onmousedown: (event) => event.preventDefault(), onclick: () => take(i) }, make('span', {}, name), type && make('span', { class: 'dim' }, type))));
    list.hidden = false;
    choose(0);
  };
  const keys = { ArrowDown: () => choose(chosen + 1), ArrowUp: () => choose(chosen - 1), Enter: () => take(chosen), Escape: close };
  area.addEventListener('input', () => offer(false));
  area.addEventListener('blur', close);
  area.addEventListener('keydown', (event) => {
    const asked = event.key === ' ' && event.ctrlKey;
    if (!asked && (list.hidden || !keys[event.key] || event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    if (asked) offer(true);
    else keys[event.key]();
  });
  return { element: make('div', { class: 'editor' }, labelled(t('query'), area), list), area };
}

const shownArguments = (list) => (list?.length > 0 ? `(${list.map(({ name, type }) => `${name}: ${type}`).join(', ')})` : '');

// definition shows a type as a schema has it.
function definition(name, { kind, fields, names }) {
  if (kind === 'SCALAR') return `scalar ${name}`;
  if (kind === 'UNION') return `union ${name} = ${names.join(' | ')}`;
  const lines = fields?.map((field) => `  ${field.name}${shownArguments(field.arguments)}: ${field.type}`) ?? (names ?? []).map((value) => `  ${value}`);
  return `${{ INPUT_OBJECT: 'input', ENUM: 'enum' }[kind] ?? 'type'} ${name} {\n${lines.join('\n')}\n}`;
}

function schemaPart(types) {
  const rank = (name) => (name === 'Query' ? 0 : name === 'Mutation' ? 1 : 2);
  const order = Object.keys(types).filter((name) => types[name].kind !== 'SCALAR').sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1));
  return order.map((name) => fold([make('code', {}, name)], () => make('pre', { tabindex: '0', role: 'region', 'aria-label': name }, make('code', { lang: 'en' }, definition(name, types[name])))));
}

// graphqlPart is all of it.
export async function graphqlPart() {
  const got = await ask(`${base}/docs/graphql`);
  if (!got.ok) return [make('p', { class: 'error' }, got.body?.error?.message ?? String(got.status))];
  const { types } = got.body;
  const query = editor(types);
  const variables = make('textarea', { rows: 4, spellcheck: 'false', placeholder: '{}' });
  const answer = answerPart();
  const send = async (event) => {
    event.preventDefault();
    const body = { query: query.area.value };
    try {
      if (variables.value.trim()) body.variables = JSON.parse(variables.value);
    } catch {
      variables.focus();
      return answer.show(make('p', { class: 'error' }, t('badVariables')));
    }
    answer.show(make('p', { class: 'note' }, t('sending')));
    try {
      answer.show(...answered(await ask(endpoint, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }), true));
    } catch (error) {
      answer.show(make('p', { class: 'error' }, t('noAnswer', error.message)));
    }
  };
  const form = make('form', { class: 'builder', onsubmit: send, novalidate: true }, query.element, make('p', { class: 'note' }, t('editorNote')), labelled(t('variables'), variables),
    make('div', { class: 'bar send' }, make('button', { type: 'submit', class: 'primary' }, t('send'))));
  form.addEventListener('keydown', (event) => event.key === 'Enter' && (event.ctrlKey || event.metaKey) && form.requestSubmit());
  return [
    make('p', { class: 'chips' }, make('code', {}, `POST ${new URL(endpoint).pathname}`)),
    make('section', {}, make('h2', {}, t('try')), make('div', { class: 'try' }, form, make('div', { class: 'out' }, answer.elements))),
    make('section', {}, make('h2', {}, t('schema')), make('p', { class: 'note' }, t('schemaNote')), schemaPart(types)),
  ];
}
