// What visitors searched for and did not find: counts alone.

import { useEffect, useState } from "preact/hooks";
import { request } from "../core/api";
import { formatDate, formatNumber } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { confirm } from "../ui/dialog";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { Select } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { t } from "./words";

interface Count {
  text: string;
  count: number;
  /** A day, without a time. */
  last: string;
}

interface Shown {
  list: Count[];
  counted: boolean;
  texts: number;
  others: number;
}

export function MissedSearches({ onAdd }: { onAdd: (text: string) => void }) {
  const [days, setDays] = useState("90");
  const [shown, show] = useState<Shown | null>(null);
  const load = async () => {
    const { data, meta } = await request<Count[]>("GET", "/search/missed", { query: { days } });
    return { ...(meta as unknown as Shown), list: data };
  };
  useEffect(() => {
    let last = true;
    load().then((now) => last && show(now), toastError);
    return () => void (last = false);
  }, [days]);
  const clear = async () => {
    if (!(await confirm({ title: t("missed.clear-title"), body: t("missed.clear-text"), action: t("missed.clear"), danger: true }))) return;
    await request("DELETE", "/search/missed").then(load).then(show, toastError);
  };
  if (!shown) return null;
  const { list, counted, texts, others } = shown;
  return (
    <SectionPart title={t("missed.title")} text={t("missed.text")} actions={list.length > 0 && <Button onClick={() => void clear()}>{t("missed.clear")}</Button>}>
      {(counted || list.length > 0) && (
        <Field label={t("missed.span")}>{(wired) => <Select {...wired} value={days} onInput={setDays} options={[7, 30, 90].map((n) => ({ value: String(n), label: t("missed.days", { n }) }))} />}</Field>
      )}
      {!counted && (
        <Empty icon="search" title={t("missed.off")}>
          {t("missed.off-text")}
        </Empty>
      )}
      {counted && list.length === 0 && <Empty icon="search" title={t("missed.none")} />}
      {list.length > 0 && (
        <SectionTable columns={[t("missed.word"), t("missed.count"), t("missed.last")]}>
          {list.map(({ text, count, last }) => (
            <tr key={text}>
              <th scope="row">
                <strong dir="auto">{text}</strong>
              </th>
              <td data-label={t("missed.count")}>{formatNumber(count)}</td>
              <td data-label={t("missed.last")}>
                <time dateTime={last}>{formatDate(`${last}T12:00:00Z`)}</time>
              </td>
              <td class="actions">
                <Button small aria-label={t("missed.add-one", { text })} onClick={() => onAdd(text)}>
                  {t("missed.add")}
                </Button>
              </td>
            </tr>
          ))}
        </SectionTable>
      )}
      {texts > list.length && <p class="quiet-text">{t("missed.more", { n: formatNumber(texts) })}</p>}
      {others > 0 && <p class="quiet-text">{t("missed.others", { n: others })}</p>}
    </SectionPart>
  );
}
