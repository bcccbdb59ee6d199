// The editor of Markdown, without the page around it. It is loaded when it is first needed.

import { signal } from "@preact/signals";
import { h, render } from "preact";
import { EditorView, keymap, type ViewUpdate } from "@codemirror/view";
import type { StateCommand } from "@codemirror/state";
import type { MountEditor, TextEditor, TextEditorOptions } from "../core/text-editor";
import { CodeEditor } from "./code-editor";
import { continueList, heading, linesWith, reference, toggleSign } from "./commands";
import { markdownLook } from "./language";
import { rendered } from "./preview";
import { Footer, MarkdownToolbar, type View } from "./toolbar";

type Options = TextEditorOptions<string | null>;

const viewKey = "quire-markdown-view";
const previewDelay = 120; // ms after the last key

export const mount: MountEditor<string | null> = (element, options) => new MarkdownEditor(element, options);

class MarkdownEditor implements TextEditor<string | null> {
  private readonly editor: CodeEditor;
  private readonly head = document.createElement("div");
  private readonly foot = document.createElement("div");
  private readonly preview = document.createElement("div");
  private readonly view = signal<View>(viewOf(localStorage.getItem(viewKey)));
  private readonly readOnly = signal(false);
  private readonly text = signal("");
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly element: HTMLElement,
    private readonly options: Options,
  ) {
    this.text.value = options.value ?? "";
    this.readOnly.value = options.readOnly ?? false;
    element.classList.add("text-editor", "markdown");
    this.head.className = "text-head";
    const panes = document.createElement("div");
    panes.className = "markdown-panes";
    const source = document.createElement("div");
    source.className = "markdown-source";
    this.preview.className = "markdown-preview prose";
    this.preview.tabIndex = 0;
    this.preview.role = "group";
    this.preview.ariaLabel = options.t("markdown.preview-of");
    panes.append(source, this.preview);
    element.append(this.head, panes, this.foot);
    this.editor = new CodeEditor(source, {
      field: options,
      text: this.text.value,
      onText: (text, { merge }) => options.onChange(text === "" ? null : text, merge === undefined ? {} : { merge }),
      onUpdate: (update) => this.updated(update),
      prose: true,
      extensions: [markdownLook, keymap.of(this.keys()), this.files()],
    });
    this.choose(this.view.value);
    this.draw();
  }

  private keys() {
    const keys: Record<string, StateCommand> = {
      "Mod-b": toggleSign("**"),
      "Mod-i": toggleSign("_"),
      "Mod-e": toggleSign("`"),
      "Mod-Shift-x": toggleSign("~~"),
      "Mod-k": reference("link"),
      "Mod-Shift-7": linesWith("numbered"),
      "Mod-Shift-8": linesWith("bulleted"),
      "Mod-Shift-9": linesWith("quote"),
      Enter: continueList,
      ...Object.fromEntries([1, 2, 3, 4].map((level) => [`Mod-Alt-${level}`, heading(level)])),
    };
    const toToolbar = (): boolean => {
      this.head.querySelector<HTMLElement>("[role=toolbar] [tabindex='0']")?.focus();
      return true;
    };
    return [
      ...Object.entries(keys).map(([key, run]) => ({ key, run, preventDefault: key !== "Enter" })),
      { key: "Alt-F10", run: toToolbar },
    ];
  }

  private draw() {
    const { t, id, pickImage } = this.options;
    const run = (command: StateCommand): void => {
      command(this.editor.view);
      this.editor.view.focus();
    };
    const image = pickImage && (() => void pickImage().then((file) => this.insert(file)));
    const choose = (view: View): void => this.choose(view);
    render(
      h(MarkdownToolbar, { view: this.view, readOnly: this.readOnly, run, choose, t, controls: id, image }),
      this.head,
    );
    render(h(Footer, { text: this.text, t }), this.foot);
  }

  private choose(view: View) {
    this.view.value = view;
    localStorage.setItem(viewKey, view);
    this.element.dataset.view = view;
    this.show();
  }

  private updated(update: ViewUpdate) {
    if (!update.docChanged) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(), previewDelay);
  }

  private show() {
    this.text.value = this.editor.view.state.doc.toString();
    if (this.view.value !== "write") this.preview.replaceChildren(rendered(this.text.value));
  }

  private insert(file: unknown) {
    const { url, alternativeText, name } = (file ?? {}) as { url?: unknown; alternativeText?: unknown; name?: unknown };
    if (typeof url !== "string") return;
    reference("image", url, String(alternativeText || name || ""))(this.editor.view);
    this.editor.view.focus();
  }

  /** Pictures that are pasted or dropped as files are uploaded. */
  private files() {
    const take = (event: Event, data: DataTransfer | null, view: EditorView): boolean => {
      const { uploadImage } = this.options;
      const files = [...(data?.files ?? [])].filter((file) => file.type.startsWith("image/"));
      if (!files.length || !uploadImage || view.state.readOnly) return false;
      event.preventDefault();
      void (async () => {
        for (const file of files) this.insert(await uploadImage(file));
      })();
      return true;
    };
    return EditorView.domEventHandlers({
      paste: (event, view) => take(event, event.clipboardData, view),
      drop: (event, view) => take(event, event.dataTransfer, view),
    });
  }

  set(value: string | null, toChange?: boolean) {
    this.editor.setText(value ?? "", toChange);
  }

  focus() {
    this.editor.view.focus();
  }

  setReadOnly(readOnly: boolean) {
    this.readOnly.value = readOnly;
    this.editor.setReadOnly(readOnly);
  }

  describe(describedBy: string | undefined, invalid: boolean) {
    this.editor.describe(describedBy, invalid);
  }

  destroy() {
    clearTimeout(this.timer);
    render(null, this.head);
    render(null, this.foot);
    this.editor.destroy();
    this.element.replaceChildren();
  }
}

function viewOf(stored: string | null): View {
  return stored === "both" || stored === "read" ? stored : "write";
}
