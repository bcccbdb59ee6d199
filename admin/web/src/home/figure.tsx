// Parts of the first screen that count: how many entries there are, and how many by the
// values of an attribute or by month.

import { useEffect, useState } from "preact/hooks";
import { content } from "../core/api";
import { formatNumber, t as common } from "../core/i18n";
import { Link } from "../core/router";
import { schema, typeOf, typePath, type ContentType, type Site } from "../core/schema";
import { fromSearch } from "../screens/list/question";
import { askWhich, beside, localeOf, type Query } from "../screens/list/request";
import { monthOf, mostMonths, wholeMonths } from "./months";
import { groupings, ofMonth, type HomePart } from "./part";
import { t } from "./words";

interface Group {
  group: Record<string, unknown>;
  count: number;
}

/** What a part shows: the number of entries, or groups of them and what says that there are more. */
type Counted = { count: number } | { groups: readonly { label: string; count: number }[]; more: string };

const mostBars = 10;

/** fresh changes when the part has to be counted again. */
export default function Figure({ part, fresh }: { part: HomePart; fresh: unknown }) {
  const type = typeOf(part.type ?? "");
  const site = schema.value;
  const [counted, setCounted] = useState<Counted | null>(null);
  const [failure, setFailure] = useState("");
  useEffect(() => {
    if (!type || !site) return;
    const ended = new AbortController();
    count(part, type, site, ended.signal).then(
      (found) => {
        setCounted(found);
        setFailure("");
      },
      (error: unknown) => ended.signal.aborted || setFailure(error instanceof Error ? error.message : String(error)),
    );
    return () => ended.abort();
  }, [part, type, fresh]);
  if (!type || !site) return null;
  const by = part.kind === "chart" ? groupings(type, typeOf).find(({ value }) => value === part.by)?.label ?? part.by ?? "" : "";
  const title = part.title || (by ? t("by", { type: type.displayName, by }) : type.displayName);
  return (
    <section class="home-panel">
      <h2>{title}</h2>
      {failure ? <p class="quiet-text">{failure}</p> : counted && <Shown counted={counted} type={type} query={part.query ?? ""} />}
    </section>
  );
}

async function count(part: HomePart, type: ContentType, site: Site, signal: AbortSignal): Promise<Counted> {
  const question = fromSearch(part.query ?? "");
  const query: Query = askWhich(question, type, site, await beside(question, type, type.localized ? localeOf(question.locale, site) : null, signal));
  if (part.kind === "count") return (await content<{ count: number }>("GET", `/${type.route}/_count`, { query, signal })).data;
  const by = part.by ?? "";
  const groups = async (more: Query, pageSize: number) => {
    const { data, meta } = await content<Group[]>("GET", `/${type.route}/_aggregate`, { query: { ...query, groupBy: by, count: true, pagination: { pageSize }, ...more }, signal });
    return { found: data.map(({ group, count }) => ({ value: group[by], count })), total: (meta.pagination as { total: number }).total };
  };
  if (by.endsWith(ofMonth)) {
    const version = by === `publishedAt${ofMonth}` && type.draftAndPublish ? { status: "published" } : {}; // drafts have no such date
    const { found } = await groups({ ...version, sort: `${by}:desc` }, mostMonths + 2); // one of them may be without a month
    const dated = found.flatMap(({ value, count }) => (typeof value === "string" ? [{ month: value, count }] : []));
    const months = wholeMonths(dated);
    const more = dated.some(({ month }) => month < (months[0]?.month ?? "")) ? t("latest", { n: mostMonths }) : "";
    return { groups: months.map(({ month, count }) => ({ label: monthOf(month), count })), more };
  }
  const { found, total } = await groups({ sort: "count:desc" }, mostBars);
  const rest = total - found.length;
  return { groups: found.map(({ value, count }) => ({ label: words(value), count })), more: rest > 0 ? t("more", { n: rest }) : "" };
}

function Shown({ counted, type, query }: { counted: Counted; type: ContentType; query: string }) {
  if ("count" in counted) {
    return (
      <p class="home-count">
        <Link to={typePath(type) + (query && `?${query}`)} aria-label={t("entries", { n: counted.count, type: type.displayName })}>
          {formatNumber(counted.count)}
        </Link>
      </p>
    );
  }
  if (counted.groups.length === 0) return <p class="quiet-text">{t("nothing")}</p>;
  const most = Math.max(...counted.groups.map((group) => group.count));
  return (
    <>
      <ul class="home-bars">
        {counted.groups.map(({ label, count }) => (
          <li key={label}>
            <span class="truncate" dir="auto">
              {label}
            </span>
            <span class="home-bar" aria-hidden="true">
              {count > 0 && <span style={{ inlineSize: `${(100 * count) / most}%` }} />}
            </span>
            <span class="home-number">{formatNumber(count)}</span>
          </li>
        ))}
      </ul>
      {counted.more && <p class="quiet-text">{counted.more}</p>}
    </>
  );
}

function words(value: unknown): string {
  if (typeof value === "boolean") return common(value ? "field.yes" : "field.no");
  return value === null || value === undefined || value === "" ? t("empty") : String(value);
}
