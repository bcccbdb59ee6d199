// The files that are selected, by documentId.

import { signal } from "@preact/signals";
import type { MediaFile } from "./library";

export const selected = signal<ReadonlyMap<string, MediaFile>>(new Map());

export function clearSelection() {
  if (selected.peek().size > 0) selected.value = new Map();
}

export function toggle(file: MediaFile) {
  const next = new Map(selected.peek());
  if (!next.delete(file.documentId)) next.set(file.documentId, file);
  selected.value = next;
}

export function select(files: readonly MediaFile[], most: number) {
  const next = new Map(selected.peek());
  for (const file of files) if (next.size < most || next.has(file.documentId)) next.set(file.documentId, file);
  selected.value = next;
}
