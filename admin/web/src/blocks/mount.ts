// The editor of rich text in blocks, without the page around it.

import { signal } from "@preact/signals";
import { h, render } from "preact";
import type { Node } from "prosemirror-model";
import { EditorState, type Command, type Transaction } from "prosemirror-state";
import { EditorView } from "prosemirror-view";
import { narrowed, placeOf, type Splice } from "../core/splices";
import { textboxAttributes, type MountEditor, type TextEditor, type TextEditorOptions } from "../core/text-editor";
import { insertBlock } from "./commands";
import { toBlocks, toDocument } from "./convert";
import { dropMark } from "./drop-mark";
import { keys } from "./keys";
import { replaced } from "./lists";
import { isObject, isSafeURL, type JsonObject } from "./model";
import { cleaned, maxPasted } from "./paste";
import { placeholder } from "./placeholder";
import { nodeViews } from "./pictures";
import { Runs } from "./runs";
import { schema, sizeOf } from "./schema";
import { LinkDialog, Toolbar, type LinkQuestion } from "./toolbar";

type Options = TextEditorOptions<unknown>;

/** Null, and what is no list, is shown as an empty document; an empty document is null. */
export const mount: MountEditor<unknown> = (element, options) => new BlocksEditor(element, options);

class BlocksEditor implements TextEditor<unknown> {
  private readonly view: EditorView;
  private readonly state;
  private readonly readOnly = signal(false);
  private readonly asked = signal<LinkQuestion | null>(null);
  private readonly chrome = document.createElement("div");
  /** Where the cursor was when a value was shown last, for undo. */
  private readonly states = new WeakMap<object, EditorState>();
  private readonly empty = {};
  private readonly runs = new Runs();
  private current: unknown;
  private base: { value: unknown; doc: Node };
  private described: { describedBy: string | undefined; invalid: boolean };

  constructor(
    private readonly element: HTMLElement,
    private readonly options: Options,
  ) {
    this.current = options.value;
    this.readOnly.value = options.readOnly ?? false;
    this.described = { describedBy: options.describedBy, invalid: false };
    const doc = toDocument(options.value);
    this.base = { value: options.value, doc };
    const state = EditorState.create({ doc, plugins: this.plugins() });
    element.classList.add("text-editor", "blocks");
    const body = document.createElement("div");
    body.className = "blocks-body";
    element.append(this.chrome, body);
    this.view = new EditorView({ mount: body }, this.props(state));
    this.state = signal(state);
    this.chrome.className = "text-head";
    this.draw();
  }

  private plugins() {
    const link: Command = () => this.askLink();
    return [...keys(link), placeholder(this.options.placeholder ?? ""), dropMark()];
  }

  private props(state: EditorState): ConstructorParameters<typeof EditorView>[1] {
    return {
      state,
      editable: () => !this.readOnly.peek(),
      attributes: () => this.attributes(),
      nodeViews: nodeViews(this.options.t, () => this.pickImage()),
      transformPastedHTML: cleaned,
      dispatchTransaction: (tr) => this.dispatch(tr),
      handleDOMEvents: {
        paste: (view, event) => this.takeFiles(view, event, event.clipboardData) || paste(view, event),
        drop: (view, event) => this.takeFiles(view, event, event.dataTransfer),
        beforeinput: (_, event) => this.historyOf(event),
      },
      handleClick: (view, _pos, event) => openLink(view, event),
      handleKeyDown: (_, event) => this.toToolbar(event),
    };
  }

  private attributes(): Record<string, string> {
    return {
      class: "blocks-text prose",
      dir: "auto",
      ...textboxAttributes(this.options, { ...this.described, readOnly: this.readOnly.peek() }),
    };
  }

  private draw() {
    const run = (command: Command): void => {
      command(this.view.state, (tr) => this.view.dispatch(tr), this.view);
      this.view.focus();
    };
    const { t, id } = this.options;
    const chrome = [
      h(Toolbar, {
        state: this.state,
        readOnly: this.readOnly,
        run,
        t,
        controls: id,
        link: () => this.askLink(),
        image: this.options.pickImage && (() => void this.addImage()),
      }),
      h(LinkDialog, { asked: this.asked, t, done: () => void setTimeout(() => this.view.focus()) }),
    ];
    render(chrome, this.chrome);
  }

  private dispatch(tr: Transaction) {
    const state = this.view.state.apply(tr);
    this.view.updateState(state);
    this.state.value = state;
    const merge = this.runs.note(tr);
    if (tr.docChanged) {
      const value = state.doc.eq(this.base.doc) ? this.base.value : toBlocks(state.doc);
      this.current = value;
      this.options.onChange(value, merge === undefined ? {} : { merge });
    }
    this.states.set(this.key(this.current), state);
  }

  private key(value: unknown): object {
    return typeof value === "object" && value !== null ? value : this.empty;
  }

  set(value: unknown, toChange = false) {
    if (value === this.current) return;
    this.current = value;
    this.runs.stop();
    const known = toChange ? this.states.get(this.key(value)) : undefined;
    this.show(known ?? this.changedTo(toDocument(value)));
    this.base = { value, doc: this.view.state.doc };
  }

  private show(state: EditorState) {
    this.view.updateState(state);
    this.state.value = state;
  }

  /** The state with the blocks that differ replaced, and the cursor where it was: in its block, if that stays. */
  private changedTo(next: Node): EditorState {
    const { state } = this.view;
    const { $from, $to } = state.selection;
    const [before, after] = [state.doc.content.content, next.content.content];
    const [first, last] = [$from.index(0), Math.min($to.index(0), before.length - 1)];
    const place = placeOf(before, after, first, last, isSame);
    const narrow = (splice: Splice) => narrowed(before, after, splice, isSame);
    const positionOf = (block: number) => sizeOf(before.slice(0, block));
    if (place < 0) {
      const [splice] = narrow({ from: 0, to: before.length, start: 0, end: after.length });
      return splice ? state.apply(replaced(state, positionOf(splice.from), positionOf(splice.to), after.slice(splice.start, splice.end))) : state;
    }
    const tr = state.tr;
    const tail = narrow({ from: last + 1, to: before.length, start: place + last - first + 1, end: after.length });
    const head = narrow({ from: 0, to: first, start: 0, end: place });
    for (const { from, to, start, end } of [...tail, ...head]) tr.replaceWith(positionOf(from), positionOf(to), after.slice(start, end));
    return state.apply(tr);
  }

  private historyOf(event: InputEvent): boolean {
    if (event.inputType !== "historyUndo" && event.inputType !== "historyRedo") return false;
    event.preventDefault();
    (event.inputType === "historyUndo" ? this.options.undo : this.options.redo)?.();
    return true;
  }

  private askLink(): boolean {
    if (this.readOnly.peek()) return false;
    this.asked.value = { view: this.view };
    return true;
  }

  private async addImage() {
    const image = await this.pickImage();
    if (image) this.insert(image);
  }

  /** Uploads pictures that are pasted or dropped as files. */
  private takeFiles(view: EditorView, event: Event, data: DataTransfer | null): boolean {
    const { uploadImage } = this.options;
    const files = [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
    if (!files.length || !uploadImage || !view.editable || data?.types.includes("text/html")) return false;
    event.preventDefault();
    void (async () => {
      for (const file of files) {
        const image = await uploadImage(file);
        if (isPicture(image) && !view.isDestroyed) this.insert(image);
      }
    })();
    return true;
  }

  private insert(image: JsonObject) {
    const source = { type: "image", image, children: [{ type: "text", text: "" }] };
    insertBlock(schema.nodes.image.create({ source }))(this.view.state, (tr) => this.view.dispatch(tr));
    this.view.focus();
  }

  private async pickImage(): Promise<JsonObject | null> {
    const image = await this.options.pickImage?.();
    return isPicture(image) ? image : null;
  }

  private toToolbar(event: KeyboardEvent): boolean {
    if (event.key !== "F10" || !event.altKey) return false;
    this.chrome.querySelector<HTMLElement>("[role=toolbar] [tabindex='0']")?.focus();
    return true;
  }

  focus() {
    this.view.focus();
  }

  setReadOnly(readOnly: boolean) {
    this.readOnly.value = readOnly;
    this.view.setProps({});
  }

  describe(describedBy: string | undefined, invalid: boolean) {
    this.described = { describedBy, invalid };
    this.view.setProps({});
  }

  destroy() {
    render(null, this.chrome);
    this.view.destroy();
    this.element.replaceChildren();
  }
}

const isSame = (a: Node, b: Node): boolean => a.eq(b);

const isPicture = (v: unknown): v is JsonObject => isObject(v) && typeof v.url === "string";

/** Pastes, and puts up with whatever is on the clipboard: what cannot be read as HTML is text. */
function paste(view: EditorView, event: ClipboardEvent): boolean {
  const html = event.clipboardData?.getData("text/html") ?? "";
  const text = event.clipboardData?.getData("text/plain") ?? "";
  if (!html || view.state.selection.$from.parent.type.spec.code || !view.editable) return false;
  event.preventDefault();
  try {
    if (html.length > maxPasted) throw new RangeError("too much HTML");
    view.pasteHTML(html, event);
  } catch {
    view.pasteText(text, event);
  }
  return true;
}

function openLink(view: EditorView, event: MouseEvent): boolean {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link || (!event.ctrlKey && !event.metaKey && view.editable)) return false;
  const url = link.dataset.url ?? "";
  if (isSafeURL(url)) window.open(url, "_blank", "noopener");
  return true;
}
