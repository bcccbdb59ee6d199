// What a list is asked for: which entries, in which order and locale. The URL holds all of
// it.

/** A condition, as `filters` of the content API has it. */
export type Tree = { [key: string]: string | readonly string[] | Tree | readonly Tree[] };

export interface Filter {
  path: readonly string[]; // an attribute, or an attribute behind a relation or in a component
  operator: string; // a key of `operators` in operators.ts
  values: readonly string[];
}

export interface Order {
  path: string; // an attribute, or one behind a relation: "chef.name"
  descending: boolean;
}

export type Status = "draft" | "modified" | "published" | "scheduled" | "untranslated";

export interface Question {
  search: string;
  filters: readonly Filter[];
  order: Order | null; // null: the order of the type, or by relevance in a search
  status: Status | null;
  locale: string | null; // null: the default locale
}

export const everything: Question = { search: "", filters: [], order: null, status: null, locale: null };

const statuses: readonly string[] = ["draft", "modified", "published", "scheduled", "untranslated"];

/**
 * A filter is written `path:operator:value,value`. Commas, percent signs and
 * backslashes of a value are escaped by a backslash.
 */
function writeFilter({ path, operator, values }: Filter): string {
  return [path.join("."), operator, ...(values.length ? [values.map((v) => v.replace(/[\\,]/g, "\\$&")).join(",")] : [])].join(":");
}

function readFilter(text: string): Filter | null {
  const match = /^([A-Za-z_][\w.]*):([a-z-]+)(?::([^]*))?$/.exec(text);
  if (!match) return null;
  return { path: match[1]!.split("."), operator: match[2]!, values: match[3] === undefined ? [] : splitValues(match[3]) };
}

function splitValues(text: string): string[] {
  const values: string[] = [];
  let value = "";
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ",") {
      values.push(value);
      value = "";
    } else {
      if (text[i] === "\\" && i + 1 < text.length) i++;
      value += text[i];
    }
  }
  return [...values, value];
}

/**
 * toSearch is the query string of a question, with its question mark; empty for
 * everything.
 */
export function toSearch(q: Question): string {
  const params = new URLSearchParams();
  if (q.locale) params.set("locale", q.locale);
  if (q.search) params.set("q", q.search);
  if (q.status) params.set("status", q.status);
  if (q.order) params.set("sort", (q.order.descending ? "-" : "") + q.order.path);
  for (const filter of q.filters) params.append("f", writeFilter(filter));
  const text = params.toString();
  return text && "?" + text;
}

/** fromSearch reads a query string. What it does not understand it leaves out. */
export function fromSearch(search: string): Question {
  const params = new URLSearchParams(search);
  const status = params.get("status") ?? "";
  const sort = /^(-?)([A-Za-z_][\w.]*)$/.exec(params.get("sort") ?? "");
  return {
    search: params.get("q") ?? "",
    filters: params
      .getAll("f")
      .map(readFilter)
      .filter((f) => f !== null),
    order: sort && { path: sort[2]!, descending: sort[1] === "-" },
    status: statuses.includes(status) ? (status as Status) : null,
    locale: params.get("locale"),
  };
}

/** narrows reports whether a question leaves entries out. */
export function narrows(q: Question): boolean {
  return q.search !== "" || q.filters.length > 0 || q.status !== null;
}
