import { isSafeURL } from "./model";

// What other programs put on the clipboard becomes plain HTML before
// ProseMirror reads it: lists nested as the schema nests them, spaces as a
// browser shows them, and none of the styles of Word and Google Docs.

/** Marks the HTML that this editor copied itself, which is left as it is. */
const ours = "data-pm-slice";

/** The most that is cleaned, in UTF-16 units. What is longer is pasted as plain text. */
export const maxPasted = 4 << 20;

export function cleaned(html: string): string {
  if (html.includes(ours)) return html;
  const { body } = new DOMParser().parseFromString(renamedStyles(html), "text/html");
  for (const each of body.querySelectorAll(
    "script, style, meta, link, title, template, iframe, object, img, svg, input, button, select, textarea, video, audio",
  ))
    each.remove();
  removeComments(body);
  wordLists(body);
  for (const each of [...body.querySelectorAll<HTMLElement>("*")]) tidy(each);
  for (const each of [...body.querySelectorAll("tr")]) row(each);
  for (const each of [...body.querySelectorAll("li")]) flatten(each);
  for (const each of [...body.querySelectorAll("ul, ol")]) placeList(each);
  for (const each of [...body.querySelectorAll("blockquote")]) flatten(each);
  collapse(body);
  return body.innerHTML;
}

/** The policy of the page refuses styles and handlers as they are parsed; under other names it does not see them. */
function renamedStyles(html: string): string {
  const plain = html.replace(/<style[\s\S]*?(<\/style>|$)/gi, "");
  return plain.replace(/<[a-z][^>]*>/gi, (tag) => tag.replace(/\s(style|on\w+)\s*=/gi, " data-$1="));
}

function styleOf(element: HTMLElement): { [property: string]: string | undefined } {
  const rules = (element.dataset.style ?? "").toLowerCase().split(";");
  return Object.fromEntries(rules.map((rule) => rule.split(":", 2).map((part) => part.trim()) as [string, string?]));
}

function removeComments(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_COMMENT);
  const found: Node[] = [];
  while (walker.nextNode()) found.push(walker.currentNode);
  for (const each of found) each.parentNode?.removeChild(each);
}

/** Word writes list items as paragraphs with a bullet in them and the level in their style. */
function wordLists(body: HTMLElement): void {
  let open: { list: HTMLElement; level: number }[] = [];
  let previous: Element | null = null;
  for (const p of [...body.querySelectorAll<HTMLElement>("p[class*=MsoList], p[data-style*=mso-list]")]) {
    const level = Number(/level(\d)/.exec(p.dataset.style ?? "")?.[1] ?? 1);
    const bullet = p.querySelector<HTMLElement>("[data-style*='mso-list:Ignore'], [data-style*='mso-list: Ignore']");
    const tag = /^\s*(\d+|[a-z]|[ivx]+)[.)]/i.test(bullet?.textContent ?? "") ? "ol" : "ul";
    bullet?.remove();
    if (previous !== p.previousElementSibling) open = [];
    while (open.length > level) open.pop();
    if (!open.length || open.at(-1)!.level < level) {
      const list = document.createElement(tag);
      if (open.length) open.at(-1)!.list.append(list);
      else p.before(list);
      open.push({ list, level });
    }
    const item = document.createElement("li");
    item.append(...p.childNodes);
    open.at(-1)!.list.append(item);
    previous = open[0]!.list;
    p.remove();
  }
}

/** Keeps of an element what the schema reads: its tag, an address, and styles that are marks. */
function tidy(element: HTMLElement): void {
  const style = styleOf(element);
  const weight = style["font-weight"] ?? "";
  const href = element.nodeName === "A" ? element.getAttribute("href") : null;
  for (const { name } of [...element.attributes]) element.removeAttribute(name);
  if (href && isSafeURL(href)) element.setAttribute("href", href);
  if (style["white-space"]?.startsWith("pre")) element.setAttribute("data-spaces", "");
  // Google Docs wraps all of it in <b style="font-weight: normal">.
  if (/^(B|STRONG)$/.test(element.nodeName) && (weight === "normal" || weight === "400")) return unwrap(element);
  if (element.nodeName.includes(":")) return unwrap(element);
  if (!takesMarks.test(element.nodeName)) return;
  if (weight === "bold" || Number(weight) >= 600) wrapIn(element, "strong");
  if (style["font-style"] === "italic") wrapIn(element, "em");
  const lines = style["text-decoration-line"] ?? style["text-decoration"] ?? "";
  if (lines.includes("underline") && !element.closest("a")) wrapIn(element, "u");
  if (lines.includes("line-through")) wrapIn(element, "s");
}

const takesMarks = /^(SPAN|A|FONT|P|LI|B|I|STRONG|EM|U|TD)$/;

function unwrap(element: Element): void {
  element.replaceWith(...element.childNodes);
}

function wrapIn(element: Element, tag: string): void {
  const mark = document.createElement(tag);
  mark.append(...element.childNodes);
  element.append(mark);
}

/** A row of a table becomes a paragraph. */
function row(tr: Element): void {
  const p = document.createElement("p");
  [...tr.children].forEach((cell, i) => {
    flatten(cell);
    p.append(...(i ? [" | "] : []), ...cell.childNodes);
  });
  tr.replaceWith(p);
}

const blockTags = "p, div, h1, h2, h3, h4, h5, h6, section, article, header, footer, blockquote, pre";

/** Leaves only texts and lists in an element: its blocks become lines. */
function flatten(element: Element): void {
  for (const block of [...element.querySelectorAll(blockTags)]) {
    if (block.parentElement!.closest("li, td, th, blockquote") !== element) continue;
    if (block.previousSibling && hasText(block.previousSibling)) block.before(document.createElement("br"));
    if (block.nextSibling && hasText(block.nextSibling) && !block.nextElementSibling?.matches(blockTags))
      block.after(document.createElement("br"));
    unwrap(block);
  }
}

const hasText = (node: Node): boolean => Boolean(node.textContent?.trim());

/** A list in a list stands behind the item that it belongs to, in an item of its own. */
function placeList(list: Element): void {
  const item = list.parentElement?.closest("li");
  const around = list.parentElement?.closest("ul, ol");
  if (!around) return;
  const own = document.createElement("li");
  own.className = "sublist";
  if (item && around.contains(item)) lastBehind(item).after(own);
  else list.before(own);
  own.append(list);
}

/** The last of the sublists that were placed behind an item, or the item. */
function lastBehind(item: Element): Element {
  let last = item;
  while (last.nextElementSibling?.classList.contains("sublist")) last = last.nextElementSibling;
  return last;
}

function collapse(root: Node): void {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode()) texts.push(walker.currentNode as Text);
  for (const each of texts) {
    if (each.parentElement?.closest("pre, [data-spaces]")) continue;
    each.data = each.data.replace(/[ \t\r\n\f]+/g, " ");
    if (each.data === " " && isBetweenBlocks(each)) each.remove();
  }
}

const isBlock = (node: Node | null): boolean =>
  node instanceof Element && node.matches(`${blockTags}, ul, ol, li, table, tbody, tr, td`);

const isBetweenBlocks = (text: Text): boolean =>
  [text.previousSibling, text.nextSibling].some(isBlock) ||
  (isBlock(text.parentNode) && (!text.previousSibling || !text.nextSibling));
