// An action on many entries that is under way: its progress, its end, and the way back.

import { signal } from "@preact/signals";
import { ApiError, content, isRecord } from "../../core/api";
import { t } from "../../core/i18n";
import { announce } from "../../core/live-region";
import { toast, toastError, toastUndo } from "../../ui/toasts";
import { mostAtOnce, perform, requestFor, undoOf, type Action, type BatchRequest, type Outcome, type Sent } from "./bulk";
import type { List } from "./model";
import type { Target } from "./selection";

export class Job {
  readonly running = signal(true);
  readonly tried = signal(0);
  readonly of = signal(0);
  readonly outcome = signal<Outcome | null>(null);
  #stop = new AbortController();

  constructor(
    readonly list: List,
    readonly action: Action,
    readonly locale: string | null, // "*" for all that a document has
  ) {}

  stop(): void {
    this.#stop.abort();
  }

  /** Does the action to all that is selected. */
  async run(): Promise<void> {
    try {
      await this.#runOn(await this.list.targets(mostAtOnce, this.#stop.signal));
    } catch (error) {
      if (!this.#stop.signal.aborted) toastError(error);
    } finally {
      this.running.value = false;
    }
  }

  async #runOn(targets: readonly Target[]): Promise<void> {
    this.of.value = targets.length;
    const outcome = await carryOut(this.list, this.action, targets, this.locale, this.#stop.signal, (tried) => (this.tried.value = tried));
    this.outcome.value = outcome;
    this.list.problems.value = new Map(outcome.failed.map(({ target, reason }) => [target.documentId, reason]));
    this.list.clear();
    this.list.keep([...outcome.failed.map((failed) => failed.target), ...outcome.left]);
    await this.list.refresh();
    this.#report(outcome);
  }

  #report(outcome: Outcome): void {
    const n = outcome.done.length;
    const left = outcome.reason === null && outcome.left.length > 0 ? t("list.left", { n: outcome.left.length }) : "";
    if (n === 0) return left ? void toast({ text: left }) : announce(t("list.not-done", { n: outcome.failed.length + outcome.left.length }));
    const text = `${t(`list.done.${this.action}`, { n })}${left && `. ${left}`}`;
    const back = undoOf(this.action, outcome);
    if (back) toastUndo(text, () => void undo(this.list, back.action, back.targets, this.action === "duplicate" ? "*" : this.locale));
    else toast({ kind: "done", text });
  }
}

async function undo(list: List, action: Action, targets: readonly Target[], locale: string | null): Promise<void> {
  const outcome = await carryOut(list, action, targets, locale, new AbortController().signal, () => undefined);
  await list.refresh();
  const failed = outcome.failed.length + outcome.left.length;
  toast(failed > 0 ? { kind: "error", text: t("list.undo-failed", { n: failed }) } : { kind: "done", text: t("list.undone") });
}

const longestJob = 600_000; // ms for which the list does not hear of what it does itself
const afterJob = 2_000;

async function carryOut(
  list: List,
  action: Action,
  targets: readonly Target[],
  locale: string | null,
  signal: AbortSignal,
  progress: (tried: number) => void,
): Promise<Outcome> {
  const ids = targets.map((target) => target.documentId);
  list.expect(ids, longestJob);
  const outcome = await perform(targets, (target) => requestFor(action, target.documentId, list.type, locale), {
    send: (requests) => send(requests, list),
    progress,
    signal,
  });
  list.expect([...ids, ...outcome.done.flatMap(({ documentId }) => documentId ?? [])], afterJob);
  return outcome;
}

interface BatchAnswer {
  body: { data?: { documentId?: string } | null } | null;
}

/** Sends a batch. What makes all that follow hopeless is fatal. */
async function send(requests: readonly BatchRequest[], list: List): Promise<Sent> {
  try {
    const { data } = await content<BatchAnswer[]>("POST", "/_batch", { body: { requests } });
    return { documents: data.map(({ body }) => body?.data?.documentId ?? null) };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const refused = typeof error.details.request === "number" ? error.details.request : null;
    const fatal = error.offline || error.status >= 500 || error.status === 429;
    return { refused, reason: reasonOf(error, list), fatal };
  }
}

/** Why something was refused, naming the attributes at fault as the form does. */
function reasonOf(error: ApiError, list: List): string {
  const errors = Array.isArray(error.details.errors) ? error.details.errors.filter(isRecord) : [];
  if (errors.length === 0) return error.message;
  const said = errors.map(({ path, message }) => {
    const name = Array.isArray(path) ? String(path[0]) : "";
    const label = list.type.attributes.find((attribute) => attribute.name === name)?.label;
    return label ? `${label}: ${String(message)}` : String(message);
  });
  return [...new Set(said)].slice(0, 3).join(" · ");
}
