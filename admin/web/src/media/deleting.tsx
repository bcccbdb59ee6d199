// Deleting files and folders, with what is lost by it shown before.

import { useEffect, useState } from "preact/hooks";
import { type QueryValue, request } from "../core/api";
import { formatList } from "../core/i18n";
import { QuestionDialog } from "../ui/dialog";
import { toast, toastError } from "../ui/toasts";
import { childrenOf, type Folder, loadFolders } from "./folders";
import { type MediaFile, refresh } from "./library";
import { clearSelection } from "./selection";
import { t } from "./words";

export interface Usage {
  readonly type: string;
  readonly documentId: string;
  readonly locale: string | null;
  readonly title?: string;
}

/** Where a file is used, each document once. */
export async function usesOf(documentId: string): Promise<Usage[]> {
  const { data } = await request<Usage[]>("GET", `/media/files/${documentId}/links`, { query: { pagination: { pageSize: "50" } } });
  return data.filter((one, i) => data.findIndex((other) => other.documentId === one.documentId) === i);
}

const shownFiles = 5;

interface Used {
  readonly total: number;
  readonly files: readonly { readonly name: string; readonly titles: readonly string[] }[];
}

async function page(filters: QueryValue, unused: boolean): Promise<{ files: MediaFile[]; total: number }> {
  const { data, meta } = await request<MediaFile[]>("GET", "/media/files", { query: { filters, ...(unused && { links: "none" }), pagination: { pageSize: "100" } } });
  return { files: data, total: (meta["pagination"] as { total: number }).total };
}

/** Which of some files are used, and the first of them with where. */
async function usedOf(filters: QueryValue): Promise<Used & { all: number }> {
  const [all, unused] = await Promise.all([page(filters, false), page(filters, true)]);
  const free = new Set(unused.files.map((file) => file.documentId));
  const used = all.total === unused.total ? [] : all.files.filter((file) => !free.has(file.documentId));
  const files: { name: string; titles: string[] }[] = [];
  for (const file of used.slice(0, 4 * shownFiles)) {
    if (files.length === shownFiles) break;
    const uses = await usesOf(file.documentId);
    if (uses.length > 0) files.push({ name: file.name, titles: uses.slice(0, 3).map((one) => one.title ?? one.documentId) });
  }
  return { total: all.total - unused.total, files, all: all.total };
}

/** Of a selection: at most 100 documents stand in one question. */
async function usedOfMany(ids: readonly string[]): Promise<Used & { all: number }> {
  let sum: Used & { all: number } = { total: 0, files: [], all: 0 };
  for (let i = 0; i < ids.length; i += 100) {
    const part = await usedOf({ documentId: { $in: ids.slice(i, i + 100) } });
    sum = { total: sum.total + part.total, files: [...sum.files, ...part.files].slice(0, shownFiles), all: sum.all + part.all };
  }
  return sum;
}

export function DeleteDialog({ files, folder, onClose, onDone }: { files: readonly MediaFile[]; folder?: Folder; onClose: () => void; onDone: () => void }) {
  const [used, setUsed] = useState<(Used & { all: number }) | null>(null);
  const [busy, setBusy] = useState(false);
  const below = folder ? foldersBelow(folder.documentId) : 0;
  useEffect(() => {
    const asked = folder ? usedOf({ folder: { $or: [{ path: folder.path }, { path: { $startsWith: `${folder.path}/` } }] } }) : usedOfMany(files.map((file) => file.documentId));
    asked.then(setUsed, (error: unknown) => {
      toastError(error);
      onClose();
    });
  }, []);
  const remove = async () => {
    setBusy(true);
    try {
      await request("POST", "/media/delete", { body: { files: folder ? [] : files.map((file) => file.documentId), folders: folder ? [folder.documentId] : [], withContent: folder !== undefined } });
      toast({ kind: "done", text: folder ? t("folders.deleted", { name: folder.name }) : t("delete.done", { n: files.length }) });
      clearSelection();
      onDone();
      await loadFolders();
      refresh();
      onClose();
    } catch (error) {
      setBusy(false);
      toastError(error);
    }
  };
  const one = files[0];
  const title = folder ? t("folders.delete-title", { name: folder.name }) : files.length === 1 && one ? t("delete.name", { name: one.name }) : t("delete.title", { n: files.length });
  return (
    <QuestionDialog title={title} action={t("delete")} danger busy={busy || used === null} cancel={t("close")} focus="cancel" onAction={() => void remove()} onClose={onClose}>
      {used && folder && <p>{used.all + below === 0 ? t("folders.delete-empty") : t("folders.delete-text", { files: t("folders.files", { n: used.all }), folders: t("folders.count", { n: below }) })}</p>}
      {used && used.total === 0 && used.all > 0 && <p>{t("delete.unused")}</p>}
      {used && used.total > 0 && (
        <>
          <p>{t("delete.used", { n: used.total })}</p>
          <ul class="media-used">
            {used.files.map((file) => (
              <li key={file.name}>{t("delete.used-in", { name: file.name, titles: formatList([...file.titles]) })}</li>
            ))}
            {used.total > used.files.length && <li>{t("delete.more", { n: used.total - used.files.length })}</li>}
          </ul>
        </>
      )}
    </QuestionDialog>
  );
}

function foldersBelow(documentId: string): number {
  return childrenOf(documentId).reduce((sum, child) => sum + 1 + foldersBelow(child.documentId), 0);
}
