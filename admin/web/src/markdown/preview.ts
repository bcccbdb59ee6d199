// Shows Markdown: elements made one by one from the parser's tree. No HTML of the text is
// ever given to the browser: tags are shown as they were typed, and addresses are checked.

import type { SyntaxNode } from "@lezer/common";
import { isSafeURL } from "../blocks/model";
import { markdownParser } from "./language";

/** The longest text that is shown, in UTF-16 units. */
export const maxShown = 500_000;

const blocks: Record<string, string> = {
  Paragraph: "p",
  Blockquote: "blockquote",
  BulletList: "ul",
  OrderedList: "ol",
  ListItem: "li",
  HorizontalRule: "hr",
  ATXHeading1: "h1",
  ATXHeading2: "h2",
  ATXHeading3: "h3",
  ATXHeading4: "h4",
  ATXHeading5: "h5",
  ATXHeading6: "h6",
  SetextHeading1: "h1",
  SetextHeading2: "h2",
  Table: "table",
  TableHeader: "tr",
  TableRow: "tr",
  TableCell: "td",
};
const inlines: Record<string, string> = { StrongEmphasis: "strong", Emphasis: "em", Strikethrough: "s", InlineCode: "code" };

/** Signs that are not shown. */
const signs = new Set([
  "HeaderMark",
  "QuoteMark",
  "ListMark",
  "EmphasisMark",
  "CodeMark",
  "LinkMark",
  "StrikethroughMark",
  "CodeInfo",
  "TableDelimiter",
  "LinkReference",
  "Comment",
  "CommentBlock",
  "ProcessingInstruction",
  "ProcessingInstructionBlock",
]);

/** Makes the elements of a text. */
export function rendered(text: string): DocumentFragment {
  const source = text.slice(0, maxShown);
  const tree = markdownParser.parse(source);
  const shown = document.createDocumentFragment();
  new Renderer(source, tree.topNode).children(tree.topNode, shown);
  return shown;
}

class Renderer {
  private readonly references = new Map<string, string>();

  constructor(
    private readonly source: string,
    top: SyntaxNode,
  ) {
    for (let node = top.firstChild; node; node = node.nextSibling) {
      if (node.name !== "LinkReference") continue;
      const [label, url] = [node.getChild("LinkLabel"), node.getChild("URL")];
      if (label && url) this.references.set(key(this.text(label)), this.address(url));
    }
  }

  private text(node: { from: number; to: number }): string {
    return this.source.slice(node.from, node.to);
  }

  /** Shows what is in a node: its nodes, and the text between these. */
  children(node: SyntaxNode, into: Node, from = node.from, to = node.to) {
    let at = from;
    const inBlock = holdsText.test(node.name);
    for (let child = node.firstChild; child; child = child.nextSibling) {
      if (child.from < from || child.to > to) continue;
      if (inBlock && child.from > at) this.plain(at, child.from, into);
      this.node(child, into);
      at = child.to;
      if (signs.has(child.name)) at = this.behind(child);
    }
    if (inBlock && to > at) this.plain(at, to, into);
  }

  /** Where text goes on behind a sign: the spaces after # and > belong to it. */
  private behind({ name, to }: SyntaxNode): number {
    return /^(HeaderMark|QuoteMark|ListMark)$/.test(name) && this.source[to] === " " ? to + 1 : to;
  }

  private plain(from: number, to: number, into: Node) {
    into.appendChild(document.createTextNode(this.source.slice(from, to)));
  }

  private node(node: SyntaxNode, into: Node) {
    const { name } = node;
    if (signs.has(name)) return;
    const tag = blocks[name] ?? inlines[name];
    if (tag) this.element(node, tag, into);
    else if (name === "FencedCode" || name === "CodeBlock") this.code(node, into);
    else if (name === "Link") this.link(node, into);
    else if (name === "Image") this.image(node, into);
    else if (name === "Autolink" || name === "URL") this.plainLink(node, into);
    else if (name === "Escape") this.plain(node.from + 1, node.to, into);
    else if (name === "Entity") into.appendChild(document.createTextNode(entity(this.text(node))));
    else if (name === "HardBreak") into.appendChild(document.createElement("br"));
    else if (name === "Task") this.children(node, into);
    else if (name === "TaskMarker") this.task(node, into);
    else if (name === "HTMLBlock") into.appendChild(element("p", this.text(node), "typed-html"));
    else this.plain(node.from, node.to, into);
  }

  private element(node: SyntaxNode, tag: string, into: Node) {
    const made = document.createElement(node.name === "TableCell" && node.parent?.name === "TableHeader" ? "th" : tag);
    const start = node.name === "OrderedList" ? parseInt(this.text(node), 10) : 1;
    if (start !== 1 && start >= 0) made.setAttribute("start", String(start));
    this.children(node, made);
    trim(made);
    into.appendChild(made);
  }

  private code(node: SyntaxNode, into: Node) {
    const lines = node.getChildren("CodeText").map((each) => this.text(each));
    const pre = document.createElement("pre");
    pre.append(element("code", lines.join("")));
    into.appendChild(pre);
  }

  private address(node: { from: number; to: number }): string {
    return this.text(node)
      .replace(/^<|>$/g, "")
      .replace(/\\([!-/:-@[-`{-~])/g, "$1");
  }

  private targetOf(node: SyntaxNode): string {
    const url = node.getChild("URL");
    if (url) return this.address(url);
    const label = node.getChild("LinkLabel");
    const [open, close] = node.getChildren("LinkMark");
    const name =
      label && label.to - label.from > 2
        ? this.text(label)
        : this.source.slice(open?.from ?? 0, close?.to ?? 0).replace(/^!/, "");
    return this.references.get(key(name)) ?? "";
  }

  private link(node: SyntaxNode, into: Node) {
    const [open, close] = node.getChildren("LinkMark");
    const url = this.targetOf(node);
    if (!url && !node.getChild("URL")) return this.plain(node.from, node.to, into);
    const made = anchor(url);
    this.children(node, made, open?.to, close?.from);
    into.appendChild(made);
  }

  private image(node: SyntaxNode, into: Node) {
    const [open, close] = node.getChildren("LinkMark");
    const alt = this.source.slice(open?.to ?? node.from, close?.from ?? node.to);
    const url = this.targetOf(node);
    if (!url || !isSafeURL(url)) return this.plain(node.from, node.to, into);
    const img = document.createElement("img");
    img.alt = alt;
    img.loading = "lazy";
    img.src = url;
    into.appendChild(img);
  }

  private plainLink(node: SyntaxNode, into: Node) {
    const text = this.address(node);
    const made = anchor(/^www\./i.test(text) ? `https://${text}` : /^[^:/]+@/.test(text) ? `mailto:${text}` : text);
    made.textContent = text;
    into.appendChild(made);
  }

  private task(node: SyntaxNode, into: Node) {
    const box = document.createElement("input");
    box.type = "checkbox";
    box.disabled = true;
    box.checked = /x/i.test(this.text(node));
    box.ariaLabel = this.source.slice(node.to, node.parent?.to).trim();
    into.appendChild(box);
  }
}

/** Nodes in which what stands between their nodes is text. */
const holdsText =
  /^(Paragraph|ATXHeading\d|SetextHeading\d|TableCell|StrongEmphasis|Emphasis|Strikethrough|InlineCode|Link|Task)$/;

const key = (label: string): string =>
  label
    .replace(/^\[|\]$/g, "")
    .trim()
    .replace(/\s+/g, " ")
    .toLowerCase();

function element(tag: string, text: string, name?: string): HTMLElement {
  const made = document.createElement(tag);
  made.textContent = text;
  if (name) made.className = name;
  return made;
}

function anchor(url: string): HTMLAnchorElement {
  const made = document.createElement("a");
  if (isSafeURL(url)) made.href = url;
  made.target = "_blank";
  made.rel = "noopener noreferrer";
  return made;
}

/** Removes the spaces at both ends of an element. */
function trim(made: HTMLElement) {
  const [first, last] = [made.firstChild, made.lastChild];
  if (first instanceof Text) first.data = first.data.trimStart();
  if (last instanceof Text) last.data = last.data.trimEnd();
}

const named: Record<string, string> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00a0",
  copy: "©",
  reg: "®",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  euro: "€",
};

function entity(text: string): string {
  const number = /^&#(?:x([0-9a-f]{1,6})|(\d{1,7}));$/i.exec(text);
  if (!number) return named[text.slice(1, -1)] ?? text;
  const point = number[1] ? parseInt(number[1], 16) : Number(number[2]);
  return point > 0 && point <= 0x10ffff ? String.fromCodePoint(point) : "\ufffd";
}
