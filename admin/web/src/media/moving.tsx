// Files and folders go to another folder: dragged, or chosen in a dialog.

import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { Button } from "../ui/button";
import { Dialog } from "../ui/dialog";
import { Field } from "../ui/field";
import { Select } from "../ui/inputs";
import { toast, toastError } from "../ui/toasts";
import { flat, move, nameOf } from "./folders";
import { refresh } from "./library";
import { clearSelection } from "./selection";
import { t } from "./words";

export interface Dragged {
  readonly files: readonly string[];
  readonly folders: readonly string[];
}

/** What is being dragged. */
export const dragged = signal<Dragged | null>(null);

export async function takeDragged(to: string | null) {
  const what = dragged.peek();
  dragged.value = null;
  if (what) await carry(what, to);
}

/** Moves, and says so; false where it was refused. */
export async function carry(what: Dragged, to: string | null): Promise<boolean> {
  try {
    await move(what, to);
  } catch (error) {
    toastError(error);
    return false;
  }
  clearSelection();
  refresh();
  toast({ kind: "done", text: t("move.done", { n: what.files.length + what.folders.length, name: nameOf(to) }) });
  return true;
}

export function MoveDialog({ what, from, onClose }: { what: Dragged; from: string | null; onClose: () => void }) {
  const [to, choose] = useState(from ?? "");
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    const moved = await carry(what, to === "" ? null : to);
    setBusy(false);
    if (moved) onClose();
  };
  return (
    <Dialog
      open
      size="small"
      title={t("move.title")}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{t("close")}</Button>
          <Button variant="primary" busy={busy} onClick={() => void confirm()}>
            {t("move.here")}
          </Button>
        </>
      }
    >
      <Field label={t("move.to")}>{(wired) => <Select {...wired} value={to} onInput={choose} options={folderOptions(new Set(what.folders))} />}</Field>
    </Dialog>
  );
}

/** The folders as options, indented as they stand in each other. */
export function folderOptions(without?: ReadonlySet<string>) {
  return [{ value: "", label: t("root") }, ...flat(null, 0, without).map(({ folder, depth }) => ({ value: folder.documentId, label: "  ".repeat(depth + 1) + folder.name }))];
}
