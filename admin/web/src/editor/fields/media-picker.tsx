// A dialog to choose files of the library.

import { useEffect, useState } from "preact/hooks";
import { content } from "../../core/api";
import { t } from "../../core/i18n";
import { Button } from "../../ui/button";
import { Dialog } from "../../ui/dialog";
import { Icon } from "../../ui/icon";
import { TextInput } from "../../ui/inputs";
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
  const [pages, setPages] = useState(1);
  const [{ files, total }, show] = useState<{ files: readonly MediaFile[]; total: number }>({ files: [], total: -1 });
  const [chosen, choose] = useState<readonly MediaFile[]>([]);
  useEffect(() => {
    const asked = new AbortController();
    const timer = setTimeout(() => {
      find(text, allowed, pages, asked.signal).then(
        (found) => !asked.signal.aborted && show((before) => ({ ...found, files: pages > 1 ? [...before.files, ...found.files] : found.files })),
        (error: unknown) => !asked.signal.aborted && toastError(error),
      );
    }, text === "" ? 0 : 150);
    return () => {
      clearTimeout(timer);
      asked.abort();
    };
  }, [text, pages]);
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
      {total === 0 && <p class="picker-empty">{text === "" ? t("media.none") : t("nothing-found")}</p>}
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

async function find(text: string, allowed: readonly string[] | undefined, page: number, signal: AbortSignal): Promise<{ files: readonly MediaFile[]; total: number }> {
  const { data, meta } = await content<MediaFile[]>("GET", "/upload/files/page", {
    query: {
      sort: "createdAt:desc",
      pagination: { page, pageSize },
      ...(text.trim() !== "" && { filters: { $and: [{ $or: ["name", "alternativeText", "caption"].map((name) => ({ [name]: { $containsi: text.trim() } })) }, kinds(allowed)] } }),
      ...(text.trim() === "" && { filters: kinds(allowed) }),
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
