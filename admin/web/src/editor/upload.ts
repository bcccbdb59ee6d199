// Files on their way into the library, with how far they are.

import { type Signal, signal } from "@preact/signals";
import { apiBase, ApiError, content, isRecord, request } from "../core/api";
import { t } from "../core/i18n";
import { schema } from "../core/schema";
import { session } from "../core/session";
import type { MediaFile } from "./form/shape";

export interface Upload {
  readonly name: string;
  /** From 0 to 1. */
  readonly progress: Signal<number>;
  readonly file: Promise<MediaFile>;
  readonly stop: () => void;
}

/** Whether a media attribute takes a file of a type: images, videos, audios and files. */
export function fits(allowed: readonly string[] | undefined, mime: string): boolean {
  if (!allowed || allowed.length === 0) return true;
  const kind = ["image", "video", "audio"].find((k) => mime.startsWith(`${k}/`));
  return allowed.includes(kind ? `${kind}s` : "files");
}

/** What an input of files offers for a media attribute. */
export function acceptOf(allowed: readonly string[] | undefined): string | undefined {
  if (!allowed || allowed.length === 0 || allowed.includes("files")) return undefined;
  return allowed.map((kind) => `${kind.replace(/s$/, "")}/*`).join(",");
}

/** Begins to upload a file, into a folder of the library. */
export function upload(file: File, folder: string | null = null): Upload {
  const progress = signal(0);
  const stopped = new AbortController();
  return { name: file.name, progress, stop: () => stopped.abort(), file: send(file, folder, progress, stopped.signal) };
}

/** An upload as the server has it: how much of it has come, and the file once it is whole. */
interface Part {
  readonly id: string;
  readonly offset: number;
  readonly file: MediaFile | null;
}

/** What is sent in one request: after a broken line no more than that is sent again. */
const pieceBytes = 8 << 20;

/** After how long it is tried again, ms; the last one for all further tries. */
const pauses = [500, 1000, 2000, 4000, 8000];

async function send(file: File, folder: string | null, progress: Signal<number>, signal: AbortSignal): Promise<MediaFile> {
  const most = schema.peek()?.maxUploadBytes ?? Infinity;
  if (file.size > most) throw new Error(t("upload.large", { name: file.name, limit: `${Math.floor(most / 1e6)} MB` }));
  if (file.size === 0) throw new Error(t("upload.empty", { name: file.name }));
  const key = `quire-upload ${[session.peek()?.account.id, file.name, file.size, file.lastModified, folder].join(" ")}`;
  const state: { part: Part | null } = { part: null };
  try {
    return await goOn(state, key, file, folder, progress, signal);
  } catch (error) {
    if (signal.aborted && state.part) void request("DELETE", `/media/uploads/${state.part.id}`, { quiet: true }).catch(() => undefined); // it expires
    throw error;
  } finally {
    localStorage.removeItem(key);
  }
}

/** Sends piece after piece. Where the line breaks it asks how much has come, and goes on there. */
async function goOn(state: { part: Part | null }, key: string, file: File, folder: string | null, progress: Signal<number>, signal: AbortSignal): Promise<MediaFile> {
  let id = localStorage.getItem(key); // of a page that was closed
  for (let failed = 0; ; ) {
    try {
      const part: Part = (state.part ??= id ? await look(id, signal) : await begin(file, folder, key, signal));
      if (part.file) return part.file;
      const piece = file.slice(part.offset, part.offset + pieceBytes);
      const next = await put(part, piece, (loaded) => (progress.value = (part.offset + loaded) / file.size), signal);
      if (next.offset > part.offset) failed = 0;
      state.part = next;
      if (next.file) return next.file;
    } catch (error) {
      if (signal.aborted || !(error instanceof ApiError) || !passes(error)) throw error;
      id = error.status === 404 ? null : (state.part?.id ?? id);
      state.part = null;
      if (error.status === 401) await request("GET", "/session"); // asks to sign in, and comes back when that is done
      else await pause(pauses[Math.min(failed++, pauses.length - 1)] ?? 0, signal);
    }
  }
}

/** Whether trying again can help. */
function passes({ status }: ApiError): boolean {
  return [0, 401, 404, 408, 409, 502, 503, 504].includes(status);
}

async function begin(file: File, folder: string | null, key: string, signal: AbortSignal): Promise<Part> {
  const { data } = await request<Part>("POST", "/media/uploads", { body: { name: file.name, size: file.size, ...(folder && { info: { folder } }) }, signal });
  localStorage.setItem(key, data.id);
  return data;
}

async function look(id: string, signal: AbortSignal): Promise<Part> {
  return (await request<Part>("GET", `/media/uploads/${id}`, { signal })).data;
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal.addEventListener("abort", () => {
      clearTimeout(timer);
      reject(new DOMException("stopped", "AbortError"));
    });
  });
}

/** Of the ways to send bytes, only this one says how far it is. */
function put(part: Part, piece: Blob, onProgress: (bytes: number) => void, signal: AbortSignal): Promise<Part> {
  return new Promise((resolve, reject) => {
    const sending = new XMLHttpRequest();
    const stop = () => sending.abort();
    sending.open("PUT", `${apiBase}/media/uploads/${part.id}?offset=${part.offset}`);
    sending.setRequestHeader("X-Quire-Admin", "1");
    sending.setRequestHeader("Content-Type", "application/octet-stream");
    sending.responseType = "json";
    sending.upload.onprogress = (event) => onProgress(event.loaded);
    sending.onload = () => {
      const answer = sending.response as unknown;
      if (sending.status < 300) return resolve(answer as Part);
      const error = isRecord(answer) && isRecord(answer["error"]) ? answer["error"] : {};
      reject(new ApiError(sending.status, "UploadError", typeof error["message"] === "string" ? error["message"] : `HTTP ${sending.status}`));
    };
    sending.onerror = () => reject(new ApiError(0, "Offline", t("offline")));
    sending.onabort = () => reject(new DOMException("stopped", "AbortError"));
    sending.onloadend = () => signal.removeEventListener("abort", stop);
    signal.addEventListener("abort", stop);
    sending.send(piece);
  });
}

/** Changes what is said about a file of the library; gives the file. */
export async function describe(file: MediaFile, info: { alternativeText: string }): Promise<MediaFile> {
  const form = new FormData();
  form.append("fileInfo", JSON.stringify(info));
  return (await content<MediaFile>("POST", "/upload", { query: { id: file.id }, body: form })).data;
}
