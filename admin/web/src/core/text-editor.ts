// What the editors of blocks, Markdown and JSON have in common: they are put into an element,
// and know nothing of the page around it.

import type { t } from "./i18n";

export interface TextEditorOptions<T> {
  value: T;
  /** Changes with the same merge, in one run of typing, are undone together. */
  onChange: (value: T, options: { merge?: string }) => void;
  /** The name of the field, for screen readers, where no element has the id and "-label" after it. */
  label: string;
  /** The id of the element that is typed into. */
  id: string;
  describedBy?: string | undefined;
  readOnly?: boolean | undefined;
  required?: boolean | undefined;
  /** Shown where nothing is typed yet. */
  placeholder?: string | undefined;
  t: typeof t;
  /** Has the user choose a picture, and gives its file as the content API shows it, or null. */
  pickImage?: (() => Promise<unknown>) | undefined;
  /** Uploads a picture that was pasted or dropped, and gives its file; null if that failed and was said. */
  uploadImage?: ((file: File) => Promise<unknown>) | undefined;
  /** Undo and redo of the form, for browsers that have them in a menu. */
  undo?: (() => void) | undefined;
  redo?: (() => void) | undefined;
}

export interface TextEditor<T> {
  /** Shows another value. The cursor stays in its line or block or, as after undo, goes to what has changed. */
  set: (value: T, toChange?: boolean) => void;
  focus: () => void;
  setReadOnly: (readOnly: boolean) => void;
  /** The ids of what describes the editor, and whether its value is wrong. */
  describe: (describedBy: string | undefined, invalid: boolean) => void;
  destroy: () => void;
}

export type MountEditor<T> = (element: HTMLElement, options: TextEditorOptions<T>) => TextEditor<T>;

/** The attributes by which screen readers know what is typed into. */
export function textboxAttributes(
  options: Pick<TextEditorOptions<unknown>, "id" | "label" | "required">,
  now: { describedBy: string | undefined; invalid: boolean; readOnly: boolean },
): Record<string, string> {
  const { id, label, required } = options;
  return {
    id,
    role: "textbox",
    "aria-multiline": "true",
    ...(document.getElementById(`${id}-label`) ? { "aria-labelledby": `${id}-label` } : { "aria-label": label }),
    ...(now.describedBy && { "aria-describedby": now.describedBy }),
    ...(now.invalid && { "aria-invalid": "true" }),
    ...(required && { "aria-required": "true" }),
    ...(now.readOnly && { "aria-readonly": "true", tabindex: "0" }),
  };
}
