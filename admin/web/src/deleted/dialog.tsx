// What was deleted of a type of late: who did it and when, its history, and the way back.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { ApiError, content, request } from "../core/api";
import { catalogue, formatAgo, formatDateTime, t as shared } from "../core/i18n";
import { Link, navigate } from "../core/router";
import { documentPath, may, type ContentType, type Site } from "../core/schema";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { toast, toastError } from "../ui/toasts";
import { en } from "./messages/en";

const t = catalogue<keyof typeof en>("deleted", en);

/** A document that there is no more. */
interface Deleted {
  readonly documentId: string;
  readonly locale: string | null;
  readonly title: string;
  readonly at: string;
  readonly by: { readonly name?: string } | null;
  /** The write that deleted it. */
  readonly revision: number;
}

export interface DeletedProps {
  type: ContentType;
  site: Site;
  onClose: () => void;
  onRestored: () => void;
}

export default function DeletedDialog({ type, site, onClose, onRestored }: DeletedProps) {
  const list = useSignal<readonly Deleted[] | null>(null);
  const busy = useSignal<string | null>(null);
  useEffect(() => {
    request<Deleted[]>("GET", `/deleted/${type.uid}`).then(
      ({ data }) => (list.value = data),
      (error) => {
        toastError(error);
        onClose();
      },
    );
  }, []);
  const bringBack = async (one: Deleted) => {
    busy.value = one.documentId;
    try {
      if (!(await restore(one, type, site))) throw new Error(t("kept"));
      list.value = list.value?.filter((other) => other !== one) ?? null;
      const path = documentPath(type.uid, one.documentId, one.locale);
      toast({ kind: "done", text: t("restored", { title: titleOf(one) }), action: { label: t("open"), run: () => void navigate(path) } });
      onRestored();
    } catch (error) {
      toastError(error);
    } finally {
      busy.value = null;
    }
  };
  const restores = may(type, "create") && may(type, "update");
  return (
    <Dialog open title={t("title")} onClose={onClose}>
      {list.value?.length === 0 && (
        <Empty icon="history" title={t("none")}>
          {t("none-text")}
        </Empty>
      )}
      {list.value && list.value.length > 0 && (
        <>
          <p class="quiet-text">{t(type.draftAndPublish ? "text" : "text-plain")}</p>
          <ul class="deleted-list">
            {list.value.map((one) => (
              <li key={one.documentId}>
                <Line one={one} type={type} />
                {restores && (
                  <Button small disabled={busy.value !== null} aria-label={t("restore-one", { title: titleOf(one) })} onClick={() => void bringBack(one)}>
                    {t("restore")}
                  </Button>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </Dialog>
  );
}

function Line({ one, type }: { one: Deleted; type: ContentType }) {
  const [base, query] = documentPath(type.uid, one.documentId, one.locale).split("?");
  const when = formatAgo(one.at);
  return (
    <div>
      <Link class="truncate" to={`${base}/history${query ? `?${query}` : ""}`} aria-label={t("history", { title: titleOf(one) })}>
        {titleOf(one)}
      </Link>
      <time class="quiet-text truncate" dateTime={one.at} data-tip={formatDateTime(one.at)}>
        {one.by?.name ? t("by", { when, name: one.by.name }) : t("at", { when })}
      </time>
    </div>
  );
}

const titleOf = (one: Deleted): string => one.title || shared("list.untitled");

interface Version {
  readonly revision: number;
  readonly removed?: { readonly revision: number };
}

/** Restores what one write has deleted, in each locale; whether there was something. */
async function restore(one: Deleted, type: ContentType, site: Site): Promise<boolean> {
  const path = `/${type.route}/${one.documentId}/history`;
  const status = type.draftAndPublish ? "draft" : "published";
  let some = false;
  for (const locale of type.localized ? site.locales.map(({ code }) => code) : [undefined]) {
    const last = await lastOf(path, { locale, status });
    if (last?.removed?.revision !== one.revision) continue;
    await content("POST", `${path}/${last.revision}/restore`, { query: { locale, status, fields: ["documentId"] }, body: {} });
    some = true;
  }
  return some;
}

/** The last version in a locale, if there is one. */
async function lastOf(path: string, of: { locale: string | undefined; status: string }): Promise<Version | undefined> {
  try {
    return (await content<Version[]>("GET", path, { query: { ...of, pagination: { limit: 1 } } })).data[0];
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}
