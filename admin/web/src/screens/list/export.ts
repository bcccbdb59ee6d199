// The rows of a list as a table for spreadsheets: what is selected, or all that match, in
// the columns that are shown.

import { formatNumber, t } from "../../core/i18n";
import { toast } from "../../ui/toasts";
import { summary } from "./cells";
import type { Arranged } from "./columns";
import { csv } from "./csv";
import { labelOf } from "./labels";
import { statesOf, type Entry, type List } from "./model";

const most = 10_000; // entries

export async function exportTable(list: List): Promise<void> {
  const columns = list.columns.value;
  const all = await list.rows.value.between(0, Math.min(list.rows.value.total.value ?? 0, most));
  const entries = list.size.value > 0 ? all.filter((entry) => list.isSelected(entry)) : all;
  const text = csv([
    ["documentId", ...columns.map(labelOf)],
    ...entries.map((entry) => [entry.documentId, ...columns.map((column) => valueOf(column, entry, list))]),
  ]);
  save(text, `${list.type.pluralName}.csv`);
  toast({ kind: "done", text: t("list.exported", { n: entries.length, of: formatNumber(list.rows.value.total.value ?? 0) }) });
}

/** Values as programs read them, and summaries of what is no plain value. */
function valueOf({ key, attribute }: Arranged, entry: Entry, list: List): string {
  if (key === "__review") return [list.reviews.value.get(entry.documentId)?.stage, list.reviews.value.get(entry.documentId)?.assignee?.name].filter(Boolean).join(", ");
  if (!attribute)
    return key === "status"
      ? (list.stateOf(entry)?.status ?? "")
      : statesOf(entry)
          .map((state) => `${state.locale}: ${state.status}`)
          .join(", ");
  const value = entry[key];
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? summary(attribute, value, list.site) : String(value);
}

function save(text: string, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: "text/csv" }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
