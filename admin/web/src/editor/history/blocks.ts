// Rich text in blocks as lines, so that two of them can be compared: each block, and each
// item of a list, is a line of words, and each word knows its marks and its link.

import { isObject, markNames, type Json, type JsonObject, type MarkName } from "../../blocks/model";
import { compareLists, readable, wordsOf, type Part } from "./diff";

export interface Word {
  readonly text: string;
  readonly marks: readonly MarkName[];
  readonly url?: string;
}

export type Tag = "p" | "h1" | "h2" | "h3" | "h4" | "h5" | "h6" | "blockquote" | "pre" | "li" | "figure" | "div";

export interface Line {
  /** The element that shows it: p, h1 to h6, blockquote, pre, li, figure, or div for what is not known. */
  readonly tag: Tag;
  readonly ordered?: boolean;
  /** How deep in lists. */
  readonly depth: number;
  readonly words: readonly Word[];
  readonly image?: { readonly url: string; readonly alt: string };
}

/** A line that is in both texts with other words or of another kind has parts. */
export interface LineChange {
  readonly is: "same" | "removed" | "added" | "changed";
  readonly line: Line;
  readonly parts?: readonly Part<Word>[];
}

const maxLines = 5000;
const headings = ["h1", "h2", "h3", "h4", "h5", "h6"] as const;

export function linesOf(value: unknown): Line[] {
  return Array.isArray(value) ? value.flatMap((each) => block(each as Json, 0, false)).slice(0, maxLines) : [];
}

function block(node: Json, depth: number, ordered: boolean): Line[] {
  if (!isObject(node)) return [unknown(node)];
  const children = Array.isArray(node.children) ? (node.children as Json[]) : [];
  switch (node.type) {
    case "paragraph":
      return [{ tag: "p", depth, words: words(children) }];
    case "heading":
      return [{ tag: headings[Number(node.level) - 1] ?? "h1", depth, words: words(children) }];
    case "quote":
      return [{ tag: "blockquote", depth, words: words(children) }];
    case "code":
      return [{ tag: "pre", depth, words: words(children) }];
    case "list-item":
      return [{ tag: "li", ordered, depth, words: words(children) }];
    case "list":
      return children.flatMap((each) => block(each, depth + 1, node.format === "ordered"));
    case "image":
      return [{ tag: "figure", depth, words: [], image: imageOf(node) }];
    default:
      return [unknown(node)];
  }
}

const unknown = (node: Json): Line => ({ tag: "div", depth: 0, words: [{ text: JSON.stringify(node), marks: [] }] });

function imageOf({ image }: JsonObject): { url: string; alt: string } {
  const text = (name: string): string => (isObject(image) && typeof image[name] === "string" ? image[name] : "");
  return { url: text("url"), alt: text("alternativeText") };
}

function words(nodes: readonly Json[], url?: string): Word[] {
  return nodes.flatMap((node) => {
    if (!isObject(node)) return [];
    if (node.type === "link" && Array.isArray(node.children)) return words(node.children as Json[], String(node.url));
    const marks = markNames.filter((name) => node[name] === true);
    return wordsOf(String(node.text ?? "")).map((text) => ({ text, marks, ...(url !== undefined && { url }) }));
  });
}

const kindOf = (line: Line): string => `${line.tag} ${line.depth} ${line.ordered ?? ""} ${line.image?.url ?? ""}`;
const wordKey = (word: Word): string => `${word.text}\u0000${word.marks.join()}\u0000${word.url ?? ""}`;
const lineKey = (line: Line): string =>
  `${kindOf(line)}\u0001${line.image?.alt ?? ""}\u0001${line.words.map(wordKey).join("\u0001")}`;

/** Compares two texts line by line, and lines that have much in common word by word. */
export function compareBlocks(before: unknown, after: unknown): LineChange[] {
  const parts = compareLists(linesOf(before), linesOf(after), lineKey);
  const changes: LineChange[] = [];
  for (let i = 0; i < parts.length; i++) {
    const part = parts[i]!;
    const next = parts[i + 1];
    if (part.is === "removed" && next?.is === "added") {
      changes.push(...paired(part.items, next.items));
      i++;
    } else for (const line of part.items) changes.push({ is: part.is, line });
  }
  return changes;
}

/** Pairs lines that were replaced, in their order, as far as they are alike. */
function paired(removed: readonly Line[], added: readonly Line[]): LineChange[] {
  const left = [...removed];
  const changes: LineChange[] = [];
  for (const line of added) {
    const at = left.slice(0, 20).findIndex((each) => areAlike(each, line));
    if (at < 0) {
      changes.push({ is: "added", line });
      continue;
    }
    for (const gone of left.splice(0, at)) changes.push({ is: "removed", line: gone });
    changes.push(changed(left.shift()!, line));
  }
  return [...changes, ...left.map((line): LineChange => ({ is: "removed", line }))];
}

function changed(before: Line, line: Line): LineChange {
  const parts = compareLists(before.words, line.words, wordKey);
  return { is: "changed", line, parts: readable(parts, (word) => /^\s$/.test(word.text)) };
}

/** Whether a third of the words are the same. */
function areAlike(a: Line, b: Line): boolean {
  if (a.image || b.image) return a.image !== undefined && a.image.url === b.image?.url;
  const known = new Map<string, number>();
  for (const { text } of a.words) known.set(text, (known.get(text) ?? 0) + 1);
  let common = 0;
  for (const { text } of b.words) {
    const count = known.get(text) ?? 0;
    if (count > 0 && text.trim()) common++;
    known.set(text, count - 1);
  }
  const count = (line: Line): number => line.words.filter(({ text }) => text.trim()).length;
  return common * 3 >= Math.max(count(a), count(b));
}
