// The query of the content API that answers a question.

import type { QueryValue } from "../../core/api";
import type { Attribute, ContentType, Site } from "../../core/schema";
import { condition } from "./operators";
import type { Question, Tree } from "./question";
import { isOfReview, reviewConditions, reviewsOf } from "./reviews";
import { plannedOf } from "./schedules";

export type Query = { [key: string]: QueryValue };

/** The most ids that a list of a query holds, and how many such lists a question has. */
const idsInList = 100;
const listsOfIds = 5;

/**
 * The query for all entries that a question is about, without a page. shown are the
 * attributes of the columns. beside are conditions of what is no content.
 */
export function ask(question: Question, type: ContentType, site: Site, shown: readonly string[], beside: readonly Tree[] = []): Query {
  return { ...askWhich(question, type, site, beside), sort: orderOf(question, type), ...askWhat(type, site, shown) };
}

/** The query for which entries a question is about, without their order and what is shown of them. */
export function askWhich(question: Question, type: ContentType, site: Site, beside: readonly Tree[]): Query {
  const query = askVersion(question.locale, type, site);
  const search = question.search.trim();
  if (search) query._q = search;
  const conditions = question.filters.filter((filter) => !isOfReview(filter)).map((filter) => condition(filter, type, site)).filter((tree) => tree !== null);
  conditions.push(...beside);
  if (type.draftAndPublish) query.publicationFilter = publications[question.status ?? ""];
  if (question.status === "untranslated" && type.localized) {
    query.fallbackLocale = site.locales.map((locale) => locale.code).filter((code) => code !== query.locale);
    conditions.push({ locale: { $ne: localeOf(question.locale, site) } });
  }
  if (conditions.length > 0) query.filters = { $and: conditions };
  return query;
}

/** Whether a question is about what is no content: what is scheduled, and reviews. */
export const asksBeside = (question: Question): boolean => question.status === "scheduled" || question.filters.some(isOfReview);

/** The conditions of a question about what is no content, by what there is now. */
export async function beside(question: Question, type: ContentType, locale: string | null, signal?: AbortSignal): Promise<Tree[]> {
  const conditions: Tree[] = [];
  if (question.status === "scheduled" && type.draftAndPublish) conditions.push(oneOf((await plannedOf(type.uid, undefined, signal)).map(({ documentId }) => documentId)));
  if (question.filters.some(isOfReview)) conditions.push(...reviewConditions(question.filters, await reviewsOf(type.uid, locale, undefined, signal), type));
  return conditions;
}

const publications: Record<string, string> = { draft: "never-published", modified: "modified", published: "unmodified" };

/** What an editor sees: drafts, in one locale. */
export function askVersion(locale: string | null, type: ContentType, site: Site): Query {
  return { ...(type.draftAndPublish && { status: "draft" }), ...(type.localized && { locale: localeOf(locale, site) }) };
}

/** A locale that the site has: the one given, or the default one. */
export function localeOf(locale: string | null, site: Site): string {
  const found = site.locales.find(({ code }) => code === locale) ?? site.locales.find(({ isDefault }) => isDefault) ?? site.locales[0];
  return found?.code ?? "en";
}

/** The condition that a document is one of these. Without any, nothing is. */
export function oneOf(ids: readonly string[]): Tree {
  const lists: Tree[] = [];
  for (let i = 0; i < Math.min(ids.length, idsInList * listsOfIds); i += idsInList) lists.push({ documentId: { $in: ids.slice(i, i + idsInList) } });
  return lists.length > 0 ? { $or: lists } : { documentId: { $null: "true" } };
}

function orderOf({ order, search }: Question, type: ContentType): string {
  if (order && isSortable(order.path, type)) return `${order.path}:${order.descending ? "desc" : "asc"}`;
  return search.trim().length > 1 ? "_rank,updatedAt:desc" : "updatedAt:desc"; // one letter ranks nothing
}

const unordered: readonly string[] = ["component", "dynamiczone", "media", "relation", "json", "blocks", "richtext", "password"];

/** Whether entries can be listed in the order of an attribute, or of one behind a relation to one document. */
export function isSortable(path: string, type: ContentType): boolean {
  const [name, behind] = path.split(".");
  if (["id", "documentId", "createdAt", "updatedAt", "publishedAt"].includes(path)) return true;
  const attribute = type.attributes.find((a) => a.name === name);
  if (!attribute) return false;
  return behind ? leadsToOne(attribute) : !unordered.includes(attribute.type);
}

/** Whether an attribute is a relation to one document of one type. */
export function leadsToOne(attribute: Attribute): boolean {
  return attribute.type === "relation" && !!attribute.target && (attribute.relation === "oneToOne" || attribute.relation === "manyToOne");
}

/** What the cells show of an entry: values, titles of related documents, counts of many, pictures. */
export function askWhat(type: ContentType, site: Site, shown: readonly string[]): Query {
  const fields = new Set(["updatedAt"]);
  const populate: { [name: string]: QueryValue } = {};
  for (const name of [type.mainField, ...shown]) {
    const attribute = type.attributes.find((a) => a.name === name);
    const populated = attribute && populateOf(attribute, site);
    if (populated) populate[name] = populated;
    else if (attribute || name === "createdAt" || name === "publishedAt") fields.add(name);
  }
  return { fields: [...fields], populate, ...((type.draftAndPublish || type.localized) && { include: "state" }) };
}

/** How an attribute is populated for a cell; null for a plain value. */
function populateOf(attribute: Attribute, site: Site): QueryValue {
  switch (attribute.type) {
    case "media":
      return { fields: ["name", "url", "formats", "mime", "alternativeText", "ext"] };
    case "component":
      return attribute.repeatable ? { count: true } : true;
    case "dynamiczone":
      return true;
    case "relation": {
      if (!attribute.target) return true;
      if (!leadsToOne(attribute)) return { count: true };
      return { fields: [site.types.find((t) => t.uid === attribute.target)?.mainField ?? "documentId"] };
    }
    default:
      return null;
  }
}
