/** The address of Quire. */
export const quire = import.meta.env.QUIRE_URL ?? "http://127.0.0.1:1337";

export interface Restaurant {
  documentId: string;
  name: string;
  slug: string | null;
  summary: string | null;
  photo: { url: string; alternativeText: string | null; width: number; height: number } | null;
  cook: { name: string } | null;
}

/** All published restaurants by name, read once for all pages. */
export const restaurants = await all<Restaurant>("restaurants", {
  sort: "name",
  fields: "name,slug,summary",
  "populate[photo]": "true",
  "populate[cook][fields]": "name",
});

/** The last part of the address of a restaurant. */
export const nameInPath = ({ slug, documentId }: Restaurant) => slug ?? documentId;

/** Reads a list from its first page to its last, from cursor to cursor: no entry is missed, even if others write meanwhile. */
async function all<T>(path: string, query: Record<string, string>): Promise<T[]> {
  const entries: T[] = [];
  for (let after: string | null = ""; after !== null; ) {
    const page = new URLSearchParams({ ...query, "pagination[after]": after, "pagination[limit]": "100" });
    const answer = await fetch(`${quire}/api/${path}?${page}`);
    if (!answer.ok) throw new Error(`Quire responds ${answer.status}: ${await answer.text()}`);
    const { data, meta } = await answer.json();
    entries.push(...data);
    after = meta.pagination.next;
  }
  return entries;
}
