// Elements of the page. Texts are put on it as text, never as markup.
import { t } from './words.mjs';

// make returns an element with attributes and children; texts are children too. What is
// null or false is left out; a function is a listener: { onclick }.
export function make(name, attributes, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === 'function') element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? '' : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

// prose shows `code` in a text as code.
export function prose(text, name = 'p') {
  return make(name, { lang: 'en' }, text.split('`').map((part, i) => (i % 2 ? make('code', {}, part) : part)));
}

// fold is a part that is made when it is opened first: schemas may be endless.
export function fold(title, fill, attributes = {}) {
  const details = make('details', attributes, make('summary', {}, title));
  const open = () => details.open && details.childElementCount === 1 && details.append(fill());
  details.addEventListener('toggle', open);
  open();
  return details;
}

let last = 0;

// labelled is a control with its label before it.
export function labelled(label, control, attributes = {}) {
  control.id ||= `c${++last}`;
  return make('div', { class: 'field', ...attributes }, make('label', { for: control.id }, label), control);
}

export function select(options, attributes = {}, chosen) {
  const list = options.map(([value, label, off]) => make('option', { value, disabled: off, selected: value === chosen }, label));
  return make('select', attributes, list);
}

export const button = (label, onclick, attributes = {}) => make('button', { type: 'button', onclick, ...attributes }, label);

// changed has the form around an element read itself again.
export const changed = (element) => element.dispatchEvent(new Event('input', { bubbles: true }));

// copyable is a text in a box with a button that copies it. set changes the text.
export function copyable(title) {
  const code = make('code');
  const copy = button(t('copy'), async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code); // the clipboard is closed to pages without TLS
      return;
    }
    copy.textContent = t('copied');
    setTimeout(() => (copy.textContent = t('copy')), 2000);
  }, { class: 'small', 'aria-label': t('copyOf', title) });
  const box = make('pre', { tabindex: '0', role: 'region', 'aria-label': title }, code);
  const element = make('div', { class: 'copyable' }, make('div', { class: 'bar' }, make('h3', {}, title), copy), box);
  return { element, set: (text) => (code.textContent = text) };
}

const marks = /("(?:[^"\\]|\\.)*")(\s*:)?|\b(?:true|false|null)\b|-?\b\d[\d.eE+-]*/g;

// longest is how much of an answer is shown, and coloured how much of it with colours.
const longest = 300_000;
const coloured = 60_000;

// json shows a value, laid out and coloured.
export function json(value, label) {
  const text = JSON.stringify(value, null, 2) ?? '';
  const box = make('pre', { tabindex: '0', role: 'region', 'aria-label': label, class: 'json' });
  if (text.length > coloured) {
    box.append(text.slice(0, longest));
    return text.length > longest ? make('div', {}, make('p', { class: 'note' }, t('cut')), box) : box;
  }
  let at = 0;
  for (const found of text.matchAll(marks)) {
    const kind = found[2] ? 'key' : found[1] ? 'string' : 'plain';
    const mark = found[1] ?? found[0];
    box.append(text.slice(at, found.index), make('span', { class: kind }, mark));
    at = found.index + mark.length;
  }
  box.append(text.slice(at));
  return box;
}
