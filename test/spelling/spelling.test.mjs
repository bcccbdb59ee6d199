// Misspelled words in the pages of the repository. British English, as the dictionary of
// Hunspell has it, and words.txt: names, and words of the field that it lacks.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import dictionary from 'dictionary-en-gb';
import nspell from 'nspell';
import { words } from './prose.mjs';

const top = fileURLToPath(new URL('../..', import.meta.url));
const own = readFileSync(new URL('words.txt', import.meta.url), 'utf8').trim().split('\n');

const english = nspell(dictionary);
const speller = nspell(dictionary).personal(own.join('\n'));

function misspelled(text) {
  return words(text).filter(({ word }) => !speller.correct(word));
}

test('a misspelled word is found, and code is not looked at', () => {
  const page = 'A sentance.\n\n```sh\nqiure serve\n```\n\nThe `clinet` of [recieve](docs/recieve.md) in site.json, WebP and URLs.\n';
  assert.deepEqual(misspelled(page), [{ word: 'sentance', line: 1 }, { word: 'recieve', line: 7 }]);
});

test('pages are spelt correctly', () => {
  const pages = execFileSync('git', ['ls-files', '*.md'], { cwd: top, encoding: 'utf8' }).trim().split('\n');
  assert.ok(pages.length > 30, `${pages.length} pages are read`);
  const found = pages.flatMap((page) =>
    misspelled(readFileSync(`${top}/${page}`, 'utf8')).map(({ word, line }) => `${page}:${line}: ${word} (${english.suggest(word).slice(0, 3).join(', ')})`),
  );
  assert.equal(found.length, 0, `correct these words, or add them to test/spelling/words.txt:\n${found.join('\n')}`);
});

test('words.txt is in order, and has no word that the dictionary has', () => {
  assert.deepEqual(own, [...new Set(own)].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)));
  assert.deepEqual(own.filter((word) => english.correct(word)), []);
});
