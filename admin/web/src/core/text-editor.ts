// What the editors of blocks and of Markdown have in common: they are put into an element.

import type { t } from "./i18n";

export interface TextEditorOptions<T> {
  value: T;
  onChange: (value: T) => void;
  /** The name of the field, for screen readers. */
  label: string;
  id: string;
  describedBy?: string;
  readOnly?: boolean;
  t: typeof t;
}

export interface TextEditor<T> {
  /** Shows another value, as after undo; the selection stays where it can. */
  set: (value: T) => void;
  focus: () => void;
  destroy: () => void;
}

export type MountEditor<T> = (element: HTMLElement, options: TextEditorOptions<T>) => TextEditor<T>;
