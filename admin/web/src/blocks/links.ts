import { TextSelection, type EditorState, type Transaction } from "prosemirror-state";
import { linkAt } from "./commands";
import { isSafeURL, without, type JsonObject } from "./model";
import { schema } from "./schema";

const { link } = schema.marks;

/** The address as a link has it: example.org gets a scheme; null for none and for one that is not safe. */
export function fullAddress(typed: string): string | null {
  const url = typed.trim();
  if (!url || !isSafeURL(url)) return null;
  if (/^[^\s/?#:@]+@[^\s/?#:@]+\.[a-z]{2,}$/i.test(url)) return `mailto:${url}`;
  return /^[\w-]+(\.[\w-]+)*\.[a-z]{2,}([/:?#]|$)/i.test(url) && !/^[a-z]+:/i.test(url) ? `https://${url}` : url;
}

/** Gives the selection a link, changes the link around it, or writes its text as a new one. */
export function applyLink(
  state: EditorState,
  { url, text, newTab }: { url: string; text: string; newTab: boolean },
): Transaction {
  const existing = linkAt(state);
  const { from, to, empty } = state.selection;
  const before = existing ? link.isInSet(state.doc.nodeAt(existing.from)!.marks)?.attrs : undefined;
  const mark = link.create({ url, key: before?.key ?? Date.now(), rest: opensIn(before?.rest ?? null, newTab) });
  if (existing) return state.tr.removeMark(existing.from, existing.to, link).addMark(existing.from, existing.to, mark);
  if (!empty) return state.tr.removeMark(from, to, link).addMark(from, to, mark);
  const tr = state.tr.replaceSelectionWith(schema.text(text, mark.addToSet(state.selection.$from.marks())), false);
  return tr.setSelection(TextSelection.create(tr.doc, from + text.length)).removeStoredMark(link);
}

/** Strapi has rel and target beside the address. */
function opensIn(rest: JsonObject | null, newTab: boolean): JsonObject | null {
  const other = rest ? without(rest, "target", "rel") : null;
  if (newTab === (rest?.target === "_blank")) return rest;
  return newTab ? { ...other, target: "_blank", rel: "noopener noreferrer" } : other;
}

export function removeLink(state: EditorState): Transaction {
  const existing = linkAt(state);
  const { from, to } = existing ?? state.selection;
  return state.tr.removeMark(from, to, link);
}
