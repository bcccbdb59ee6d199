// The whole site at a moment: what has changed since, or until another one, by whom and when; and
// the ways from there: a document as it was beside now, and taking back one of them or everything.

import { useSignal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { request } from "../core/api";
import { formatAgo, formatDateTime, t as shared } from "../core/i18n";
import { toLocal } from "../core/local-time";
import { Link, place, setQuery, useTitle } from "../core/router";
import { documentPath, schema, typeOf } from "../core/schema";
import { Button } from "../ui/button";
import { Field } from "../ui/field";
import { TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { dayAgo, type Period } from "./period";
import { t } from "./words";

interface Changed {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly title: string;
  readonly exists: boolean;
  readonly actions: readonly ("create" | "update" | "publish" | "unpublish" | "delete")[];
  readonly by: readonly { readonly kind: string; readonly name?: string }[];
  readonly at: string;
}

interface Answer {
  readonly since: string;
  readonly types: readonly { readonly type: string; readonly count: number }[];
  readonly documents: readonly Changed[];
  readonly page: number;
  readonly pageCount: number;
}

const files = "plugin::upload.file";

export function Past() {
  useTitle(t("past"));
  const { query } = place.value;
  const since = useSignal(toLocal(query.get("since") ?? "") || dayAgo());
  const until = useSignal(toLocal(query.get("until") ?? ""));
  const shown: Period = { since: query.get("since") ?? "", until: query.get("until") ?? "" };
  const moment = (local: string) => (local === "" ? null : new Date(local).toISOString());
  return (
    <div class="page section-page">
      <header class="section-head">
        <h1>{t("past")}</h1>
      </header>
      <p class="quiet-text">{t("past-text")}</p>
      <form
        class="past-form"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ since: moment(since.value), until: moment(until.value) }, { replace: false });
        }}
      >
        <Field label={t("undo-since")}>{(wired) => <TextInput {...wired} type="datetime-local" value={since.value} onInput={(text) => (since.value = text)} />}</Field>
        <Field label={t("past-until")}>{(wired) => <TextInput {...wired} type="datetime-local" value={until.value} onInput={(text) => (until.value = text)} />}</Field>
        <Button type="submit" disabled={since.value === ""}>
          {t("past-show")}
        </Button>
      </form>
      {shown.since && <List key={`${shown.since} ${shown.until}`} period={shown} />}
    </div>
  );
}

const queryOf = ({ since, until }: Period): Record<string, string> => ({ since, ...(until && { until }) });

/** Where something of a period is taken back. */
const undoPath = (period: Period, more: Record<string, string> = {}): string =>
  `/changes/undo?${new URLSearchParams({ by: "*", ...queryOf(period), ...more }).toString()}`;

function List({ period }: { period: Period }) {
  const answer = useSignal<Answer | null>(null);
  const load = async (page: number) => {
    const { data } = await request<Answer>("GET", "/past", { query: { ...queryOf(period), page: String(page) } });
    answer.value = { ...data, documents: [...(page > 1 ? (answer.value?.documents ?? []) : []), ...data.documents] };
  };
  useEffect(() => void load(1).catch(toastError), []);
  const found = answer.value;
  if (!found) return null;
  return (
    <>
      {found.since > period.since && <p class="notice">{t("past-from", { when: formatDateTime(found.since) })}</p>}
      {found.types.length === 0 && <p class="quiet-text">{t("past-none")}</p>}
      {found.types.map(({ type, count }) => {
        const own = found.documents.filter((one) => one.type === type);
        return (
          own.length > 0 && (
            <section class="section-part" key={type}>
              <h2>
                {nameOf(type)} <span class="quiet-text">{t("past-count", { n: count })}</span>
              </h2>
              <ul class="change-sets">
                {own.map((one) => (
                  <Line key={one.documentId} one={one} period={period} />
                ))}
              </ul>
            </section>
          )
        );
      })}
      {found.page < found.pageCount && <Button onClick={() => void load(found.page + 1).catch(toastError)}>{t("past-more")}</Button>}
      {found.types.length > 0 && (
        <div class="change-set-actions">
          <Link class="button danger" to={undoPath(period)}>
            {t("past-all")}
          </Link>
        </div>
      )}
    </>
  );
}

const nameOf = (uid: string): string => (uid === files ? shared("shell.media") : (typeOf(uid)?.displayName ?? uid));

function Line({ one, period }: { one: Changed; period: Period }) {
  const title = one.title || shared("list.untitled");
  const type = typeOf(one.type);
  const names = one.by.map(({ name, kind }) => name ?? kind).join(", ");
  return (
    <li>
      {type && schema.value?.history ? (
        <Link class="truncate" dir="auto" to={thenPath(one, period)}>
          {title}
        </Link>
      ) : (
        <span class="truncate" dir="auto">
          {title}
        </span>
      )}
      <span class="quiet-text">{one.actions.map((action) => t(`past-${action}`)).join(", ")}</span>
      <time class="quiet-text truncate" dateTime={one.at} data-tip={formatDateTime(one.at)}>
        {t("by-when", { name: names, when: formatAgo(one.at) })}
      </time>
      {type && (
        <Link class="button secondary small" to={undoPath(period, { type: one.type, documentId: one.documentId, name: title })} aria-label={t("past-one", { title })}>
          {t("undo")}
        </Link>
      )}
    </li>
  );
}

/** A document as it was at the beginning, beside now. */
function thenPath(one: Changed, { since }: Period): string {
  const several = (schema.value?.locales.length ?? 0) > 1;
  const [base, query] = documentPath(one.type, one.documentId, several ? one.locale : null).split("?");
  return `${base}/history?${[query, new URLSearchParams({ at: since }).toString()].filter(Boolean).join("&")}`;
}
