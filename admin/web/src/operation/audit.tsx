// The audit log: who did what, from where, and when; filtered, and taken along.

import { useEffect, useState } from "preact/hooks";
import { apiBase, request } from "../core/api";
import { formatDateTime } from "../core/i18n";
import { SectionPart, SectionTable } from "../screens/section";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { t } from "./words";

interface AuditEvent {
  number: number;
  at: string;
  by: { kind: string; id?: string; name?: string };
  way: string;
  from?: string;
  action: string;
  target: { type: string; id?: string; locale?: string; name?: string };
  outcome: "done" | "refused";
  details?: Record<string, string>;
}

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
const groups = ["session.", "account.", "admin-role.", "token.", "user.", "role.", "content.", "data.", "settings.", "webhook."] as const;

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
  return (
    <SectionTable shownOnly class="audit-table" columns={[t("audit.time"), t("audit.by"), t("audit.action"), t("audit.target"), t("audit.from")]}>
      {events.map((one) => (
        <tr key={one.number}>
          <th scope="row">
            <time dateTime={one.at}>{formatDateTime(one.at)}</time>
          </th>
          <td data-label={t("audit.by")}>{one.by.name ?? one.by.id ?? t(isKind(one.by.kind) ? `kind.${one.by.kind}` : "kind.server")}</td>
          <td data-label={t("audit.action")}>
            <code>{one.action}</code>
            {one.outcome === "refused" && <span class="audit-refused">{t("audit.refused")}</span>}
          </td>
          <td data-label={t("audit.target")}>
            <Target of={one} />
          </td>
          <td data-label={t("audit.from")} class="quiet-text">
            {one.from ?? (one.way === "command" ? t("kind.command") : "–")}
          </td>
        </tr>
      ))}
    </SectionTable>
  );
}

const kinds = ["admin", "user", "token", "command", "schedule", "server", "public"] as const;

function isKind(kind: string): kind is (typeof kinds)[number] {
  return (kinds as readonly string[]).includes(kind);
}

function Target({ of: { target, details } }: { of: AuditEvent }) {
  const said = Object.entries(details ?? {});
  return (
    <>
      {[target.type, target.name ?? target.id, target.locale].filter(Boolean).join(" ")}
      {said.length > 0 && <span class="quiet-text audit-details">{said.map(([key, text]) => `${key}: ${text}`).join(" · ")}</span>}
    </>
  );
}
