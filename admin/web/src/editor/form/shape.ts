// What a form holds, as plain values that can be stored and compared.
//
// A form is a tree by the attributes of a type. A component is an Item, several are a
// list of Items, everything else is a leaf. Leaves that people type are texts, numbers
// and dates too: what is half typed is kept as it is.

import type { Attribute } from "../../core/schema";

/** A step of a path: the name of an attribute, or the key of an item in a list. */
export type Step = string | number;

/** A path from the type to a value. The key of an item stays when the item moves. */
export type Path = readonly Step[];

/** Values by the name of their attribute. */
export type Fields = Readonly<Record<string, unknown>>;

/** One component. Id is that of the stored instance, absent while it is new. */
export interface Item {
  readonly key: number;
  readonly id?: number | string;
  readonly component: string;
  readonly fields: Fields;
}

/** A link of a relation, with what is shown of its target. */
export interface Link {
  readonly documentId: string;
  /** The uid of the target, for relations that lead to several types. */
  readonly type?: string;
  readonly locale?: string;
  readonly title?: string;
  readonly status?: "draft" | "modified" | "published";
}

/** A file of the media library, as the content API shows it. */
export interface MediaFile {
  readonly id: number;
  readonly documentId?: string;
  readonly name: string;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly url: string;
  readonly mime: string;
  readonly ext?: string | null;
  readonly size?: number;
  readonly width?: number | null;
  readonly height?: number | null;
  readonly formats?: Readonly<Record<string, { readonly url: string; readonly width?: number }>> | null;
}

/** The attributes of a type and of the components that it uses. */
export interface Shape {
  readonly attributes: readonly Attribute[];
  readonly component: (uid: string) => readonly Attribute[];
  /** Whether the type has drafts, which may lack what publishing requires. */
  readonly drafts: boolean;
  /** Whether entries have a locale, which links then share. */
  readonly localized: boolean;
}

export type Kind = "leaf" | "slot" | "list";

/** Slot is a single component, which may be missing; list any number of them. */
export function kindOf(a: Attribute): Kind {
  if (a.type === "dynamiczone") return "list";
  if (a.type === "component") return a.repeatable ? "list" : "slot";
  return "leaf";
}

/** Whether a relation or media attribute holds several links. */
export function isMany(a: Attribute): boolean {
  if (a.type === "media") return a.multiple === true;
  return a.relation?.endsWith("Many") === true;
}

/** Whether a relation leads to documents of any type. */
export function isMorph(a: Attribute): boolean {
  return a.relation?.startsWith("morphTo") === true;
}

/** The path as one text, for maps. */
export const nameOf = (path: Path): string => path.join("/");

export const itemsOf = (value: unknown): readonly Item[] => (Array.isArray(value) ? (value as Item[]) : []);
export const itemOf = (value: unknown): Item | null => (value ? (value as Item) : null);
export const linksOf = (value: unknown): readonly Link[] => (Array.isArray(value) ? (value as Link[]) : []);
export const filesOf = (value: unknown): readonly MediaFile[] => (Array.isArray(value) ? (value as MediaFile[]) : []);
export const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/** What tells links of one list apart. */
export const linkName = (l: Link): string => `${l.type ?? ""}:${l.documentId}:${l.locale ?? ""}`;
