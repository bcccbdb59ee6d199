import MiniSearch from 'minisearch';
import { errorsOf, serve } from './serve.mjs';

await serve((texts) => {
  const index = new MiniSearch({ idField: 'number', fields: ['title', 'text'], storeFields: ['number', 'title'] });
  index.addAll(texts);
  const options = { boost: { title: 2 }, combineWith: 'AND', prefix: (term, i, terms) => i === terms.length - 1, fuzzy: errorsOf };
  return (q) => index.search(q, options).slice(0, 10).map(({ number, title }) => ({ number, title }));
});
