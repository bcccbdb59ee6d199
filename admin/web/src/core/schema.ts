// What the site is made of, as the account may see it: the answer of /schema.

import { signal } from "@preact/signals";
import { request } from "./api";
import { nameSite } from "./router";

export type AttributeType =
  | "string" | "text" | "richtext" | "blocks" | "email" | "password" | "uid" | "enumeration"
  | "integer" | "biginteger" | "float" | "decimal" | "boolean"
  | "date" | "time" | "datetime" | "timestamp"
  | "json" | "media" | "relation" | "component" | "dynamiczone";

/** A condition on the values of an entry, in JSON logic. */
export type Condition = null | boolean | number | string | readonly Condition[] | { readonly [operation: string]: Condition };

export interface Attribute {
  name: string;
  label: string;
  type: AttributeType;
  required?: boolean;
  unique?: boolean;
  private?: boolean;
  localized?: boolean;
  readOnly?: boolean;
  minLength?: number;
  maxLength?: number;
  min?: number | string;
  max?: number | string;
  regex?: string;
  default?: unknown;
  enum?: string[];
  targetField?: string;
  multiple?: boolean;
  allowedTypes?: string[];
  relation?: string;
  target?: string;
  inverse?: string;
  component?: string;
  repeatable?: boolean;
  components?: string[];
  /** What people have written about it. */
  hint?: string;
  placeholder?: string;
  /** The condition of the schema: where it does not hold, no rule applies. */
  visible?: Condition;
  /** What values of an enumeration are called, if they are ids. */
  choices?: { readonly [value: string]: string };
  /** The condition for showing it, which makes forms shorter. */
  shown?: Condition;
}

/** A row of fields, with their widths in twelfths of it. */
export type LayoutRow = { name: string; size: number }[];

/** How the fields of a type are laid out. */
export interface FormLayout {
  edit: LayoutRow[];
  /** The same rows in parts, if somebody has arranged the form. */
  tabs?: { label: string; groups: { label: string; rows: LayoutRow[] }[] }[];
}

export type Action = "read" | "create" | "update" | "delete" | "publish" | "unpublish";

export interface ContentType {
  uid: string;
  kind: "collectionType" | "singleType";
  singularName: string;
  pluralName: string;
  displayName: string;
  description?: string;
  /** The path of the type below /content, without a slash: "articles". */
  route: string;
  draftAndPublish: boolean;
  localized: boolean;
  attributes: Attribute[];
  mainField: string;
  layout: FormLayout & {
    list: string[];
    /** Somebody has chosen the columns: there are no others. */
    columns?: boolean;
  };
  may: Action[];
  /** Whether update, delete, publish and unpublish are only for documents that the account created. */
  own: boolean;
  /** The locales that may be changed; null for all. */
  locales: string[] | null;
  /** What each role of the account lets it change, if it has several whose limits differ. */
  ways?: { actions: Action[]; own: boolean; locales: string[] | null }[];
  preview: boolean;
  /** What entries call their state when they are read with include=state; "state" unless the type has an attribute of that name. */
  stateKey?: string;
  /** The stages of its review, in their order. */
  stages?: readonly { id: string; name: string }[];
}

export interface Component {
  uid: string;
  category: string;
  displayName: string;
  icon?: string;
  attributes: Attribute[];
  mainField: string;
  layout: FormLayout;
}

export interface Locale {
  code: string;
  name: string;
  isDefault: boolean;
}

export interface Site {
  name: string;
  locales: Locale[];
  history: boolean;
  maxUploadBytes: number;
  types: ContentType[];
  /** The users of the site, which are content with an API of their own; null for those who may not read them. */
  users: ContentType | null;
  components: Component[];
  files: ("read" | "upload" | "delete")[];
  /** Whether the account may plan releases. */
  releases: boolean;
  /** The language model that makes suggestions; null for none. */
  model: { name: string; pictures: boolean } | null;
}

export type Status = "draft" | "modified" | "published";

/** A document in lists that are over all types: home and search. */
export interface Item {
  uid: string;
  documentId: string;
  locale: string | null;
  title: string;
  status: Status;
  updatedAt: string;
  updatedBy?: { id: string; name: string };
}

/** null until it is loaded. */
export const schema = signal<Site | null>(null);

/** Loads the schema; again when the site has been changed. */
export async function loadSchema(options: { quiet?: boolean } = {}): Promise<void> {
  const { data } = await request<Site>("GET", "/schema", options);
  if (data !== schema.peek()) schema.value = data;
  nameSite(data.name);
}

export function typeOf(uid: string): ContentType | undefined {
  return schema.value?.types.find((type) => type.uid === uid);
}

export function componentOf(uid: string): Component | undefined {
  return schema.value?.components.find((component) => component.uid === uid);
}

export function may(type: ContentType, action: Action): boolean {
  return type.may.includes(action);
}

/** Where a document is edited: a path for navigate. */
export function documentPath(uid: string, documentId: string, locale?: string | null): string {
  const single = typeOf(uid)?.kind === "singleType";
  const path = single ? `/single/${uid}` : `/content/${uid}/${documentId}`;
  return locale ? `${path}?locale=${encodeURIComponent(locale)}` : path;
}

/** Where a type is opened: its list, or the one document of a single type. */
export function typePath(type: ContentType): string {
  return type.kind === "singleType" ? `/single/${type.uid}` : `/content/${type.uid}`;
}

const questions = new Map<string, string>(); // what each list shows, until the page is loaded again

/** Remembers what the list of a type shows, as a query string. */
export function rememberList(type: ContentType, search: string) {
  questions.set(type.uid, search);
}

/** The way back from a document to its list, as it was left. */
export function listPath(type: ContentType): string {
  return typePath(type) + (questions.get(type.uid) ?? "");
}
