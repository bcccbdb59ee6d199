// The library: folders, what narrows the files down, the files, and what is done to them.

import { useEffect, useRef, useState } from "preact/hooks";
import { useCommands } from "../core/commands";
import { schema } from "../core/schema";
import { Button } from "../ui/button";
import { Empty } from "../ui/empty";
import { toastError } from "../ui/toasts";
import { DeleteDialog } from "./deleting";
import { DescribeDialog } from "./describing";
import { FileDrawer } from "./drawer";
import { Files } from "./files";
import { FolderBar } from "./folder-bar";
import { folders, loadFolders, nameOf } from "./folders";
import { held } from "./holding";
import { failure, type MediaFile, need, question, refresh, searches, total } from "./library";
import { type Dragged, MoveDialog } from "./moving";
import { clearSelection, selected } from "./selection";
import { Filters, SelectionBar } from "./toolbar";
import { FolderTree } from "./tree";
import { send, Uploads } from "./uploads";
import { t } from "./words";

type Open = { readonly kind: "file"; readonly file: MediaFile } | { readonly kind: "delete"; readonly files: readonly MediaFile[] } | { readonly kind: "move"; readonly what: Dragged } | { readonly kind: "describe" };

export function Library() {
  const [open, show] = useState<Open | null>(null);
  const [over, setOver] = useState(false);
  const chooser = useRef<HTMLInputElement>(null);
  const rights = { upload: schema.value?.files.includes("upload") ?? false, remove: schema.value?.files.includes("delete") ?? false };
  const q = question.value;
  useEffect(() => {
    clearSelection();
    loadFolders().then(refresh, toastError);
    return clearSelection;
  }, []);
  useEffect(clearSelection, [q.folder]);
  const asked = JSON.stringify(q);
  useEffect(() => {
    if (folders.peek()) need(0, 1);
  }, [asked]);
  useEffect(() => {
    if (failure.value) toastError(failure.value);
  }, [failure.value]);
  useEffect(() => {
    if (!rights.upload) return;
    const paste = (event: ClipboardEvent) => {
      if (!event.clipboardData?.files.length || document.querySelector("dialog:modal")) return;
      event.preventDefault();
      send([...event.clipboardData.files], question.peek().folder);
    };
    addEventListener("paste", paste);
    return () => removeEventListener("paste", paste);
  }, [rights.upload]);
  const choose = () => chooser.current?.click();
  useCommands(rights.upload ? [{ label: t("upload"), icon: "upload", run: choose }] : []);
  const close = () => show(null);
  const remove = (files: readonly MediaFile[]) => rights.remove && files.length > 0 && show({ kind: "delete", files });
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (!rights.upload || !event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      setOver(true);
    },
    onDragLeave: (event: DragEvent) => !(event.currentTarget as Element).contains(event.relatedTarget as Node | null) && setOver(false),
    onDrop: (event: DragEvent) => {
      setOver(false);
      if (!rights.upload || !event.dataTransfer?.files.length) return;
      event.preventDefault();
      send([...event.dataTransfer.files], q.folder);
    },
  };
  if (folders.value === undefined) return null;
  return (
    <div class={`media-library${over ? " over" : ""}`} {...drop}>
      <div class="media-side">
        <FolderTree at={q.folder} mayMove={rights.upload} />
      </div>
      <div class="media-main">
        <FolderBar at={q.folder} rights={rights} onMove={(what) => show({ kind: "move", what })} />
        {selected.value.size > 0 ? (
          <SelectionBar
            rights={rights}
            onMove={() => show({ kind: "move", what: { files: [...selected.peek().keys()], folders: [] } })}
            onDescribe={() => show({ kind: "describe" })}
            onDelete={() => remove([...selected.peek().values()])}
          />
        ) : (
          <Filters onUpload={rights.upload ? choose : undefined} />
        )}
        {total.value === 0 ? <Nothing onUpload={rights.upload ? choose : undefined} /> : <Files mayMove={rights.upload} onOpen={(file) => show({ kind: "file", file })} onDelete={() => remove([...selected.peek().values()])} />}
        <Uploads />
        {over && <p class="media-drop">{t("upload.drop", { name: nameOf(q.folder) })}</p>}
        <Held />
      </div>
      <input
        ref={chooser}
        type="file"
        hidden
        multiple
        onChange={(event) => {
          send([...(event.currentTarget.files ?? [])], question.peek().folder);
          event.currentTarget.value = "";
        }}
      />
      {open?.kind === "file" && <FileDrawer key={open.file.documentId} file={open.file} rights={rights} onClose={close} onDelete={() => remove([open.file])} />}
      {open?.kind === "delete" && <DeleteDialog files={open.files} onClose={close} onDone={close} />}
      {open?.kind === "move" && <MoveDialog what={open.what} from={q.folder} onClose={close} />}
      {open?.kind === "describe" && <DescribeDialog files={[...selected.peek().values()]} onClose={close} />}
    </div>
  );
}

/** What to do with what a finger holds. */
function Held() {
  const now = held.value;
  if (!now) return null;
  return <p class="media-held">{t("move.held", { n: now.files.length + now.folders.length })}</p>;
}

function Nothing({ onUpload }: { onUpload: (() => void) | undefined }) {
  const q = question.value;
  if (searches(q)) {
    return (
      <Empty icon="search" title={t("empty.found")}>
        {t("empty.found-text")}
      </Empty>
    );
  }
  const some = (folders.value?.length ?? 0) > 0;
  return (
    <Empty
      icon={some ? "folder" : "image"}
      title={some ? t("empty.folder") : t("empty.title")}
      action={
        onUpload && (
          <Button variant="primary" icon="upload" onClick={onUpload}>
            {t("upload")}
          </Button>
        )
      }
    >
      {some ? t("empty.folder-text") : t("empty.text")}
    </Empty>
  );
}
