// Files on their way into the library, with how far they are.

import { type Signal, signal } from "@preact/signals";
import { apiBase, ApiError, content, isRecord, request } from "../core/api";
import { t } from "../core/i18n";
import { schema } from "../core/schema";
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

async function send(file: File, folder: string | null, progress: Signal<number>, signal: AbortSignal): Promise<MediaFile> {
  const most = schema.peek()?.maxUploadBytes ?? Infinity;
  if (file.size > most) throw new Error(t("upload.large", { name: file.name, limit: `${Math.floor(most / 1e6)} MB` }));
  if (file.size === 0) throw new Error(t("upload.empty", { name: file.name }));
  for (;;) {
    const answer = await post(file, folder, progress, signal);
    if (answer.status === 401) {
      await request("GET", "/session"); // asks to sign in, and comes back when that is done
      continue;
    }
    const made = Array.isArray(answer.body) ? (answer.body[0] as MediaFile | undefined) : undefined;
    if (answer.status < 300 && made) return made;
    const error = isRecord(answer.body) && isRecord(answer.body["error"]) ? answer.body["error"] : {};
    throw new ApiError(answer.status, "UploadError", typeof error["message"] === "string" ? error["message"] : t("upload.failed", { name: file.name }));
  }
}

/** Of the ways to send a form, only this one says how far it is. */
function post(file: File, folder: string | null, progress: Signal<number>, signal: AbortSignal): Promise<{ status: number; body: unknown }> {
  return new Promise((resolve, reject) => {
    const form = new FormData();
    form.append("files", file, file.name);
    if (folder) form.append("fileInfo", JSON.stringify({ folder }));
    const sending = new XMLHttpRequest();
    sending.open("POST", `${apiBase}/content/upload`);
    sending.setRequestHeader("X-Quire-Admin", "1");
    sending.responseType = "json";
    sending.upload.onprogress = (event) => (progress.value = event.total > 0 ? event.loaded / event.total : 0);
    sending.onload = () => resolve({ status: sending.status, body: sending.response as unknown });
    sending.onerror = () => reject(new ApiError(0, "Offline", t("upload.failed", { name: file.name })));
    sending.onabort = () => reject(new DOMException("stopped", "AbortError"));
    signal.addEventListener("abort", () => sending.abort());
    sending.send(form);
  });
}

/** Changes what is said about a file of the library; gives the file. */
export async function describe(file: MediaFile, info: { alternativeText: string }): Promise<MediaFile> {
  const form = new FormData();
  form.append("fileInfo", JSON.stringify(info));
  return (await content<MediaFile>("POST", "/upload", { query: { id: file.id }, body: form })).data;
}
