// Requests to /admin/api/v1: answers, errors, ETags, and signing in again.

import { parseExact } from "./exact-json";
import { t } from "./i18n";
import { sentenceOf } from "./refused";

/** What a request answers. version is of the document, for ifMatch; revision of the content that it shows. */
export interface Answer<T> {
  data: T;
  meta: Record<string, unknown>;
  version?: string;
  revision?: number;
}

/** An error of the server, in the common envelope; status is 0 if it was not reached. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    override readonly name: string,
    message: string,
    readonly details: Record<string, unknown> = {},
    /** Whole body of an answer that is no envelope of an error, as of a conflict. */
    readonly body: unknown = null,
  ) {
    super(message);
  }
  get offline(): boolean {
    return this.status === 0;
  }
}

export type QueryValue = string | number | boolean | null | undefined | readonly QueryValue[] | { readonly [key: string]: QueryValue };

export interface RequestOptions {
  query?: string | { readonly [key: string]: QueryValue };
  /** Sent as JSON, or as it is if it is a form or a blob. */
  body?: unknown;
  ifMatch?: string;
  /** What is written has suggestions of the language model in it, which the history says. */
  suggested?: boolean;
  signal?: AbortSignal;
  /** Leaves the answer "SessionExpired" to the caller, as for the first look at the session. */
  quiet?: boolean;
}

export type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

export const apiBase = "/admin/api/v1";

interface Kept {
  etag: string;
  answer: Answer<unknown>;
}

const kept = new Map<string, Kept>();
const keptAtMost = 200;

let signInAgain: (() => Promise<void>) | undefined;
const connection = { onChange: (_online: boolean): void => undefined };

/** Says what is done when the session has expired: the promise resolves when it is good again. */
export function onExpired(handler: () => Promise<void>) {
  signInAgain = handler;
}

/** Says who hears whether the server is reached. */
export function onConnection(handler: (online: boolean) => void) {
  connection.onChange = handler;
}

/** Forgets all answers that are kept, as when another account signs in. */
export function forgetAnswers() {
  kept.clear();
}

/**
 * Asks the server. An expired session opens the dialog for signing in, and the request is
 * sent again after it. GETs are sent with the ETag of the answer that is kept.
 */
export async function request<T>(method: Method, path: string, options: RequestOptions = {}): Promise<Answer<T>> {
  const url = apiBase + path + queryString(options.query);
  for (;;) {
    const response = await send(method, url, options);
    const answer = await read<T>(method, url, response, options);
    if (answer !== "expired") return answer;
    await signInAgain?.();
  }
}

/** Asks the content API in the name of the account: content("GET", "/articles", …). */
export function content<T>(method: Method, path: string, options?: RequestOptions): Promise<Answer<T>> {
  return request<T>(method, "/content" + path, options);
}

async function send(method: Method, url: string, options: RequestOptions): Promise<Response> {
  const headers = new Headers({ Accept: "application/json" });
  if (method !== "GET") headers.set("X-Quire-Admin", "1");
  if (options.ifMatch) headers.set("If-Match", options.ifMatch);
  if (options.suggested) headers.set("X-Quire-Suggestions", "1");
  const etag = method === "GET" ? kept.get(url)?.etag : undefined;
  if (etag) headers.set("If-None-Match", etag);
  let body: BodyInit | undefined;
  if (options.body instanceof FormData || options.body instanceof Blob) body = options.body;
  else if (options.body !== undefined) {
    body = JSON.stringify(options.body);
    headers.set("Content-Type", "application/json");
  }
  try {
    const response = await fetch(url, { method, headers, body, signal: options.signal, credentials: "same-origin", cache: "no-store" });
    connection.onChange(true);
    return response;
  } catch (error) {
    if (options.signal?.aborted) throw error;
    connection.onChange(false);
    throw new ApiError(0, "Offline", t("offline"));
  }
}

async function read<T>(method: Method, url: string, response: Response, options: RequestOptions): Promise<Answer<T> | "expired"> {
  if (response.status === 304) {
    const known = kept.get(url);
    if (known) return { ...(known.answer as Answer<T>), revision: revisionOf(response) };
  }
  const body = response.status === 204 ? null : parsed(await response.text());
  if (!response.ok) {
    const error = errorOf(response, body);
    if (error.name === "SessionExpired" && signInAgain && !options.quiet) return "expired";
    throw error;
  }
  const answer = answerOf<T>(response, body);
  const etag = response.headers.get("ETag");
  if (method === "GET" && etag) keep(url, { etag, answer });
  return answer;
}

/** The JSON of an answer, with all digits of its numbers; null for what is none, as of a proxy. */
function parsed(text: string): unknown {
  try {
    return parseExact(text);
  } catch {
    return null;
  }
}

function keep(url: string, what: Kept) {
  kept.delete(url);
  kept.set(url, what);
  if (kept.size > keptAtMost) kept.delete(kept.keys().next().value ?? url);
}

function answerOf<T>(response: Response, body: unknown): Answer<T> {
  const version = response.headers.get("Quire-Version") ?? response.headers.get("ETag") ?? undefined;
  const revision = revisionOf(response);
  if (isRecord(body) && "data" in body) {
    return { data: body.data as T, meta: isRecord(body.meta) ? body.meta : {}, version, revision };
  }
  return { data: body as T, meta: {}, version, revision }; // answers about files are not in an envelope
}

function revisionOf(response: Response): number | undefined {
  const revision = response.headers.get("Quire-Snapshot");
  return revision === null ? undefined : Number(revision);
}

function errorOf(response: Response, body: unknown): ApiError {
  const error = isRecord(body) && isRecord(body.error) ? body.error : {};
  const name = typeof error.name === "string" ? error.name : "Error";
  const details = isRecord(error.details) ? error.details : {};
  const message = typeof error.message === "string" ? sentenceOf(name, error.message, details) : t("no-answer", { status: String(response.status) });
  return new ApiError(response.status, name, message, details, body);
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A query as the content API reads it: {filters: {title: {$eq: "x"}}} is filters[title][$eq]=x. */
export function queryString(query: RequestOptions["query"]): string {
  if (query === undefined || query === "") return "";
  if (typeof query === "string") return query.startsWith("?") ? query : "?" + query;
  const parts: string[] = [];
  for (const [key, value] of Object.entries(query)) append(parts, key, value);
  return parts.length > 0 ? "?" + parts.join("&") : "";
}

function append(parts: string[], key: string, value: QueryValue) {
  if (value === undefined) return;
  if (value !== null && typeof value === "object") {
    for (const [inner, item] of Object.entries(value)) append(parts, `${key}[${inner}]`, item as QueryValue);
    return;
  }
  parts.push(`${encodeURIComponent(key).replaceAll("%5B", "[").replaceAll("%5D", "]").replaceAll("%24", "$")}=${encodeURIComponent(value ?? "")}`);
}
