// How programs use the generated types, with the client of the reference API and
// without. It is compiled and never run. Lines that must not compile say so.
import { strapi, type API, type StrapiClient } from "@strapi/client";
import type * as guide from "./generated/guide";
import type * as odd from "./generated/odd";
import type {
  ActionAnswer,
  ActionBody,
  ActionEntry,
  ActionQuery,
  AggregateAnswer,
  AggregateGroup,
  AggregateQuery,
  AggregateValue,
  BatchBody,
  BatchResponse,
  Category,
  Chef,
  Collections,
  CountResponse,
  DocumentAction,
  Former,
  HistoryQuery,
  Homepage,
  ListQuery,
  LocaleCode,
  PaginationQuery,
  Populate,
  Populated,
  QuireAnswer,
  QuireChanges,
  QuireChangesQuery,
  QuireDifferences,
  QuireError,
  QuireFormer,
  QuireHistory,
  QuireLinks,
  QuireList,
  QuireListedSchedule,
  QuirePreviewLink,
  QuirePreviewLinkBody,
  QuireRelease,
  QuireReleaseBody,
  QuireReleaseChange,
  QuireReleaseCheck,
  QuireRestored,
  QuireSchedule,
  Restaurant,
  RestaurantCreate,
  RestaurantUpdate,
  WithState,
  SectionCta,
  SharedSeo,
  Singles,
  UploadFile,
} from "./generated/site";

// A thin layer over the client gives every collection its types.
export async function find<K extends keyof Collections, P extends Populate<Collections[K]["entry"]> = never, G extends PaginationQuery = {}>(
  client: StrapiClient,
  name: K,
  query: ListQuery<Collections[K]["entry"], P, G> = {},
) {
  const answer: unknown = await client.collection(name).find(query as API.BaseQueryParams);
  return answer as QuireList<Populated<Collections[K]["entry"], P>, G>;
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

// Lists: from cursor to cursor, in a locale that stands in, best matches first.
export async function reading(client: StrapiClient) {
  const paged = await find(client, "restaurants", { pagination: { page: 2 } });
  const pages: [number, number] = [paged.meta.pagination.pageCount, paged.meta.pagination.total];
  for (let after: string | null = ""; after !== null; ) {
    const part: QuireList<Chef, { after: string; limit: number }> = await find(client, "chefs", { sort: "name", pagination: { after, limit: 50 } });
    const total: number = part.meta.pagination.total;
    after = part.meta.pagination.next;
    use(total);
  }
  const uncounted = await find(client, "chefs", { pagination: { after: "", withCount: false } });
  const unknown: number | undefined = uncounted.meta.pagination.total;
  // @ts-expect-error it was not counted
  const sure: number = uncounted.meta.pagination.total;
  // @ts-expect-error pages by number have no cursor
  const next = paged.meta.pagination.next;
  // @ts-expect-error a cursor takes the place of the page
  await find(client, "chefs", { pagination: { after: "", page: 2 } });
  // @ts-expect-error pages and offsets do not go together
  await find(client, "chefs", { pagination: { page: 2, limit: 5 } });
  // @ts-expect-error a cursor is a text, empty at first
  await find(client, "chefs", { pagination: { after: null } });

  await find(client, "restaurants", { locale: "fr", fallbackLocale: ["en", "it"] });
  await find(client, "restaurants", { locale: "*", fallbackLocale: "en" });
  // @ts-expect-error the site has no such locale
  await find(client, "restaurants", { locale: "fr", fallbackLocale: "de" });
  // @ts-expect-error only a locale can stand in, not all
  await find(client, "restaurants", { fallbackLocale: "*" });
  // @ts-expect-error chefs have no locales
  await find(client, "chefs", { fallbackLocale: "en" });

  await find(client, "restaurants", { _q: "soup", sort: "_rank" });
  await find(client, "restaurants", { _q: "soup", sort: ["_rank:desc", "chef.name", "stars:desc"] });
  // @ts-expect-error there is no rank without a text to look for
  await find(client, "restaurants", { sort: "_rank" });
  // @ts-expect-error there is nothing of that name to sort by
  await find(client, "restaurants", { sort: "stas:desc" });
  // @ts-expect-error an order goes up or down
  await find(client, "restaurants", { sort: "stars:up" });
  // @ts-expect-error levels stand alone
  await find(client, "restaurants", { populate: { "*": 2, chef: true } });
  // @ts-expect-error there is no such status
  await find(client, "restaurants", { status: "modified" });
  await find(client, "restaurants", { status: "draft", publicationFilter: "modified", fields: ["name"] });
  // @ts-expect-error nobody reads a private attribute
  await find(client, "restaurants", { fields: ["secret_note"] });
  use(pages, unknown, sure, next);
}

// How a front end without a client may ask. The paths and the parsing are its own.
declare function get<A>(path: string, query?: object): Promise<A>;
declare function post<A>(path: string, body?: object, query?: object): Promise<A>;

export const aggregate = <K extends keyof Collections, Q extends AggregateQuery<Collections[K]["entry"], Collections[K]["figures"]>>(name: K, query: Q) =>
  get<AggregateAnswer<Q>>(`/api/${name}/_aggregate`, query);

export async function figures() {
  const groups = await aggregate("restaurants", { groupBy: ["price_tier", "chef.name"], avg: ["rating", "location.geo.lat"], count: true, sort: "avg.rating:desc" });
  const all: number = groups.meta.pagination.total ?? 0;
  for (const g of groups.data) {
    const tier: AggregateValue | boolean = g.group.price_tier;
    const chef: AggregateValue | boolean = g.group["chef.name"];
    const rating: AggregateValue = g.avg.rating;
    const count: number = g.count;
    // @ts-expect-error no sums were asked for
    const sum = g.sum;
    // @ts-expect-error it is not grouped by that
    const vegan = g.group.vegan;
    use(tier, chef, rating, count, sum, vegan);
  }
  const whole = await aggregate("restaurants", { max: ["name"], sum: ["seats"], fallbackLocale: "en", locale: "fr" });
  const last: AggregateValue = whole.data.max.name;
  // @ts-expect-error without groupBy there is one group, which has no values of its own
  const group = whole.data.group;
  // @ts-expect-error it was not asked for
  const count: number = whole.data.count;
  const counted: number = (await aggregate("chefs", { filters: { name: "Ada" } })).data.count;
  // @ts-expect-error names cannot be added up
  await aggregate("restaurants", { sum: ["name"] });
  // @ts-expect-error no chef has a price
  await aggregate("chefs", { groupBy: ["price"] });
  // @ts-expect-error JSON has no groups
  await aggregate("restaurants", { groupBy: ["meta"] });
  // @ts-expect-error groups have no cursors
  await aggregate("restaurants", { groupBy: ["vegan"], pagination: { after: "" } });
  use(all, last, group, count, counted);
}

// Actions are those that the type has, and answer with what they leave behind.
export const act = <K extends keyof Collections, A extends Collections[K]["actions"], B extends ActionBody<A> = {}>(
  name: K,
  documentId: string,
  action: A,
  body?: B,
  query?: ActionQuery<Collections[K]["entry"], A>,
) => post<ActionAnswer<ActionEntry<K, A>, B>>(`/api/${name}/${documentId}/actions/${action}`, body, query);

export async function previewLink(id: string) {
  const body: QuirePreviewLinkBody = { expiresIn: "12h" };
  const link: QuirePreviewLink = await post<QuirePreviewLink>(`/api/restaurants/${id}/actions/preview-link`, body);
  const url: string | null = link.data.url;
  // @ts-expect-error where site.json has no address there is none
  const address: string = link.data.url;
  return url ?? link.data.token;
}

export async function actions(id: string) {
  const published: string = (await act("restaurants", id, "publish", {}, { locale: ["en", "fr"] })).data.publishedAt;
  const taken: null = (await act("restaurants", id, "unpublish", {}, { discardDraft: true, locale: "*" })).data.publishedAt;
  const copied: string = (await act("categories", id, "duplicate")).data.documentId;
  const later: QuireAnswer<QuireSchedule> = await act("restaurants", id, "publish", { at: "2030-01-01T00:00:00Z" });
  const state: "scheduled" | "failed" = later.data.state;
  // @ts-expect-error categories have no drafts
  await act("categories", id, "publish");
  // @ts-expect-error there is no such action
  await act("restaurants", id, "burn");
  // @ts-expect-error a copy is made at once
  await act("restaurants", id, "duplicate", { at: "2030-01-01T00:00:00Z" });
  // @ts-expect-error publishing discards nothing
  await act("restaurants", id, "publish", {}, { discardDraft: true });
  // @ts-expect-error chefs have no locales
  await act("chefs", id, "publish", {}, { locale: "en" });
  // @ts-expect-error an action says which version it is about by itself
  await act("restaurants", id, "publish", {}, { status: "draft" });
  // @ts-expect-error what is scheduled shows nothing of the document
  const name = later.data.name;
  const single: DocumentAction[] = ["publish", "unpublish", "discard-draft"] satisfies Singles["homepage"]["actions"][];
  // @ts-expect-error there is one homepage
  const copy: Singles["homepage"]["actions"] = "duplicate";
  const home: null = ({} as ActionEntry<"homepage", "discard-draft">).publishedAt;
  use(published, taken, copied, state, name, single, copy, home);
}

export async function schedules(id: string) {
  const own = await get<QuireAnswer<QuireSchedule[]>>(`/api/restaurants/${id}/schedule`);
  const why: string | undefined = own.data[0]?.failure?.reason;
  const all = await get<QuireList<QuireListedSchedule>>("/api/_schedules", { state: "done" });
  const done: string | null | undefined = all.data[0]?.doneAt;
  // @ts-expect-error a document's own schedule lists nothing that was done
  const never: boolean = own.data[0]?.state === "done";
  use(why, done, never);
}

// A copy that is kept in step.
export async function follow(copy: Map<string, Restaurant>) {
  const query: QuireChangesQuery = { types: ["restaurants"], locale: "en", status: "published", limit: 1000 };
  const page = await get<QuireChanges<Restaurant>>("/api/_changes", query);
  for (const change of page.data) {
    if (change.action === "delete") {
      copy.delete(change.documentId);
      // @ts-expect-error what is deleted has no entry
      use(change.entry);
    } else {
      copy.set(change.documentId, change.entry);
    }
  }
  const next: string = page.meta.since;
  const again: boolean = page.meta.more;
  const all = await get<QuireChanges>("/api/_changes", { since: next });
  const first = all.data[0];
  const title: unknown = first?.action === "update" ? first.entry.title : undefined;
  // @ts-expect-error there are no other statuses
  const wrong: QuireChangesQuery = { status: "all" };
  use(again, title, wrong);
}

// How documents stand, and what links to them.
export async function places(id: string) {
  const links = await get<QuireLinks>(`/api/upload/files/${id}/links`);
  for (const link of links.data) {
    const title: string | undefined = link.title;
    const status: "draft" | "published" = link.status;
    use(link.type, link.path, title, status);
  }
  const query: ListQuery<Restaurant> = { include: "state" };
  const list = await get<QuireList<WithState<Restaurant>>>("/api/restaurants", query);
  const status: "draft" | "modified" | "published" | undefined = list.data[0]?.state[0]?.status;
  // @ts-expect-error nothing else can be included
  const wrong: ListQuery<Restaurant> = { include: "history" };
  use(status, wrong);
}

// What a document was, what has changed, and back again.
export async function past(id: string) {
  const query: HistoryQuery = { status: "published", locale: "en", pagination: { pageSize: 10 } };
  const history = await get<QuireHistory>(`/api/restaurants/${id}/history`, query);
  for (const v of history.data) {
    const revision: number = v.revision;
    const who: string | undefined = v.actor?.name;
    const locale: LocaleCode | null = v.locale;
    const gone: string | null | undefined = v.removed?.at;
    // @ts-expect-error nobody knows who wrote what is older than the history
    const kind: string = v.actor.kind;
    if (v.action === "restore") use("restored");
    // @ts-expect-error there is no such action
    if (v.action === "burn") use("burnt");
    use(revision, who, locale, gone, kind);
  }
  const old = await get<QuireFormer<Restaurant>>(`/api/restaurants/${id}/history/812`);
  const name: string | null = old.data.name;
  const chef: string | undefined = old.data.chef?.documentId;
  const categories: string[] | undefined = old.data.categories?.map((c) => c.documentId);
  const street: string | null | undefined = old.data.location?.street;
  const lost: string[] = old.meta.gone;
  // @ts-expect-error a draft may have had no name
  const sure: string = old.data.name;
  // @ts-expect-error relations lead by documentId
  const bio = old.data.chef?.bio;
  // @ts-expect-error passwords are in no version
  const code = old.data.door_code;
  for (const section of old.data.sections ?? []) {
    if (section.__component === "section.quote") use(section.by);
    // @ts-expect-error there is no such component
    if (section.__component === "section.none") use(section);
  }
  const diff = await get<QuireDifferences>(`/api/restaurants/${id}/history/812`, { diff: 815 });
  const paths: string[] = diff.data.map((d) => d.path);
  const against: number = diff.meta.other.revision;
  const back = await post<QuireRestored<Restaurant<"draft">>>(`/api/restaurants/${id}/history/812/restore`);
  const draft: null = back.data.publishedAt;
  const dropped: string[] = back.meta.dropped.map((d) => d.path);
  const mentioned: Former<odd.ApiRecordRecord> = {} as odd.Former<odd.ApiRecordRecord>;
  // @ts-expect-error cursors are for content
  const wrong: HistoryQuery = { pagination: { after: "" } };
  use(name, chef, categories, street, lost, sure, bio, code, paths, against, draft, dropped, mentioned, wrong);
}

// An error says by its status what its details have.
export function explain({ error }: QuireError) {
  // @ts-expect-error not every error has a version
  const early = error.details.version;
  switch (error.status) {
    case 412: {
      const version: number | undefined = error.details.version;
      const paths: string[] = error.details.paths ?? [];
      // @ts-expect-error a 412 is about no key
      const key = error.details.key;
      use(version, paths, key);
      return "Somebody else has changed this meanwhile.";
    }
    case 400:
      return error.details.errors?.map((e) => `${e.path.join(".")}: ${e.message}`).join("\n") ?? error.message;
    case 500:
      return `Please report ${error.details.id}.`;
    // @ts-expect-error no error has that status
    case 418:
      return "tea";
  }
  const request: number | undefined = error.details.request;
  use(early, request);
  return error.message;
}

// Many documents at once: by a batch, and by a release.
export async function together(id: string) {
  const body: BatchBody = {
    requests: [
      { method: "POST", url: "/api/chefs?status=draft", body: { data: { name: "Ada" } } },
      { method: "PUT", url: `/api/restaurants/${id}`, body: { data: { chef: "{{0.documentId}}" } }, ifMatch: 12 },
    ],
  };
  const answer = await post<BatchResponse<[QuireAnswer<Chef<"draft">>, QuireAnswer<Restaurant>]>>("/api/_batch", body);
  const [chef, restaurant] = answer.data;
  const made: string = chef.body.data.documentId;
  const version: number | undefined = restaurant.version;
  // @ts-expect-error there were two requests
  const third = answer.data[2];
  // @ts-expect-error a batch reads nothing
  const reads: BatchBody = { requests: [{ method: "GET", url: "/api/chefs" }] };
  // @ts-expect-error a batch names no hosts
  const elsewhere: BatchBody = { requests: [{ method: "POST", url: "https://example.org/api/chefs" }] };

  const winter: QuireReleaseBody = {
    data: {
      name: "Winter",
      at: "2030-01-01T00:00:00Z",
      steps: [
        { type: "api::restaurant.restaurant", documentId: id, action: "publish", locales: ["en", "fr"] },
        { type: "api::homepage.homepage", action: "unpublish", discardDraft: true },
      ],
    },
  };
  const release = (await post<QuireAnswer<QuireRelease>>("/api/_releases", winter)).data;
  const waiting: boolean = release.state === "scheduled";
  const check = (await get<QuireReleaseCheck>(`/api/_releases/${release.id}/check`)).data;
  const first: string | undefined = check.failures[0]?.reason;
  const change: QuireReleaseChange = { data: { at: null } };
  // @ts-expect-error a release has a name
  const nameless: QuireReleaseBody = { data: { steps: [] } };
  // @ts-expect-error categories have no drafts
  const published: QuireReleaseChange = { data: { steps: [{ type: "api::category.category", documentId: id, action: "publish" }] } };
  // @ts-expect-error there are many restaurants
  const which: QuireReleaseChange = { data: { steps: [{ type: "api::restaurant.restaurant", action: "publish" }] } };
  // @ts-expect-error there is one homepage
  const one: QuireReleaseChange = { data: { steps: [{ type: "api::homepage.homepage", documentId: id, action: "publish" }] } };
  // @ts-expect-error a release makes no copies
  const copies: QuireReleaseChange = { data: { steps: [{ type: "api::homepage.homepage", action: "duplicate" }] } };
  // @ts-expect-error publishing discards nothing
  const discards: QuireReleaseChange = { data: { steps: [{ type: "api::homepage.homepage", action: "publish", discardDraft: true }] } };
  // @ts-expect-error done is what the server says
  const done: QuireReleaseChange = { data: { state: "done" } };
  use(made, version, third, reads, elsewhere, waiting, first, change, nameless, published, which, one, copies, discards, done);
}

function use(..._: unknown[]) {}
