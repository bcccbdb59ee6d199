// The types of this site's API, as "quire types" writes them. Do not edit: run it again.

/** The two versions of a document. Requests mean the published one unless they say `status=draft`. */
export type EntryStatus = "draft" | "published";

/** What a required value can be besides itself: nothing in what is published, null in a draft. */
export type Missing<S extends EntryStatus> = S extends "draft" ? null : never;

/** When an entry was published. Drafts have not been. */
export type PublishedAt<S extends EntryStatus> = S extends "draft" ? null : string;

/** The attributes that an entry only has when it is populated with them. */
export type Populatable<T> = T extends unknown
  ? { [K in keyof T]-?: {} extends Pick<T, K> ? K : never }[keyof T] & string
  : never;

/** A `populate` parameter for entries of type T. */
export type Populate<T> =
  | "*"
  | Populatable<T>
  | Populatable<T>[]
  | { [K in Populatable<T> | "*"]?: K extends "*" ? never : true | PopulateDetails<ItemOf<At<T, K>>> }
  | ({ "*": PopulateLevels } & { [K in Populatable<T>]?: never });

/** How many levels of everything to populate. */
export type PopulateLevels = 1 | 2 | 3 | 4 | 5;

/** What may be said about one populated attribute. */
export type PopulateDetails<T> = {
  fields?: (keyof T & string)[];
  filters?: Record<string, unknown>;
  sort?: string | string[];
  populate?: Populate<T>;
  count?: true;
  on?: { [C in TagOf<T>]?: true | PopulateDetails<Tagged<T, C>> };
};

/** An entry that was asked for with a populate parameter of type P: with what P names, and nothing else to populate. */
export type Populated<T, P extends Populate<T>> = Filled<T, P>;

type Filled<T, P> = T extends unknown
  ? Omit<T, Populatable<T>> & { [K in keyof T as K extends Chosen<T, P> ? K : never]-?: Shown<Exclude<T[K], undefined>, DetailsOf<P, K>> }
  : never;
type At<T, K> = T extends unknown ? (K extends keyof T ? T[K] : never) : never;
type ItemOf<V> = NonNullable<V> extends (infer U)[] ? U : NonNullable<V>;
type TagOf<T> = T extends { __component: infer C extends string } | { __type: infer C extends string } ? C : never;
type Tagged<T, C> = Extract<T, { __component: C } | { __type: C }>;
type Chosen<T, P> = P extends "*" | { "*": PopulateLevels } ? Populatable<T> : P extends string ? P : P extends (infer K extends string)[] ? K : keyof P;
type DetailsOf<P, K> = P extends string | unknown[] ? true : P extends { "*": infer N } ? LevelsBelow<N> : K extends keyof P ? P[K] : true;
type LevelsBelow<N> = N extends 5 ? { populate: { "*": 4 } } : N extends 4 ? { populate: { "*": 3 } } : N extends 3 ? { populate: { "*": 2 } } : N extends 2 ? { populate: { "*": 1 } } : true;
type Nested<D> = D extends { populate: infer P } ? P : never;
type Selected<T, D> = D extends { fields: (infer F)[] }
  ? T extends unknown ? Pick<T, Extract<keyof T, F | "id" | "documentId" | "__component" | "__type" | Populatable<T>>> : never
  : T;
type Shown<V, D> = D extends { count: true }
  ? { count: number }
  : V extends (infer U)[]
    ? D extends { on: infer O } ? Fragment<U, O>[] : Detailed<U, D>[]
    : V extends null ? V : Detailed<V, D>;
type Detailed<T, D> = [Nested<D>] extends [never] ? Selected<T, D> : Filled<Selected<T, D>, Nested<D>>;
type Fragment<T, O> = { [C in keyof O]: Detailed<Tagged<T, C>, O[C]> }[keyof O];

/** Whom a relation leads to: the documentId of a document, the id of one of its entries, or an object that says more. */
export type DocumentLink = string | number | DocumentRef;
export type DocumentRef = ({ documentId: string } | { id: number }) & { locale?: LocaleCode; status?: EntryStatus; position?: LinkPosition };
export type LinkPosition = { before: DocumentLink } | { after: DocumentLink } | { start: true } | { end: true };

/** Changes to what is linked, in the place of all that is to be linked. */
export type LinkChanges<L = DocumentLink> = { set: L[] } | { connect?: L[]; disconnect?: L[]; options?: { strict?: boolean } };
export type ToOne<L = DocumentLink> = L | null | LinkChanges<L>;
export type ToMany<L = DocumentLink> = L[] | null | LinkChanges<L>;

/** A link that may lead to any type says to which. */
export type MorphLink<Uid extends string> = DocumentRef & { __type: Uid };

/** One instance of a component: a new one, or with its id changes to one that the entry has. */
export type ComponentInstance<T> = T | ({ id: number } & Partial<T>);

/** Rich text in blocks. */
export type Blocks = BlockNode[];
export type BlockNode =
  | { type: "paragraph" | "quote"; children: BlockInline[] }
  | { type: "heading"; level: 1 | 2 | 3 | 4 | 5 | 6; children: BlockInline[] }
  | { type: "code"; language?: string | null; children: BlockInline[] }
  | { type: "image"; image: { url: string; [key: string]: unknown }; children: BlockText[] }
  | BlockList;
export type BlockList = { type: "list"; format: "ordered" | "unordered"; children: (BlockListItem | BlockList)[] };
export type BlockListItem = { type: "list-item"; children: BlockInline[] };
export type BlockInline = BlockText | { type: "link"; url: string; children: BlockText[] };
export type BlockText = { type: "text"; text: string; bold?: boolean; italic?: boolean; underline?: boolean; strikethrough?: boolean; code?: boolean };

/** A smaller copy of a picture. */
export type PictureFormat = {
  name: string;
  hash: string;
  ext: string;
  mime: string;
  path: string | null;
  width: number;
  height: number;
  size: number;
  sizeInBytes: number;
  url: string;
};

// Reading: queries and their answers.

/** What is shown of an entry of type T; P says what is populated. */
export type ShowQuery<T, P extends Populate<T> = Populate<T>> = { fields?: ("*" | PlainKey<T>)[]; populate?: P };

/** What a request for one entry may say. */
export type ReadQuery<T, P extends Populate<T> = Populate<T>> = ShowQuery<T, P> & VersionQuery<T> & { filters?: Record<string, unknown>; include?: "state" };

/** What a request for a list may say; G is its `pagination`. */
export type ListQuery<T, P extends Populate<T> = Populate<T>, G extends PaginationQuery = PaginationQuery> = ReadQuery<T, P> &
  OrderQuery<T> & { pagination?: G };

/** Which versions are meant. Where a document lacks the locale, the first of `fallbackLocale` that it has stands in. */
export type VersionQuery<T> = {
  status?: EntryStatus;
  publicationFilter?:
    | "never-published" | "has-published-version" | "modified" | "unmodified"
    | "never-published-document" | "has-published-version-document" | "published-without-draft" | "published-with-draft";
  hasPublishedVersion?: boolean;
} & (IsLocalized<T> extends true ? { locale?: LocaleCode | LocaleCode[] | "*"; fallbackLocale?: LocaleCode | LocaleCode[] } : {});

/** A text to look for, and the order. `_rank` puts first what fits the text best, so it needs one. */
export type OrderQuery<T> =
  | { _q?: string; sort?: SortKey<T> | SortKey<T>[] }
  | { _q: string; sort: RankKey | (RankKey | SortKey<T>)[] };
export type SortKey<T> = `${PlainKey<T> | `${Populatable<T>}.${string}`}${"" | ":asc" | ":desc"}`;
export type RankKey = `_rank${"" | ":asc" | ":desc"}`;

/** The part of a list to show: by page, by offset, or from cursor to cursor. */
export type PaginationQuery = PageQuery | OffsetQuery | CursorQuery;
export type PageQuery = { page?: number; pageSize?: number; withCount?: boolean; start?: never; limit?: never; after?: never };
export type OffsetQuery = { start?: number; limit?: number; withCount?: boolean; page?: never; pageSize?: never; after?: never };

/** `after` is empty for the first page, and then the `next` of the page before. */
export type CursorQuery = { after: string; withCount?: boolean; page?: never; start?: never } & (
  | { limit?: number; pageSize?: never }
  | { pageSize?: number; limit?: never }
);

type PlainKey<T> = T extends unknown ? Exclude<keyof T & string, Populatable<T>> : never;
type IsLocalized<T> = [T] extends [{ locale: LocaleCode }] ? true : false;

/** An answer that is no error. */
export type QuireAnswer<T, M = Record<string, never>> = { data: T; meta: M };

/** The answer to a request for a list; G is the `pagination` that it had. */
export type QuireList<T, G extends PaginationQuery = {}> = QuireAnswer<T[], { pagination: Paging<G> }>;

/** What a list says of its pages. Totals are left out where `withCount` says so. */
export type Paging<G extends PaginationQuery = {}> = G extends { after: string }
  ? { next: string | null } & Paged<G, { total: number }> & (G extends { pageSize: number } ? { pageSize: number } & Paged<G, { pageCount: number }> : { limit: number })
  : G extends { start: number } | { limit: number }
    ? { start: number; limit: number } & Paged<G, { total: number }>
    : { page: number; pageSize: number } & Paged<G, { pageCount: number; total: number }>;
type Paged<G, T> = G extends { withCount: true } ? T : "withCount" extends keyof G ? Partial<T> : CountsByDefault extends true ? T : Partial<T>;

/** What `_count` answers with. */
export type CountResponse = { data: { count: number }; meta: Record<string, never> };

/** What a request for `_aggregate` may say; F are the figures that `Collections` has for the type T. */
export type AggregateQuery<T, F extends FigureNames = FigureNames> = VersionQuery<T> & {
  filters?: Record<string, unknown>;
  _q?: string;
  groupBy?: F["group"][];
  count?: boolean;
  sum?: F["number"][];
  avg?: F["number"][];
  min?: F["ordered"][];
  max?: F["ordered"][];
  sort?: GroupSort<F> | GroupSort<F>[];
  pagination?: PageQuery | OffsetQuery;
};
export type FigureNames = { group: string; number: string; ordered: string };
type GroupSort<F extends FigureNames> = `${"count" | "group.count" | F["group"] | `${"sum" | "avg"}.${F["number"]}` | `${"min" | "max"}.${F["ordered"]}`}${"" | ":asc" | ":desc"}`;

/** What `_aggregate` answers with, to a query of type Q: groups in the order asked for or, without `groupBy`, one group. */
export type AggregateAnswer<Q> = Q extends { groupBy: (infer G extends string)[] }
  ? QuireAnswer<({ group: { [K in G]: AggregateValue | boolean } } & FiguresOf<Q>)[], { pagination: Paging | Paging<{ start: number }> }>
  : QuireAnswer<FiguresOf<Q>>;
type FiguresOf<Q> = { [F in Extract<keyof Q, FigureFunction>]: { [K in NameIn<Q[F]>]: AggregateValue } } & (Q extends { count: true }
  ? { count: number }
  : Q extends { count: false }
    ? {}
    : [Extract<keyof Q, FigureFunction>] extends [never] ? { count: number } : {});
type FigureFunction = "sum" | "avg" | "min" | "max";
type NameIn<N> = N extends (infer K extends string)[] ? K : never;

/** What `_aggregate` tells of a group of entries; G are the paths in `groupBy`, F the attributes that figures are asked of. */
export type AggregateGroup<G extends string = string, F extends string = string> = {
  group: { [K in G]: AggregateValue | boolean };
  count?: number;
  sum?: { [K in F]?: AggregateValue };
  avg?: { [K in F]?: AggregateValue };
  min?: { [K in F]?: AggregateValue };
  max?: { [K in F]?: AggregateValue };
};

/** A value of a group or a figure about it; null where there is none. Figures of bigintegers are text. */
export type AggregateValue = string | number | null;

// Errors.

/** The answer to a request that was not carried out. */
export type QuireError = { data: null; error: QuireFault };

/** What went wrong. `status` says which of them it is: a 412 has the version of the document now, and the paths that have changed. */
export type QuireFault =
  | FaultOf<400, "ValidationError" | "PaginationError" | "ApplicationError", RefusedDetails>
  | FaultOf<401, "UnauthorizedError">
  | FaultOf<403, "ForbiddenError">
  | FaultOf<404, "NotFoundError">
  | FaultOf<405, "MethodNotAllowedError">
  | FaultOf<409, "ConflictError">
  | FaultOf<410, "GoneError">
  | FaultOf<412, "PreconditionFailedError", ChangedDetails>
  | FaultOf<413, "PayloadTooLargeError">
  | FaultOf<414, "URITooLongError">
  | FaultOf<415, "UnsupportedMediaTypeError">
  | FaultOf<421, "MisdirectedRequestError">
  | FaultOf<429, "RateLimitError">
  | FaultOf<500, "InternalServerError", { id: string }>
  | FaultOf<503, "ServiceUnavailableError">
  | FaultOf<507, "InsufficientStorageError">;

/** `details.request` says which request of a batch is at fault. */
type FaultOf<S extends number, N extends string, D = {}> = { status: S; name: N; message: string; details: D & { request?: number } };

/** Which key or which values were refused. */
export type RefusedDetails = {
  key?: string;
  path?: string | null;
  source?: "query" | "body";
  param?: string;
  errors?: { path: string[]; message: string; name: string; value?: unknown }[];
};

/** What a 412 says of the document; no paths where it is not known what has changed. */
export type ChangedDetails = { version?: number; paths?: string[] };

// The life of a document.

/** The last part of `…/actions/publish` and the like. `Collections` and `Singles` say which of them a type has. */
export type DocumentAction = "publish" | "unpublish" | "discard-draft" | "duplicate";

/** What the request for an action A on an entry of type T may say. */
export type ActionQuery<T, A extends DocumentAction, P extends Populate<T> = Populate<T>> = ShowQuery<T, P> &
  (IsLocalized<T> extends true ? { locale?: LocaleCode | LocaleCode[] | "*" } : {}) &
  (A extends "unpublish" ? { discardDraft?: boolean } : {});

/** The body of an action: none, or the moment at which it is to be done, "2026-12-24T18:00:00Z". */
export type ActionBody<A extends DocumentAction> = A extends "publish" | "unpublish" ? { at?: string } : Record<string, never>;

/** What an action is answered with; T is the entry that it shows, B its body. */
export type ActionAnswer<T, B = {}> = B extends { at: string } ? QuireAnswer<QuireSchedule> : QuireAnswer<T>;

/** What `schedule` of a document lists, and scheduling answers with. */
export type QuireSchedule = Omit<QuireReleaseStep, "type"> & {
  id: string;
  at: string;
  state: "scheduled" | "failed";
  createdAt: string;
  failure?: QuireStepFailure;
};

/** What `/api/_schedules` lists. */
export type QuireListedSchedule = Omit<QuireSchedule, "state"> & {
  type: string;
  state: "scheduled" | "done" | "failed";
  doneAt: string | null;
};

/** Who wrote. The id and the name are there for those who may know them. */
export type QuireActor = { kind: "token" | "user" | "admin" | "assistant" | "command" | "schedule" | "public"; id?: string; name?: string };

/** What a write did to an entry. */
export type QuireHistoryAction =
  | "create" | "update" | "publish" | "unpublish" | "discard-draft" | "duplicate" | "restore" | "delete" | "import" | "link" | "migrate";

/** A version of an entry. The revision is the number of the write that made it, which its answer had as `Quire-Version`. */
export type QuireVersion = QuireStamp & {
  locale: LocaleCode | null;
  status: EntryStatus;
  current: boolean;
  removed?: QuireStamp;
};
type QuireStamp = { revision: number; at: string | null; action: QuireHistoryAction | null; actor: QuireActor | null };

/** What a request for `history` may say. */
export type HistoryQuery = { pagination?: PageQuery | OffsetQuery; status?: EntryStatus; locale?: LocaleCode | "*" };

/** What `history` of a document answers with: its versions, the newest first. */
export type QuireHistory<G extends PageQuery | OffsetQuery = {}> = QuireList<QuireVersion, G> & { meta: { createdBy: QuireActor | null } };

/** What `history/:revision` answers with. `gone` names what the schema no longer has. */
export type QuireFormer<T> = QuireAnswer<Former<T>, QuireVersion & { gone: string[] }>;

/** A former version of an entry of type T: components as they were, relations and media by documentId. */
export type Former<T> = T extends unknown
  ? { [K in PlainKey<T>]: K extends "id" | "documentId" | "__component" ? At<T, K> : At<T, K> | null } & {
      [K in Populatable<T>]?: FormerValue<Exclude<At<T, K>, undefined>>;
    }
  : never;
type FormerValue<V> = [V] extends [(infer U)[]] ? FormerItem<U>[] : FormerItem<NonNullable<V>> | null;
type FormerItem<U> = U extends { documentId: string } ? Pick<U, Extract<keyof U, "__type" | "documentId">> : Former<U>;

/** What `history/:revision?diff=:other` answers with: the paths in which two versions differ. */
export type QuireDifferences = QuireAnswer<{ path: string; value: unknown; other: unknown }[], QuireVersion & { other: QuireVersion; more: boolean }>;

/** What `history/:revision/restore` answers with; links to what is gone are dropped. */
export type QuireRestored<T> = QuireAnswer<T, { dropped: { path: string; documentId: string }[] }>;

/** How a document stands in one locale. `modified`: the draft has changed since it was published. */
export type QuireState = { locale: LocaleCode | null; status: EntryStatus | "modified"; updatedAt: string; publishedAt: string | null };

/** An entry of a read with `include=state`. */
export type WithState<T> = T & ("state" extends keyof T ? { __state: QuireState[] } : { state: QuireState[] });

/** A link to a document: the entry that has it, and its attribute that leads there. */
export type QuireLink = { type: string; documentId: string; locale: LocaleCode | null; status: EntryStatus; title?: string; path: string };

/** What `links` of a document or a file answers with. */
export type QuireLinks<G extends PageQuery | OffsetQuery = {}> = QuireList<QuireLink, G>;

/** The body of `actions/preview-link`: how long the link is good, as in "30m", "12h" or "7d". */
export type QuirePreviewLinkBody = { expiresIn?: string };

/** What `actions/preview-link` of a document answers with; `url` is null where site.json has no address for the type. */
export type QuirePreviewLink = QuireAnswer<{ url: string | null; token: string; expiresAt: string }>;

// What is told as it changes.

/** The data of an event of `_events`; T is the entry, with `include=entry`. */
export type QuireEvent<T = unknown> = {
  revision: number;
  at: string;
  action: "create" | "update" | "publish" | "unpublish" | "delete";
  type: string;
  documentId: string;
  locale: string | null;
  status: "draft" | "published";
  actor?: { kind: string; id?: string; name?: string } | null;
  entry?: T | null;
  entryOmitted?: true;
};

// Many documents at once.

/** The body of `_batch`: writes that are done in one transaction, or not at all. */
export type BatchBody = { requests: BatchRequest[] };

/** One write of a batch. In `url` and `body`, `{{0.documentId}}` stands for the document of the first request. */
export type BatchRequest = { method: "POST" | "PUT" | "DELETE"; url: `/api/${string}`; body?: { data?: unknown } | null; ifMatch?: string | number };

/** What `_batch` answers with; T are the answers that the requests have alone, in their order. */
export type BatchResponse<T extends unknown[] = unknown[]> = {
  data: { [K in keyof T]: { status: number; version?: number; body: T[K]; omitted?: string } };
  meta: Record<string, never>;
};

/** The body that makes a release. */
export type QuireReleaseBody = { data: { name: string; at?: string | null; steps?: QuireStepInput[] } };

/** The body that changes a release: what is left out stays as it is. */
export type QuireReleaseChange = { data: Partial<QuireReleaseBody["data"]> };

/** What `/api/_releases` answers with: the documents that are published and taken back together. */
export type QuireRelease = {
  id: string;
  name: string;
  state: "planned" | "scheduled" | "done" | "failed";
  at: string | null;
  doneAt: string | null;
  createdAt: string;
  updatedAt: string;
  stepCount: number;
  steps?: (QuireReleaseStep & { failure?: QuireStepFailure })[];
  hiddenSteps?: number;
};

/** What a release does to one document: `type` is the uid of its content type. */
export type QuireReleaseStep = {
  type: string;
  documentId?: string;
  action: "publish" | "unpublish";
  locales?: string[];
  discardDraft?: boolean;
};

/** What `check` of a release answers with. */
export type QuireReleaseCheck = QuireAnswer<{ ok: boolean; failures: (QuireStepFailure & { step: number })[] }>;

/** Why something cannot be published or taken back. */
export type QuireStepFailure = { reason: string; problems?: { path: string[]; message: string }[] };

/** An entry of a copy as it is now, or that there is none any more: what `/api/_changes` lists. */
export type QuireChange<T = QuireAnyEntry> = {
  type: string;
  documentId: string;
  locale: LocaleCode | null;
  status: EntryStatus;
  /** Of the last commit that is known to have changed it. */
  revision: number;
} & ({ action: "update"; entry: T } | { action: "delete" });

/** What entries of all types have. */
export type QuireAnyEntry = { id: number; documentId: string } & Record<string, unknown>;

/** What `/api/_changes` answers. Pass `meta.since` as `since` to go on, at once if there is more. */
export type QuireChanges<T = QuireAnyEntry> = {
  data: QuireChange<T>[];
  meta: { revision: number; since: string; more: boolean };
};

/** What `/api/_changes` may be asked. */
export type QuireChangesQuery = {
  types?: string | string[];
  since?: string | number;
  locale?: LocaleCode | "*";
  status?: EntryStatus;
  fields?: string | string[];
  populate?: unknown;
  limit?: number;
};

/** The languages that content is written in. */
export type LocaleCode = "en" | "fr" | "it";

/** The content types. */
export type ContentTypeUid =
  | "api::category.category"
  | "api::chef.chef"
  | "api::dish.dish"
  | "api::global.global"
  | "api::homepage.homepage"
  | "api::restaurant.restaurant"
  | "api::review.review"
  | "plugin::upload.file"
  | "plugin::users-permissions.role"
  | "plugin::users-permissions.user";

/** Whether lists count what they have, unless `withCount` says otherwise. */
type CountsByDefault = true;

/** An entry where it may be of any type. */
export type AnyEntry<S extends EntryStatus = "published"> =
  | ({ __type: "api::category.category" } & Category<S>)
  | ({ __type: "api::chef.chef" } & Chef<S>)
  | ({ __type: "api::dish.dish" } & Dish<S>)
  | ({ __type: "api::global.global" } & Global<S>)
  | ({ __type: "api::homepage.homepage" } & Homepage<S>)
  | ({ __type: "api::restaurant.restaurant" } & Restaurant<S>)
  | ({ __type: "api::review.review" } & Review<S>)
  | ({ __type: "plugin::upload.file" } & UploadFile)
  | ({ __type: "plugin::users-permissions.role" } & Role)
  | ({ __type: "plugin::users-permissions.user" } & User);

/** Category, at /api/categories. */
export type Category<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  name: string;
  code: number | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
  restaurants?: Restaurant<S>[];
  parent?: Category<S> | null;
  children?: Category<S>[];
};

/** What goes into a new Category. */
export type CategoryCreate = {
  name: string;
  code?: number | null;
  restaurants?: ToMany;
  parent?: ToOne;
  children?: ToMany;
};

/** Changes to a document of Category, or a draft of one: what is left out stays as it is. */
export type CategoryUpdate = Partial<CategoryCreate>;

/** Chef, at /api/chefs. */
export type Chef<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  name: string | Missing<S>;
  bio: string | null;
  born: string | null;
  awards: unknown;
  createdAt: string;
  updatedAt: string;
  publishedAt: PublishedAt<S>;
  portrait?: UploadFile | null;
  restaurants?: Restaurant<S>[];
};

/** What goes into a new Chef. */
export type ChefCreate = {
  name: string;
  bio?: string | null;
  born?: string | null;
  awards?: unknown;
  portrait?: ToOne;
  restaurants?: ToMany;
};

/** Changes to a document of Chef, or a draft of one: what is left out stays as it is. */
export type ChefUpdate = Partial<ChefCreate>;

/** Dish, at /api/dishes. */
export type Dish<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  name: string | Missing<S>;
  price: number | null;
  allergens: "none" | "nuts" | "milk" | "gluten" | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: PublishedAt<S>;
  photo?: UploadFile | null;
};

/** What goes into a new Dish. */
export type DishCreate = {
  name: string;
  price?: number | null;
  allergens?: "none" | "nuts" | "milk" | "gluten" | null;
  photo?: ToOne;
};

/** Changes to a document of Dish, or a draft of one: what is left out stays as it is. */
export type DishUpdate = Partial<DishCreate>;

/** Global, at /api/global. */
export type Global<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  site_name: string;
  footer: string | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
  default_seo?: SharedSeo<S> | null;
};

/** What goes into a new Global. */
export type GlobalCreate = {
  site_name: string;
  footer?: string | null;
  default_seo?: ComponentInstance<SharedSeoInput> | null;
};

/** Changes to a document of Global, or a draft of one: what is left out stays as it is. */
export type GlobalUpdate = Partial<GlobalCreate>;

/** Homepage, at /api/homepage. */
export type Homepage<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  title: string | Missing<S>;
  createdAt: string;
  updatedAt: string;
  publishedAt: PublishedAt<S>;
  locale: LocaleCode;
  hero?: SectionCta<S> | null;
  featured?: Restaurant<S>[];
  sections?: (({ __component: "section.cta" } & SectionCta<S>) | ({ __component: "section.quote" } & SectionQuote<S>) | ({ __component: "section.related" } & SectionRelated<S>))[];
  localizations?: Homepage<S>[];
};

/** What goes into a new Homepage. */
export type HomepageCreate = {
  title: string;
  hero?: ComponentInstance<SectionCtaInput> | null;
  featured?: ToMany;
  sections?: (({ __component: "section.cta" } & ComponentInstance<SectionCtaInput>) | ({ __component: "section.quote" } & ComponentInstance<SectionQuoteInput>) | ({ __component: "section.related" } & ComponentInstance<SectionRelatedInput>))[];
};

/** Changes to a document of Homepage, or a draft of one: what is left out stays as it is. */
export type HomepageUpdate = Partial<HomepageCreate>;

/** Restaurant, at /api/restaurants. */
export type Restaurant<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  name: string | Missing<S>;
  slug: string | null;
  description: Blocks | null;
  story: string | null;
  tagline: string | null;
  price_tier: "p1" | "p2" | "p3" | "p4" | null;
  stars: number | null;
  rating: number | null;
  score: number | null;
  seats: string | null;
  vegan: boolean | null;
  email: string | null;
  founded: string | null;
  opens_at: string | null;
  inspected_at: string | null;
  meta: unknown;
  createdAt: string;
  updatedAt: string;
  publishedAt: PublishedAt<S>;
  locale: LocaleCode;
  cover?: UploadFile | null;
  gallery?: UploadFile[];
  categories?: Category<S>[];
  chef?: Chef<S> | null;
  reviews?: Review<S>[];
  signature_dish?: Dish<S> | null;
  nearby?: Restaurant<S>[];
  location?: PlaceAddress<S> | null;
  opening_hours?: PlaceHours<S>[];
  seo?: SharedSeo<S> | null;
  sections?: (({ __component: "section.cta" } & SectionCta<S>) | ({ __component: "section.quote" } & SectionQuote<S>) | ({ __component: "section.related" } & SectionRelated<S>))[];
  localizations?: Restaurant<S>[];
};

/** What goes into a new Restaurant. */
export type RestaurantCreate = {
  name: string;
  slug?: string | null;
  description?: Blocks | null;
  story?: string | null;
  tagline?: string | null;
  price_tier?: "p1" | "p2" | "p3" | "p4" | null;
  stars?: number | null;
  rating?: number | null;
  score?: number | null;
  seats?: string | number | null;
  vegan?: boolean | null;
  email?: string | null;
  founded?: string | null;
  opens_at?: string | null;
  inspected_at?: string | null;
  meta?: unknown;
  secret_note?: string | null;
  door_code?: string | null;
  cover?: ToOne;
  gallery?: ToMany;
  categories?: ToMany;
  chef?: ToOne;
  reviews?: ToMany;
  signature_dish?: ToOne;
  nearby?: ToMany;
  location?: ComponentInstance<PlaceAddressInput> | null;
  opening_hours?: ComponentInstance<PlaceHoursInput>[];
  seo?: ComponentInstance<SharedSeoInput> | null;
  sections?: (({ __component: "section.cta" } & ComponentInstance<SectionCtaInput>) | ({ __component: "section.quote" } & ComponentInstance<SectionQuoteInput>) | ({ __component: "section.related" } & ComponentInstance<SectionRelatedInput>))[];
};

/** Changes to a document of Restaurant, or a draft of one: what is left out stays as it is. */
export type RestaurantUpdate = Partial<RestaurantCreate>;

/** Review, at /api/reviews. */
export type Review<S extends EntryStatus = "published"> = {
  id: number;
  documentId: string;
  content: string | null;
  note: number;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
  restaurant?: Restaurant<S> | null;
  author?: User | null;
};

/** What goes into a new Review. */
export type ReviewCreate = {
  content?: string | null;
  note: number;
  restaurant?: ToOne;
  author?: ToOne;
};

/** Changes to a document of Review, or a draft of one: what is left out stays as it is. */
export type ReviewUpdate = Partial<ReviewCreate>;

/** The built-in type plugin::upload.file. */
export type UploadFile = {
  id: number;
  documentId: string;
  name: string;
  alternativeText: string | null;
  caption: string | null;
  focalPoint: unknown;
  width: number | null;
  height: number | null;
  formats: Record<string, PictureFormat> | null;
  hash: string;
  ext: string | null;
  mime: string;
  size: number;
  url: string;
  previewUrl: string | null;
  provider: string;
  provider_metadata: unknown;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
};

/** The built-in type plugin::users-permissions.role. */
export type Role = {
  id: number;
  documentId: string;
  name: string;
  description: string | null;
  type: string | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
};

/** The built-in type plugin::users-permissions.user. */
export type User = {
  id: number;
  documentId: string;
  username: string;
  email: string;
  provider: string | null;
  confirmed: boolean | null;
  blocked: boolean | null;
  createdAt: string;
  updatedAt: string;
  publishedAt: string;
  role?: Role | null;
};

/** What goes into a new User. */
export type UserCreate = {
  username: string;
  email: string;
  provider?: string | null;
  password: string;
  confirmed?: boolean | null;
  blocked?: boolean | null;
  role: ToOne;
};

/** Changes to a document of User, or a draft of one: what is left out stays as it is. */
export type UserUpdate = Partial<UserCreate>;

/** The component place.address. */
export type PlaceAddress<S extends EntryStatus = "published"> = {
  id: number;
  street: string | Missing<S>;
  city: string | null;
  geo?: PlaceGeo | null;
};

/** What goes into a new PlaceAddress. */
export type PlaceAddressInput = {
  street: string;
  city?: string | null;
  geo?: ComponentInstance<PlaceGeoInput> | null;
};

/** The component place.geo. */
export type PlaceGeo = {
  id: number;
  lat: number | null;
  lng: number | null;
};

/** What goes into a new PlaceGeo. */
export type PlaceGeoInput = {
  lat?: number | null;
  lng?: number | null;
};

/** The component place.hours. */
export type PlaceHours<S extends EntryStatus = "published"> = {
  id: number;
  day: "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun" | Missing<S>;
  opens: string | null;
  closes: string | null;
};

/** What goes into a new PlaceHours. */
export type PlaceHoursInput = {
  day: "mon" | "tue" | "wed" | "thu" | "fri" | "sat" | "sun";
  opens?: string | null;
  closes?: string | null;
  note?: string | null;
};

/** The component section.cta. */
export type SectionCta<S extends EntryStatus = "published"> = {
  id: number;
  label: string | Missing<S>;
  href: string | null;
  style: "primary" | "secondary" | null;
  image?: UploadFile | null;
};

/** What goes into a new SectionCta. */
export type SectionCtaInput = {
  label: string;
  href?: string | null;
  style?: "primary" | "secondary" | null;
  image?: ToOne;
};

/** The component section.quote. */
export type SectionQuote<S extends EntryStatus = "published"> = {
  id: number;
  text: string | null;
  by: string | null;
  chef?: Chef<S> | null;
};

/** What goes into a new SectionQuote. */
export type SectionQuoteInput = {
  text?: string | null;
  by?: string | null;
  chef?: ToOne;
};

/** The component section.related. */
export type SectionRelated<S extends EntryStatus = "published"> = {
  id: number;
  heading: string | null;
  restaurants?: Restaurant<S>[];
  links?: SectionCta<S>[];
};

/** What goes into a new SectionRelated. */
export type SectionRelatedInput = {
  heading?: string | null;
  restaurants?: ToMany;
  links?: ComponentInstance<SectionCtaInput>[];
};

/** The component shared.seo. */
export type SharedSeo<S extends EntryStatus = "published"> = {
  id: number;
  meta_title: string | Missing<S>;
  meta_description: string | null;
  share_image?: UploadFile | null;
};

/** What goes into a new SharedSeo. */
export type SharedSeoInput = {
  meta_title: string;
  meta_description?: string | null;
  share_image?: ToOne;
};

/** The collection types by their names in paths. */
export type Collections<S extends EntryStatus = "published"> = {
  "categories": {
    entry: Category<S>;
    create: CategoryCreate;
    update: CategoryUpdate;
    actions: "duplicate";
    figures: {
      group: "name" | "code" | "createdAt" | "createdAt.month" | "updatedAt" | "updatedAt.month" | "publishedAt" | "publishedAt.month" | `restaurants.${string}` | `parent.${string}` | `children.${string}`;
      number: "code";
      ordered: "name" | "code" | "createdAt" | "updatedAt" | "publishedAt";
    };
  };
  "chefs": {
    entry: Chef<S>;
    create: ChefCreate;
    update: ChefUpdate;
    actions: "publish" | "unpublish" | "discard-draft" | "duplicate";
    figures: {
      group: "name" | "bio" | "born" | "born.month" | "createdAt" | "createdAt.month" | "updatedAt" | "updatedAt.month" | "publishedAt" | "publishedAt.month" | `portrait.${string}` | `restaurants.${string}`;
      number: never;
      ordered: "name" | "bio" | "born" | "createdAt" | "updatedAt" | "publishedAt";
    };
  };
  "dishes": {
    entry: Dish<S>;
    create: DishCreate;
    update: DishUpdate;
    actions: "publish" | "unpublish" | "discard-draft" | "duplicate";
    figures: {
      group: "name" | "price" | "allergens" | "createdAt" | "createdAt.month" | "updatedAt" | "updatedAt.month" | "publishedAt" | "publishedAt.month" | `photo.${string}`;
      number: "price";
      ordered: "name" | "price" | "allergens" | "createdAt" | "updatedAt" | "publishedAt";
    };
  };
  "restaurants": {
    entry: Restaurant<S>;
    create: RestaurantCreate;
    update: RestaurantUpdate;
    actions: "publish" | "unpublish" | "discard-draft" | "duplicate";
    figures: {
      group: "name" | "slug" | "story" | "tagline" | "price_tier" | "stars" | "rating" | "score" | "seats" | "vegan" | "email" | "founded" | "founded.month" | "opens_at" | "inspected_at" | "inspected_at.month" | "createdAt" | "createdAt.month" | "updatedAt" | "updatedAt.month" | "publishedAt" | "publishedAt.month" | "locale" | `cover.${string}` | `gallery.${string}` | `categories.${string}` | `chef.${string}` | `reviews.${string}` | `signature_dish.${string}` | `nearby.${string}` | `location.${string}` | `opening_hours.${string}` | `seo.${string}` | `localizations.${string}`;
      number: "stars" | "rating" | "score" | "seats" | `location.${string}` | `seo.${string}`;
      ordered: "name" | "slug" | "story" | "tagline" | "price_tier" | "stars" | "rating" | "score" | "seats" | "email" | "founded" | "opens_at" | "inspected_at" | "createdAt" | "updatedAt" | "publishedAt" | "locale" | `location.${string}` | `seo.${string}`;
    };
  };
  "reviews": {
    entry: Review<S>;
    create: ReviewCreate;
    update: ReviewUpdate;
    actions: "duplicate";
    figures: {
      group: "content" | "note" | "createdAt" | "createdAt.month" | "updatedAt" | "updatedAt.month" | "publishedAt" | "publishedAt.month" | `restaurant.${string}` | `author.${string}`;
      number: "note";
      ordered: "content" | "note" | "createdAt" | "updatedAt" | "publishedAt";
    };
  };
};

/** The single types by their names in paths. */
export type Singles<S extends EntryStatus = "published"> = {
  "global": {
    entry: Global<S>;
    create: GlobalCreate;
    update: GlobalUpdate;
    actions: never;
  };
  "homepage": {
    entry: Homepage<S>;
    create: HomepageCreate;
    update: HomepageUpdate;
    actions: "publish" | "unpublish" | "discard-draft";
  };
};

/** What the action A shows of a type: the published entry, or the draft. K is the name in paths. */
export type ActionEntry<K extends keyof Collections | keyof Singles, A extends DocumentAction> = RouteOf<Collections<A extends "publish" ? "published" : "draft"> & Singles<A extends "publish" ? "published" : "draft">, K, A>;
type RouteOf<R, K, A> = K extends keyof R ? (R[K] extends { entry: infer E; actions: infer B } ? (A extends B ? E : never) : never) : never;

/** One step of a release: on a document of a type with drafts, or on a single type, which has one document. */
export type QuireStepInput = { locales?: LocaleCode[] | ["*"] } & (
  | { action: "publish"; discardDraft?: false }
  | { action: "unpublish"; discardDraft?: boolean }
) & (
    | { type: "api::chef.chef" | "api::dish.dish" | "api::restaurant.restaurant"; documentId: string }
    | { type: "api::homepage.homepage"; documentId?: never }
  );
