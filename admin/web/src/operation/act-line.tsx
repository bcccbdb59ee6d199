// An act of the audit log in people's words, with links, and its lines as they are stored.

import { formatDateTime, formatLocale, t as common } from "../core/i18n";
import { Link } from "../core/router";
import { documentPath, schema, typeOf } from "../core/schema";
import { subjectKey, type Subject } from "../releases/release";
import { countOf, isRoute, type Act, type AuditEvent } from "./acts";
import { en } from "./messages/en";
import { t } from "./words";

type Key = keyof typeof en;

interface ActProps {
  act: Act;
  /** Titles of documents that the account may read. */
  subjects: ReadonlyMap<string, Subject>;
  /** Names of accounts, by id. */
  names: ReadonlyMap<string, string>;
}

export function ActRow({ act, subjects, names }: ActProps) {
  const { main } = act;
  return (
    <tr>
      <th scope="row">
        <time dateTime={main.at}>{formatDateTime(main.at)}</time>
      </th>
      <td>
        <Sentence act={act} subjects={subjects} names={names} />
        {main.outcome === "refused" && <span class="audit-refused">{t("audit.refused")}</span>}
        <Technical of={act} />
      </td>
      <td data-label={t("audit.from")} class="quiet-text">
        {main.from ?? (main.way === "command" ? t("kind.command") : "–")}
      </td>
    </tr>
  );
}

/** "Ada changed The Blue Door (Restaurant, English)", with links. */
function Sentence({ act, subjects, names }: ActProps) {
  const { main } = act;
  const key = `act.${main.action}`;
  const who = nameOf(main, names);
  if (!(key in en)) return <span>{isRoute(main.action) ? t("act.route", { who, where: main.action }) : t("act.other", { who, what: [main.action, targetOf(main)].filter(Boolean).join(" ") })}</span>;
  const [before, after] = t(key as Key, { who, what: mark }).split(mark);
  return (
    <span>
      {before}
      {after !== undefined && <What act={act} subjects={subjects} />}
      {after}
    </span>
  );
}

/** Where a sentence has what was done something to. */
const mark = "\u0000";

function nameOf({ by }: AuditEvent, names: ReadonlyMap<string, string>): string {
  return names.get(by.id ?? "") ?? by.name ?? by.id ?? t(isKind(by.kind) ? `kind.${by.kind}` : "kind.server");
}

const kinds = ["admin", "assistant", "user", "token", "command", "schedule", "server", "public"] as const;
const isKind = (kind: string): kind is (typeof kinds)[number] => (kinds as readonly string[]).includes(kind);

const targetOf = ({ target }: AuditEvent): string => target.name ?? target.id ?? "";

export const isOfDocument = (action: string): boolean => action.startsWith("content.") || action === "model.translate";

/** What an act was done to: a document with its type, several of them, or a thing with a name. */
function What({ act, subjects }: { act: Act; subjects: ReadonlyMap<string, Subject> }) {
  const { main } = act;
  if (!isOfDocument(main.action) || main.target.type === "release") return <strong dir="auto">{targetOf(main)}</strong>;
  const { type: uid, id = "" } = main.target;
  const type = typeOf(uid);
  const n = countOf(act);
  if (n > 1) return <>{t("audit.documents", { n, type: type?.displayName ?? uid })}</>;
  const subject = subjects.get(subjectKey({ type: uid, documentId: type?.kind === "singleType" ? "" : id }));
  const locales = (schema.value?.locales.length ?? 0) > 1 ? localesOf(main) : [];
  if (!type) return <code>{`${uid} ${id}`}</code>;
  const about = ` (${[type.displayName, ...locales.map(formatLocale)].join(", ")})`;
  if (!subject) return <>{`${t("audit.gone")}${about}`}</>;
  const [base, query] = documentPath(uid, id, locales[0]).split("?");
  return (
    <>
      <Link to={query ? `${base}?${query}` : base!} dir="auto">
        {subject.title || common("list.untitled")}
      </Link>
      {about}
      {schema.value?.history && main.action.startsWith("content.") && main.action !== "content.create" && (
        <>
          {" "}
          <Link class="audit-difference" to={`${base}/history${query ? `?${query}` : ""}`}>
            {t("audit.difference")}
          </Link>
        </>
      )}
    </>
  );
}

const localesOf = ({ target }: AuditEvent): string[] => (target.locale ?? "").split(" ").filter((code) => code !== "" && code !== "*");

/** The lines of an act as they are stored, on demand. */
function Technical({ of: { lines } }: { of: Act }) {
  return (
    <details class="fold audit-lines">
      <summary>{t("audit.lines", { n: lines.length })}</summary>
      <ul>
        {lines.map((line) => (
          <li key={line.number}>
            <code>{[`#${line.number}`, line.action, line.target.type, line.target.name ?? line.target.id, line.target.locale].filter(Boolean).join(" ")}</code>
            <span class="quiet-text">{[line.by.kind, line.by.name ?? line.by.id, ...Object.entries(line.details ?? {}).map(([key, text]) => `${key}: ${text}`)].filter(Boolean).join(" · ")}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
