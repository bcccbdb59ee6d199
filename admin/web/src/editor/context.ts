// What the fields of a form share: the form, and how they are found on the page.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { tellEditing } from "../core/live";
import { type Attribute, type ContentType, schema } from "../core/schema";
import type { Editing } from "./editing";
import type { FormStore } from "./form/form";
import { type Link, nameOf, type Path } from "./form/shape";

/** What every field is given. */
export interface FieldProps {
  path: Path;
  attribute: Attribute;
  form: FormStore;
}

/** A document that is opened beside the form, from a field that links to it. */
export interface Opened {
  type: ContentType;
  /** null for a new one, with what its title begins with. */
  documentId: string | null;
  title: string | undefined;
  onSaved: (link: Link) => void;
}

let sheets = 0;

/** All that the form of a type is made by, as the schema is now. */
export const madeBy = (type: ContentType): string => JSON.stringify([type, schema.peek()?.components]);

/** One form on the page: a drawer beside it has another. */
export class Sheet {
  readonly name: string;
  readonly madeBy: string;
  /** Set by a field, and shown by the page or the drawer that the form is on. */
  readonly opened = signal<Opened | null>(null);
  private readonly folded: Map<string, Signal<boolean>>;

  private readonly refusal: ReadonlySignal<string | null>;

  /** A sheet that takes the place of a former one is found and folded as that was. */
  constructor(readonly editing: Editing, former?: Sheet) {
    this.madeBy = madeBy(editing.type);
    this.name = former?.name ?? `f${++sheets}`;
    this.folded = former?.folded ?? new Map();
    this.refusal = computed(() => editing.refusal("update"));
  }

  /** Why nothing can be changed; null if it can. */
  get locked(): string | null {
    return this.refusal.value;
  }

  /** The id of the control of a field. */
  id(path: Path): string {
    return `${this.name}-${nameOf(path).replaceAll("/", "-")}`;
  }

  /** Whether a component is folded up to one line. */
  fold(path: Path, initially: boolean): Signal<boolean> {
    const name = nameOf(path);
    let fold = this.folded.get(name);
    if (!fold) this.folded.set(name, (fold = signal(initially)));
    return fold;
  }

  /** Unfolds what a field is in, and puts the focus there. */
  show(path: Path) {
    for (let i = 1; i <= path.length; i++) {
      const fold = this.folded.get(nameOf(path.slice(0, i)));
      if (fold) fold.value = false;
    }
    setTimeout(() => {
      const control = document.getElementById(this.id(path));
      const field = control?.matches("input, textarea, select, button, [contenteditable], [tabindex]") ? control : control?.querySelector<HTMLElement>("input, textarea, select, button, [contenteditable]");
      (field ?? control)?.scrollIntoView({ block: "center" });
      field?.focus({ preventScroll: true });
    }, 50);
  }

  /** Puts the focus into the first field that can be typed into, as of what is new. */
  focusFirst() {
    document.querySelector<HTMLElement>(`:is(input, textarea, select)[id^="${this.name}-"]:enabled`)?.focus({ preventScroll: true });
  }

  private told = "";

  /** Others see which field the person is in. */
  entered(path: Path) {
    const name = nameOf(path);
    if (name === this.told) return;
    this.told = name;
    tellEditing([path.filter((step) => typeof step === "string").join(".")]);
  }
}

const SheetContext = createContext<Sheet | null>(null);
export const SheetProvider = SheetContext.Provider;

export function useSheet(): Sheet {
  const sheet = useContext(SheetContext);
  if (!sheet) throw new Error("a field is outside of a form");
  return sheet;
}
