// Documents for the starter site "guide": so many restaurants, with cooks and cuisines.

const words = 'amber basil cedar dune ember fig grove harbor iris juniper kelp lemon maple nectar olive pepper quince river saffron thyme'.split(' ');
const prices = ['budget', 'moderate', 'fine'];

function id(kind, n) {
  return `${kind}${String(n).padStart(24 - kind.length, '0')}`;
}

function title(word) {
  return word[0].toUpperCase() + word.slice(1);
}

// guide gives restaurants of which every tenth is a draft and every third has a German
// version, unless there are no translations. The nth is called "Amber Basil 0012".
export function guide(restaurants, { translations = true } = {}) {
  const lines = [];
  const cooks = ['Inês Prado', 'Tomasz Lis', 'Mei Tanaka'].map((name, n) => ({ type: 'api::cook.cook', documentId: id('cook', n), data: { name } }));
  lines.push(...cooks);
  for (let n = 0; n < restaurants; n++) {
    const name = `${title(words[n % 20])} ${title(words[(n * 7) % 20])} ${String(n).padStart(4, '0')}`;
    const document = { type: 'api::restaurant.restaurant', documentId: id('place', n), status: n % 10 === 9 ? 'draft' : 'published' };
    const data = { name, slug: `place-${n}`, price: prices[n % 3], seats: 10 + (n % 90), vegetarian: n % 4 === 0, opened: `20${String(n % 25).padStart(2, '0')}-05-01`, cook: cooks[n % 3].documentId };
    lines.push({ ...document, locale: 'en', data });
    if (translations && n % 3 === 0) lines.push({ ...document, locale: 'de', data: { ...data, name: `${name} (deutsch)` } });
  }
  return lines;
}

export const restaurants = '/content/api::restaurant.restaurant';
