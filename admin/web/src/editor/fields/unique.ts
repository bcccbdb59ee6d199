// Values that no two documents may have: the server is asked before one saves.

import { content } from "../../core/api";
import type { Attribute } from "../../core/schema";
import type { Editing } from "../editing";
import { sameLeaf } from "../form/equal";
import type { FormStore } from "../form/form";
import type { Path } from "../form/shape";

/** Whether no other document has the value. */
export async function isFree(editing: Editing, name: string, value: string, signal?: AbortSignal): Promise<boolean> {
  const { type, locale } = editing;
  const own = editing.isNew ? null : (editing.documentId.peek() ?? editing.loaded.peek()?.draft?.["documentId"] ?? null);
  const { data } = await content<readonly unknown[]>("GET", `/${type.route}`, {
    query: {
      ...(type.draftAndPublish && { status: "draft" }),
      ...(type.localized && locale && { locale }),
      fields: ["documentId"],
      filters: { [name]: { $eq: value }, ...(typeof own === "string" && { documentId: { $ne: own } }) },
      pagination: { pageSize: 1 },
    },
    ...(signal && { signal }),
  });
  return data.length === 0;
}

/** Says that another document has the value of a field that was left, if one has. */
export async function checkUnique(editing: Editing, form: FormStore, path: Path, attribute: Attribute): Promise<void> {
  const value = form.value(path).peek();
  if (!attribute.unique || attribute.type === "uid" || path.length > 1 || typeof value !== "string" || value === "") return;
  if (sameLeaf(attribute, value, form.known()[attribute.name])) return;
  const free = await isFree(editing, attribute.name, value).catch(() => true); // Save will say so
  if (!free && form.value(path).peek() === value) form.problems.tell(path, { rule: "unique", blocks: "publish", shows: "typing" });
}
