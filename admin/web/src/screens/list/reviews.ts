// The review of the documents of a list: their stages and assignees, which are no content.

import { request } from "../../core/api";
import { t } from "../../core/i18n";
import type { Attribute, ContentType } from "../../core/schema";
import type { Filter, Tree } from "./question";

/** A document in its review. One that is not known is in the first stage, and nobody has it. */
export interface Reviewed {
  readonly documentId: string;
  readonly stage: string | null;
  readonly stageId: string | null;
  readonly assignee: { readonly id: string; readonly name: string } | null;
}

const names = ["__stage", "__assignee"];

export const isOfReview = ({ path }: Pick<Filter, "path">): boolean => names.includes(path[0] ?? "");

/** What the list of a type with stages can be filtered by, beside its attributes. */
export function reviewAttributes({ stages }: ContentType): Attribute[] {
  if (!stages?.length) return [];
  return [
    { name: "__stage", label: t("list.column.stage"), type: "enumeration", enum: stages.map(({ id }) => id), choices: Object.fromEntries(stages.map(({ id, name }) => [id, name])) },
    { name: "__assignee", label: t("list.column.assignee"), type: "enumeration" },
  ];
}

/** Some documents of a list or, without ids, all whose review has begun. */
export async function reviewsOf(uid: string, locale: string | null, ids?: readonly string[], signal?: AbortSignal): Promise<readonly Reviewed[]> {
  const query = { ...(locale && { locale }), ...(ids && { documents: ids.join(",") }) };
  const { data, meta } = await request<Reviewed[]>("GET", `/reviews/${uid}`, { query, signal });
  if (meta.more === true) throw new Error(t("list.too-many-reviewed", { n: data.length }));
  return data;
}

/** The people who have documents of a type. */
export async function assigneesOf(uid: string, locale: string | null): Promise<{ id: string; name: string }[]> {
  const found = new Map((await reviewsOf(uid, locale)).flatMap(({ assignee }) => (assignee ? [[assignee.id, assignee] as const] : [])));
  return [...found.values()].sort((a, b) => a.name.localeCompare(b.name));
}

/** What filters about the review ask of documents. */
export function reviewConditions(filters: readonly Filter[], reviews: readonly Reviewed[], type: ContentType): Tree[] {
  return filters.filter(isOfReview).map(({ path, operator, values }) => {
    const valueOf = path[0] === "__stage" ? (one: Reviewed) => one.stageId : (one: Reviewed) => one.assignee?.id ?? null;
    const usual = path[0] === "__stage" ? (type.stages?.[0]?.id ?? null) : null;
    const fits = (value: string | null): boolean => {
      if (operator === "empty" || operator === "filled") return (value === null) === (operator === "empty");
      return (value !== null && values.includes(value)) === (operator === "among");
    };
    const others = fits(usual); // documents whose review has not begun are among them
    const ids = reviews.filter((one) => fits(valueOf(one)) !== others).map(({ documentId }) => documentId);
    return among(ids, others);
  });
}

const inList = 100; // the most values of a list in a query

function among(ids: readonly string[], not: boolean): Tree {
  const lists: Tree[] = [];
  for (let i = 0; i < ids.length; i += inList) lists.push({ documentId: { [not ? "$notIn" : "$in"]: ids.slice(i, i + inList) } });
  if (lists.length === 0) return { documentId: { [not ? "$notNull" : "$null"]: "true" } };
  return not ? { $and: lists } : { $or: lists };
}
