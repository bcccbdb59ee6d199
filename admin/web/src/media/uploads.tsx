// Files on their way into the library: a few at a time, each with how far it is.

import { type Signal, signal } from "@preact/signals";
import { Button, IconButton } from "../ui/button";
import { upload } from "../editor/upload";
import { loadFolders } from "./folders";
import { refresh } from "./library";
import { t } from "./words";

interface Coming {
  readonly id: number;
  readonly file: File;
  readonly folder: string | null;
  readonly state: Signal<"waiting" | "under way" | "done" | { readonly failed: string }>;
  readonly progress: Signal<number>;
  stop: () => void;
}

const atOnce = 3;

const coming = signal<readonly Coming[]>([]);
let last = 0;
let running = 0;

/** Uploads files into a folder, after those that are on their way. */
export function send(files: readonly File[], folder: string | null) {
  coming.value = [...coming.value, ...files.map((file) => ({ id: ++last, file, folder, state: signal<"waiting" | "done" | "under way" | { failed: string }>("waiting"), progress: signal(0), stop: () => undefined }))];
  next();
}

function next() {
  while (running < atOnce) {
    const one = coming.peek().find((other) => other.state.peek() === "waiting");
    if (!one) return;
    void run(one);
  }
}

async function run(one: Coming): Promise<void> {
  running++;
  one.state.value = "under way";
  const started = upload(one.file, one.folder);
  const follow = started.progress.subscribe((value) => (one.progress.value = value));
  one.stop = started.stop;
  try {
    await started.file;
    one.state.value = "done";
  } catch (error) {
    if (error instanceof DOMException) forget(one);
    else one.state.value = { failed: error instanceof Error ? error.message : String(error) };
  }
  follow();
  running--;
  next();
  if (running === 0) {
    await loadFolders();
    refresh();
  }
}

function forget(one: Coming) {
  coming.value = coming.value.filter((other) => other !== one);
}

function again(one: Coming) {
  one.state.value = "waiting";
  next();
}

export function Uploads() {
  const all = coming.value;
  if (all.length === 0) return null;
  const left = all.filter((one) => one.state.value === "waiting" || one.state.value === "under way");
  const done = all.filter((one) => one.state.value === "done");
  return (
    <section class="media-uploads" aria-label={t("uploads")}>
      <header>
        <h2 aria-live="polite">{left.length > 0 ? t("uploads.under-way", { n: left.length }) : t("uploads.done", { n: done.length })}</h2>
        {left.length === 0 && (
          <Button small variant="quiet" onClick={() => (coming.value = [])}>
            {t("uploads.clear")}
          </Button>
        )}
      </header>
      <ul>
        {all
          .filter((one) => one.state.value !== "done")
          .slice(0, 50)
          .map((one) => (
            <UploadRow key={one.id} one={one} />
          ))}
      </ul>
    </section>
  );
}

function UploadRow({ one }: { one: Coming }) {
  const state = one.state.value;
  if (typeof state === "object") {
    return (
      <li class="media-upload failed">
        <p>{t("uploads.failed", { name: one.file.name, message: state.failed })}</p>
        <Button small variant="quiet" aria-label={t("uploads.again-name", { name: one.file.name })} onClick={() => again(one)}>
          {t("uploads.again")}
        </Button>
        <IconButton small icon="close" label={t("uploads.stop", { name: one.file.name })} onClick={() => forget(one)} />
      </li>
    );
  }
  return (
    <li class="media-upload">
      <div>
        <span class="truncate">{one.file.name}</span>
        <progress max={1} value={one.progress.value} aria-label={t("uploads.progress", { name: one.file.name })} />
      </div>
      <IconButton small icon="close" label={t("uploads.stop", { name: one.file.name })} onClick={() => (state === "waiting" ? forget(one) : one.stop())} />
    </li>
  );
}
