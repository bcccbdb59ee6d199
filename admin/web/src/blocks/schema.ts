import { Schema, type Attrs, type DOMOutputSpec, type Mark, type Node, type NodeSpec } from "prosemirror-model";
import { isObject, isSafeURL, type Format, type Json, type JsonObject } from "./model";

// The document that ProseMirror edits. Its nodes are those of Strapi under
// other names where a node and a mark would have the same: code_block. A list
// in a list is a sublist. A node that is not known, or not of its type's
// shape, is an atom with its JSON in the attribute source.
//
// Every text block has rest, the members that the editor does not know, and
// empty, the members of the one text that it has when it holds nothing.

const textAttrs = { rest: { default: null }, empty: { default: null } };
const listAttrs = {
  format: { default: "unordered" },
  level: { default: null },
  depth: { default: null },
  rest: { default: null },
};

function textBlock(tag: string, more: Partial<NodeSpec> = {}): NodeSpec {
  return {
    group: "block",
    content: "inline*",
    whitespace: "pre",
    attrs: textAttrs,
    toDOM: (node) => [tag, carried(node.attrs.rest), 0],
    parseDOM: [{ tag, getAttrs: (dom) => ({ rest: carriedBy(dom) }) }],
    ...more,
  };
}

function atom(group: string, tag: string): NodeSpec {
  return {
    group,
    atom: true,
    inline: group === "inline",
    selectable: true,
    draggable: group === "block",
    attrs: { source: {} },
    toDOM: (node) => [
      tag,
      { class: "unknown", "data-source": JSON.stringify(node.attrs.source) },
      String(node.attrs.source?.type ?? "?"),
    ],
    parseDOM: [{ tag: `${tag}.unknown[data-source]`, getAttrs: sourceOf, priority: 70 }],
  };
}

const listTag = (format: Format): string => (format === "ordered" ? "ol" : "ul");
const formatOf = (dom: HTMLElement): Attrs => ({ format: dom.nodeName === "OL" ? "ordered" : "unordered" });

export const schema = new Schema({
  nodes: {
    doc: { content: "block+" },
    paragraph: textBlock("p"),
    heading: textBlock("h1", {
      attrs: { ...textAttrs, level: { default: 1 } },
      defining: true,
      toDOM: (node) => [`h${node.attrs.level}`, carried(node.attrs.rest), 0],
      parseDOM: [1, 2, 3, 4, 5, 6].map((level) => ({
        tag: `h${level}`,
        getAttrs: (dom: HTMLElement) => ({ level, rest: carriedBy(dom) }),
      })),
    }),
    quote: textBlock("blockquote", { defining: true }),
    code_block: textBlock("pre", {
      attrs: { ...textAttrs, language: { default: null } },
      code: true,
      defining: true,
      toDOM: (node) => [
        "pre",
        {
          ...carried(node.attrs.rest),
          spellcheck: "false",
          ...(node.attrs.language && { "data-language": node.attrs.language }),
        },
        ["code", 0],
      ],
      parseDOM: [
        {
          tag: "pre",
          preserveWhitespace: "full",
          getAttrs: (dom) => ({ language: dom.dataset.language ?? null, rest: carriedBy(dom) }),
        },
      ],
    }),
    list: {
      group: "block",
      content: "(list_item | sublist | unknown_item)+",
      attrs: listAttrs,
      toDOM: (node) => [listTag(node.attrs.format), carried(node.attrs.rest), 0],
      parseDOM: [
        { tag: "ul", getAttrs: formatOf },
        { tag: "ol", getAttrs: formatOf },
      ],
    },
    sublist: {
      content: "(list_item | sublist | unknown_item)+",
      attrs: listAttrs,
      toDOM: (node) => ["li", { class: "sublist" }, [listTag(node.attrs.format), carried(node.attrs.rest), 0]],
      parseDOM: [
        {
          tag: "li.sublist",
          priority: 60,
          getAttrs: (dom) => (dom.firstElementChild ? formatOf(dom.firstElementChild as HTMLElement) : false),
          contentElement: (dom) => dom.firstElementChild as HTMLElement,
        },
      ],
    },
    list_item: textBlock("li", { group: "", defining: true }),
    image: {
      group: "block",
      atom: true,
      draggable: true,
      attrs: { source: {} },
      toDOM: (node) => ["figure", { "data-source": JSON.stringify(node.attrs.source) }, ...picture(node)],
      parseDOM: [{ tag: "figure[data-source]", getAttrs: sourceOf, priority: 70 }],
    },
    unknown_block: atom("block", "div"),
    unknown_item: atom("", "li"),
    unknown_inline: atom("inline", "span"),
    text: { group: "inline" },
  },
  marks: {
    link: {
      // key tells two links that follow each other apart, where they are alike otherwise.
      attrs: { url: {}, rest: { default: null }, key: { default: 0 } },
      inclusive: false,
      toDOM: (mark) => ["a", { ...linkTo(mark), ...carried(mark.attrs.rest) }, 0],
      parseDOM: [{ tag: "a[href]", getAttrs: linkOf }],
    },
    bold: mark(
      "strong",
      "strong",
      "b",
      "font-weight=bold",
      "font-weight=bolder",
      "font-weight=600",
      "font-weight=700",
      "font-weight=800",
      "font-weight=900",
    ),
    italic: mark("em", "em", "i", "font-style=italic"),
    underline: mark("u", "u", "text-decoration=underline", "text-decoration-line=underline"),
    strikethrough: mark("s", "s", "strike", "del", "text-decoration=line-through", "text-decoration-line=line-through"),
    code: { ...mark("code", "code", "tt", "kbd", "samp"), code: true },
    // The members of a text that are neither its marks nor its type and text.
    members: {
      attrs: { rest: {} },
      inclusive: true,
      toDOM: (m) => ["span", carried(m.attrs.rest), 0],
      parseDOM: [{ tag: "span[data-rest]", getAttrs: (dom) => ({ rest: carriedBy(dom) }) }],
    },
  },
});

function mark(
  tag: string,
  ...rules: string[]
): { toDOM: () => DOMOutputSpec; parseDOM: ({ tag: string } | { style: string })[] } {
  return { toDOM: () => [tag, 0], parseDOM: rules.map((rule) => (rule.includes("=") ? { style: rule } : { tag: rule })) };
}

// What the copied HTML carries, so that content that is cut and pasted within
// the editor keeps the members that the editor does not know.

function carried(rest: JsonObject | null): Record<string, string> {
  return rest ? { "data-rest": JSON.stringify(rest) } : {};
}

function carriedBy(dom: HTMLElement): JsonObject | null {
  const v = parsed(dom.dataset.rest);
  return isObject(v) ? v : null;
}

function sourceOf(dom: HTMLElement): Attrs | false {
  const source = parsed(dom.dataset.source);
  return isObject(source) ? { source } : false;
}

function parsed(text: string | undefined): Json {
  try {
    return JSON.parse(text ?? "null") as Json;
  } catch {
    return null;
  }
}

function linkTo(mark: Mark): Record<string, string> {
  const url = String(mark.attrs.url);
  return {
    ...(isSafeURL(url) ? { href: url } : { href: "#", "data-unsafe": "" }),
    "data-url": url,
    title: url,
    rel: "noopener noreferrer",
  };
}

function linkOf(dom: HTMLElement): Attrs | false {
  const url = dom.dataset.url ?? dom.getAttribute("href") ?? "";
  return isSafeURL(url) && url !== "" ? { url, rest: carriedBy(dom), key: 0 } : false;
}

/** The address and the alternative text of an image block. */
export function imageOf(node: Node): { url: string; alt: string; caption: string; name: string } {
  const image = isObject(node.attrs.source?.image) ? node.attrs.source.image : {};
  const text = (v: Json | undefined): string => (typeof v === "string" ? v : "");
  return { url: text(image.url), alt: text(image.alternativeText), caption: text(image.caption), name: text(image.name) };
}

function picture(node: Node): DOMOutputSpec[] {
  const { url, alt } = imageOf(node);
  return isSafeURL(url) ? [["img", { src: url, alt }]] : [];
}

export const isList = (node: Node): boolean => node.type.name === "list" || node.type.name === "sublist";

/** The positions that nodes side by side take. */
export const sizeOf = (nodes: readonly Node[]): number => nodes.reduce((sum, each) => sum + each.nodeSize, 0);
