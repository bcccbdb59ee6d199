// One file: what it is, what is said about it, where it is used, and what is done to it.

import { useEffect, useRef, useState } from "preact/hooks";
import { content, request } from "../core/api";
import { copyText } from "../core/clipboard";
import { formatDateTime } from "../core/i18n";
import { announce } from "../core/live-region";
import { Link } from "../core/router";
import { documentPath, schema, typeOf } from "../core/schema";
import { describeFile, isSigned } from "../editor/fields/picture";
import type { AlternativeProps } from "../suggestions/alternative";
import { Button, IconButton } from "../ui/button";
import { Drawer } from "../ui/dialog";
import { Field } from "../ui/field";
import { Icon } from "../ui/icon";
import { Select, TextArea, TextInput } from "../ui/inputs";
import { lazy } from "../ui/lazy";
import { toast, toastError } from "../ui/toasts";
import { type Usage, usesOf } from "./deleting";
import { EditDialog, isEditable } from "./editing";
import { loadFolders } from "./folders";
import { type MediaFile, refresh, replaceFile } from "./library";
import { Lock } from "./lock";
import { folderOptions } from "./moving";
import { t } from "./words";

const { Lazy: Alternative } = lazy<AlternativeProps>(() => import("../suggestions/alternative"), true);

export interface Rights {
  readonly upload: boolean;
  readonly remove: boolean;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const centre: Point = { x: 50, y: 50 };

export function FileDrawer({ file: opened, rights, onClose, onDelete }: { file: MediaFile; rights: Rights; onClose: () => void; onDelete: () => void }) {
  const [file, setFile] = useState(opened);
  const [name, setName] = useState(file.name);
  const [alt, setAlt] = useState(file.alternativeText ?? "");
  const [caption, setCaption] = useState(file.caption ?? "");
  const [folder, setFolder] = useState(file.folder?.documentId ?? "");
  const [focus, setFocus] = useState<Point>(file.focalPoint ?? centre);
  const [editing, setEditing] = useState(false);
  const [suggesting, setSuggesting] = useState(false);
  const [busy, setBusy] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const picture = file.mime.startsWith("image/");
  const wrong = name.trim() === "" ? [t("file.name-missing")] : [];
  const was = file.focalPoint ?? centre;
  const refocused = focus.x !== was.x || focus.y !== was.y;
  const become = (data: MediaFile) => {
    const next = { ...file, ...data };
    replaceFile(next);
    setFile(next);
    return next;
  };
  useEffect(() => {
    // The address may have expired since the list came.
    if (isSigned(opened.url)) void content<MediaFile>("GET", `/upload/files/${opened.id}`).then(({ data }) => become(data), toastError);
  }, []);
  const save = async () => {
    if (wrong.length > 0) return;
    setBusy(true);
    const info = { name, alternativeText: alt || null, caption: caption || null, folder: folder || null, ...(refocused && { focalPoint: focus }) };
    try {
      await request("POST", "/media/describe", { body: { list: [{ files: [file.documentId], info }] } });
      replaceFile({ ...file, name, alternativeText: alt, caption, focalPoint: focus });
      if (folder !== (file.folder?.documentId ?? "")) {
        await loadFolders();
        refresh();
      }
      toast({ kind: "done", text: t("saved", { name }) });
      onClose();
    } catch (error) {
      setBusy(false);
      toastError(error);
    }
  };
  // An edit takes the focal point along that the server knows.
  const keepFocus = async () => {
    if (!refocused) return;
    await request("POST", "/media/describe", { body: { list: [{ files: [file.documentId], info: { focalPoint: focus } }] } });
    become({ ...file, focalPoint: focus });
  };
  const replace = async (by: File) => {
    setBusy(true);
    const form = new FormData();
    form.append("files", by, by.name);
    form.append("fileInfo", JSON.stringify({ name: file.name }));
    try {
      const { data } = await content<MediaFile>("POST", "/upload", { query: { id: file.id }, body: form });
      become(data);
      toast({ kind: "done", text: t("file.replaced", { name: file.name }) });
    } catch (error) {
      toastError(error);
    }
    setBusy(false);
  };
  const copy = () =>
    copyText(new URL(file.url, location.href).href).then(() => {
      toast({ kind: "done", text: t("file.copied") });
    }, toastError);
  const address = file.hash ? `${file.url}${isSigned(file.url) ? "&" : "?"}v=${file.hash}` : file.url; // the url stays when what is behind it changes
  return (
    <>
      <Drawer
        open
        size="large"
        class="media-drawer"
        title={file.name}
        onClose={onClose}
        footer={
          <>
            {rights.remove && (
              <Button variant="quiet" icon="trash" class="media-drawer-delete" onClick={onDelete}>
                {t("delete")}
              </Button>
            )}
            <Button onClick={onClose}>{t("close")}</Button>
            {rights.upload && (
              <Button variant="primary" busy={busy} onClick={() => void save()}>
                {t("save")}
              </Button>
            )}
          </>
        }
      >
        <Preview file={file} address={address} focus={focus} onFocus={rights.upload ? setFocus : undefined} />
        <div class="media-drawer-actions">
          <a class="button secondary small" href={address} download={file.name}>
            <Icon name="download" />
            <span>{t("file.download")}</span>
          </a>
          <Button small icon="copy" onClick={() => void copy()}>
            {t("file.copy")}
          </Button>
          {rights.upload && (
            <>
              {isEditable(file) && (
                <Button small icon="edit" onClick={() => setEditing(true)}>
                  {t("edit")}
                </Button>
              )}
              <Button small icon="upload" onClick={() => chooser.current?.click()}>
                {t("file.replace")}
              </Button>
              <input ref={chooser} type="file" hidden onChange={(event) => event.currentTarget.files?.[0] && void replace(event.currentTarget.files[0])} />
            </>
          )}
        </div>
        <fieldset class="media-fields" disabled={!rights.upload}>
          {picture && (
            <Field
              label={t("file.alt")}
              help={t("file.alt-help")}
              aside={
                schema.value?.model?.pictures && rights.upload && (
                  <IconButton small icon="spark" label={t("file.alt-suggest")} onClick={() => setSuggesting(true)} />
                )
              }
            >
              {(wired) => <TextArea {...wired} value={alt} onInput={setAlt} rows={2} />}
            </Field>
          )}
          <Field label={t("file.caption")}>{(wired) => <TextInput {...wired} value={caption} onInput={setCaption} />}</Field>
          <Field label={t("file.name")} errors={wrong}>
            {(wired) => <TextInput {...wired} value={name} onInput={setName} />}
          </Field>
          <Field label={t("file.folder")}>{(wired) => <Select {...wired} value={folder} onInput={setFolder} options={folderOptions()} />}</Field>
        </fieldset>
        <section class="media-about">
          <h3>{t("file.about")}</h3>
          <p>{describeFile(file)}</p>
          {file.createdAt && (
            <p>
              {t("file.added")} <time dateTime={file.createdAt}>{formatDateTime(file.createdAt)}</time>
            </p>
          )}
          <p class="mono">
            {file.url.split("?")[0]} {isSigned(file.url) && <Lock />}
          </p>
        </section>
        <Uses file={file} />
      </Drawer>
      {suggesting && <Alternative file={file} label={t("file.alt")} text={alt} onTake={setAlt} onClose={() => setSuggesting(false)} />}
      {editing && <EditDialog file={file} address={address} before={keepFocus} onChange={(data) => setFocus(become(data).focalPoint ?? centre)} onClose={() => setEditing(false)} />}
    </>
  );
}

/** Where a pointer is in a box, in percent of it. */
function placeIn(box: DOMRect, at: MouseEvent): Point {
  return { x: ((at.clientX - box.left) / box.width) * 100, y: ((at.clientY - box.top) / box.height) * 100 };
}

function Preview({ file, address, focus, onFocus }: { file: MediaFile; address: string; focus: Point; onFocus: ((to: Point) => void) | undefined }) {
  if (file.mime.startsWith("video/")) return <video class="media-preview" src={address} controls aria-label={t("file.preview")} />;
  if (file.mime.startsWith("audio/")) return <audio class="media-sound" src={address} controls aria-label={t("file.preview")} />;
  if (!file.mime.startsWith("image/")) return null;
  const set = (to: Point) => {
    const within = (n: number) => Math.round(Math.max(0, Math.min(100, n)));
    onFocus?.({ x: within(to.x), y: within(to.y) });
  };
  const keys = (event: KeyboardEvent) => {
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    const to = { x: focus.x + (by[0] ?? 0), y: focus.y + (by[1] ?? 0) };
    set(to);
    announce(t("file.focus", { x: Math.max(0, Math.min(100, to.x)), y: Math.max(0, Math.min(100, to.y)) }));
  };
  const click = (event: MouseEvent) => {
    set(placeIn((event.currentTarget as HTMLElement).getBoundingClientRect(), event));
  };
  const drag = (event: PointerEvent) => {
    const ring = event.currentTarget as HTMLElement;
    if (event.type === "pointerdown" && event.button === 0) ring.setPointerCapture(event.pointerId);
    const box = ring.parentElement?.getBoundingClientRect();
    if (event.type === "pointermove" && box && ring.hasPointerCapture(event.pointerId)) set(placeIn(box, event));
  };
  return (
    <div class="media-preview-frame">
      <div class="media-preview-picture" onClick={onFocus && click}>
        <img src={address} alt={file.alternativeText || file.name} draggable={false} />
        {onFocus && (
          <button
            type="button"
            class="media-focus"
            style={{ left: `${focus.x}%`, top: `${focus.y}%` }}
            aria-label={t("file.focus", { x: focus.x, y: focus.y })}
            onClick={(event) => event.stopPropagation()}
            onPointerDown={drag}
            onPointerMove={drag}
            onKeyDown={keys}
          />
        )}
      </div>
      {onFocus && (
        <p class="field-help media-focus-help">
          {t("file.focus-help")}
          {(focus.x !== 50 || focus.y !== 50) && (
            <Button small variant="quiet" onClick={() => set(centre)}>
              {t("file.focus-reset")}
            </Button>
          )}
        </p>
      )}
    </div>
  );
}

function Uses({ file }: { file: MediaFile }) {
  const [uses, setUses] = useState<readonly Usage[] | null>(null);
  useEffect(() => void usesOf(file.documentId).then(setUses, toastError), [file.documentId]);
  return (
    <section class="media-about">
      <h3>{t("file.used")}</h3>
      {uses?.length === 0 && <p>{t("file.unused")}</p>}
      {uses && uses.length > 0 && (
        <ul class="media-uses">
          {uses.map((one) => (
            <li key={one.documentId}>
              <Link to={documentPath(one.type, one.documentId, one.locale)}>{one.title ?? one.documentId}</Link>
              <span class="quiet-text"> {typeOf(one.type)?.displayName}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
