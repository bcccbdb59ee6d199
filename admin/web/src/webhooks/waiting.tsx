// What has not arrived at a webhook: why, when it is tried again, and sending it now.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { formatAgo, formatDateTime } from "../core/i18n";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { toastError } from "../ui/toasts";
import { resend, type Webhook } from "./hook";
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

interface WaitingProps {
  of: Webhook;
  /** It is read again when this changes. */
  round: number;
  onResent: () => void;
}

export function Waiting({ of: hook, round, onResent }: WaitingProps) {
  const [list, setList] = useState<Delivery[] | null>(null);
  useEffect(() => {
    content<Delivery[]>("GET", `/_webhooks/${hook.id}/deliveries`, { query: { pagination: { pageSize: most } } }).then(({ data }) => setList(data), toastError);
  }, [round]);
  const send = (path: string) => void resend(hook, path).then(onResent, toastError);
  const aside = list?.some((one) => one.state === "setAside") ?? false;
  return (
    <SectionPart
      title={t("deliveries.title")}
      text={list?.length === 0 ? t("deliveries.none") : undefined}
      actions={aside ? <Button onClick={() => send("resend")}>{t("deliveries.resend-all")}</Button> : undefined}
    >
      {list && list.length > 0 && (
        <ul class="slow-list">
          {list.map((one) => (
            <li key={one.id}>
              <One of={one} onResend={() => send(`deliveries/${one.id}/resend`)} />
            </li>
          ))}
        </ul>
      )}
    </SectionPart>
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
