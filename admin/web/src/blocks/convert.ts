import { Fragment, type Mark, type Node, type NodeType } from "prosemirror-model";
import { isObject, markNames, without, type Blocks, type Json, type JsonObject } from "./model";
import { schema } from "./schema";

// Between the JSON of rich text and the document that the editor changes.
//
// A node that was read remembers its JSON. As the nodes of a document never
// change, a block that nobody has touched is written as the very value that
// was read, with members in its order, texts that could be joined, and marks
// that are false. Other blocks are written as Strapi's editor writes them.

const { nodes, marks } = schema;

/** The JSON of nodes, and how deep in lists it stands: depth 0 is the document. */
export type Origins = WeakMap<Node, { json: JsonObject; depth: number }>;

const read = new WeakMap<JsonObject, { node: Node; depth: number }>();
const origins: Origins = new WeakMap();
let links = 0;

/** Makes a document of blocks. Null, and what is no list, is an empty paragraph. */
export function toDocument(blocks: unknown): Node {
  const list = Array.isArray(blocks) ? (blocks as Json[]) : [];
  const content = list.map((each) => remembered(each, 0, readBlock));
  return nodes.doc.create(null, content.length ? content : nodes.paragraph.create());
}

/** Makes blocks of a document. A document without any content is null. */
export function toBlocks(doc: Node, known: Origins = origins): Blocks | null {
  if (isBlank(doc) && !known.has(doc.firstChild!)) return null;
  return children(doc).map((node) => written(node, 0, known));
}

/** Reports whether the document is one paragraph without text. */
export function isBlank(doc: Node): boolean {
  const only = doc.childCount === 1 ? doc.firstChild! : null;
  return only?.type === nodes.paragraph && only.content.size === 0 && only.attrs.rest === null && only.attrs.empty === null;
}

const children = (node: Node): readonly Node[] => node.content.content;

// --- reading

function remembered(json: Json, depth: number, make: (json: JsonObject, depth: number) => Node): Node {
  if (!isObject(json)) return opaque(depth ? nodes.unknown_item : nodes.unknown_block, json);
  const known = read.get(json);
  if (known?.depth === depth) return known.node;
  const node = make(json, depth);
  read.set(json, { node, depth });
  origins.set(node, { json, depth });
  return node;
}

const opaque = (type: NodeType, source: Json): Node => type.create({ source });

function readBlock(json: JsonObject): Node {
  switch (json.type) {
    case "paragraph":
      return readText(nodes.paragraph, json) ?? opaque(nodes.unknown_block, json);
    case "quote":
      return readText(nodes.quote, json) ?? opaque(nodes.unknown_block, json);
    case "code":
      return readCode(json) ?? opaque(nodes.unknown_block, json);
    case "heading":
      return readHeading(json) ?? opaque(nodes.unknown_block, json);
    case "list":
      return readList(json, 0) ?? opaque(nodes.unknown_block, json);
    case "image":
      return opaque(isObject(json.image) ? nodes.image : nodes.unknown_block, json);
    default:
      return opaque(nodes.unknown_block, json);
  }
}

function readHeading(json: JsonObject): Node | null {
  const { level } = json;
  if (typeof level !== "number" || ![1, 2, 3, 4, 5, 6].includes(level)) return null;
  return readText(nodes.heading, json, { level }, "level");
}

function readCode(json: JsonObject): Node | null {
  if (typeof json.language !== "string") return readText(nodes.code_block, json);
  return readText(nodes.code_block, json, { language: json.language }, "language");
}

function readList(json: JsonObject, depth: number): Node | null {
  const { format, indentLevel: level, children: items } = json;
  if ((format !== "ordered" && format !== "unordered") || !Array.isArray(items) || !items.length) return null;
  const attrs = {
    format,
    level: level ?? null,
    depth,
    rest: without(json, "type", "children", "format", ...(level === null ? [] : ["indentLevel"])),
  };
  const content = (items as Json[]).map((each) => remembered(each, depth + 1, readItem));
  return (depth ? nodes.sublist : nodes.list).create(attrs, content);
}

function readItem(json: JsonObject, depth: number): Node {
  const item = json.type === "list-item" ? readText(nodes.list_item, json) : json.type === "list" ? readList(json, depth) : null;
  return item ?? opaque(nodes.unknown_item, json);
}

/** Reads a block that holds texts and links. attrs is what was read of the members named. */
function readText(type: NodeType, json: JsonObject, attrs: object = {}, ...named: string[]): Node | null {
  if (!Array.isArray(json.children) || !json.children.length) return null;
  const all = json.children as Json[];
  const rest = without(json, "type", "children", ...named);
  const empty = all.length === 1 && isText(all[0]!) && all[0].text === "" ? without(all[0], "type", "text") : null;
  return type.create({ ...attrs, rest, empty }, Fragment.fromArray(all.flatMap((each) => readInline(each))));
}

function isText(v: Json): v is JsonObject & { text: string } {
  return isObject(v) && v.type === "text" && typeof v.text === "string";
}

function readInline(json: Json): Node[] {
  if (isText(json)) return json.text === "" ? [] : [schema.text(json.text, marksOf(json))];
  return (isObject(json) && readLink(json)) || [opaque(nodes.unknown_inline, json)];
}

function readLink(json: JsonObject): Node[] | null {
  const { type, url, children: texts } = json;
  if (type !== "link" || typeof url !== "string" || !Array.isArray(texts) || !(texts as Json[]).every(isText)) return null;
  const shown = (texts as JsonObject[]).filter((each) => each.text !== "");
  if (!shown.length) return null;
  const link = marks.link.create({ url, rest: without(json, "type", "url", "children"), key: ++links });
  return shown.map((each) => schema.text(each.text as string, [link, ...marksOf(each)]));
}

function marksOf(text: JsonObject): Mark[] {
  const on = markNames.filter((name) => text[name] === true);
  const rest = without(text, "type", "text", ...on);
  return [...on.map((name) => schema.mark(name)), ...(rest ? [marks.members.create({ rest })] : [])];
}

// --- writing

function written(node: Node, depth: number, known: Origins): JsonObject {
  const origin = known.get(node);
  if (origin?.depth === depth) return origin.json;
  const json = write(node, depth, known);
  known.set(node, { json, depth });
  if (known === origins && isObject(json)) read.set(json, { node, depth });
  return json;
}

function write(node: Node, depth: number, known: Origins): JsonObject {
  const { attrs } = node;
  switch (node.type) {
    case nodes.heading:
      return { type: "heading", level: attrs.level, ...attrs.rest, children: inline(node) };
    case nodes.code_block:
      return {
        type: "code",
        ...(attrs.language !== null && { language: attrs.language }),
        ...attrs.rest,
        children: inline(node),
      };
    case nodes.list_item:
      return { type: "list-item", ...attrs.rest, children: inline(node) };
    case nodes.list:
    case nodes.sublist:
      return {
        type: "list",
        format: attrs.format,
        ...indent(node, depth),
        ...attrs.rest,
        children: children(node).map((each) => written(each, depth + 1, known)),
      };
    case nodes.paragraph:
    case nodes.quote:
      return { type: node.type.name, ...attrs.rest, children: inline(node) };
    default:
      return attrs.source;
  }
}

/** The member by which Strapi chooses bullets: as it was read, if the list is still as deep. */
function indent(list: Node, depth: number): JsonObject {
  const { level, depth: before } = list.attrs;
  if (before === depth) return level === null ? {} : { indentLevel: level };
  return depth ? { indentLevel: depth } : {};
}

/** Writes texts and links. Strapi's editor has a text at both ends, and between two links. */
function inline(block: Node): JsonObject[] {
  const found: JsonObject[] = [];
  let link: Mark | undefined;
  for (const each of children(block)) {
    const next = each.isText ? marks.link.isInSet(each.marks) : undefined;
    const last = found.at(-1);
    if (next && link && next.eq(link)) (last!.children as JsonObject[]).push(text(each));
    else if (next) found.push({ type: "link", url: next.attrs.url, ...next.attrs.rest, children: [text(each)] });
    else found.push(each.isText ? text(each) : each.attrs.source);
    link = next;
  }
  if (!found.length) return [{ type: "text", text: "", ...block.attrs.empty }];
  return spaced(found);
}

function spaced(found: JsonObject[]): JsonObject[] {
  const isLast = (i: number): boolean => i === found.length - 1;
  return found.flatMap((each, i) => {
    if (isText(each)) return [each];
    const before = i === 0 || !isText(found[i - 1]!) ? [spacer()] : [];
    return [...before, each, ...(isLast(i) ? [spacer()] : [])];
  });
}

const spacer = (): JsonObject => ({ type: "text", text: "" });

function text(node: Node): JsonObject {
  const rest = marks.members.isInSet(node.marks)?.attrs.rest as JsonObject | undefined;
  const on = markNames.filter((name) => schema.marks[name]!.isInSet(node.marks));
  return { type: "text", text: node.text!, ...rest, ...Object.fromEntries(on.map((name) => [name, true])) };
}
