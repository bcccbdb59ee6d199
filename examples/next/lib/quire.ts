import { cookies, draftMode } from "next/headers";
import type { Populated, QuireList, Restaurant } from "./api";

/** The address of Quire. */
export const quire = process.env.QUIRE_URL ?? "http://127.0.0.1:1337";

/** The cookie that holds the token of a preview link. */
export const previewCookie = "previewToken";

type Shown = Populated<Restaurant, { photo: true; cook: { fields: ["name"] }; cuisines: { fields: ["name"] } }>;

const shown = { "populate[photo]": "true", "populate[cook][fields]": "name", "populate[cuisines][fields]": "name" };

/** The types in a response. Next.js keeps the response until the webhook names one of them. */
const tags = ["api::restaurant.restaurant", "api::cook.cook", "api::cuisine.cuisine", "media"];

async function read(query: Record<string, string>): Promise<Shown[]> {
  const cache: RequestInit = query.previewToken ? { cache: "no-store" } : { cache: "force-cache", next: { tags } };
  const answer = await fetch(`${quire}/api/restaurants?${new URLSearchParams({ ...shown, ...query })}`, cache);
  if (answer.status === 401 && query.previewToken) return []; // the link has expired
  if (!answer.ok) throw new Error(`Quire responds ${answer.status}: ${await answer.text()}`);
  return ((await answer.json()) as QuireList<Shown>).data;
}

/** The published restaurants of a locale, or of all with "*": the first 100. */
export const restaurants = (locale: string) => read({ locale, sort: "name", "pagination[pageSize]": "100" });

/** The restaurant with a slug: its draft for who came by a preview link to it, otherwise what is published. */
export async function restaurant(locale: string, slug: string): Promise<Shown | undefined> {
  const query = { locale, "filters[slug]": slug };
  const previewToken = (await draftMode()).isEnabled && (await cookies()).get(previewCookie)?.value;
  const [draft] = previewToken ? await read({ ...query, previewToken }) : [];
  return draft ?? (await read(query))[0];
}

/** What a search finds: the parts of an entry that fit are HTML, which is already escaped. */
interface Found {
  data: (Pick<Restaurant, "documentId" | "name" | "slug"> & { _highlight: Record<string, string> })[];
  meta: {
    pagination: { total: number };
    facets: { price: { value: string; count: number }[] };
    search: { didYouMean?: string };
  };
}

/** The published restaurants of a locale with the words of a text, the best first, and how many there are of each price. */
export async function search(locale: string, q: string, price: string): Promise<Found> {
  const query = new URLSearchParams({ locale, q, fields: "name,slug", facets: "price", ...(price && { "filters[price]": price }) });
  const answer = await fetch(`${quire}/api/restaurants/_search?${query}`, { cache: "no-store" });
  if (answer.status === 400) return { data: [], meta: { pagination: { total: 0 }, facets: { price: [] }, search: {} } }; // nothing that one searches for
  if (!answer.ok) throw new Error(`Quire responds ${answer.status}: ${await answer.text()}`);
  return answer.json();
}

/** What the text of a search can be continued to. */
export async function suggestions(locale: string, q: string): Promise<string[]> {
  const answer = await fetch(`${quire}/api/restaurants/_suggest?${new URLSearchParams({ locale, q })}`, { cache: "no-store" });
  return answer.ok ? (await answer.json()).data.map(({ text }: { text: string }) => text) : [];
}
