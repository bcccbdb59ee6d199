// Pictures without alternative text, where it is typed one after another.

import { useEffect, useRef, useState } from "preact/hooks";
import { request } from "../core/api";
import { Picture } from "../editor/fields/picture";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { Icon } from "../ui/icon";
import { TextInput } from "../ui/inputs";
import { toastError } from "../ui/toasts";
import { type MediaFile, withoutText } from "./library";
import { t } from "./words";

const pageSize = 50;

export function Texts() {
  const [files, setFiles] = useState<readonly MediaFile[] | null>(null);
  const [left, setLeft] = useState(0);
  const [more, setMore] = useState(false);
  const list = useRef<HTMLUListElement>(null);
  // What has got a text is no longer found, so that the first page always has the next ones.
  const load = () =>
    find().then((found) => {
      setFiles((before) => [...(before ?? []), ...found.files.filter((file) => !before?.some((known) => known.id === file.id))]);
      setLeft(found.total);
      setMore(found.total > found.files.length);
    }, toastError);
  useEffect(() => void load(), []);
  if (files === null) return null;
  if (files.length === 0) {
    return (
      <Empty icon="check" title={t("texts.done")}>
        {t("texts.done-text")}
      </Empty>
    );
  }
  const goOn = (from: HTMLElement) => {
    const inputs = [...(list.current?.querySelectorAll<HTMLInputElement>("input") ?? [])];
    inputs[inputs.indexOf(from as HTMLInputElement) + 1]?.focus();
  };
  return (
    <section class="section-part">
      <p class="quiet-text">
        {t("texts.left", { n: left })}. {t("texts.help")}
      </p>
      <ul class="media-texts" ref={list}>
        {files.map((file) => (
          <TextRow key={file.id} file={file} onNext={goOn} onSaved={(had) => setLeft((n) => n - (had ? 0 : 1))} />
        ))}
      </ul>
      {more && (
        <div>
          <Button onClick={() => void load()}>{t("texts.more")}</Button>
        </div>
      )}
    </section>
  );
}

async function find(): Promise<{ files: MediaFile[]; total: number }> {
  const { data, meta } = await request<MediaFile[]>("GET", "/media/files", {
    query: { sort: "createdAt:desc", filters: { $and: [{ mime: { $startsWith: "image/" } }, withoutText] }, pagination: { pageSize: String(pageSize) } },
  });
  return { files: data, total: (meta["pagination"] as { total: number }).total };
}

function TextRow({ file, onNext, onSaved }: { file: MediaFile; onNext: (from: HTMLElement) => void; onSaved: (had: boolean) => void }) {
  const [text, setText] = useState("");
  const [saved, setSaved] = useState("");
  const save = async () => {
    const typed = text.trim();
    if (typed === saved) return;
    try {
      await request("POST", "/media/describe", { body: { list: [{ files: [file.documentId], info: { alternativeText: typed || null } }] } });
      onSaved(saved !== "");
      setSaved(typed);
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <li>
      <a href={file.url} target="_blank" rel="noreferrer" aria-label={t("file.open", { name: file.name })}>
        <Picture file={file} />
      </a>
      <div>
        <span class="truncate">{file.name}</span>
        <TextInput
          aria-label={t("texts.for", { name: file.name })}
          value={text}
          onInput={setText}
          onBlur={() => void save()}
          onKeyDown={(event) => {
            if (event.key !== "Enter" || event.isComposing) return;
            event.preventDefault();
            onNext(event.currentTarget);
            void save();
          }}
        />
        <span class="field-help" role="status">
          {saved !== "" && saved === text.trim() && (
            <>
              <Icon name="check" size={14} /> {t("texts.saved")}
            </>
          )}
        </span>
      </div>
    </li>
  );
}
