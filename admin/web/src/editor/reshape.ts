// An open document when the schema of the site has changed.

import { t } from "../core/i18n";
import { announce } from "../core/live-region";
import type { ContentType } from "../core/schema";
import { Editing } from "./editing";
import { FormStore } from "./form/form";
import { reshaped } from "./form/reshaped";
import { entryOf, loadOrNone, shapeOf } from "./opening";
import { say } from "./say";
import { textsFor } from "./texts";

/** The same document by the type as it is now: all that was typed where it still can be. */
export async function reshape(before: Editing, type: ContentType): Promise<Editing> {
  await before.rest();
  const loaded = before.isNew ? null : await before.persist(() => loadOrNone({ ...before.place, type }));
  const entry = entryOf(loaded);
  const options = { shape: shapeOf(type), entry, shared: before.shared, say };
  const typed = before.form.peek();
  const { form: stored, gone } = reshaped(typed.whole(), before.type.attributes, options.shape, new FormStore(options).known());
  const form = new FormStore({ ...options, stored });
  const merged = entry ? form.rebase(entry, await textsFor(form, entry)).merged : [];
  before.lost.value = [...before.lost.peek(), ...gone.map((a) => a.label)];
  announce(t("editor.reshaped", { type: type.displayName }));
  const editing = new Editing(type, before.locale, before.documentId.peek(), loaded, before.shared, form, before.lost);
  editing.tellMerged(loaded, merged);
  editing.restored.value = before.restored.peek();
  return editing;
}
