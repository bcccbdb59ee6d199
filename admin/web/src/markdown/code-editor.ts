// What the editors of Markdown and of JSON have in common: CodeMirror without a language.

import "./styles";
import { Compartment, EditorState, Transaction, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, keymap, placeholder, type ViewUpdate } from "@codemirror/view";
import { textSplices } from "../core/splices";
import { textboxAttributes, type TextEditorOptions } from "../core/text-editor";
import { textKeys } from "./keys";

export interface CodeOptions {
  field: Omit<TextEditorOptions<unknown>, "value" | "onChange">;
  text: string;
  onText: (text: string, options: { merge?: string }) => void;
  /** Hears every change of the text and of the selection. */
  onUpdate?: (update: ViewUpdate) => void;
  /** Whether it is written in a language, which has a direction and a spelling, and not in code. */
  prose: boolean;
  extensions: Extension;
}

/** A text that is edited. Undo is that of the form: setText shows what it says. */
export class CodeEditor {
  readonly view: EditorView;
  private readonly attributes = new Compartment();
  private readonly editing = new Compartment();
  private described: { describedBy: string | undefined; invalid: boolean };
  private text: string;
  private run = 0;

  constructor(
    parent: HTMLElement,
    private readonly options: CodeOptions,
  ) {
    const { field } = options;
    this.text = options.text;
    this.described = { describedBy: field.describedBy, invalid: false };
    this.view = new EditorView({ parent, state: EditorState.create({ doc: options.text, extensions: this.extensions() }) });
  }

  private extensions(): Extension {
    const { field, extensions } = this.options;
    return [
      extensions,
      keymap.of(textKeys),
      drawSelection(),
      EditorView.lineWrapping,
      placeholder(field.placeholder ?? ""),
      EditorState.allowMultipleSelections.of(false),
      this.editing.of(this.editable(field.readOnly ?? false)),
      this.attributes.of(EditorView.contentAttributes.of(this.attributesOf(field.readOnly ?? false))),
      EditorView.updateListener.of((update) => this.heard(update)),
      EditorView.domEventHandlers({ beforeinput: (event) => this.historyOf(event) }),
    ];
  }

  private editable(readOnly: boolean): Extension {
    return [EditorState.readOnly.of(readOnly), EditorView.editable.of(!readOnly)];
  }

  private attributesOf(readOnly: boolean): Record<string, string> {
    return {
      ...textboxAttributes(this.options.field, { ...this.described, readOnly }),
      spellcheck: String(this.options.prose),
      dir: this.options.prose ? "auto" : "ltr",
    };
  }

  private heard(update: ViewUpdate) {
    if (update.docChanged) {
      const text = update.state.doc.toString();
      if (text !== this.text) {
        this.text = text;
        const merge = this.mergeOf(update.transactions);
        this.options.onText(text, merge === undefined ? {} : { merge });
      }
    } else if (update.selectionSet) this.run++;
    this.options.onUpdate?.(update);
  }

  /** One run of typing or of deleting is undone together. */
  private mergeOf(transactions: readonly Transaction[]): string | undefined {
    const event = transactions.map((each) => each.annotation(Transaction.userEvent)).find((each) => each !== undefined);
    if (event === "input.type" || event === "input.type.compose" || event?.startsWith("delete."))
      return `${event.split(".")[0]} ${this.run}`;
    this.run++;
    return undefined;
  }

  private historyOf(event: InputEvent): boolean {
    const does =
      event.inputType === "historyUndo"
        ? this.options.field.undo
        : event.inputType === "historyRedo"
          ? this.options.field.redo
          : null;
    if (does === null) return false;
    event.preventDefault();
    does?.();
    return true;
  }

  /** Shows another text, and tells nobody. The cursor stays in its line, or goes to what has changed. */
  setText(text: string, toChange = false) {
    if (text === this.text) return;
    const { main } = this.view.state.selection;
    const { changes, move } = textSplices(this.text, text, toChange ? undefined : main);
    this.text = text;
    this.run++;
    const shows = toChange && this.view.hasFocus;
    const [first] = changes;
    const selection = shows && first ? { anchor: first.from + first.insert.length } : { anchor: move(main.anchor), head: move(main.head) };
    this.view.dispatch({ changes, selection, scrollIntoView: shows });
  }

  setReadOnly(readOnly: boolean) {
    this.view.dispatch({
      effects: [
        this.editing.reconfigure(this.editable(readOnly)),
        this.attributes.reconfigure(EditorView.contentAttributes.of(this.attributesOf(readOnly))),
      ],
    });
  }

  describe(describedBy: string | undefined, invalid: boolean) {
    this.described = { describedBy, invalid };
    this.setReadOnly(this.view.state.readOnly);
  }

  destroy() {
    this.view.destroy();
  }
}
