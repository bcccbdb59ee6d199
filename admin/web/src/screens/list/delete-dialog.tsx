// Asks before entries are deleted: names them, and says how many documents link to them.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request } from "../../core/api";
import { formatLocale, t } from "../../core/i18n";
import { QuestionDialog } from "../../ui/dialog";
import type { List } from "./model";
import type { Target } from "./selection";

interface DeleteDialogProps {
  list: List;
  onClose: () => void;
  /** Deletes one locale, or all with "*". */
  onDelete: (locale: string | null) => void;
}

const asked = 500; // documents whose links are looked up at most
const askedAtOnce = 100;

export function DeleteDialog({ list, onClose, onDelete }: DeleteDialogProps) {
  const n = list.size.value;
  const targets = useSignal<readonly Target[]>([...list.selection.value.named.values()]);
  const links = useSignal<Links | null>(null);
  const everywhere = useSignal(false);
  useEffect(() => {
    const controller = new AbortController();
    void inform(list, controller.signal, (known) => {
      targets.value = known.targets;
      links.value = known.links;
    }).catch(() => undefined); // without an answer it asks all the same
    return () => controller.abort();
  }, []);
  const [first] = targets.value;
  const title = n === 1 && first ? t("list.delete-one", { title: first.title || t("list.untitled") }) : t("list.delete-many", { n });
  const severalLocales = targets.value.some((target) => target.locales.length > 1);
  return (
    <QuestionDialog title={title} action={t("delete")} danger focus="action" onAction={() => onDelete(everywhere.value ? "*" : list.locale)} onClose={onClose}>
      <p>
        {said(links.value, n)} {t("list.delete-text")}
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
    </QuestionDialog>
  );
}

/** Which documents are to be deleted, and what is known of those that link to them. */
interface Known {
  targets: readonly Target[];
  links: Links | null;
}

interface Links {
  documents: number;
  more: boolean; // there may be others
}

interface Linking {
  type: string;
  documentId: string;
}

async function inform(list: List, signal: AbortSignal, learn: (known: Known) => void): Promise<void> {
  const targets = await list.targets(asked, signal);
  learn({ targets, links: null });
  const found = new Set<string>();
  let more = false;
  for (let at = 0; at < targets.length; at += askedAtOnce) {
    const documentIds = targets.slice(at, at + askedAtOnce).map(({ documentId }) => documentId);
    const { data, meta } = await request<Linking[]>("GET", `/links/${list.type.uid}`, { query: { documentIds: documentIds.join(",") }, signal });
    data.forEach(({ type, documentId }) => found.add(`${type} ${documentId}`));
    more ||= meta.more === true;
  }
  targets.forEach(({ documentId }) => found.delete(`${list.type.uid} ${documentId}`));
  learn({ targets, links: { documents: found.size, more } });
}

/** What is said of links to n entries. */
function said(links: Links | null, n: number): string {
  if (!links) return "";
  const count = links.documents > 0 ? t(links.more ? "list.links-more" : "list.links", { n: links.documents }) : "";
  return n > asked ? `${count} ${t("list.links-first", { n: asked })}` : count;
}
