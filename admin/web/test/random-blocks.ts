// Random rich text as Strapi's editor writes it: texts that could be joined are joined, and
// there is a text at both ends of a block and between two links.

import { markNames, type JsonObject } from "../src/blocks/model";
import type { Random } from "./random";

const words = ["a", "Grüße", "two words", "x < y & z", "\n", "end.\n\nstart", "日本", "👩‍👩‍👧", " ", "\u00a0", "http://"];

export function randomBlocks(r: Random): JsonObject[] {
  return r.some(1, 6, () => block(r));
}

function block(r: Random): JsonObject {
  switch (r.below(8)) {
    case 0:
    case 1:
      return { type: "paragraph", ...more(r), children: inline(r) };
    case 2:
      return { type: "heading", level: 1 + r.below(6), ...more(r), children: inline(r) };
    case 3:
      return { type: "quote", ...more(r), children: inline(r) };
    case 4:
      return { type: "code", ...(r.chance(0.5) && { language: r.pick(["go", "", "html"]) }), children: inline(r) };
    case 5:
      return {
        type: "image",
        image: { url: "/uploads/a.png", width: r.below(9), formats: null },
        children: [{ type: "text", text: "" }],
      };
    case 6:
      return r.pick<JsonObject>([
        { type: "divider" },
        { type: "heading", level: 9, children: inline(r) },
        { type: "list", format: "ordered", children: [] },
        {
          type: "table",
          rows: [
            [1, "a"],
            [null, { b: true }],
          ],
        },
      ]);
    default:
      return list(r, 0);
  }
}

function list(r: Random, depth: number): JsonObject {
  const item = (): JsonObject => {
    if (depth < 3 && r.chance(0.25)) return list(r, depth + 1);
    if (r.chance(0.05)) return { type: "task", done: true };
    return { type: "list-item", ...more(r), children: inline(r) };
  };
  return {
    type: "list",
    format: r.pick(["ordered", "unordered"]),
    ...(r.chance(0.7) && { indentLevel: depth }),
    ...more(r),
    children: r.some(1, 4, item),
  };
}

/** Members that the editor does not know. */
function more(r: Random): JsonObject {
  return r.chance(0.1)
    ? { [r.pick(["align", "id", "x-data"])]: r.pick<string | number | null | JsonObject>(["right", 4, null, { deep: ["a"] }]) }
    : {};
}

function inline(r: Random): JsonObject[] {
  if (r.chance(0.1)) return [{ type: "text", text: "", ...(r.chance(0.3) && { bold: true }) }];
  const found: JsonObject[] = [];
  for (let n = 1 + r.below(5); n > 0; n--) {
    if (r.chance(0.25))
      found.push({
        type: "link",
        url: r.pick(["https://example.org", "/a b", "mailto:a@b.example", ""]),
        ...more(r),
        children: texts(r),
      });
    else if (r.chance(0.05))
      found.push(
        r.pick<JsonObject>([
          { type: "mention", user: 3 },
          { type: "link", url: "/", children: [{ type: "text", text: "" }] },
        ]),
      );
    else found.push(...texts(r));
  }
  return normal(found);
}

function texts(r: Random): JsonObject[] {
  return joined(r.some(1, 3, () => ({ type: "text", text: r.pick(words), ...marksOf(r), ...more(r) })));
}

function marksOf(r: Random): JsonObject {
  return Object.fromEntries(markNames.filter(() => r.chance(0.2)).map((name) => [name, r.chance(0.9)]));
}

function joined(nodes: JsonObject[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const each of nodes) {
    const last = found.at(-1);
    if (last && isText(last) && isText(each) && same({ ...last, text: "" }, { ...each, text: "" })) {
      found[found.length - 1] = { ...last, text: String(last.text) + String(each.text) };
    } else found.push(each);
  }
  return found;
}

function normal(nodes: JsonObject[]): JsonObject[] {
  const found: JsonObject[] = [];
  for (const each of joined(nodes)) {
    if (!isText(each) && !(found.length && isText(found.at(-1)!))) found.push({ type: "text", text: "" });
    found.push(each);
  }
  if (!isText(found.at(-1)!)) found.push({ type: "text", text: "" });
  return found;
}

const isText = (node: JsonObject): boolean => node.type === "text";

/** Whether two values are the same, whatever the order of their members. */
export function same(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return a === b;
  const [x, y] = [Object.entries(a), Object.entries(b)];
  return (
    Array.isArray(a) === Array.isArray(b) &&
    x.length === y.length &&
    x.every(([k, v]) => same(v, (b as Record<string, unknown>)[k]))
  );
}
