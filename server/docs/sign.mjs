// Who reads: the forms for a token and for a user of the site.
import { Refusal, hasToken, inAdmin, setToken, signIn } from './caller.mjs';
import { button, labelled, make } from './dom.mjs';
import { t } from './words.mjs';

// reasonOf says why the site did not take a credential.
export function reasonOf(error) {
  if (!(error instanceof Refusal)) return t('noAnswer', error.message);
  if (error.status === 401) return t(inAdmin ? 'signedOut' : 'badToken');
  return error.status === 403 ? t('notAllowed') : error.message;
}

// formOf is a form that says what went wrong beside its button.
function formOf(controls, label, empty, submit) {
  const problem = make('p', { class: 'error', role: 'alert' });
  const send = make('button', { type: 'submit', class: 'primary' }, label);
  const onsubmit = async (event) => {
    event.preventDefault();
    const missing = controls.find((control) => control.value.trim() === '');
    problem.textContent = missing ? empty : '';
    if (missing) return missing.focus();
    send.disabled = true;
    try {
      await submit(...controls.map((control) => control.value));
    } catch (error) {
      problem.textContent = error instanceof Refusal && error.status === 400 ? error.message : reasonOf(error);
    }
    send.disabled = false;
  };
  return { onsubmit, problem, send };
}

export function tokenForm(use) {
  const token = make('input', { type: 'password', autocomplete: 'off', spellcheck: 'false' });
  const { onsubmit, problem, send } = formOf([token], t('useToken'), t('giveToken'), async (value) => {
    setToken(value.trim());
    await use();
  });
  return make('form', { class: 'sign', onsubmit, novalidate: true }, labelled(t('token'), token), make('p', { class: 'note' }, t('tokenNote')), problem, send);
}

function userForm(use) {
  const who = make('input', { autocomplete: 'off', spellcheck: 'false', autocapitalize: 'none' });
  const password = make('input', { type: 'password', autocomplete: 'off' });
  const { onsubmit, problem, send } = formOf([who, password], t('signIn'), t('giveUser'), async (...given) => {
    await signIn(...given);
    await use();
  });
  return make('form', { class: 'sign', onsubmit, novalidate: true }, labelled(t('identifier'), who), labelled(t('password'), password), problem, send);
}

// signInPart is all that somebody sees who may not read the description.
export function signInPart(use) {
  if (inAdmin) return [make('h1', {}, t('title')), make('p', {}, t('noTypes'))];
  return [
    make('h1', {}, t('signInTitle')), make('p', {}, t('signInAbout')),
    make('div', { class: 'ways' }, make('section', {}, make('h2', {}, t('token')), tokenForm(use)), make('section', {}, make('h2', {}, t('signInUser')), userForm(use))),
    make('p', { class: 'note' }, t('howToken')), make('pre', { tabindex: '0', role: 'region', 'aria-label': t('howToken') }, 'quire token create --name docs --type read-only'),
    make('p', { class: 'note' }, t('howPublic')), make('pre', { tabindex: '0', role: 'region', 'aria-label': t('howPublic') }, '{ "roles": { "public": { "plugin::quire.openapi": ["find"] } } }'),
  ];
}

// accessPart says who reads, and lets somebody else read.
export function accessPart(site, use) {
  const forget = () => {
    setToken('');
    use();
  };
  const forms = inAdmin ? make('p', { class: 'note' }, t('adminNote')) : hasToken() ? button(t('forget'), forget) : [tokenForm(use), make('details', {}, make('summary', {}, t('signInUser')), userForm(use))];
  const onkeydown = (event) => {
    if (event.key !== 'Escape') return;
    whole.open = false;
    whole.firstElementChild.focus();
  };
  const whole = make('details', { class: 'access', onkeydown }, make('summary', {}, make('span', { class: 'dim' }, `${t('you')} `), make('strong', site.isPerson ? {} : { lang: 'en' }, site.caller)), make('div', { class: 'panel' }, forms));
  return whole;
}
