// Keys that work wherever the focus is in a form.

import { useLayoutEffect } from "preact/hooks";
import { useCommands } from "../core/commands";
import { t } from "../core/i18n";
import { announce } from "../core/live-region";
import type { Sheet } from "./context";
import type { StepLabel } from "./form/history";
import { placeName } from "./faults";

/** What the keys do. */
export interface Shortcuts {
  sheet: Sheet | null;
  save: () => void;
  publish: () => void;
  /** The class of the dialog that the form is in; without it, the form is the page. */
  dialog?: string;
}

/** Ctrl+S, Ctrl+Shift+P, Ctrl+Z and Ctrl+Y of a form, as long as no other dialog is over it. */
export function useShortcuts(keys: Shortcuts) {
  useLayoutEffect(() => {
    const { sheet, dialog } = keys;
    const hear = (event: KeyboardEvent) => {
      if (!sheet || !(event.ctrlKey || event.metaKey) || event.altKey) return; // most keys are typing, and find nothing in the page
      const top = [...document.querySelectorAll("dialog:modal")].at(-1);
      const covered = dialog ? !top?.classList.contains(dialog) : top !== undefined;
      if (!covered && answer(sheet, keys, event)) {
        event.preventDefault();
        event.stopPropagation();
      }
    };
    addEventListener("keydown", hear, { capture: true }); // before the editors of rich text, whose steps are in the form too
    return () => removeEventListener("keydown", hear, { capture: true });
  });
}

/** What the keys do is in the help on keys and in the command palette as well. */
export function useFormCommands({ sheet, save, publish }: Shortcuts & { sheet: Sheet }) {
  const { editing, locked } = sheet;
  const mayPublish = editing.type.draftAndPublish && !locked && !editing.refusal("publish");
  useCommands([
    ...(locked ? [] : [{ label: t("save"), keys: "Mod+S", icon: "check" as const, heard: true, run: save }]),
    ...(mayPublish ? [{ label: t("editor.publish"), keys: "Mod+Shift+P", icon: "publish" as const, heard: true, run: publish }] : []),
    { label: t("undo"), keys: "Mod+Z", icon: "undo", heard: true, run: () => void step(sheet, "undo") },
    { label: t("redo"), keys: "Mod+Y", icon: "redo", heard: true, run: () => void step(sheet, "redo") },
  ]);
}

function answer(sheet: Sheet, keys: Shortcuts, event: KeyboardEvent): boolean {
  const { editing, locked } = sheet;
  switch (event.key.toLowerCase() + (event.shiftKey ? "+shift" : "")) {
    case "s":
      if (!locked) keys.save();
      return true;
    case "p+shift":
      if (!locked && editing.type.draftAndPublish && !editing.refusal("publish")) keys.publish();
      return true;
    case "z":
      return isOfForm(event.target) && step(sheet, "undo");
    case "y":
    case "z+shift":
      return isOfForm(event.target) && step(sheet, "redo");
  }
  return false;
}

/** Takes a step back or does it again, and says which one it was. */
export function step(sheet: Sheet, which: "undo" | "redo"): true {
  const form = sheet.editing.form.peek();
  const label = which === "undo" ? form.undo() : form.redo();
  if (!label) return true;
  announce(t(which === "undo" ? "step.undone" : "step.redone", { step: stepName(sheet, label) }));
  const shown = document.getElementById(sheet.id(label.path))?.getBoundingClientRect();
  if (!shown || shown.bottom < 0 || shown.top > innerHeight) sheet.show(label.path);
  return true;
}

/** "typing in Title". */
export function stepName(sheet: Sheet, label: StepLabel): string {
  const { editing } = sheet;
  return t(`step.${label.verb}`, { name: placeName(editing.form.peek(), editing.type.attributes, label.path) });
}

/** Inputs that are not of the form, such as a search, undo by themselves. */
function isOfForm(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return true;
  const types = target.matches("input, textarea, [contenteditable], [contenteditable] *");
  return !types || (target.closest(".form-field") !== null && !target.matches("[role=combobox], .file-alt"));
}
