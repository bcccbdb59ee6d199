// What an editor needs before it can show a document.

import { ApiError, isRecord, request } from "../core/api";
import { hex } from "../core/device";
import { componentOf, type ContentType } from "../core/schema";
import { type Autosave, type Entry, load, type Loaded, type Place } from "./document";
import type { Shape } from "./form/shape";

/** Names a new document until the server does. */
export const newName = (): string => `new-${hex(8)}`;
export const isNewName = (documentId: string | null): boolean => documentId !== null && /^new-[0-9a-f]{16}$/.test(documentId);

/** What is edited: the draft, or the entry of a type without drafts. */
export function entryOf(loaded: Loaded | null): Entry | null {
  return loaded ? (loaded.draft ?? loaded.published) : null;
}

/** The attributes of a type, for its form. */
export function shapeOf(type: ContentType): Shape {
  return {
    attributes: type.attributes,
    component: (uid) => componentOf(uid)?.attributes ?? [],
    drafts: type.draftAndPublish,
    localized: type.localized,
  };
}

/** A single type that nobody has written yet is not there. */
export async function loadOrNone(place: Place): Promise<Loaded | null> {
  try {
    return await load(place);
  } catch (error) {
    if (error instanceof ApiError && error.status === 404 && place.type.kind === "singleType") return null;
    throw error;
  }
}

/** Of a document that is not written in a locale yet, the entry in the first one that it has. */
export async function loadShared(place: Place, loaded: Loaded | null): Promise<Entry | null> {
  const other = loaded?.locales.find((l) => l.locale !== null && l.locale !== place.locale);
  if (!place.type.localized || !other || entryOf(loaded)) return null;
  return entryOf(await load({ ...place, locale: other.locale }));
}

/** What the account typed of a document that is not made yet, as the server keeps it. */
export async function readAutosave(type: ContentType, documentId: string | null, locale: string | null): Promise<Autosave | null> {
  try {
    const { data } = await request<unknown>("GET", `/autosaves/${type.uid}/${documentId ?? ""}`, { query: type.localized && locale ? { locale } : {} });
    return isRecord(data) ? (data as unknown as Autosave) : null;
  } catch {
    return null; // there is none, or it cannot be had now: the device may have one
  }
}
