// What columns, attributes and filters are called.

import { formatDate, formatList, t } from "../../core/i18n";
import type { Attribute, ContentType, Site } from "../../core/schema";
import type { Column } from "./columns";
import { kindOf, resolve } from "./operators";
import type { Filter, Status } from "./question";

const system = ["id", "documentId", "createdAt", "updatedAt", "publishedAt"] as const;

function isSystem(name: string): name is (typeof system)[number] {
  return (system as readonly string[]).includes(name);
}

export function attributeLabel(attribute: Attribute): string {
  return isSystem(attribute.name) ? t(`list.column.${attribute.name}`) : attribute.label;
}

export function labelOf(column: Column): string {
  if (column.attribute) return attributeLabel(column.attribute);
  return t(column.key === "__review" ? "list.column.review" : column.key === "locales" ? "list.column.locales" : "list.column.status");
}

/** What a status is called where the list is narrowed down to it. */
export function statusLabel(status: Status): string {
  return status === "untranslated" ? t("list.untranslated") : t(`status.${status}`);
}

/** A path in words: "Chef › Name". */
export function pathLabel(attributes: readonly Attribute[]): string {
  return attributes.map(attributeLabel).join(" › ");
}

/** A filter in words; titles name the documents that its values are. */
export function words(filter: Filter, type: ContentType, site: Site, titles: ReadonlyMap<string, string>): string {
  const attributes = resolve(filter.path, type, site);
  const last = attributes?.at(-1);
  const kind = last && kindOf(last);
  if (!attributes || !kind) return t("list.unknown-filter", { name: filter.path.join(".") });
  const shown = filter.values.map((value) => {
    if (kind === "relation" || last.name === "__assignee") return titles.get(value) ?? "…";
    if (last.choices) return last.choices[value] ?? "…";
    if ((kind === "date" || kind === "moment") && !Number.isNaN(Date.parse(value))) return formatDate(`${value}T00:00`);
    return kind === "text" ? `“${value}”` : value;
  });
  const values = filter.operator === "between" ? t("list.and", { from: shown[0] ?? "", to: shown[1] ?? "" }) : formatList(shown);
  return `${pathLabel(attributes)} ${operatorLabel(filter.operator)} ${values}`.trim();
}

const operators = [
  "contains",
  "is",
  "starts",
  "ends",
  "not-contains",
  "is-not",
  "empty",
  "filled",
  "at-least",
  "at-most",
  "more",
  "less",
  "between",
  "before",
  "after",
  "yes",
  "no",
  "among",
  "not-among",
] as const;

export function operatorLabel(operator: string): string {
  const known = operators.find((one) => one === operator);
  return known ? t(`list.operator.${known}`) : operator;
}
