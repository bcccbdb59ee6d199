// What the fields of a form share: the form, and how they are found on the page.

import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import { tellEditing } from "../core/live";
import { type Attribute, componentOf, type ContentType, schema } from "../core/schema";
import type { Editing } from "./editing";
import type { FormStore } from "./form/form";
import type { Wanted } from "../suggestions/wanted";
import { kindOf, type Link, nameOf, type Path, type Step } from "./form/shape";

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
  /** The part of the form that is shown, where it has several. */
  readonly tab = signal(0);
  /** The suggestions that somebody has asked for. */
  readonly wanted = signal<Wanted | null>(null);
  /** How many threads of comments are open about each field, by its name. */
  readonly threads = signal<ReadonlyMap<string, number>>(new Map());
  /** The field whose thread is to be shown. */
  readonly thread = signal<string | null>(null);
  private readonly folded: Map<string, Signal<boolean>>;

  private readonly refusal: ReadonlySignal<string | null>;

  /** A sheet that takes the place of a former one is found and folded as that was. */
  constructor(readonly editing: Editing, former?: Sheet) {
    this.madeBy = madeBy(editing.type);
    this.name = former?.name ?? `f${++sheets}`;
    this.folded = former?.folded ?? new Map();
    this.tab.value = former?.tab.peek() ?? 0;
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

  /** Shows the part of the form that a field is in, unfolds what it is in, and puts the focus there. */
  show(path: Path) {
    const tab = this.editing.type.layout.tabs?.findIndex(({ groups }) => groups.some(({ rows }) => rows.some((row) => row.some(({ name }) => name === path[0])))) ?? -1;
    if (tab >= 0) this.tab.value = tab;
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

  /** Shows the field that programs call so: "sections.0.title"; what it is in, if it is no field. */
  showField(name: string) {
    const form = this.editing.form.peek();
    const path: Step[] = [];
    let inner: readonly Attribute[] = this.editing.type.attributes;
    const steps = name.split(".");
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      const attribute = inner.find((a) => a.name === step);
      if (!attribute) break;
      path.push(attribute.name);
      const key = kindOf(attribute) === "list" ? form.keys(path).peek()[Number(steps.shift())] : undefined;
      const component = key === undefined ? attribute.component : form.item(path, key)?.component;
      if (key !== undefined) path.push(key);
      inner = (component && componentOf(component)?.attributes) || [];
    }
    if (path.length > 0) this.show(path);
  }

  /** What programs call the field of a path. */
  fieldOf(path: Path): string {
    const form = this.editing.form.peek();
    return path.map((step, i) => (typeof step === "number" ? form.keys(path.slice(0, i)).peek().indexOf(step) : step)).join(".");
  }

  /** The path of the field that something on the page belongs to; null for what is in no field. */
  pathOf(target: EventTarget | null): Path | null {
    const control = target instanceof Element ? target.closest(`[id^="${this.name}-"]`) : null;
    return control && control.id.slice(this.name.length + 1).split("-").map((step) => (/^\d+$/.test(step) ? Number(step) : step));
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
