// Releases at the server: sets of documents that are published or unpublished together.

import { ApiError, content } from "../core/api";
import { schema, typeOf, type Status } from "../core/schema";

export type State = "planned" | "scheduled" | "done" | "failed";
export type StepAction = "publish" | "unpublish";

export interface Failure {
  readonly reason: string;
  readonly problems?: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** What a release does to one document. */
export interface Step {
  readonly type: string;
  /** Missing for a single type. */
  readonly documentId?: string;
  readonly action: StepAction;
  /** None for the default locale; "*" for all that the document has. */
  readonly locales?: readonly string[];
  readonly failure?: Failure;
}

export interface Release {
  readonly id: string;
  readonly name: string;
  readonly state: State;
  readonly at: string | null;
  readonly doneAt: string | null;
  readonly updatedAt: string;
  readonly retryAt?: string;
  readonly stepCount: number;
  readonly steps?: readonly Step[];
  /** How many steps are on types that the account may not read. */
  readonly hiddenSteps?: number;
}

export interface Changes {
  readonly name?: string;
  readonly at?: string | null;
  readonly steps?: readonly Step[];
  readonly updatedAt?: string;
}

export const mostSteps = 1000;

const pageSize = 100;

/** All releases, the newest first, without their steps. */
export async function listReleases(): Promise<Release[]> {
  const all: Release[] = [];
  for (let page = 1; ; page++) {
    const { data, meta } = await content<Release[]>("GET", "/_releases", { query: { pagination: { page, pageSize } } });
    all.push(...data);
    const { pageCount } = (meta.pagination ?? {}) as { pageCount?: number };
    if (page >= (pageCount ?? 1)) return all;
  }
}

export const readRelease = async (id: string): Promise<Release> => (await content<Release>("GET", `/_releases/${id}`)).data;
export const createRelease = async (changes: Changes): Promise<Release> => (await content<Release>("POST", "/_releases", { body: { data: changes } })).data;
export const changeRelease = async (id: string, changes: Changes): Promise<Release> => (await content<Release>("PUT", `/_releases/${id}`, { body: { data: changes } })).data;
export const publishRelease = async (id: string): Promise<Release> => (await content<Release>("POST", `/_releases/${id}/publish`)).data;
export const deleteRelease = (id: string) => content("DELETE", `/_releases/${id}`);

/** What would fail now, by the number of the step. */
export async function checkRelease(id: string): Promise<ReadonlyMap<number, Failure>> {
  const { data } = await content<{ failures: (Failure & { step: number })[] }>("GET", `/_releases/${id}/check`);
  return new Map(data.failures.map((failure) => [failure.step, failure]));
}

const attempts = 4;

/**
 * Changes the steps of a release as it is now. Where somebody else changes it in the same
 * moment, it is read again, so that neither change is lost.
 */
export async function changeSteps(id: string, change: (steps: readonly Step[]) => readonly Step[]): Promise<Release> {
  for (let attempt = 1; ; attempt++) {
    const { steps, updatedAt } = await readRelease(id);
    try {
      return await changeRelease(id, { steps: change(steps ?? []).map(plain), updatedAt });
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409 || attempt === attempts) throw error;
    }
  }
}

/** A step as it is sent. */
export const plain = ({ type, documentId, action, locales }: Step): Step => ({ type, ...(documentId && { documentId }), action, ...(locales && { locales }) });

const defaultLocale = (): string => schema.peek()?.locales.find((locale) => locale.isDefault)?.code ?? "";

/** The locales of a step; none for a type without locales. */
export function localesOf(step: Step): readonly string[] {
  if (!typeOf(step.type)?.localized) return [];
  return step.locales ?? [defaultLocale()];
}

/** What a step is about, as it is shown. */
export interface Subject {
  readonly title: string;
  readonly status: Status | null;
}

export const subjectKey = ({ type, documentId }: { type: string; documentId?: string }): string => `${type} ${documentId ?? ""}`;

const idsAtOnce = 100;

/** The titles and states of documents, by subjectKey. Those that are not found, or not to be read, are missing. */
export async function readSubjects(steps: readonly { type: string; documentId?: string; locales?: readonly string[] }[]): Promise<ReadonlyMap<string, Subject>> {
  const found = new Map<string, Subject>();
  const questions = new Map<string, typeof steps[number][]>();
  for (const step of steps) {
    const locale = step.locales?.find((code) => code !== "*") ?? "";
    const key = `${step.type} ${locale}`;
    questions.set(key, [...(questions.get(key) ?? []), step]);
  }
  await Promise.all(
    [...questions].flatMap(([key, asked]) => {
      const [uid = "", locale = ""] = key.split(" ");
      const parts = Array.from({ length: Math.ceil(asked.length / idsAtOnce) }, (_, i) => asked.slice(i * idsAtOnce, (i + 1) * idsAtOnce));
      return parts.map((part) => ask(uid, locale, part.map(({ documentId }) => documentId ?? ""), found));
    }),
  );
  return found;
}

type Entry = Readonly<Record<string, unknown>>;

async function ask(uid: string, locale: string, ids: readonly string[], found: Map<string, Subject>): Promise<void> {
  const type = typeOf(uid);
  if (!type) return;
  const single = type.kind === "singleType";
  const query = {
    fields: ["documentId", type.mainField],
    ...(type.draftAndPublish && { status: "draft", include: "state" }),
    ...(type.localized && locale && { locale }),
    ...(!single && { filters: { documentId: { $in: ids } }, pagination: { pageSize: idsAtOnce } }),
  };
  const { data } = await content<Entry | Entry[] | null>("GET", `/${type.route}`, { query }).catch(() => ({ data: null }));
  for (const entry of [data ?? []].flat()) {
    const documentId = single ? "" : String(entry.documentId);
    const title = single ? type.displayName : String(entry[type.mainField] ?? "");
    found.set(subjectKey({ type: uid, documentId }), { title, status: statusIn(entry[type.stateKey ?? "state"]) });
  }
}

/** The worst state of the versions that an answer lists: of several locales, a draft is before what is published. */
function statusIn(states: unknown): Status | null {
  const all = (Array.isArray(states) ? states : []).map((state: { status?: Status }) => state.status);
  return (["draft", "modified", "published"] as const).find((status) => all.includes(status)) ?? null;
}
