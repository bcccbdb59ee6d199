// Assistants in a table, and ending one of them.

import { request } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { Link } from "../core/router";
import { SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { toast, toastError } from "../ui/toasts";
import { saysOf, type Assistant } from "./assistant";
import { t } from "./words";

/** Where what it did is taken back. */
const undoOf = ({ id, name }: Assistant): string => `/changes/undo?${new URLSearchParams({ by: `assistant:${id}`, name }).toString()}`;

interface AssistantTableProps {
  assistants: readonly Assistant[];
  /** The path at which one of them ends, without its id. */
  path: string;
  onEnded: () => Promise<void>;
}

export function AssistantTable({ assistants, path, onEnded }: AssistantTableProps) {
  const end = async ({ id, name }: Assistant) => {
    if (!(await confirm({ title: t("end-title", { name }), body: t("end-text"), action: t("end"), danger: true }))) return;
    await request("DELETE", `${path}/${id}`);
    toast({ kind: "done", text: t("ended", { name }) });
    await onEnded();
  };
  return (
    <SectionTable columns={[t("name"), t("may"), t("expires"), t("used")]}>
      {assistants.map((one) => (
        <tr key={one.id}>
          <th scope="row">
            <strong>{one.name}</strong>
            <span class="quiet-text session-way">{one.client ?? t("by-hand")}</span>
          </th>
          <td data-label={t("may")}>{saysOf(one)}</td>
          <td data-label={t("expires")} class="quiet-text">
            <time dateTime={one.expiresAt}>{formatDateTime(one.expiresAt)}</time>
          </td>
          <td data-label={t("used")} class="quiet-text">
            {one.lastUsedAt ? formatAgo(one.lastUsedAt) : t("never")}
          </td>
          <td class="actions">
            <Link class="button small quiet" to={undoOf(one)} aria-label={t("undo-one", { name: one.name })}>
              {t("undo")}
            </Link>
            <Button small aria-label={t("end-one", { name: one.name })} onClick={() => void end(one).catch(toastError)}>
              {t("end")}
            </Button>
          </td>
        </tr>
      ))}
    </SectionTable>
  );
}
