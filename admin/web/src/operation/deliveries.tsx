// What a webhook has not delivered: why, when it is tried again, and sending it now.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { toast, toastError } from "../ui/toasts";
import type { Webhook } from "./webhooks";
import { t } from "./words";

interface Delivery {
  id: string;
  state: "waiting" | "setAside";
  event: string;
  type: string;
  documentId: string;
  locale?: string;
  tries: number;
  error?: string;
  at: string;
  nextAt?: string;
}

/** How many are shown: the oldest, which hold up those after them. */
const most = 50;

export function Deliveries({ of: hook, onClose }: { of: Webhook; onClose: () => void }) {
  const [list, setList] = useState<Delivery[] | null>(null);
  const load = async () => {
    const { data } = await content<Delivery[]>("GET", `/_webhooks/${hook.id}/deliveries`, { query: { pagination: { pageSize: most } } });
    setList(data);
  };
  useEffect(() => void load().catch(toastError), []);
  const resend = async (path: string) => {
    const { data } = await content<{ resent: number }>("POST", `/_webhooks/${hook.id}/${path}`);
    toast({ kind: "done", text: t("deliveries.resent", { n: data.resent }) });
    await load();
  };
  const aside = list?.some((one) => one.state === "setAside") ?? false;
  const footer = (
    <>
      {aside && <Button onClick={() => void resend("resend").catch(toastError)}>{t("deliveries.resend-all")}</Button>}
      <Button variant="primary" onClick={onClose}>
        {t("hooks.done")}
      </Button>
    </>
  );
  return (
    <Dialog open size="medium" title={t("deliveries.title", { name: hook.name })} onClose={onClose} footer={footer}>
      {list?.length === 0 && <Empty icon="check" title={t("deliveries.none")} />}
      {list && list.length > 0 && (
        <ul class="slow-list">
          {list.map((one) => (
            <li key={one.id}>
              <One of={one} onResend={() => void resend(`deliveries/${one.id}/resend`).catch(toastError)} />
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function One({ of: one, onResend }: { of: Delivery; onResend: () => void }) {
  const what = `${one.event} ${one.type} ${one.documentId}${one.locale ? ` ${one.locale}` : ""}`;
  return (
    <>
      <div class="slow-head">
        <strong>{one.state === "waiting" ? t("deliveries.waiting") : t("deliveries.aside")}</strong>
        <code>{what}</code>
        <Button small aria-label={t("deliveries.resend-one", { what })} onClick={onResend}>
          {t("deliveries.resend")}
        </Button>
      </div>
      <p class="quiet-text">
        <time dateTime={one.at}>{formatAgo(one.at)}</time> · {t("deliveries.tries", { n: one.tries })}
        {one.nextAt && ` · ${t("deliveries.next", { when: formatDateTime(one.nextAt) })}`}
      </p>
      {one.error && <p class="delivery-error">{one.error}</p>}
    </>
  );
}
