// Measures a media library of many files: what the server answers in how long, how soon the
// page is there, and what memory that takes. FILES is how many, 100000. The files are tiny,
// so that what is measured is the library and not the disk.
//
//   QUIRE=../../quire node library.mjs
import { readFileSync } from 'node:fs';
import { drawn, launch, ownersApi, signedIn } from './browser.mjs';
import { serve, setUp } from './site.mjs';

const count = Number(process.env.FILES ?? 100_000);
const atOnce = 400; // files in a request
const words = 'amber basil cedar dune ember fig grove harbor iris juniper kelp lemon maple nectar olive pepper quince river saffron thyme umber vine willow yarrow zest'.split(' ');
const dot = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==', 'base64');

const ends = [];
const t = { after: (end) => ends.unshift(end) };
const word = (n) => words[n % words.length];

// told is what is said of a file: its name, where it lies and, of most pictures, what they show.
function told(i, folders) {
  const picture = i % 4 !== 3;
  return {
    name: `${word(i)} ${word(Math.floor(i / 25))} ${i}.${picture ? 'png' : 'txt'}`,
    folder: folders[i % folders.length],
    ...(picture && i % 3 !== 0 && { alternativeText: `${word(i * 7)} ${word(i * 11)} and ${word(i * 13)} by the ${word(Math.floor(i / 625))}` }),
    ...(i % 2 === 0 && { caption: `${word(i * 3)} in the ${word(i * 17)}` }),
  };
}

async function upload(site, from, folders) {
  const form = new FormData();
  for (let i = from; i < Math.min(count, from + atOnce); i++) {
    const info = told(i, folders);
    form.append('files', info.name.endsWith('.png') ? new Blob([dot], { type: 'image/png' }) : new Blob([info.name], { type: 'text/plain' }), info.name);
    form.append('fileInfo', JSON.stringify(info));
  }
  const answer = await fetch(`${site.origin}/api/upload`, { method: 'POST', headers: { Authorization: `Bearer ${site.token}` }, body: form });
  if (answer.status !== 201) throw new Error(`${answer.status} ${await answer.text()}`);
}

// makeFolders makes 20 folders of 24 each, and returns the numbers of all of them.
async function makeFolders(ask) {
  const numbers = [];
  const make = async (name, parent) => {
    const { id, documentId, error } = await ask('POST', '/media/folders', { name, parent });
    if (error) throw new Error(JSON.stringify(error));
    numbers.push(id);
    return documentId;
  };
  for (let i = 0; i < 20; i++) {
    const parent = await make(`${word(i)} ${i}`, null);
    for (let j = 0; j < 24; j++) await make(`${word(j)} ${i}-${j}`, parent);
  }
  return numbers;
}

// fill uploads all files from several clients.
async function fill(site, folders) {
  let next = 0;
  const client = async () => {
    while (next < count) {
      const from = next;
      next += atOnce;
      await upload(site, from, folders);
      if (from % 10_000 === 0) console.error(`${from} files`);
    }
  };
  await Promise.all([client(), client(), client()]);
}

function percentile(times, p) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * p))];
}

const rows = [];
const ms = (n) => `${n < 20 ? n.toFixed(1) : Math.round(n)} ms`;

// answers asks the server again and again, as a page does, and notes how long that takes.
async function answers(ask, what, paths, rounds) {
  const times = [];
  for (let i = 0; i < rounds; i++) {
    const path = paths[i % paths.length];
    const begun = performance.now();
    const { status, error } = await ask('GET', path);
    times.push(performance.now() - begun);
    if (status !== 200) throw new Error(`${path}: ${status} ${JSON.stringify(error)}`);
  }
  note(what, times);
}

// note keeps what was measured for the table.
function note(what, times) {
  rows.push([what, ms(percentile(times, 0.5)), ms(percentile(times, 0.95))]);
}

const page100 = 'populate[folder][fields]=name&pagination[pageSize]=100';
const found = (text) =>
  text
    .split(' ')
    .map((one, i) => ['name', 'alternativeText', 'caption'].map((key, j) => `filters[$and][${i}][$or][${j}][${key}][$containsi]=${one}`).join('&'))
    .join('&');
const files = (query) => `/media/files?${page100}&${query}`;
const newest = 'sort[0]=createdAt:desc&sort[1]=id:asc';

async function measureServer(ask) {
  const tree = '/media/folders?sort=name&populate[parent][fields]=name&populate[files][count]=true';
  const { documentId, path } = Object.values(await ask('GET', tree)).find((folder) => folder.parent === null);
  const texts = ['a', 'am', 'amber', 'thyme', 'river 9', 'saffron kelp', '4711', 'zest in the'];
  await answers(ask, 'the tree of 500 folders, with the files in each', [tree], 100);
  await answers(ask, 'a folder, the newest first', [files(`${newest}&filters[$and][0][folder][documentId]=${documentId}`)], 100);
  await answers(ask, 'a search', texts.map((text) => files(`${newest}&${found(text)}`)), 200);
  await answers(ask, 'a search below a folder', texts.map((text) => files(`${newest}&${found(text)}&filters[$and][9][folder][$or][0][path]=${path}&filters[$and][9][folder][$or][1][path][$startsWith]=${path}/`)), 200);
  const pictures = 'filters[$and][0][mime][$startsWith]=image/';
  await answers(ask, 'all pictures', [files(`${newest}&${pictures}`)], 100);
  await answers(ask, 'pictures without alternative text', [files(`${newest}&${pictures}&filters[$and][1][$or][0][alternativeText][$null]=true&filters[$and][1][$or][1][alternativeText][$eq]=`)], 100);
  await answers(ask, 'files larger than 1 MB', [files(`${newest}&filters[$and][0][size][$gt]=1000`)], 100);
  await answers(ask, 'files that nothing links to', [files(`${newest}&links=none`)], 20);
  await answers(ask, 'all pictures by name, a page in the middle', [files(`sort[0]=name:asc&sort[1]=id:asc&${pictures}&pagination[page]=300`)], 100);
}

// measurePage opens the library and types into its search.
async function measurePage(browser, site) {
  const page = await signedIn(t, browser, site);
  const starts = [];
  for (let i = 0; i < 10; i++) {
    const begun = performance.now();
    await page.goto(`${site.origin}/admin/media`);
    await page.locator('.media-folder').first().waitFor();
    await page.getByLabel('Search files').waitFor();
    starts.push(performance.now() - begun);
  }
  note('the page of the library is there, with its folders', starts);
  const shown = [];
  const input = page.getByLabel('Search files');
  for (const text of ['amber', 'kelp 77', 'saffron', 'river']) {
    await input.fill('');
    await page.locator('.media-folder').first().waitFor();
    for (const key of text) {
      const answered = page.waitForResponse((answer) => answer.url().includes('/media/files?'), { timeout: 2000 }).catch(() => null);
      const begun = performance.now();
      await input.press(key === ' ' ? 'Space' : key);
      if (!(await answered)) continue; // a space at the end asks nothing
      await drawn(page);
      shown.push(performance.now() - begun);
    }
  }
  note('a search shows what it finds, after a key', shown);
}

const memory = (pid) => `${Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))[1]) / 1024)} MiB`;

try {
  const browser = await launch(t);
  const site = await serve(t, undefined, []);
  await setUp(site);
  const ask = await ownersApi({ browser, site, t });
  await fill(site, await makeFolders(ask));
  const begun = performance.now();
  await site.restart();
  rows.push([`the program starts on ${count.toLocaleString('en')} files`, ms(performance.now() - begun), '–']);
  rows.push(['its memory then', memory(site.pid), '–']);
  await measureServer(ask);
  await measurePage(browser, site);
  rows.push(['its memory after all of this', memory(site.pid), '–']);
} finally {
  for (const end of ends) await end();
}

console.log('| what | median | 95 of 100 |\n|---|---|---|');
for (const row of rows) console.log(`| ${row.join(' | ')} |`);
