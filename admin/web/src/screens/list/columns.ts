// The columns of a list: which there can be, which are shown, and how wide.

import type { Attribute, ContentType, Site } from "../../core/schema";
import { systemAttributes } from "./operators";

/**
 * Column is a column that can be shown. The keys `status` and `locales` stand for what
 * an entry's state shows, and `__review` for its stage and assignee; all others are names of attributes.
 */
export interface Column {
  key: string;
  attribute: Attribute | null; // null for what is no attribute
}

/** Chosen is a column as somebody chose it, in the order of the list. */
export interface Chosen {
  key: string;
  width?: number; // px; without it, that of its type
}

/** A column as the list shows it. */
export interface Arranged extends Column {
  width: number; // px
  chosenWidth?: number; // the width that somebody gave it
}

export const narrowest = 64; // px
export const widest = 900;

/** possible are the columns that a list can have, the title first. */
export function possible(type: ContentType, site: Site): Column[] {
  const attributes = [...type.attributes, ...systemAttributes(type)].filter((a) => a.type !== "password");
  const title = attributes.find((a) => a.name === type.mainField) ?? attributes.find((a) => a.name === "documentId")!;
  return [
    { key: title.name, attribute: title },
    ...(type.draftAndPublish ? [{ key: "status", attribute: null }] : []),
    ...(type.localized && site.locales.length > 1 ? [{ key: "locales", attribute: null }] : []),
    ...(type.stages?.length ? [{ key: "__review", attribute: null }] : []),
    ...attributes.filter((a) => a !== title).map((attribute) => ({ key: attribute.name, attribute })),
  ];
}

/**
 * initial are the columns of a list for which nobody has chosen any: those that the
 * layout of the type names, the status, the locales, and when it was changed.
 */
export function initial(type: ContentType, site: Site): Chosen[] {
  const keys = possible(type, site).map((c) => c.key);
  const laid = type.layout.list.filter((key) => key !== keys[0] && key !== "id" && key !== "updatedAt");
  const wanted = type.layout.columns ? [keys[0]!, ...type.layout.list] : [keys[0]!, "status", "__review", ...laid.slice(0, 4), "locales", "updatedAt"];
  return [...new Set(wanted)].filter((key) => keys.includes(key)).map((key) => ({ key }));
}

/**
 * arrange makes of what is remembered the columns that the type has today: the title
 * first, no column twice, widths within bounds.
 */
export function arrange(remembered: readonly Chosen[] | undefined, type: ContentType, site: Site): Arranged[] {
  const columns = possible(type, site);
  const chosen = remembered?.length ? remembered : initial(type, site);
  const title = chosen.find((c) => c.key === columns[0]!.key) ?? { key: columns[0]!.key };
  const seen = new Set<string>();
  return [title, ...chosen].flatMap(({ key, width }) => {
    const column = columns.find((c) => c.key === key);
    if (!column || seen.has(key)) return [];
    seen.add(key);
    return [{ ...column, width: withinBounds(width ?? usualWidth(column, seen.size === 1)), chosenWidth: width }];
  });
}

export function withinBounds(width: number): number {
  return Math.round(Math.max(narrowest, Math.min(widest, width)));
}

const widths: Partial<Record<Attribute["type"], number>> = {
  text: 240,
  richtext: 240,
  blocks: 240,
  boolean: 96,
  integer: 96,
  biginteger: 120,
  float: 96,
  decimal: 96,
  date: 128,
  time: 96,
  datetime: 144,
  timestamp: 144,
  media: 88,
  enumeration: 128,
  component: 200,
  dynamiczone: 200,
};

function usualWidth(column: Column, isTitle: boolean): number {
  if (isTitle) return 320;
  if (column.key === "documentId") return 232;
  if (column.key === "status") return 128;
  if (!column.attribute) return 144;
  return widths[column.attribute.type] ?? 184;
}

/** moved is a list of columns with one of them at another place. The title stays first. */
export function moved(columns: readonly Chosen[], key: string, to: number): Chosen[] {
  const from = columns.findIndex((c) => c.key === key);
  if (from < 1) return [...columns];
  const rest = columns.filter((c) => c.key !== key);
  const at = Math.max(1, Math.min(rest.length, to));
  return [...rest.slice(0, at), columns[from]!, ...rest.slice(at)];
}

/** toggled is a list of columns with one more at the end, or without it. */
export function toggled(columns: readonly Chosen[], key: string): Chosen[] {
  return columns.some((c) => c.key === key) ? columns.filter((c, i) => i === 0 || c.key !== key) : [...columns, { key }];
}
