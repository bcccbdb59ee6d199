// Copies the pictures of docs/admin.md out of those that the tests have made:
// npm test && npm run pictures
import { copyFileSync, mkdirSync } from 'node:fs';

const pictures = {
  list: 'list-1440-light',
  locales: 'locales-desk-light',
  history: 'history-desk-light',
  palette: 'palette-desk-dark',
  role: 'role-desk-light',
  media: 'media-desk-light',
  operation: 'operation-desk-light',
  phone: 'editor-full-phone-light',
};

const docs = new URL('../../docs/pictures/', import.meta.url);
mkdirSync(docs, { recursive: true });
for (const [name, made] of Object.entries(pictures)) {
  copyFileSync(new URL(`./screenshots/${made}.png`, import.meta.url), new URL(`admin-${name}.png`, docs));
}
