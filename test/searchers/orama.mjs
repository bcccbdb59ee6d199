import { create, insertMultiple, search } from '@orama/orama';
import { stemmer as english } from '@orama/stemmers/english';
import { stemmer as german } from '@orama/stemmers/german';
import { serve } from './serve.mjs';

await serve(async (texts, locale) => {
  const tokenizer = locale === 'de' ? { language: 'german', stemmer: german, stemming: true } : { language: 'english', stemmer: english, stemming: true };
  const index = create({ schema: { number: 'number', title: 'string', text: 'string' }, components: { tokenizer } });
  await insertMultiple(index, texts);
  return async (term) => {
    const { hits } = await search(index, { term, properties: ['title', 'text'], boost: { title: 2 }, tolerance: 1, limit: 10 }); // a tolerance of 2 takes seconds
    return hits.map(({ document: { number, title } }) => ({ number, title }));
  };
});
