// Files of the library: chosen there, dropped, pasted, put in an order, described.

import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useMemo, useRef, useState } from "preact/hooks";
import { t } from "../../core/i18n";
import { schema } from "../../core/schema";
import { Button, IconButton } from "../../ui/button";
import { moved } from "../../ui/moved";
import { TextInput } from "../../ui/inputs";
import { Sortable } from "../../ui/sortable";
import { toast, toastError, toastUndo } from "../../ui/toasts";
import type { FieldProps } from "../context";
import { filesOf, isMany, type MediaFile } from "../form/shape";
import { acceptOf, describe, fits, type Upload, upload } from "../upload";
import { Frame, useLock } from "./frame";
import { MediaPicker } from "./media-picker";
import { describeFile, Picture } from "./picture";

export function MediaField(props: FieldProps) {
  const { path, attribute, form } = props;
  const files = filesOf(form.value(path).value);
  const locked = useLock(attribute);
  const many = isMany(attribute);
  const [picking, pick] = useState(false);
  const [over, setOver] = useState(false);
  const uploads = useMemo(() => signal<readonly Upload[]>([]), []);
  const chooser = useRef<HTMLInputElement>(null);
  const may = schema.value?.files ?? [];

  const choice = many ? "choose" : files.length > 0 ? "replace" : "choose-one";

  const change = (next: readonly MediaFile[]) => form.set(path, next);
  const add = (added: readonly MediaFile[]) => {
    const now = filesOf(form.value(path).peek());
    const fresh = added.filter((f) => !now.some((n) => n.id === f.id));
    if (fresh.length > 0) change(many ? [...now, ...fresh] : fresh.slice(-1));
  };
  const send = (list: readonly File[]) => {
    const wrong = list.find((f) => !fits(attribute.allowedTypes, f.type || "application/octet-stream"));
    if (wrong) return void toast({ kind: "error", text: t("upload.kind", { name: wrong.name, field: attribute.label }) });
    for (const file of many ? list : list.slice(0, 1)) {
      const started = upload(file);
      uploads.value = [...uploads.value, started];
      started.file
        .then((made) => add([made]))
        .catch((error: unknown) => !(error instanceof DOMException) && toastError(error))
        .finally(() => (uploads.value = uploads.value.filter((u) => u !== started)));
    }
  };
  const remove = (file: MediaFile) => {
    const before = files;
    change(files.filter((f) => f !== file));
    toastUndo(t("link.removed", { name: file.name }), () => change(before));
  };
  const described = (file: MediaFile) => {
    const now = filesOf(form.value(path).peek());
    form.value(path).value = now.map((f) => (f.id === file.id ? { ...f, ...file } : f)); // of the library, not of this form
  };
  const takes = !locked && may.includes("upload");
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!takes || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: () => setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!takes || !event.dataTransfer?.files.length) return;
      event.preventDefault();
      send([...event.dataTransfer.files]);
    },
    onPaste: (event: ClipboardEvent) => {
      if (!takes || !event.clipboardData?.files.length) return;
      event.preventDefault();
      send([...event.clipboardData.files]);
    },
  };
  return (
    <Frame {...props} labels="group">
      {(wired, labelId) => (
        <div id={wired.id} role="group" aria-labelledby={labelId} aria-describedby={wired["aria-describedby"]} tabIndex={-1} class={`media${over ? " over" : ""}${files.length === 0 ? " none" : ""}`} {...drop}>
          <Sortable label={attribute.label} items={files} keyOf={(f) => String(f.id)} nameOf={(f) => f.name} disabled={locked || !many} onMove={(from, to) => change(moved(files, from, to))}>
            {(file, handle) => <FileRow file={file} handle={handle} locked={locked} mayDescribe={takes} onRemove={() => remove(file)} onDescribed={described} />}
          </Sortable>
          {uploads.value.map((u) => (
            <UploadRow key={u.name} upload={u} />
          ))}
          {!locked && (
            <div class="media-actions">
              {may.includes("read") && (
                <Button small icon="image" onClick={() => pick(true)} aria-label={t(`media.${choice}-for`, { name: attribute.label })}>
                  {t(`media.${choice}`)}
                </Button>
              )}
              {takes && (
                <>
                  <Button small variant="quiet" icon="upload" onClick={() => chooser.current?.click()} aria-label={t("media.upload-for", { name: attribute.label })}>
                    {t("media.upload")}
                  </Button>
                  <span class="media-hint">{t("media.hint")}</span>
                  <input
                    ref={chooser}
                    type="file"
                    hidden
                    multiple={many}
                    accept={acceptOf(attribute.allowedTypes)}
                    onChange={(event) => {
                      send([...(event.currentTarget.files ?? [])]);
                      event.currentTarget.value = "";
                    }}
                  />
                </>
              )}
            </div>
          )}
          {picking && <MediaPicker label={attribute.label} allowed={attribute.allowedTypes} many={many} onChoose={add} onClose={() => pick(false)} />}
        </div>
      )}
    </Frame>
  );
}

interface FileRowProps {
  file: MediaFile;
  handle: ComponentChildren;
  locked: boolean;
  mayDescribe: boolean;
  onRemove: () => void;
  onDescribed: (file: MediaFile) => void;
}

function FileRow({ file, handle, locked, mayDescribe, onRemove, onDescribed }: FileRowProps) {
  const [text, setText] = useState(file.alternativeText ?? "");
  const say = async () => {
    if (text === (file.alternativeText ?? "")) return;
    try {
      onDescribed(await describe(file, { alternativeText: text }));
    } catch (error) {
      toastError(error);
    }
  };
  return (
    <div class="file-row">
      {handle}
      <a href={file.url} target="_blank" rel="noreferrer" aria-label={t("media.open", { name: file.name })}>
        <Picture file={file} />
      </a>
      <div class="file-text">
        <span class="truncate">{file.name}</span>
        <span class="field-help">{describeFile(file)}</span>
        {file.mime.startsWith("image/") && (
          <TextInput
            class="file-alt"
            aria-label={t("media.alt-for", { name: file.name })}
            placeholder={t("media.alt")}
            value={text}
            onInput={setText}
            onBlur={() => void say()}
            readOnly={!mayDescribe}
          />
        )}
      </div>
      {!locked && <IconButton small icon="close" label={t("link.remove", { name: file.name })} onClick={onRemove} />}
    </div>
  );
}

function UploadRow({ upload: { name, progress, stop } }: { upload: Upload }) {
  return (
    <div class="file-row uploading">
      <div class="file-text">
        <span class="truncate">{name}</span>
        <progress value={progress.value} max={1} aria-label={t("media.uploading", { name })} />
      </div>
      <IconButton small icon="close" label={t("media.stop", { name })} onClick={stop} />
    </div>
  );
}
