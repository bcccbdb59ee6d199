// What a cell shows, by the type of its attribute.

import type { ComponentChildren } from "preact";
import { isRecord } from "../../core/api";
import { formatAgo, formatDate, formatDateTime, formatLocale, formatNumber, t } from "../../core/i18n";
import type { Attribute, Site } from "../../core/schema";
import { Icon } from "../../ui/icon";
import { StatusBadge } from "../../ui/status";
import type { Column } from "./columns";
import { statesOf, type Entry, type List, type State } from "./model";
import type { Reviewed } from "./reviews";
import type { Planned } from "./schedules";

export function Cell({ column, entry, list }: { column: Column; entry: Entry; list: List }) {
  const { attribute, key } = column;
  if (key === "status" && !attribute) return <StatusCell state={list.stateOf(entry)} next={list.nextOf(entry)} />;
  if (key === "locales" && !attribute) return <LocalesCell states={statesOf(entry)} list={list} />;
  if (key === "__review" && !attribute) return <ReviewCell reviewed={list.reviews.value.get(entry.documentId)} />;
  const value = entry[key];
  if (!attribute || value === null || value === undefined || value === "") return <Nothing />;
  return <>{show(attribute, value, list.site)}</>;
}

function Nothing() {
  return (
    <span class="quiet-text">
      <span aria-hidden="true">–</span>
      <span class="visually-hidden">{t("list.empty-cell")}</span>
    </span>
  );
}

function StatusCell({ state, next }: { state: State | undefined; next: Planned | undefined }) {
  if (!state) return <Nothing />;
  return (
    <span class="list-status">
      <StatusBadge status={state.status} tip={whenOf(state)} />
      <Clock next={next} />
    </span>
  );
}

function ReviewCell({ reviewed }: { reviewed: Reviewed | undefined }) {
  if (!reviewed?.stage) return <Nothing />;
  return (
    <span class="truncate">
      {reviewed.stage}
      {reviewed.assignee && <span class="quiet-text"> · {reviewed.assignee.name}</span>}
    </span>
  );
}

/** A clock where something is to be done at a time: what and when are its tip. */
export function Clock({ next }: { next: Planned | undefined }) {
  if (!next) return null;
  return <StatusBadge status="scheduled" shapeOnly tip={t(`schedule.will-${next.action}`, { at: formatDateTime(next.at) })} />;
}

function whenOf(state: State): string {
  const changed = t("list.changed-at", { when: formatDateTime(state.updatedAt) });
  return state.publishedAt ? `${changed} ${t("list.published-at", { when: formatDateTime(state.publishedAt) })}` : changed;
}

/** One mark for each locale of the site. */
function LocalesCell({ states, list }: { states: readonly State[]; list: List }) {
  return (
    <span class="list-locales">
      {list.site.locales.map(({ code }) => {
        const state = states.find((one) => one.locale === code);
        const tip = `${formatLocale(code)}: ${state ? t(`status.${state.status}`) : t("list.no-locale")}`;
        return (
          <span key={code} class={`list-locale ${state?.status ?? "missing"}`} data-tip={tip}>
            <span aria-hidden="true">{code}</span>
            <span class="visually-hidden">{tip}</span>
          </span>
        );
      })}
    </span>
  );
}

function show(attribute: Attribute, value: unknown, site: Site): ComponentChildren {
  switch (attribute.type) {
    case "boolean":
      return value === true ? (
        <span class="list-yes">
          <Icon name="check" size={14} />
          {t("list.yes")}
        </span>
      ) : (
        <span class="quiet-text">{t("list.no")}</span>
      );
    case "media":
      return <Pictures files={Array.isArray(value) ? value : [value]} />;
    case "datetime":
    case "timestamp":
      return <Moment iso={String(value)} />;
    default:
      return summary(attribute, value, site) || <Nothing />;
  }
}

function Moment({ iso }: { iso: string }) {
  if (Number.isNaN(Date.parse(iso))) return <>{iso}</>;
  return (
    <time dateTime={iso} data-tip={formatDateTime(iso)}>
      {formatAgo(iso)}
    </time>
  );
}

interface File {
  name?: string;
  url?: string;
  mime?: string;
  ext?: string;
  alternativeText?: string | null;
  formats?: { thumbnail?: { url?: string } } | null;
}

function Pictures({ files }: { files: readonly File[] }) {
  const [first] = files;
  if (!first) return <Nothing />;
  const picture = first.mime?.startsWith("image/") ? (first.formats?.thumbnail?.url ?? first.url) : undefined;
  const name = first.alternativeText || first.name || "";
  return (
    <span class="list-pictures">
      {picture ? (
        <img src={picture} alt={name} width={28} height={28} loading="lazy" decoding="async" />
      ) : (
        <span class="list-file" data-tip={name}>
          <Icon name="file" size={14} />
          {first.ext?.replace(".", "") || name}
        </span>
      )}
      {files.length > 1 && <span class="quiet-text">+{formatNumber(files.length - 1)}</span>}
    </span>
  );
}

const longest = 160; // characters of a summary

/** The value as one line of text; empty if there is nothing to say. */
export function summary(attribute: Attribute, value: unknown, site: Site): string {
  if (value === null || value === undefined) return "";
  switch (attribute.type) {
    case "boolean":
      return t(value ? "list.yes" : "list.no");
    case "date":
      return typeof value === "string" && !Number.isNaN(Date.parse(value)) ? formatDate(`${value}T00:00`) : String(value);
    case "time":
      return String(value).slice(0, 5);
    case "integer":
    case "float":
    case "decimal":
      return typeof value === "number" ? formatNumber(value) : String(value);
    case "json":
      return JSON.stringify(value).slice(0, longest);
    case "blocks":
      return textOf(value).slice(0, longest);
    case "relation":
      return related(attribute, value, site);
    case "component":
      return attribute.repeatable ? counted(value) : isRecord(value) ? componentText(attribute.component, value, site) : "";
    case "dynamiczone":
      return Array.isArray(value) ? value.map((part) => componentName(part, site)).join(", ") : "";
    case "media":
      return (Array.isArray(value) ? value : [value]).map((file: File) => file.name ?? "").join(", ");
    default:
      return String(value).slice(0, longest);
  }
}

/** A count instead of many. */
function counted(value: unknown): string {
  const count = isRecord(value) ? value.count : Array.isArray(value) ? value.length : 0;
  return typeof count === "number" && count > 0 ? formatNumber(count) : "";
}

function related(attribute: Attribute, value: unknown, site: Site): string {
  if (!isRecord(value) || typeof value.documentId !== "string") return counted(value);
  const title = value[site.types.find((type) => type.uid === attribute.target)?.mainField ?? "documentId"];
  return title === null || title === undefined || title === "" ? t("list.untitled") : String(title);
}

function componentName(part: unknown, site: Site): string {
  const uid = isRecord(part) ? part.__component : undefined;
  return site.components.find((component) => component.uid === uid)?.displayName ?? String(uid ?? "");
}

/** The first texts and numbers of a component. */
function componentText(uid: string | undefined, value: Record<string, unknown>, site: Site): string {
  const attributes = site.components.find((component) => component.uid === uid)?.attributes ?? [];
  const plain = attributes.filter((attribute) => ["string", "number"].includes(typeof value[attribute.name]) && attribute.type !== "json");
  return plain
    .map((attribute) => summary(attribute, value[attribute.name], site))
    .filter(Boolean)
    .slice(0, 3)
    .join(", ")
    .slice(0, longest);
}

/** The text in a tree of blocks. */
function textOf(node: unknown): string {
  if (Array.isArray(node)) return node.map(textOf).filter(Boolean).join(" ");
  if (!isRecord(node)) return "";
  return typeof node.text === "string" ? node.text : textOf(node.children);
}

/** Whether the values of a column stand at its right edge, as numbers do. */
export function isNumeric(attribute: Attribute | null): boolean {
  return attribute !== null && ["integer", "biginteger", "float", "decimal"].includes(attribute.type);
}
