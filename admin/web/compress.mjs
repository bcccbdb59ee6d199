// Compresses what the builder (admin/build) gives it as well as gzip allows, which its own
// gzip does not: content by name in, the same compressed out, both in base64.
import { gzipAsync } from '@gfx/zopfli';
import { readFileSync } from 'node:fs';

const files = Object.entries(JSON.parse(readFileSync(0, 'utf8')));
const compressed = await Promise.all(files.map(async ([name, content]) => [name, Buffer.from(await gzipAsync(Buffer.from(content, 'base64'), {})).toString('base64')]));
process.stdout.write(JSON.stringify(Object.fromEntries(compressed)));
