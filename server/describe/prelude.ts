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
