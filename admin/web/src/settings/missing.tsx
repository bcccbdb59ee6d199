// How many documents of each type are not written in each locale.

import { useEffect, useState } from "preact/hooks";
import { ApiError, content } from "../core/api";
import { formatLocale, formatNumber } from "../core/i18n";
import { Link } from "../core/router";
import { schema, typePath, type ContentType, type Site } from "../core/schema";
import { everything, toSearch } from "../screens/list/question";
import { askVersion } from "../screens/list/request";
import { SectionPart, SectionTable } from "../screens/section";
import { toastError } from "../ui/toasts";
import { t } from "./words";

/** The number of documents that each locale lacks, by its code. */
type Lacking = Record<string, number>;

export function Missing() {
  const site = schema.value;
  const types = site?.types.filter((type) => type.localized) ?? [];
  if (!site || types.length === 0) return null;
  return (
    <SectionPart title={t("missing.title")} text={t("missing.text")}>
      <SectionTable shownOnly class="missing-table" columns={[t("missing.type"), ...site.locales.map(({ name }) => name)]}>
        {types.map((type) => (
          <Row key={type.uid} type={type} site={site} />
        ))}
      </SectionTable>
    </SectionPart>
  );
}

function Row({ type, site }: { type: ContentType; site: Site }) {
  const [lacking, set] = useState<Lacking | null>(null);
  useEffect(() => {
    const ended = new AbortController();
    count(type, site, ended.signal).then(set, (error: unknown) => ended.signal.aborted || toastError(error));
    return () => ended.abort();
  }, [type, site]);
  return (
    <tr>
      <th scope="row">{type.displayName}</th>
      {site.locales.map(({ code, name }) => {
        const n = lacking?.[code];
        return (
          <td key={code} data-label={name}>
            {n === undefined ? "…" : n === 0 ? <span class="quiet-text">{t("missing.none")}</span> : <Lack n={n} type={type} code={code} />}
          </td>
        );
      })}
    </tr>
  );
}

function Lack({ n, type, code }: { n: number; type: ContentType; code: string }) {
  const query = type.kind === "singleType" ? `?locale=${code}` : toSearch({ ...everything, locale: code, status: "untranslated" });
  return (
    <Link to={typePath(type) + query} aria-label={t("missing.of", { n, type: type.displayName, locale: formatLocale(code) })}>
      {formatNumber(n)}
    </Link>
  );
}

async function count(type: ContentType, site: Site, signal: AbortSignal): Promise<Lacking> {
  const version = askVersion(null, type, site);
  const codes = site.locales.map(({ code }) => code);
  const anywhere = { ...version, fallbackLocale: codes.filter((code) => code !== version.locale) };
  if (type.kind === "singleType") {
    const key = type.stateKey ?? "state";
    const found = await content<Record<string, { locale: string }[]>>("GET", `/${type.route}`, { query: { ...anywhere, include: "state", fields: ["documentId"] }, signal }).catch((error: unknown) => {
      if (error instanceof ApiError && error.status === 404) return null;
      throw error;
    });
    const written = found?.data[key]?.map(({ locale }) => locale) ?? [];
    return Object.fromEntries(codes.map((code) => [code, written.includes(code) ? 0 : 1]));
  }
  const [all, some] = await Promise.all([
    content<{ count: number }>("GET", `/${type.route}/_count`, { query: anywhere, signal }),
    content<{ group: { locale: string }; count: number }[]>("GET", `/${type.route}/_aggregate`, { query: { ...version, locale: "*", groupBy: "locale", count: true, pagination: { pageSize: 100 } }, signal }),
  ]);
  const written = new Map(some.data.map(({ group, count }) => [group.locale, count]));
  return Object.fromEntries(codes.map((code) => [code, all.data.count - (written.get(code) ?? 0)]));
}
