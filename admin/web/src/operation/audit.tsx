// The audit log: who did what, from where, and when; filtered, and taken along.

import { useEffect, useState } from "preact/hooks";
import { apiBase, request } from "../core/api";
import { typeOf } from "../core/schema";
import { account, maySite } from "../core/session";
import { readSubjects, subjectKey, type Subject } from "../releases/release";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { ActRow, isOfDocument } from "./act-line";
import { actsOf, type AuditEvent } from "./acts";
import { t } from "./words";

interface Filter {
  by: string;
  action: string;
  /** How far back, in days; empty for all. */
  days: string;
}

const all: Filter = { by: "", action: "", days: "" };

/** What a request is filtered by. */
function queryOf({ by, action, days }: Filter): Record<string, string> {
  const query: Record<string, string> = {};
  if (by.trim() !== "") query.by = by.trim();
  if (action !== "") query.action = action;
  if (days !== "") query.since = new Date(Date.now() - Number(days) * 86_400_000).toISOString().replace(/\.\d+Z$/, "Z");
  return query;
}

export function Audit() {
  const [filter, setFilter] = useState<Filter>(all);
  const [events, setEvents] = useState<AuditEvent[] | null>(null);
  const [next, setNext] = useState(0);

  useEffect(() => {
    let last = true;
    void read(filter, 0).then((page) => {
      if (!last) return; // another filter was chosen meanwhile
      setEvents(page.events);
      setNext(page.next);
    }, toastError);
    return () => void (last = false);
  }, [filter]);

  const more = async () => {
    const page = await read(filter, next);
    setEvents([...(events ?? []), ...page.events]);
    setNext(page.next);
  };
  const exported = `${apiBase}/audit/export?${new URLSearchParams(queryOf(filter)).toString()}`;
  return (
    <SectionPart
      title={t("audit.title")}
      text={t("audit.text")}
      actions={
        <a class="button secondary" href={exported} download="audit.jsonl">
          <Icon name="download" />
          <span>{t("audit.export")}</span>
        </a>
      }
    >
      <Filters value={filter} onInput={setFilter} />
      {events?.length === 0 && next === 0 && <Empty icon="history" title={t("audit.none")} />}
      {events && events.length > 0 && <Lines of={events} />}
      {next > 0 && (
        <p class="operation-note">
          <Button onClick={() => void more().catch(toastError)}>{t("audit.more")}</Button>
        </p>
      )}
    </SectionPart>
  );
}

async function read(filter: Filter, before: number): Promise<{ events: AuditEvent[]; next: number }> {
  const query = queryOf(filter);
  if (before > 0) query.before = String(before);
  const { data, meta } = await request<AuditEvent[]>("GET", "/audit", { query });
  return { events: data, next: Number(meta.next) };
}

/** What actions begin with, by what they are about. */
const groups = ["session.", "account.", "assistant.", "admin-role.", "token.", "user.", "role.", "content.", "model.", "data.", "settings.", "webhook."] as const;

function Filters({ value, onInput }: { value: Filter; onInput: (value: Filter) => void }) {
  return (
    <div class="audit-filters" role="search" aria-label={t("audit.filters")}>
      <Field label={t("audit.by")}>{(wired) => <TextInput {...wired} type="search" placeholder={t("audit.by-help")} value={value.by} onInput={(by) => onInput({ ...value, by })} />}</Field>
      <Field label={t("audit.action")}>
        {(wired) => (
          <Select
            {...wired}
            value={value.action}
            onInput={(action) => onInput({ ...value, action })}
            options={[{ value: "", label: t("audit.all") }, ...groups.map((group) => ({ value: group, label: t(`group.${group}`) }))]}
          />
        )}
      </Field>
      <Field label={t("audit.time")}>
        {(wired) => (
          <Select
            {...wired}
            value={value.days}
            onInput={(days) => onInput({ ...value, days })}
            options={[
              { value: "", label: t("audit.ever") },
              { value: "1", label: t("audit.day") },
              { value: "7", label: t("audit.week") },
              { value: "30", label: t("audit.month") },
            ]}
          />
        )}
      </Field>
    </div>
  );
}

function Lines({ of: events }: { of: AuditEvent[] }) {
  const [subjects, setSubjects] = useState<ReadonlyMap<string, Subject>>(new Map());
  const [names, setNames] = useState<ReadonlyMap<string, string>>(new Map());
  useEffect(() => {
    const documents = events.filter(({ action, target }) => isOfDocument(action) && typeOf(target.type)).map(({ target }) => documentOf(target));
    void readSubjects([...new Map(documents.map((one) => [subjectKey(one), one])).values()]).then(setSubjects);
  }, [events]);
  useEffect(() => void accountNames().then(setNames), []);
  return (
    <SectionTable shownOnly class="audit-table" columns={[t("audit.time"), t("audit.target"), t("audit.from")]}>
      {actsOf(events).map((act) => (
        <ActRow key={act.lines[0]!.number} act={act} subjects={subjects} names={names} />
      ))}
    </SectionTable>
  );
}

/** A document as titles are asked for, in a locale that it has. */
function documentOf({ type, id, locale }: AuditEvent["target"]) {
  const locales = locale?.split(" ").filter((code) => code !== "*") ?? [];
  return { type, ...(typeOf(type)?.kind !== "singleType" && id && { documentId: id }), ...(locales.length > 0 && { locales }) };
}

/** The names of accounts by their ids: all that the account may see, at least its own. */
async function accountNames(): Promise<ReadonlyMap<string, string>> {
  const own = account.peek();
  const all = maySite("accounts") ? await request<{ id: string; name: string }[]>("GET", "/accounts").then(({ data }) => data, () => []) : [];
  return new Map([...(own ? [own] : []), ...all].map(({ id, name }) => [id, name]));
}
