// The versions of a document: who made them and when, what differs between two, and the
// way back. It is loaded when it is first needed.

import { useEffect, useMemo, useState } from "preact/hooks";
import { ApiError } from "../../core/api";
import { formatDateTime, formatLocale, t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import { Link, place, setQuery, useTitle } from "../../core/router";
import { documentPath, may, schema, typeOf, type ContentType } from "../../core/schema";
import { Button } from "../../ui/button";
import { Empty } from "../../ui/empty";
import { Icon } from "../../ui/icon";
import { Select, Switch } from "../../ui/inputs";
import { toast, toastError, toastUndo } from "../../ui/toasts";
import { Changes } from "./changes";
import { VersionList, nameOfVersion } from "./list";
import {
  listVersions,
  readTargets,
  readVersion,
  restoreVersion,
  type Content,
  type Past,
  type Target,
  type Version,
} from "./versions";

export interface HistoryProps {
  uid: string;
  /** null for a single type. */
  documentId: string | null;
}

export default function HistoryPage({ uid, documentId }: HistoryProps) {
  const type = typeOf(uid);
  if (!type) return null;
  const asked = place.value.query.get("locale");
  const locale = type.localized ? (asked ?? schema.value?.locales.find((each) => each.isDefault)?.code ?? null) : null;
  return <History key={`${uid} ${documentId ?? ""} ${locale ?? ""}`} past={{ type, documentId, locale }} />;
}

function History({ past }: { past: Past }) {
  const { type, documentId, locale } = past;
  const [versions, setVersions] = useState<readonly Version[] | null>(null);
  const [total, setTotal] = useState(0);
  const [failure, setFailure] = useState<unknown>(null);
  const [title, setTitle] = useState("");
  useTitle(t("history.title", { title: title || type.displayName }));

  const load = async (): Promise<readonly Version[]> => {
    const { versions: first, total: all } = await listVersions(past, 1);
    const list = [...first];
    for (let page = 2; place.value.query.get("at") && !thenOf(list, past.type) && list.length < all; page++) {
      const { versions: more } = await listVersions(past, page);
      if (more.length === 0) break;
      list.push(...more);
    }
    setVersions(list);
    setTotal(all);
    return list;
  };
  const loadMore = async (): Promise<void> => {
    const known = versions ?? [];
    const next = await listVersions(past, Math.floor(known.length / 50) + 1);
    const seen = new Set(known.map(nameOfVersion));
    setVersions([...known, ...next.versions.filter((each) => !seen.has(nameOfVersion(each)))]);
  };
  useEffect(() => {
    load().catch(setFailure);
  }, []);

  const back = documentPath(type.uid, documentId ?? "", locale);
  return (
    <div class="history">
      <header class="history-bar">
        <Link to={back} class="editor-back">
          <Icon name="left" />
          <span>{t("history.back")}</span>
        </Link>
        <h1>{t("history.title", { title: title || type.displayName })}</h1>
        {type.localized && <Locales chosen={locale} />}
      </header>
      {failure ? (
        <Failure error={failure} />
      ) : versions && versions.length > 0 ? (
        <Compared past={past} versions={versions} total={total} load={load} loadMore={loadMore} onTitle={setTitle} />
      ) : (
        versions && (
          <Empty icon="history" title={t("history.none")}>
            {t("history.none-text")}
          </Empty>
        )
      )}
    </div>
  );
}

function Locales({ chosen }: { chosen: string | null }) {
  const locales = schema.value?.locales ?? [];
  return (
    <Select
      aria-label={t("history.locale")}
      value={chosen ?? ""}
      onInput={(code) => setQuery({ locale: code, version: null })}
      options={locales.map(({ code }) => ({ value: code, label: formatLocale(code) }))}
    />
  );
}

function Failure({ error }: { error: unknown }) {
  const missing = error instanceof ApiError && (error.status === 404 || error.status === 403);
  return (
    <Empty icon="history" title={missing ? t("history.none") : t("history.failed")}>
      {missing ? t("history.none-text") : error instanceof Error ? error.message : ""}
    </Empty>
  );
}

interface ComparedProps {
  past: Past;
  versions: readonly Version[];
  total: number;
  load: () => Promise<readonly Version[]>;
  loadMore: () => Promise<void>;
  onTitle: (title: string) => void;
}

/** The version at the moment of the address, of the draft if there was one; undefined without one. */
function thenOf(versions: readonly Version[], type: ContentType): Version | undefined {
  const at = place.value.query.get("at");
  if (!at) return undefined;
  const there = versions.filter((each) => each.at < at && !(each.removed && each.removed.at < at));
  return there.find((each) => each.status === (type.draftAndPublish ? "draft" : "published")) ?? there[0];
}

/** The list of versions, and beside it what one of them changed. */
function Compared({ past, versions, total, load, loadMore, onTitle }: ComparedProps) {
  const wanted = place.value.query.get("version");
  const then = thenOf(versions, past.type);
  const chosen = versions.find((each) => nameOfVersion(each) === wanted) ?? then ?? versions[0]!;
  const [against, setAgainst] = useState(() => (versions.some((each) => each.current && each.status === then?.status) ? then!.status : "before"));
  const [all, showAll] = useState(false);
  const other = otherOf(versions, chosen, against);
  const pair = usePair(past, chosen, other, onTitle);
  const choose = (version: Version): void => {
    setQuery({ version: nameOfVersion(version) });
    announce(t("history.shown", { version: formatDateTime(version.at) }));
  };
  return (
    <div class="history-columns">
      <nav class="history-list" aria-label={t("history.versions")}>
        <VersionList versions={versions} chosen={chosen} drafts={past.type.draftAndPublish} onChoose={choose} />
        {versions.length < total && (
          <Button variant="quiet" onClick={() => void loadMore().catch(toastError)}>
            {t("history.more", { n: total - versions.length })}
          </Button>
        )}
      </nav>
      <section class="history-change" aria-label={t("history.compared")}>
        <div class="history-tools">
          <label class="history-against">
            <span>{t("history.against")}</span>
            <Select value={against} onInput={setAgainst} options={choices(versions, chosen, past.type)} />
          </label>
          <Switch checked={all} onInput={showAll}>
            {t("history.all-fields")}
          </Switch>
          <Restore past={past} version={chosen} versions={versions} load={load} />
        </div>
        <Heading version={chosen} other={other} />
        {pair instanceof Error ? (
          <p class="field-error">{pair.message}</p>
        ) : (
          pair && (
            <>
              {pair.after.gone.length > 0 && (
                <p class="history-note">{t("history.gone", { names: pair.after.gone.join(", ") })}</p>
              )}
              <Changes
                type={past.type}
                before={pair.before?.fields ?? {}}
                after={pair.after.fields}
                targets={pair.targets}
                all={all || !pair.before}
              />
            </>
          )
        )}
      </section>
    </div>
  );
}

/** The version that the chosen one is compared with: before is the one that it replaced. */
function otherOf(versions: readonly Version[], chosen: Version, against: string): Version | null {
  const at = versions.indexOf(chosen);
  if (against === "before") return versions.find((each, i) => i > at && each.status === chosen.status) ?? null;
  if (against === "draft" || against === "published")
    return versions.find((each) => each.current && each.status === against) ?? null;
  return versions.find((each) => nameOfVersion(each) === against) ?? null;
}

function choices(versions: readonly Version[], chosen: Version, type: ContentType): { value: string; label: string }[] {
  const now = (status: Version["status"]): boolean => versions.some((each) => each.current && each.status === status);
  return [
    { value: "before", label: t("history.before") },
    ...(type.draftAndPublish && now("draft") ? [{ value: "draft", label: t("history.now-draft") }] : []),
    ...(now("published")
      ? [{ value: "published", label: type.draftAndPublish ? t("history.now-published") : t("history.now") }]
      : []),
    ...versions
      .filter((each) => each !== chosen)
      .map((each) => ({
        value: nameOfVersion(each),
        label: `${formatDateTime(each.at)}${type.draftAndPublish ? ` · ${t(`status.${each.status}`)}` : ""}`,
      })),
  ];
}

interface Pair {
  before: Content | null;
  after: Content;
  targets: ReadonlyMap<string, Target>;
}

/** Both versions, and what they link to; the older one comes first. null while they are read. */
function usePair(past: Past, chosen: Version, other: Version | null, onTitle: (title: string) => void): Pair | Error | null {
  const [pair, setPair] = useState<Pair | Error | null>(null);
  useEffect(() => {
    let left = false;
    const read = async (): Promise<void> => {
      const [older, newer] = other && other.revision > chosen.revision ? [chosen, other] : [other, chosen];
      const [before, after] = await Promise.all([older && readVersion(past, older), readVersion(past, newer)]);
      const targets = await readTargets(past, before ? [before, after] : [after]);
      if (left) return;
      setPair({ before, after, targets });
      onTitle(String(after.fields[past.type.mainField] ?? ""));
    };
    read().catch((error: unknown) => !left && setPair(error instanceof Error ? error : new Error(String(error))));
    return () => void (left = true);
  }, [nameOfVersion(chosen), other && nameOfVersion(other)]);
  return pair;
}

function Heading({ version, other }: { version: Version; other: Version | null }) {
  const newer = other && other.revision > version.revision ? other : version;
  const older = newer === version ? other : version;
  const named = (each: Version): string => `${formatDateTime(each.at)} (${t(`status.${each.status}`)})`;
  return (
    <h2 class="history-heading">
      {older ? t("history.from-to", { from: named(older), to: named(newer) }) : t("history.first", { at: named(newer) })}
    </h2>
  );
}

interface RestoreProps {
  past: Past;
  version: Version;
  versions: readonly Version[];
  load: () => Promise<readonly Version[]>;
}

/** Brings a version back. What was there can be brought back the same way. */
function Restore({ past, version, versions, load }: RestoreProps) {
  const [busy, setBusy] = useState(false);
  const { type } = past;
  const mayRestore = may(type, "update") && (!type.locales || !past.locale || type.locales.includes(past.locale));
  const target = type.draftAndPublish ? "draft" : "published";
  const now = useMemo(() => versions.find((each) => each.current && each.status === target), [versions]);
  if (!mayRestore || version === now) return null;
  const restore = async (which: Version, undo: Version | undefined): Promise<void> => {
    setBusy(true);
    try {
      const dropped = await restoreVersion(past, which);
      await load();
      setQuery({ version: null });
      const text = t("history.restored", { at: formatDateTime(which.at) });
      if (undo) toastUndo(text, () => void restore(undo, undefined));
      else toast({ text, kind: "done" });
      if (dropped.length) toast({ kind: "info", text: t("history.dropped", { names: dropped.join(", ") }) });
    } catch (error) {
      toastError(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Button
      variant="primary"
      busy={busy}
      data-tip={t(type.draftAndPublish ? "history.restore-tip" : "history.restore-tip-live", { at: formatDateTime(version.at) })}
      onClick={() => void restore(version, now)}
    >
      {t("history.restore")}
    </Button>
  );
}
