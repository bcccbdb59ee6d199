// The folders of the library as a tree, and where one is.

import { computed, signal } from "@preact/signals";
import { request } from "../core/api";
import { forgetWithAccount } from "../core/session";
import { t } from "./words";

export interface Folder {
  readonly id: number;
  readonly documentId: string;
  readonly name: string;
  readonly path: string;
  readonly parent: { readonly documentId: string } | null;
  readonly files: { readonly count: number };
  readonly private: boolean | null;
}

/** All folders by name; undefined until they are known. */
export const folders = signal<readonly Folder[] | undefined>(undefined);

forgetWithAccount(() => (folders.value = undefined));

export async function loadFolders(): Promise<void> {
  const { data } = await request<Folder[]>("GET", "/media/folders", { query: { sort: "name", populate: { parent: { fields: ["name"] }, files: { count: "true" } } } });
  folders.value = data;
}

export function folderOf(documentId: string | null | undefined): Folder | undefined {
  return folders.value?.find((folder) => folder.documentId === documentId);
}

const below = computed(() => {
  const lists = new Map<string | null, Folder[]>();
  for (const folder of folders.value ?? []) {
    const parent = folder.parent?.documentId ?? null;
    const list = lists.get(parent);
    if (list) list.push(folder);
    else lists.set(parent, [folder]);
  }
  return lists;
});

/** The folders that stand in one, or in none. */
export function childrenOf(documentId: string | null): readonly Folder[] {
  return below.value.get(documentId) ?? [];
}

/** The folders above one and itself, the outermost first. */
export function wayTo(documentId: string | null): readonly Folder[] {
  const way: Folder[] = [];
  for (let at = folderOf(documentId); at && !way.includes(at); at = folderOf(at.parent?.documentId)) way.unshift(at);
  return way;
}

/** Whether only addresses that expire open the files of a folder: it or one above it is private. */
export function isPrivate(documentId: string | null | undefined): boolean {
  return wayTo(documentId ?? null).some((folder) => folder.private);
}

/** All folders in the order of the tree, each with how deep it stands. */
export function flat(parent: string | null = null, depth = 0, without?: ReadonlySet<string>): { folder: Folder; depth: number }[] {
  return childrenOf(parent)
    .filter((folder) => !without?.has(folder.documentId))
    .flatMap((folder) => [{ folder, depth }, ...(depth < 30 ? flat(folder.documentId, depth + 1, without) : [])]);
}

export function nameOf(documentId: string | null): string {
  return folderOf(documentId)?.name ?? t("root");
}

/** Moves files and folders, and knows the folders anew. */
export async function move(what: { files?: readonly string[]; folders?: readonly string[] }, to: string | null): Promise<void> {
  await request("POST", "/media/move", { body: { files: what.files ?? [], folders: what.folders ?? [], to } });
  await loadFolders();
}

export async function saveFolder(documentId: string | null, body: { name?: string; parent?: string | null; private?: boolean }): Promise<Folder> {
  const { data } = await request<Folder>(documentId ? "PUT" : "POST", documentId ? `/media/folders/${documentId}` : "/media/folders", { body });
  await loadFolders();
  return data;
}
