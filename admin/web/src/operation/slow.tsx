// Requests that took long, with how they were answered.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatDateTime, formatNumber } from "../core/i18n";
import { SectionPart } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { formatSeconds, t } from "./words";

interface SlowRequest {
  id: string;
  at: string;
  method: string;
  path: string;
  status: number;
  seconds: number;
  plan: string[];
  visited: number;
  matched: number;
  returned: number;
}

interface Meta {
  fromSeconds: number;
  plans: boolean;
}

export function SlowRequests() {
  const [shown, show] = useState<{ list: SlowRequest[]; meta: Meta } | null>(null);
  const load = async () => {
    const { data, meta } = await request<SlowRequest[]>("GET", "/slow-requests");
    show({ list: data, meta: meta as unknown as Meta });
  };
  useEffect(() => void load().catch(toastError), []);
  if (!shown) return null;
  const { list, meta } = shown;
  const text = meta.fromSeconds === 0 ? t("slow.off") : t("slow.text", { from: formatSeconds(meta.fromSeconds) });
  return (
    <SectionPart
      title={t("slow.title")}
      text={meta.plans ? text : `${text} ${t("slow.owners")}`}
      actions={<Button onClick={() => void load().catch(toastError)}>{t("slow.again")}</Button>}
    >
      {list.length === 0 ? (
        <Empty icon="clock" title={t("slow.none")}>
          {t("slow.none-text")}
        </Empty>
      ) : (
        <ul class="slow-list">
          {list.map((one) => (
            <li key={one.id}>
              <Slow of={one} />
            </li>
          ))}
        </ul>
      )}
    </SectionPart>
  );
}

function Slow({ of: one }: { of: SlowRequest }) {
  return (
    <>
      <div class="slow-head">
        <strong>{formatSeconds(one.seconds)}</strong>
        <code>
          {one.method} {one.path}
        </code>
        <span class="quiet-text">
          {one.status} · <time dateTime={one.at}>{formatDateTime(one.at)}</time>
        </span>
      </div>
      <p class="quiet-text">
        {t("slow.figures", { visited: formatNumber(one.visited), matched: formatNumber(one.matched), returned: formatNumber(one.returned) })}
      </p>
      {one.plan.length > 0 && (
        <details class="fold">
          <summary>{t("slow.plan", { request: `${one.method} ${one.path}` })}</summary>
          <pre>{one.plan.join("\n")}</pre>
        </details>
      )}
    </>
  );
}
