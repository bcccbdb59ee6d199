// How blocks look that hold no text: pictures, and what the editor does not know.

import type { Node } from "prosemirror-model";
import type { EditorView, NodeView, NodeViewConstructor } from "prosemirror-view";
import type { t as translate } from "../core/i18n";
import { isObject, isSafeURL, type JsonObject } from "./model";
import { imageOf } from "./schema";

type Pick = () => Promise<JsonObject | null>;

export function nodeViews(t: typeof translate, pick: Pick): Record<string, NodeViewConstructor> {
  return {
    image: (node, view, pos) => new Picture(node, view, pos, t, pick),
    unknown_block: (node) => unknown(node, "div", t),
    unknown_item: (node) => unknown(node, "li", t),
    unknown_inline: (node) => unknown(node, "span", t),
  };
}

function unknown(node: Node, tag: string, t: typeof translate): NodeView {
  const dom = document.createElement(tag);
  dom.className = "blocks-unknown";
  dom.textContent = t("blocks.unknown", { type: String(node.attrs.source?.type ?? "?") });
  return { dom };
}

/** A picture, with its alternative text and buttons below it. */
class Picture implements NodeView {
  readonly dom = document.createElement("figure");
  private readonly img = document.createElement("img");
  private readonly alt = document.createElement("input");

  constructor(
    private node: Node,
    private readonly view: EditorView,
    private readonly pos: () => number | undefined,
    t: typeof translate,
    pick: Pick,
  ) {
    const bar = document.createElement("figcaption");
    this.alt.className = "input";
    this.alt.placeholder = this.alt.ariaLabel = t("blocks.image-alt");
    this.alt.addEventListener("change", () => this.set("alternativeText", this.alt.value));
    const replace = button(t("blocks.image-replace"), () => void pick().then((image) => image && this.replace(image)));
    const remove = button(t("blocks.image-remove"), () => this.remove());
    bar.append(this.alt, replace, remove);
    bar.contentEditable = "false";
    this.dom.append(this.img, ...(view.editable ? [bar] : []));
    this.show();
  }

  private show() {
    const { url, alt, name } = imageOf(this.node);
    if (isSafeURL(url) && this.img.getAttribute("src") !== url) this.img.src = url;
    this.img.alt = alt || name;
    this.alt.value = alt;
  }

  private set(member: string, value: string) {
    const { image } = this.node.attrs.source;
    if (isObject(image)) this.replace({ ...image, [member]: value });
  }

  private replace(image: JsonObject) {
    const pos = this.pos();
    if (pos !== undefined)
      this.view.dispatch(this.view.state.tr.setNodeAttribute(pos, "source", { ...this.node.attrs.source, image }));
  }

  private remove() {
    const pos = this.pos();
    if (pos === undefined) return;
    this.view.dispatch(this.view.state.tr.delete(pos, pos + this.node.nodeSize));
    this.view.focus();
  }

  update(node: Node): boolean {
    if (node.type !== this.node.type) return false;
    this.node = node;
    this.show();
    return true;
  }

  selectNode() {
    this.dom.classList.add("selected");
  }

  deselectNode() {
    this.dom.classList.remove("selected");
  }

  stopEvent(event: Event): boolean {
    return event.target instanceof Element && event.target.closest("figcaption") !== null;
  }

  ignoreMutation(): boolean {
    return true;
  }
}

function button(label: string, onClick: () => void): HTMLButtonElement {
  const made = document.createElement("button");
  made.type = "button";
  made.className = "button quiet small";
  made.textContent = label;
  made.addEventListener("click", onClick);
  return made;
}
