// The merging of texts is loaded when two people have changed the same one.

import type { FormStore, Texts } from "./form/form";

/** What merges the texts that have been changed both in a form and in an entry; null if there are none, or it cannot be loaded. */
export async function textsFor(form: FormStore, entry: Readonly<Record<string, unknown>>, base?: Readonly<Record<string, unknown>>): Promise<Texts | null> {
  return form.isTextOfBoth(entry, base) ? import("./merge/texts").catch(() => null) : null;
}
