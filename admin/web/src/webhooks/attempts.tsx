// What was tried of late for a webhook, filtered, and sending one of it again.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { formatDateTime, formatNumber } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { Select } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { events, offeredTypes, resend, type Webhook } from "./hook";
import { t } from "./words";

interface Attempt {
  delivery: string;
  at: string;
  delivered: boolean;
  event: string;
  type: string;
  documentId: string;
  locale?: string;
  /** 1 for the first. */
  try: number;
  /** The status of the answer. */
  answer?: number;
  milliseconds: number;
  error?: string;
  nextAt?: string;
}

interface Filter {
  outcome: string;
  event: string;
  type: string;
}

interface AttemptsProps {
  of: Webhook;
  /** It is read again when this changes. */
  round: number;
  onResent: () => void;
}

export function Attempts({ of: hook, round, onResent }: AttemptsProps) {
  const [filter, setFilter] = useState<Filter>({ outcome: "", event: "", type: "" });
  const [list, setList] = useState<Attempt[] | null>(null);
  useEffect(() => {
    let last = true;
    const asked = Object.entries(filter).filter(([, value]) => value !== "");
    const query = { ...Object.fromEntries(asked), pagination: { pageSize: 100 } };
    content<Attempt[]>("GET", `/_webhooks/${hook.id}/attempts`, { query }).then(({ data }) => last && setList(data), toastError);
    return () => void (last = false);
  }, [filter, round]);
  const again = (one: Attempt) =>
    resend(hook, `deliveries/${one.delivery}/resend`)
      .then(onResent)
      .catch(toastError);
  return (
    <SectionPart title={t("attempts.title")} text={t("attempts.text")}>
      <Filters value={filter} onInput={setFilter} />
      {list?.length === 0 && <Empty icon="history" title={t("attempts.none")} />}
      {list && list.length > 0 && (
        <SectionTable columns={[t("attempts.time"), t("attempts.what"), t("attempts.outcome"), t("attempts.took"), t("attempts.try")]}>
          {list.map((one) => (
            <AttemptRow key={`${one.delivery} ${one.try} ${one.at}`} of={one} onResend={() => void again(one)} />
          ))}
        </SectionTable>
      )}
    </SectionPart>
  );
}

function Filters({ value, onInput }: { value: Filter; onInput: (value: Filter) => void }) {
  const all = { value: "", label: t("attempts.all") };
  const selects = [
    { key: "outcome", label: t("attempts.outcome"), options: (["delivered", "failed"] as const).map((one) => ({ value: one as string, label: t(`attempts.${one}`) })) },
    { key: "event", label: t("attempts.event"), options: events.map((one) => ({ value: one as string, label: one as string })) },
    { key: "type", label: t("attempts.type"), options: offeredTypes().map(({ uid, name }) => ({ value: uid, label: name })) },
  ] as const;
  return (
    <div class="audit-filters" role="search" aria-label={t("attempts.filters")}>
      {selects.map(({ key, label, options }) => (
        <Field key={key} label={label}>
          {(wired) => <Select {...wired} value={value[key]} onInput={(chosen) => onInput({ ...value, [key]: chosen })} options={[all, ...options]} />}
        </Field>
      ))}
    </div>
  );
}

function AttemptRow({ of: one, onResend }: { of: Attempt; onResend: () => void }) {
  const what = `${one.event} ${one.type} ${one.documentId}${one.locale ? ` ${one.locale}` : ""}`;
  return (
    <tr>
      <th scope="row">
        <time dateTime={one.at}>{formatDateTime(one.at)}</time>
      </th>
      <td data-label={t("attempts.what")}>
        <code>{what}</code>
        {one.error && <p class="delivery-error">{one.error}</p>}
      </td>
      <td data-label={t("attempts.outcome")}>
        <span class={one.delivered ? undefined : "delivery-error"}>{t(one.delivered ? "attempts.delivered" : "attempts.failed")}</span>
        {one.answer !== undefined && ` (${one.answer})`}
      </td>
      <td data-label={t("attempts.took")}>{t("attempts.ms", { n: one.milliseconds })}</td>
      <td data-label={t("attempts.try")}>
        {formatNumber(one.try)}
        {one.nextAt && <span class="quiet-text backup-name">{t("attempts.next", { when: formatDateTime(one.nextAt) })}</span>}
      </td>
      <td class="actions">
        <Button small aria-label={t("attempts.again-one", { what })} onClick={onResend}>
          {t("attempts.again")}
        </Button>
      </td>
    </tr>
  );
}
