// Copies the pictures of docs/admin.md and docs/types.md out of those that the tests have made:
// node --test --test-concurrency=1 && node pictures.mjs
import { copyFileSync, mkdirSync } from 'node:fs';

const pictures = {
  'admin-list': 'list-1440-light',
  'admin-preview': 'preview-desk-light',
  'admin-review': 'editor-script-light',
  'admin-locales': 'locales-desk-light',
  'admin-suggestions': 'suggestions-desk-light',
  'admin-history': 'history-desk-light',
  'admin-palette': 'palette-desk-dark',
  'admin-role': 'role-desk-light',
  'admin-provider': 'openid-sign-in',
  'admin-types': 'types-editor',
  'admin-media': 'media-desk-light',
  'admin-operation': 'operation-desk-light',
  'admin-settings': 'settings-limits-desk-light',
  'admin-phone': 'editor-full-phone-light',
  'api-docs': 'docs-desk-light',
};

const docs = new URL('../../docs/pictures/', import.meta.url);
mkdirSync(docs, { recursive: true });
for (const [name, made] of Object.entries(pictures)) {
  copyFileSync(new URL(`./screenshots/${made}.png`, import.meta.url), new URL(`${name}.png`, docs));
}
