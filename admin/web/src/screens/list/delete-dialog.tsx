// Asks before entries are deleted: names them, and says how many documents link to them.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { content } from "../../core/api";
import { formatLocale, t } from "../../core/i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import type { List } from "./model";
import type { Target } from "./selection";

interface DeleteDialogProps {
  list: List;
  onClose: () => void;
  /** Deletes one locale, or all with "*". */
  onDelete: (locale: string | null) => void;
}

const asked = 20; // documents whose links are counted at most

export function DeleteDialog({ list, onClose, onDelete }: DeleteDialogProps) {
  const n = list.size.value;
  const targets = useSignal<readonly Target[]>([...list.selection.value.named.values()]);
  const links = useSignal<number | null>(null);
  const everywhere = useSignal(false);
  useEffect(() => {
    const controller = new AbortController();
    void inform(list, n, controller.signal).then(
      (found) => {
        targets.value = found.targets;
        links.value = found.links;
      },
      () => undefined, // without an answer it asks all the same
    );
    return () => controller.abort();
  }, []);
  const [first] = targets.value;
  const title = n === 1 && first ? t("list.delete-one", { title: first.title || t("list.untitled") }) : t("list.delete-many", { n });
  const severalLocales = targets.value.some((target) => target.locales.length > 1);
  return (
    <Dialog
      open
      size="small"
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("cancel")}</Button>
          <Button variant="danger" autofocus onClick={() => onDelete(everywhere.value ? "*" : list.locale)}>
            {t("delete")}
          </Button>
        </>
      }
    >
      <p>
        {links.value !== null && links.value > 0 ? t("list.links", { n: links.value }) : ""} {t("list.delete-text")}
      </p>
      {list.locale && severalLocales && (
        <fieldset class="list-delete-locales">
          <legend class="visually-hidden">{t("list.locale")}</legend>
          <label class="checkbox">
            <input type="radio" name="locales" checked={!everywhere.value} onChange={() => (everywhere.value = false)} />
            <span>{t("list.delete-locale", { locale: formatLocale(list.locale) })}</span>
          </label>
          <label class="checkbox">
            <input type="radio" name="locales" checked={everywhere.value} onChange={() => (everywhere.value = true)} />
            <span>{t("list.delete-locales")}</span>
          </label>
        </fieldset>
      )}
    </Dialog>
  );
}

/** What the question says: which documents, and how many others link to them; null where that is not counted. */
async function inform(list: List, n: number, signal: AbortSignal): Promise<{ targets: readonly Target[]; links: number | null }> {
  const targets = await list.targets(Math.min(n, 200), signal);
  if (n > asked) return { targets, links: null };
  const counts = await Promise.all(targets.map((target) => countLinks(list, target, signal)));
  return { targets, links: counts.reduce((sum, count) => sum + count, 0) };
}

async function countLinks(list: List, target: Target, signal: AbortSignal): Promise<number> {
  const { meta } = await content("GET", `/${list.type.route}/${target.documentId}/links`, { query: { pagination: { pageSize: 1 } }, signal });
  const { total } = (meta.pagination ?? {}) as { total?: number };
  return total ?? 0;
}
