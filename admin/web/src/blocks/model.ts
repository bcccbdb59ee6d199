// Rich text as Strapi stores it: a list of blocks. A block holds inline nodes,
// texts and links, except for lists, which hold items and further lists:
//
//   [{type: 'paragraph', children: [{type: 'text', text: 'Hi', bold: true}]},
//    {type: 'list', format: 'ordered', children: [{type: 'list-item', children: […]}]}]
//
// Nodes may have members besides these, and lists may hold nodes of other types.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [member: string]: Json;
}

export type Blocks = readonly JsonObject[];

export type Format = "ordered" | "unordered";

/** The members of a text that are marks when they are true, in the order in which they are written. */
export const markNames = ["bold", "italic", "underline", "strikethrough", "code"] as const;
export type MarkName = (typeof markNames)[number];

export function isObject(v: unknown): v is JsonObject {
  return typeof v === "object" && v !== null && !Array.isArray(v);
}

/** Returns the members of v without those that are named, or null where none is left. */
export function without(v: JsonObject, ...names: string[]): JsonObject | null {
  const rest = Object.entries(v).filter(([name]) => !names.includes(name));
  return rest.length ? Object.fromEntries(rest) : null;
}

/** Reports whether a browser may be sent to the address: no scripts, no data. */
export function isSafeURL(url: string): boolean {
  // Browsers skip control characters and spaces in front of a scheme and within it.
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(url.replace(/[\u0000-\u0020\u007f]/g, ""));
  return !scheme || /^(https?|mailto|tel|sms|ftp)$/i.test(scheme[1]!);
}
