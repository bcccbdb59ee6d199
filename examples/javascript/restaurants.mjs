// Reads and writes a guide with Strapi's own client: QUIRE_TOKEN=… node restaurants.mjs
import { strapi } from '@strapi/client';

const client = strapi({
  baseURL: `${process.env.QUIRE_URL ?? 'http://127.0.0.1:1337'}/api`,
  auth: process.env.QUIRE_TOKEN, // reading what is public needs none
});
const restaurants = client.collection('restaurants');

// A list, with what belongs to its entries.
const { data, meta } = await restaurants.find({
  filters: { seats: { $gte: 12 }, cook: { name: { $notNull: true } } },
  populate: { cook: { fields: ['name'] }, photo: true },
  sort: 'seats:desc',
  pagination: { page: 1, pageSize: 3 },
});
console.log(`${meta.pagination.total} restaurants:`);
for (const { name, seats, cook } of data) console.log(`  ${name}, ${seats} seats, cook ${cook.name}`);

// A single type, in another language.
const { data: home } = await client.single('homepage').find({ locale: 'de' });
console.log(home.title);

// A draft, which is then published. Actions are routes of Quire, so they go through fetch.
const { data: draft } = await restaurants.create({ name: 'Pier Nine', seats: 30 }, { status: 'draft' });
await client.fetch(`/restaurants/${draft.documentId}/actions/publish`, { method: 'POST' });
const { data: published } = await restaurants.findOne(draft.documentId);
console.log(`${published.name} is published: ${published.publishedAt !== null}`);

// What is wrong with a value is in the response.
try {
  await restaurants.update(draft.documentId, { seats: 0 });
} catch (error) {
  const { error: refused } = await error.response.json();
  console.log(`${error.response.status} ${refused.message}`);
}

await restaurants.delete(draft.documentId);
