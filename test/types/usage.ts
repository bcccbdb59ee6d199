// How programs use the generated types, with the client of the reference API and
// without. It is compiled and never run. Lines that must not compile say so.
import { strapi, type API, type StrapiClient } from "@strapi/client";
import type * as guide from "./generated/guide";
import type * as odd from "./generated/odd";
import type {
  AggregateGroup,
  AggregateValue,
  Category,
  Chef,
  Collections,
  CountResponse,
  Homepage,
  Populate,
  Populated,
  Restaurant,
  RestaurantCreate,
  RestaurantUpdate,
  SectionCta,
  SharedSeo,
  Singles,
  UploadFile,
} from "./generated/site";

// A thin layer over the client gives every collection its types.
export async function find<K extends keyof Collections, P extends Populate<Collections[K]["entry"]> = never>(
  client: StrapiClient,
  name: K,
  query: Omit<API.BaseQueryParams, "populate"> & { populate?: P } = {},
) {
  const answer = await client.collection(name).find(query as API.BaseQueryParams);
  return answer as API.DocumentResponseCollection<Populated<Collections[K]["entry"], P>>;
}

export async function create<K extends keyof Collections>(client: StrapiClient, name: K, data: Collections[K]["create"]) {
  return (await client.collection(name).create(data)) as API.DocumentResponse<Collections[K]["entry"]>;
}

export async function single<K extends keyof Singles>(client: StrapiClient, name: K) {
  return (await client.single(name).find()) as API.DocumentResponse<Singles[K]["entry"]>;
}

export async function program() {
  const client = strapi({ baseURL: "http://127.0.0.1:1337/api" });

  // What is not populated is not there.
  const plain = await find(client, "restaurants", { filters: { stars: { $gte: 3 } }, sort: "name:asc" });
  for (const r of plain.data) {
    const name: string = r.name;
    const tier: "p1" | "p2" | "p3" | "p4" | null = r.price_tier;
    const seats: string | null = r.seats;
    const meta: unknown = r.meta;
    const language: "en" | "fr" | "it" = r.locale;
    const published: string = r.publishedAt;
    // @ts-expect-error nobody sees private attributes
    const secret = r.secret_note;
    // @ts-expect-error and nobody sees passwords
    const code = r.door_code;
    // @ts-expect-error it may be missing
    const chef: Chef | null = r.chef;
    use(name, tier, seats, meta, language, published, secret, code, chef);
  }

  // Names, the wildcard and objects populate.
  const named = await find(client, "restaurants", { populate: ["chef", "categories"] });
  const chef: Chef | null = named.data[0]!.chef;
  const categories: string[] = named.data[0]!.categories.map((c) => c.name);
  const all = await find(client, "restaurants", { populate: "*" });
  const cover: UploadFile | null = all.data[0]!.cover;
  const levels = await find(client, "restaurants", { populate: { "*": 2 } });
  const portraits: (UploadFile | null)[] = levels.data.map((r) => r.chef && r.chef.portrait);
  const second: string[] = levels.data.flatMap((r) => r.chef?.restaurants ?? []).map((r) => r.name);
  // @ts-expect-error there are no more than five levels
  await find(client, "restaurants", { populate: { "*": 6 } });
  use(portraits, second);
  const deep = await find(client, "restaurants", {
    populate: {
      chef: { fields: ["name"], populate: { portrait: true } },
      nearby: { populate: ["cover"], sort: "name" },
      categories: { count: true },
      sections: { on: { "section.cta": { populate: { image: true } }, "section.quote": true } },
    },
  });
  for (const r of deep.data) {
    const portrait: UploadFile | null | undefined = r.chef?.portrait;
    const covers: (UploadFile | null)[] = r.nearby.map((n) => n.cover);
    const count: number = r.categories.count;
    for (const section of r.sections) {
      switch (section.__component) {
        case "section.cta": {
          const image: UploadFile | null = section.image;
          const style: "primary" | "secondary" | null = section.style;
          use(image, style);
          break;
        }
        case "section.quote":
          use(section.by);
          break;
        default:
          section satisfies never;
      }
    }
    // @ts-expect-error only the name was asked for
    const bio = r.chef?.bio;
    // @ts-expect-error this was not populated
    const gallery: UploadFile[] = r.gallery;
    use(portrait, covers, count, bio, gallery);
  }
  // @ts-expect-error there is nothing to populate behind a name
  await find(client, "restaurants", { populate: ["name"] });
  // @ts-expect-error chefs have no chef
  await find(client, "restaurants", { populate: { chef: { populate: ["chef"] } } });

  // What bodies may say.
  await create(client, "restaurants", {
    name: "Chez Ana",
    seats: "9007199254740993",
    vegan: null,
    secret_note: "written, never shown",
    door_code: "secret",
    description: [{ type: "paragraph", children: [{ type: "text", text: "Hi", bold: true }] }],
    cover: 7,
    chef: "abcdefghijklmnopqrstuvwx",
    categories: { connect: [{ documentId: "a", position: { before: "b" } }], disconnect: [3] },
    location: { street: "1 Main", geo: { lat: 45 } },
    opening_hours: [{ id: 4, note: "kept" }, { day: "mon" }],
    sections: [{ __component: "section.cta", label: "Book" }, { __component: "section.related", links: [] }],
  });
  // @ts-expect-error a restaurant needs a name
  await create(client, "restaurants", { stars: 3 });
  // @ts-expect-error there is no such tier
  await create(client, "restaurants", { name: "x", price_tier: "p9" });
  // @ts-expect-error a quote has no label
  await create(client, "restaurants", { name: "x", sections: [{ __component: "section.quote", label: "Book" }] });
  const change: RestaurantUpdate = { stars: null, opening_hours: [] };
  await client.collection("restaurants").update("abc", change, { status: "draft" });

  // Single types, and the previous site.
  const home: string = (await single(client, "homepage")).data.title;
  const file: API.DocumentResponse<guide.Restaurant> = { data: {} as guide.Restaurant, meta: {} };
  use(chef, categories, cover, home, file);
}

// Everything that is served is a document to the client.
export type Entries = Collections[keyof Collections]["entry"] | Singles[keyof Singles]["entry"] | guide.AnyEntry;
export type Documents = API.DocumentResponseCollection<Entries>;
export type Drafts = API.DocumentResponse<Restaurant<"draft">>;

// Drafts need not have what is required, and show drafts.
export function drafts(r: Populated<Restaurant<"draft">, "chef" | "seo">) {
  const nothing: null = r.publishedAt;
  const name: string | null = r.name;
  const chef: string | null | undefined = r.chef?.name;
  const seo: SharedSeo<"draft"> | null = r.seo;
  // @ts-expect-error a draft may have no name
  const sure: string = r.name;
  use(nothing, name, chef, seo, sure);
}

// @ts-expect-error chefs have no chef
export type Wrong = Populated<Restaurant, { chef: { populate: ["chef"] } }>;

// Types nest as deep as anybody likes.
export type Deep = Populated<Homepage, { featured: { populate: { chef: { populate: { restaurants: { populate: ["reviews"] } } } } } }>;
export const reviews = (h: Deep): (string | null)[] => h.featured.flatMap((r) => r.chef?.restaurants ?? []).flatMap((r) => r.reviews.map((v) => v.content));

// Relations to any type say to which.
export function mentioned(r: Populated<odd.ApiRecordRecord, { mentions: { on: { "api::memo.entry-create": true } }; about: true }>) {
  const only: "api::memo.entry-create" | undefined = r.mentions[0]?.__type;
  const title: string | undefined = r.about?.__type === "api::record.record" ? r.about.title : undefined;
  return [only, title];
}

export const label = (c: SectionCta): string => c.label;
export const parents = (c: Populated<Category, { children: { populate: ["children"] } }>): string[] => c.children.flatMap((d) => d.children.map((e) => e.name));
export const body: RestaurantCreate = { name: "x" };

// Groups have the values that they were asked for, and figures may be missing.
export function tiers(groups: AggregateGroup<"price_tier", "rating">[], counted: CountResponse) {
  const all: number = counted.data.count;
  const tier: AggregateValue | boolean | undefined = groups[0]?.group.price_tier;
  const rating: AggregateValue | undefined = groups[0]?.avg?.rating;
  // @ts-expect-error nothing was asked of seats
  const seats = groups[0]?.sum?.seats;
  use(all, tier, rating, seats);
}

function use(..._: unknown[]) {}
