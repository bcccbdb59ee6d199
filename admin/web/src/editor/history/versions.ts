// Former versions of a document at the server.

import { content } from "../../core/api";
import { schema, typeOf, type Attribute, type ContentType } from "../../core/schema";

export interface Actor {
  readonly kind: "token" | "user" | "admin" | "assistant" | "command" | "schedule" | "public";
  readonly id?: string;
  readonly name?: string;
  /** The language model whose suggestions a version has. */
  readonly model?: string;
}

export interface Version {
  readonly revision: number;
  readonly at: string;
  readonly action: string | null;
  readonly actor: Actor | null;
  readonly locale: string | null;
  readonly status: "draft" | "published";
  readonly current: boolean;
  readonly removed?: { readonly at: string; readonly actor: Actor | null; readonly action: string | null };
}

export type Fields = Readonly<Record<string, unknown>>;

/** A version with what it holds. */
export interface Content {
  readonly fields: Fields;
  /** What the schema no longer has. */
  readonly gone: readonly string[];
}

export const pageSize = 50;

export interface Past {
  readonly type: ContentType;
  readonly documentId: string | null;
  readonly locale: string | null;
}

const pathOf = ({ type, documentId }: Past): string =>
  type.kind === "singleType" ? `/${type.route}` : `/${type.route}/${documentId ?? ""}`;
const localeOf = ({ type, locale }: Past) => (type.localized && locale ? { locale } : {});

/** One page of the versions, the newest first, and how many there are. */
export async function listVersions(past: Past, page: number): Promise<{ versions: readonly Version[]; total: number }> {
  const { data, meta } = await content<Version[]>("GET", `${pathOf(past)}/history`, {
    query: { ...localeOf(past), pagination: { page, pageSize } },
  });
  const { total } = (meta.pagination ?? {}) as { total?: number };
  return { versions: data, total: total ?? data.length };
}

export async function readVersion(past: Past, version: Version): Promise<Content> {
  const query = { ...localeOf(past), status: version.status };
  const { data, meta } = await content<Fields>("GET", `${pathOf(past)}/history/${version.revision}`, { query });
  return { fields: data, gone: Array.isArray(meta.gone) ? (meta.gone as string[]) : [] };
}

/** Makes a version the draft, or the entry of a type without drafts. Gives what could not be linked again. */
export async function restoreVersion(past: Past, version: Version): Promise<readonly string[]> {
  const query = { ...localeOf(past), status: version.status, fields: ["documentId"] };
  const { meta } = await content("POST", `${pathOf(past)}/history/${version.revision}/restore`, { query, body: {} });
  return Array.isArray(meta.dropped) ? (meta.dropped as { path?: string }[]).map((each) => String(each.path ?? "")) : [];
}

/** What a link leads to, as it is shown. */
export interface Target {
  readonly title: string;
  readonly picture?: string;
}

const files = "plugin::upload.file";
const askedAtOnce = 100;

/** The titles of what both versions link to, by uid and documentId. */
export async function readTargets(past: Past, contents: readonly Content[]): Promise<ReadonlyMap<string, Target>> {
  const wanted = new Map<string, Set<string>>();
  for (const { fields } of contents) gather(past.type.attributes, fields, wanted);
  const found = new Map<string, Target>();
  const questions = [...wanted].flatMap(([uid, ids]) => chunks([...ids]).map((part) => [uid, part] as const));
  await Promise.all(questions.map(([uid, ids]) => ask(past, uid, ids, found)));
  return found;
}

export const targetKey = (uid: string, documentId: unknown): string => `${uid} ${String(documentId)}`;
export const targetOf = (a: Attribute, link: Fields): string =>
  a.type === "media" ? files : String(link.__type ?? a.target ?? "");

function gather(attributes: readonly Attribute[], fields: Fields, wanted: Map<string, Set<string>>) {
  for (const a of attributes) {
    const values = [fields[a.name]].flat().filter((each): each is Fields => typeof each === "object" && each !== null);
    for (const value of values) {
      if (a.type === "component" || a.type === "dynamiczone") {
        const component = schema.peek()?.components.find(({ uid }) => uid === (a.component ?? value.__component));
        if (component) gather(component.attributes, value, wanted);
      } else if ((a.type === "relation" || a.type === "media") && typeof value.documentId === "string") {
        const uid = targetOf(a, value);
        wanted.set(uid, (wanted.get(uid) ?? new Set()).add(value.documentId));
      }
    }
  }
}

function chunks(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / askedAtOnce) }, (_, i) => ids.slice(i * askedAtOnce, (i + 1) * askedAtOnce));
}

/** Asks for titles. Those that are not answered stay without. */
async function ask(past: Past, uid: string, ids: readonly string[], found: Map<string, Target>) {
  const filters = { documentId: { $in: ids } };
  if (uid === files) {
    const { data } = await content<unknown>("GET", "/upload/files", {
      query: { filters, pagination: { pageSize: askedAtOnce } },
    }).catch(() => ({ data: [] }));
    for (const file of (Array.isArray(data) ? data : []) as Fields[]) {
      const picture = String(file.mime).startsWith("image/") ? { picture: pictureOf(file) } : {};
      found.set(targetKey(uid, file.documentId), { title: String(file.name), ...picture });
    }
    return;
  }
  const type = typeOf(uid);
  if (!type) return;
  const query = {
    filters,
    fields: ["documentId", type.mainField],
    pagination: { pageSize: askedAtOnce },
    ...(type.draftAndPublish && { status: "draft" }),
    ...(type.localized && past.locale && { locale: past.locale }),
  };
  const { data } = await content<Fields | Fields[]>("GET", `/${type.route}`, { query }).catch(() => ({ data: [] as Fields[] }));
  for (const entry of [data].flat()) found.set(targetKey(uid, entry.documentId), { title: String(entry[type.mainField] ?? "") });
}

export function pictureOf(file: Fields): string {
  const formats = file.formats as { thumbnail?: { url?: string } } | null;
  return formats?.thumbnail?.url ?? String(file.url);
}
