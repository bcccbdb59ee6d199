// Why a search has its order: what decides it, of each entry that is found.

import { useState } from "preact/hooks";
import { content } from "../core/api";
import { formatLocale, formatNumber, t as common } from "../core/i18n";
import { Link } from "../core/router";
import { documentPath, schema, type ContentType } from "../core/schema";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { Select, TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { t, type Key } from "./words";

const criteria = ["words", "typos", "distance", "weight", "exact", "score"] as const;

type Rank = Record<(typeof criteria)[number], number>;

interface Found {
  documentId: string;
  locale?: string | null;
  _rank: Rank;
  [name: string]: unknown;
}

interface Read {
  words: string[];
  excluded: boolean;
  phrase: boolean;
  beginning: boolean;
  ignored: boolean;
  entries: number;
}

interface About {
  partial: boolean;
  didYouMean?: string;
  words: Read[];
  order: string[];
}

interface Shown {
  type: ContentType;
  list: Found[];
  about: About;
}

export function Explanation() {
  const types = schema.value?.types.filter(({ kind }) => kind === "collectionType") ?? [];
  const locales = schema.value?.locales ?? [];
  const [uid, setUid] = useState(types[0]?.uid ?? "");
  const [locale, setLocale] = useState(locales.find(({ isDefault }) => isDefault)?.code ?? "");
  const [q, setQ] = useState("");
  const [busy, setBusy] = useState(false);
  const [shown, show] = useState<Shown | null>(null);
  const type = types.find((one) => one.uid === uid);
  if (!type) return null;
  const ask = async () => {
    setBusy(true);
    const query = { q, explain: true, pagination: { pageSize: 20 }, ...(type.localized && { locale }) };
    await content<Found[]>("GET", `/${type.route}/_search`, { query }).then(({ data, meta }) => show({ type, list: data, about: meta.search as About }), toastError);
    setBusy(false);
  };
  return (
    <SectionPart title={t("rank.title")} text={t("rank.text")}>
      <form class="audit-filters" role="search" aria-label={t("rank.title")} onSubmit={(event) => (event.preventDefault(), void ask())}>
        <Field label={t("rank.q")}>{(wired) => <TextInput {...wired} type="search" maxLength={200} value={q} onInput={setQ} />}</Field>
        <Field label={t("rank.type")}>{(wired) => <Select {...wired} value={uid} onInput={setUid} options={types.map((one) => ({ value: one.uid, label: one.displayName }))} />}</Field>
        {type.localized && locales.length > 1 && (
          <Field label={t("rank.locale")}>{(wired) => <Select {...wired} value={locale} onInput={setLocale} options={locales.map(({ code }) => ({ value: code, label: formatLocale(code) }))} />}</Field>
        )}
        <Button type="submit" busy={busy}>
          {t("rank.ask")}
        </Button>
      </form>
      <div role="status">{shown && <Summary of={shown} />}</div>
      {shown && shown.list.length > 0 && <Ranking of={shown} />}
    </SectionPart>
  );
}

function Summary({ of: { list, about } }: { of: Shown }) {
  const notes = (one: Read): string =>
    [
      t("rank.entries", { n: one.entries }),
      ...(["excluded", "phrase", "beginning", "ignored"] as const).filter((key) => one[key]).map((key) => t(`rank.${key}`)),
    ].join(", ");
  return (
    <>
      {list.length === 0 && <p>{t("rank.none")}</p>}
      {about.partial && <p>{t("rank.partial")}</p>}
      {about.didYouMean && <p>{t("rank.better", { text: about.didYouMean })}</p>}
      {about.words.length > 0 && (
        <>
          <h3>{t("rank.read")}</h3>
          <ul>
            {about.words.map((one, i) => (
              <li key={i}>
                <strong dir="auto">{one.words.join(" ")}</strong>: {notes(one)}
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}

function Ranking({ of: { type, list, about } }: { of: Shown }) {
  const why = (i: number): string => {
    const [before, one] = [list[i - 1]?._rank, list[i]!._rank];
    if (!before) return t("rank.first");
    const by = criteria.find((key) => before[key] !== one[key]);
    if (by) return t(`rank.by.${by}`);
    return about.order.length > 0 ? t("rank.by.order", { order: about.order.join(", ") }) : t("rank.by.id");
  };
  return (
    <SectionTable shownOnly columns={[t("rank.entry"), t("rank.place"), ...criteria.map((key) => t(`rank.${key}` as Key)), t("rank.why")]}>
      {list.map((one, i) => (
        <tr key={`${one.documentId} ${one.locale ?? ""}`}>
          <th scope="row">
            <Link to={documentPath(type.uid, one.documentId, one.locale ?? undefined)} dir="auto">
              {String(one[type.mainField] ?? "") || common("list.untitled")}
            </Link>
          </th>
          <td data-label={t("rank.place")}>{formatNumber(i + 1)}</td>
          {criteria.map((key) => (
            <td key={key} data-label={t(`rank.${key}` as Key)}>
              {formatNumber(one._rank[key])}
            </td>
          ))}
          <td data-label={t("rank.why")}>{why(i)}</td>
        </tr>
      ))}
    </SectionTable>
  );
}
