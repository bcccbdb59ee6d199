// The lines of the audit log as acts of people: one for what was done in one go, in words.

export interface AuditEvent {
  readonly number: number;
  readonly at: string;
  readonly by: { readonly kind: string; readonly id?: string; readonly name?: string };
  readonly way: string;
  readonly from?: string;
  readonly action: string;
  readonly target: { readonly type: string; readonly id?: string; readonly locale?: string; readonly name?: string };
  readonly outcome: "done" | "refused";
  readonly details?: Readonly<Record<string, string>>;
}

/** Lines of one act, the newest first. */
export interface Act {
  readonly lines: readonly AuditEvent[];
  /** The line that says what was done: of a change that was published at once, the publishing. */
  readonly main: AuditEvent;
}

/** How long after one line the next may be of the same act, in milliseconds. */
const sameAct = 10_000;

/** Puts the lines of one act together, as of many documents that are published at once. */
export function actsOf(events: readonly AuditEvent[]): Act[] {
  const acts: AuditEvent[][] = [];
  for (const line of events) {
    const last = acts.at(-1);
    if (last && belongs(last, line)) last.push(line);
    else acts.push([line]);
  }
  return acts.map((lines) => ({ lines, main: lines.find(({ action }) => !isRoute(action)) ?? lines[0]! }));
}

/** Whether a line is of the same act as those after it. */
function belongs(later: readonly AuditEvent[], line: AuditEvent): boolean {
  const next = later.at(-1)!;
  if (next.by.kind !== line.by.kind || next.by.id !== line.by.id || next.from !== line.from || next.outcome !== line.outcome) return false;
  if (Date.parse(next.at) - Date.parse(line.at) > sameAct) return false;
  if (isRoute(line.action) !== isRoute(next.action)) return sameRoute(isRoute(line.action) ? line : next, isRoute(line.action) ? next : line);
  const kind = line.action.split(".")[0];
  if ((kind !== "content" && kind !== "model") || kind !== next.action.split(".")[0]) return false;
  const one = later[0]!;
  const same = one.target.type === line.target.type;
  return same && (one.action === line.action || later.every(({ target }) => target.id === line.target.id));
}

/** A line without a name of its own has a method and a path. */
export const isRoute = (action: string): boolean => / \//.test(action);

/** Whether a route and an action with a name are the same act, as POST /backups and data.backup. */
function sameRoute(route: AuditEvent, named: AuditEvent): boolean {
  const words = (route.action.split("/")[1] ?? "").replace(/s$/, "");
  return words !== "" && named.action.includes(words);
}

/** How many documents an act is about. */
export const countOf = ({ lines }: Act): number => new Set(lines.map(({ target }) => `${target.type} ${target.id ?? ""}`)).size;
