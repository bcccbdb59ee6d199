// The editor of JSON, without the page around it. Its value is the text as it is typed.

import { signal } from "@preact/signals";
import { RangeSetBuilder } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type DecorationSet } from "@codemirror/view";
import { h, render } from "preact";
import { keepsDigits } from "../core/exact-json";
import type { MountEditor, TextEditor, TextEditorOptions } from "../core/text-editor";
import { CodeEditor } from "../markdown/code-editor";
import { formatted, longNumbers, problemOf, tokensOf, type Token } from "./scan";
import { JsonFoot, type Finding } from "./foot";

type Options = TextEditorOptions<string>;

export const mount: MountEditor<string> = (element, options) => new JsonEditor(element, options);

class JsonEditor implements TextEditor<string> {
  private readonly editor: CodeEditor;
  private readonly foot = document.createElement("div");
  private readonly finding = signal<Finding>({ state: "empty" });

  constructor(
    private readonly element: HTMLElement,
    options: Options,
  ) {
    element.classList.add("text-editor", "json");
    const source = document.createElement("div");
    element.append(source, this.foot);
    this.editor = new CodeEditor(source, {
      field: options,
      text: options.value,
      onText: (text, more) => options.onChange(text, more),
      onUpdate: (update) => {
        if (update.docChanged) this.check();
      },
      prose: false,
      extensions: colours,
    });
    this.check();
    const props = { finding: this.finding, t: options.t, format: () => this.format(), goTo: (at: number) => this.goTo(at) };
    render(h(JsonFoot, props), this.foot);
  }

  private get text(): string {
    return this.editor.view.state.doc.toString();
  }

  private check() {
    this.finding.value = this.found(this.text);
  }

  private found(text: string): Finding {
    if (text.trim() === "") return { state: "empty" };
    const problem = problemOf(text);
    if (problem) return { state: "wrong", message: problem.message, at: problem.at, ...this.place(problem.at) };
    const [long] = keepsDigits ? [] : longNumbers(text);
    return long
      ? { state: "long", at: long.from, ...this.place(long.from) }
      : { state: "valid", isFormatted: formatted(text) === text };
  }

  private place(at: number): { line: number; column: number } {
    const line = this.editor.view.state.doc.lineAt(at);
    return { line: line.number, column: at - line.from + 1 };
  }

  private format() {
    const { view } = this.editor;
    if (problemOf(this.text) || view.state.readOnly) return;
    view.dispatch({ changes: { from: 0, to: this.text.length, insert: formatted(this.text) } });
    view.focus();
  }

  private goTo(at: number) {
    this.editor.view.dispatch({ selection: { anchor: at }, scrollIntoView: true });
    this.editor.view.focus();
  }

  set(value: string, toChange?: boolean) {
    this.editor.setText(value, toChange);
  }

  focus() {
    this.editor.view.focus();
  }

  setReadOnly(readOnly: boolean) {
    this.editor.setReadOnly(readOnly);
  }

  describe(describedBy: string | undefined, invalid: boolean) {
    this.editor.describe(describedBy, invalid);
  }

  destroy() {
    render(null, this.foot);
    this.editor.destroy();
    this.element.replaceChildren();
  }
}

const kinds = { string: "json-string", key: "json-key", number: "json-number", word: "json-word", punctuation: "json-sign" };
const marks = Object.fromEntries(Object.entries(kinds).map(([kind, name]) => [kind, Decoration.mark({ class: name })])) as Record<
  keyof typeof kinds,
  Decoration
>;

/** Colours the tokens of the lines that are seen. */
const colours = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;
    constructor(view: EditorView) {
      this.decorations = coloured(view);
    }
    update({ docChanged, viewportChanged, view }: { docChanged: boolean; viewportChanged: boolean; view: EditorView }) {
      if (docChanged || viewportChanged) this.decorations = coloured(view);
    }
  },
  { decorations: (plugin) => plugin.decorations },
);

function coloured(view: EditorView): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  for (const { from, to } of view.visibleRanges) {
    for (let at = from; at <= to;) {
      // A text of JSON does not go over the end of its line.
      const line = view.state.doc.lineAt(at);
      for (const { from: start, to: end, kind } of lineTokens(line.text))
        builder.add(line.from + start, line.from + end, marks[kind]);
      at = line.to + 1;
    }
  }
  return builder.finish();
}

const longestLine = 5_000;

function lineTokens(text: string): (Omit<Token, "kind"> & { kind: keyof typeof kinds })[] {
  if (text.length > longestLine) return [];
  return tokensOf(text).tokens.map(({ from, to, kind }) => ({
    from,
    to,
    kind: kind === "string" && /^\s*:/.test(text.slice(to)) ? "key" : kind,
  }));
}
