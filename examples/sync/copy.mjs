// Keeps a copy of a site's content in a JSON file: node copy.mjs SITE FILE
// The file has what the site had at one moment, and moves on from moment to moment.
// QUIRE_TOKEN is a token of the site; without it, the copy is of what everybody sees.
import { readFile, rename, writeFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';

const [site = 'http://127.0.0.1:1337', file = 'copy.json'] = process.argv.slice(2);
const headers = process.env.QUIRE_TOKEN ? { authorization: `Bearer ${process.env.QUIRE_TOKEN}` } : {};
const begin = () => ({ entries: {} });
let copy = await readFile(file, 'utf8').then(JSON.parse, begin);

for (;;) {
  try {
    const query = new URLSearchParams({ limit: 1000, ...(copy.since && { since: copy.since }) });
    const answer = await fetch(`${site}/api/_changes?${query}`, { headers });
    const { data, meta, error } = await answer.json();
    if (answer.status === 410) copy = begin(); // what happened since is no longer known
    else if (error) throw new Error(error.message);
    else {
      for (const { type, documentId, locale, action, entry } of data) {
        const name = [type, documentId, locale].join(' ');
        if (action === 'delete') delete copy.entries[name];
        else copy.entries[name] = entry;
      }
      const moved = copy.since !== meta.since;
      copy.since = meta.since;
      if (meta.more) continue;
      if (moved) {
        await writeFile(`${file}.new`, JSON.stringify(copy));
        await rename(`${file}.new`, file);
      }
      await pause(1000);
    }
  } catch (error) {
    console.error(error.cause?.message ?? error.message); // and try again
    await pause(1000);
  }
}
