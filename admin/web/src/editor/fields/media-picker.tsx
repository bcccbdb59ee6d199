// A dialog to choose files of the library.

import { useEffect, useState } from "preact/hooks";
import { content, request } from "../../core/api";
import { t } from "../../core/i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { Select, TextInput } from "../../ui/inputs";
import { toastError } from "../../ui/toasts";
import type { MediaFile } from "../form/shape";
import { describeFile, Picture } from "./picture";

const pageSize = 48;

export interface MediaPickerProps {
  /** The name of the field. */
  label: string;
  allowed: readonly string[] | undefined;
  many: boolean;
  onChoose: (files: readonly MediaFile[]) => void;
  onClose: () => void;
}

export function MediaPicker({ label, allowed, many, onChoose, onClose }: MediaPickerProps) {
  const [text, setText] = useState("");
  const [folder, setFolder] = useState("");
  const [folders, setFolders] = useState<readonly Folder[]>([]);
  useEffect(() => void findFolders().then(setFolders, toastError), []);
  const [pages, setPages] = useState(1);
  const [{ files, total }, show] = useState<{ files: readonly MediaFile[]; total: number }>({ files: [], total: -1 });
  const [chosen, choose] = useState<readonly MediaFile[]>([]);
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(() => {
      find(text, folder, allowed, pages, asked.signal).then(
        (found) => !asked.signal.aborted && show((before) => ({ ...found, files: pages > 1 ? [...before.files, ...found.files] : found.files })),
        (error: unknown) => !asked.signal.aborted && toastError(error),
      );
    }, text === "" ? 0 : 150);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [text, folder, pages]);
  const toggle = (file: MediaFile) => {
    if (!many) return take([file]);
    choose(chosen.includes(file) ? chosen.filter((f) => f !== file) : [...chosen, file]);
  };
  const take = (list: readonly MediaFile[]) => {
    onChoose(list);
    onClose();
  };
  return (
    <Dialog
      open
      size="large"
      class="media-picker"
      title={t("media.picker", { name: label })}
      onClose={onClose}
      footer={
        many && (
          <>
            <Button onClick={onClose}>{t("cancel")}</Button>
            <Button variant="primary" disabled={chosen.length === 0} onClick={() => take(chosen)}>
              {t("media.add", { n: chosen.length })}
            </Button>
          </>
        )
      }
    >
      <div class="picker-search">
        <TextInput
          type="search"
          aria-label={t("media.search")}
          placeholder={t("media.search")}
          value={text}
          onInput={(typed) => {
            setText(typed);
            setPages(1);
          }}
          autofocus
        />
        {folders.length > 0 && (
          <Select
            aria-label={t("media.folder")}
            value={folder}
            onInput={(path) => {
              setFolder(path);
              setPages(1);
            }}
            options={[{ value: "", label: t("media.all-folders") }, ...folders.map(({ path }) => ({ value: path, label: wayOf(path, folders) }))]}
          />
        )}
      </div>
      {total === 0 && <p class="picker-empty">{text === "" && folder === "" ? t("media.none") : t("nothing-found")}</p>}
      <ul class="picker-grid" aria-label={t("media.library")}>
        {files.map((file) => (
          <li key={file.id}>
            <button type="button" class="picker-file" aria-pressed={many ? chosen.includes(file) : undefined} onClick={() => toggle(file)}>
              <Picture file={file} />
              {chosen.includes(file) && (
                <span class="picker-check">
                  <Icon name="check" />
                </span>
              )}
              <span class="truncate">{file.name}</span>
              <span class="field-help truncate">{describeFile(file)}</span>
            </button>
          </li>
        ))}
      </ul>
      {files.length < total && (
        <Button variant="quiet" onClick={() => setPages(pages + 1)}>
          {t("media.more")}
        </Button>
      )}
    </Dialog>
  );
}

interface Folder {
  readonly id: number;
  readonly pathId: number;
  readonly name: string;
  readonly path: string;
}

async function findFolders(): Promise<readonly Folder[]> {
  const all = (await request<Folder[]>("GET", "/media/folders", { query: { sort: "name" } })).data;
  return [...all].sort((a, b) => wayOf(a.path, all).localeCompare(wayOf(b.path, all)));
}

/** The names of a folder and of those above it: a path names them by their pathIds. */
function wayOf(path: string, folders: readonly Folder[]): string {
  const parts = path.split("/").slice(1);
  return parts.map((id) => folders.find((folder) => String(folder.pathId) === id)?.name ?? "…").join(" / ");
}

/** A filter for the files in a folder and below it. */
function within(path: string): Filter {
  return path === "" ? {} : { folder: { $or: [{ path }, { path: { $startsWith: `${path}/` } }] } };
}

async function find(text: string, folder: string, allowed: readonly string[] | undefined, page: number, signal: AbortSignal): Promise<{ files: readonly MediaFile[]; total: number }> {
  const { data, meta } = await content<MediaFile[]>("GET", "/upload/files/page", {
    query: {
      sort: "createdAt:desc",
      pagination: { page, pageSize },
      ...(text.trim() !== "" && { filters: { $and: [{ $or: ["name", "alternativeText", "caption"].map((name) => ({ [name]: { $containsi: text.trim() } })) }, kinds(allowed), within(folder)] } }),
      ...(text.trim() === "" && { filters: { $and: [kinds(allowed), within(folder)] } }),
    },
    signal,
  });
  const pagination = meta["pagination"] as { total?: number } | undefined;
  return { files: data, total: pagination?.total ?? data.length };
}

interface Filter {
  readonly [key: string]: string | Filter | readonly Filter[];
}

/** The types of files that a media attribute takes, as a filter. */
function kinds(allowed: readonly string[] | undefined): Filter {
  if (!allowed || allowed.length === 0) return {};
  const media = ["image", "video", "audio"];
  const taken = media.filter((kind) => allowed.includes(`${kind}s`)).map((kind): Filter => ({ mime: { $startsWith: `${kind}/` } }));
  const files: Filter = { $and: media.map((kind): Filter => ({ $not: { mime: { $startsWith: `${kind}/` } } })) };
  return { $or: allowed.includes("files") ? [...taken, files] : taken };
}
